"""Whether a file defines a name where its users can reach it, and with something to do."""
