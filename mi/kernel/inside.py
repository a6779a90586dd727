"""Paths in someone's folder: what a repository brings along, its links too, leads no read and no write out of it."""

import os

from mi.kernel import files
from mi.kernel.errors import StorageError
from mi.kernel.home import FILE_MODE


def real_path(root: str, path: str, follow: bool = True) -> str:
    """Return where a path of a folder really is; StorageError when it leads out of the folder, or below `.git`.

    Without `follow` the last part may be a link to anywhere: it is the link that is meant.
    """
    whole = os.path.join(root, path)
    parent, name = os.path.split(whole)
    real = os.path.realpath(whole) if follow else os.path.join(os.path.realpath(parent), name)
    top = os.path.realpath(root)
    if real != top and not real.startswith(top.rstrip(os.sep) + os.sep):
        raise StorageError("leads-out", path=whole, root=root)
    if names_git(real):
        raise StorageError("below-git", path=whole)
    return real


def checked(root: str, path: str) -> str:
    """Return a path of a folder as it is named; StorageError when it leads out of the folder, or below `.git`."""
    real_path(root, path)
    return path


def read_bytes(root: str, path: str) -> bytes | None:
    """Return the content of a file of a folder, None when there is none; StorageError when it leads out."""
    return files.read_bytes(real_path(root, path))


def write_atomic(root: str, path: str, content: bytes, mode: int = FILE_MODE, *, sync: bool = True) -> None:
    """Replace a file of a folder at once; StorageError when it leads out."""
    files.write_atomic(real_path(root, path), content, mode, sync=sync)


def names_git(path: str) -> bool:
    """Tell whether a part of a path is git's own folder, as any file system may spell it."""
    return any(_plain(part) in (".git", "git~1") for part in path.split(os.sep) if part[:1] == "." or "~" in part)


def _plain(part: str) -> str:
    """Return a name as file systems compare it that pass over case, invisible letters and a trailing dot or space."""
    seen = part if part.isascii() else "".join(one for one in part if one.isprintable())
    return seen.casefold().rstrip(". ")
