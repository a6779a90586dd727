"""A second pair of eyes: external reviewers, deployment checks, and changes of the rules themselves."""
