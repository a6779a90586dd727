"""The prompt pack: one file per question, each with its text, its types and its rules."""
