"""What MI serves on this machine over HTTP: one listener, one set of limits, one check of who is let in."""
