"""The event log: typed records, writer, readers, index."""
