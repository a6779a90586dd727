"""The lowest floor: ids, time, files, logs, locks, configuration, git, secrets, text, errors."""
