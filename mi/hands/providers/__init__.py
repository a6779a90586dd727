"""One module per agent MI can drive."""
