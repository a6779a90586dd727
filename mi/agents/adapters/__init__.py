"""Adapters: one module per agent that MI can drive."""
