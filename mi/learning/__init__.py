"""Where thoughts meet a Mind: values and what is learned from runs."""
