"""A command as people say it."""

import os
import shlex

_SHELLS = frozenset(("sh", "bash", "zsh", "dash"))


def unwrap_shell(command: str) -> str:
    """Return what a shell is told to run (`/bin/bash -lc 'make test'`); any other command as it is."""
    name, _, rest = command.partition(" ")
    if os.path.basename(name) not in _SHELLS:
        return command
    try:
        words = shlex.split(rest)
    except ValueError:
        return command
    return words[1] if len(words) == 2 and words[0] in ("-c", "-lc") else command
