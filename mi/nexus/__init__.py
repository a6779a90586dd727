"""Plan, tasks, history, artifacts, memory files and the roster of a repository, in its `.nexus/`."""
