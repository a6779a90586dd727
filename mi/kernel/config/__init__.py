"""The configuration map: typed, with defaults, tolerant of mistakes it can name."""
