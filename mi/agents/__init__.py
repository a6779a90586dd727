"""Drive agent CLIs: find and probe them, run one batch, read one typed stream of events."""
