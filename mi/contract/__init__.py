"""The agents' contract: governed memory and task authority behind one gate."""
