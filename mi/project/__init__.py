"""Which project a command works on: identity, selection, overlay."""
