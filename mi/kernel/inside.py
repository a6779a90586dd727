"""Paths in someone's folder: what a repository brings along, its links too, leads no read and no write out of it."""

import os
import stat
from functools import lru_cache

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
    if not _leads_straight(root, path):
        real_path(root, path)
    return path


def read_bytes(root: str, path: str) -> bytes | None:
    """Return the content of a file of a folder, None when there is none; StorageError when it leads out."""
    return files.read_bytes(real_path(root, path))


def write_atomic(root: str, path: str, content: bytes, mode: int = FILE_MODE, *, sync: bool = True) -> None:
    """Replace a file of a folder at once; StorageError when it leads out."""
    files.write_atomic(real_path(root, path), content, mode, sync=sync)


def _leads_straight(root: str, path: str) -> bool:
    """Return whether nothing from a folder down to a path is a link; cheaper than to follow all of both."""
    below = path.removeprefix(root + os.sep)
    parts = below.split(os.sep)
    if below == path or not {"", os.curdir, os.pardir}.isdisjoint(parts) or names_git(below):
        return False
    try:
        top = os.stat(root)
        if _is_below_git(root, top.st_dev, top.st_ino):
            return False
        for end in range(len(parts)):
            if stat.S_ISLNK(os.lstat(os.sep.join([root, *parts[: end + 1]])).st_mode):
                return False
    except (FileNotFoundError, NotADirectoryError):
        return True  # nothing is there that could lead on
    except (OSError, ValueError):
        return False
    return True


@lru_cache(maxsize=64)
def _is_below_git(root: str, device: int, inode: int) -> bool:
    """Return whether a folder lies in git's own; asked again when another folder is found there."""
    return names_git(os.path.realpath(root))


def names_git(path: str) -> bool:
    """Tell whether a part of a path is git's own folder, as any file system may spell it."""
    return any(_plain(part) in (".git", "git~1") for part in path.split(os.sep) if part[:1] == "." or "~" in part)


def _plain(part: str) -> str:
    """Return a name as file systems compare it that pass over case, invisible letters and a trailing dot or space."""
    seen = part if part.isascii() else "".join(one for one in part if one.isprintable())
    return seen.casefold().rstrip(". ")
