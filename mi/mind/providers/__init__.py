"""Models that can judge, each behind the same small interface."""
