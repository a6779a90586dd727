"""Workflows: what a person keeps doing, written down, followed in runs, handed to agents as skills."""
