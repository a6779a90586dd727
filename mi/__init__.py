"""Mind Incarnation: a mind layer above coding agents."""

__version__ = "0.1.0"
