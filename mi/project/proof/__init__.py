"""The witness: MI's own run of a project's checks, and what it proves."""
