"""Tests of the plan, task and memory state of a repository."""
