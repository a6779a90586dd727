"""The team's rules as pure functions: the doors only call them."""
