"""Finding a program."""

import os


def find_on_path(name: str) -> str | None:
    """Return where a program is on $PATH."""
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        path = os.path.join(folder, name)
        if folder and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None
