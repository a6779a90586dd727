"""The agents' door: tools over the Model Context Protocol."""
