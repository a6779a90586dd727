"""What hooks enforce: one module each with `answer` and `on_error`, imported only when enforced."""
