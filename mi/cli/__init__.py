"""The command line: one module per command group, loaded only when called."""
