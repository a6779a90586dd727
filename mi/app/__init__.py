"""Composition: a home and a project opened for one command, and one small builder per use case."""
