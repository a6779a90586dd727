"""Asking for judgement: prompts, the models that answer them, and rules that need no model."""
