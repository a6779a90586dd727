"""The text index and recall: finds what was said, learned and seen, by words, without a model."""
