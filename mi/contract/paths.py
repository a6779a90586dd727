"""Paths that come from outside: inside the project, with every link resolved, or refused."""

import os

from mi.kernel.errors import UsageError


def inside(root: str, named: str) -> str:
    """The real path of a file named relative to the project; UsageError when it leaves the project."""
    if not named.strip() or "\0" in named or os.path.isabs(named) or named.startswith("~"):
        raise UsageError("path-outside", value=named, root=root)
    real_root = os.path.realpath(root)
    path = os.path.realpath(os.path.join(real_root, named))
    if path != real_root and not path.startswith(real_root.rstrip(os.sep) + os.sep):
        raise UsageError("path-outside", value=named, root=root)
    return path
