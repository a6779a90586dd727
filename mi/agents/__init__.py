"""Finding, probing and running agent CLIs: one process group, byte pipes, one typed stream of events."""
