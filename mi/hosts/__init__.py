"""What MI puts into a workspace, and takes out again without a trace."""
