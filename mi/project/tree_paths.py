"""Paths of a work tree, seen from its top with `/` between the parts; links on the way are never followed."""

import os
import stat
from collections.abc import Iterable


def find_obstacle(top: str, path: str) -> str:
    """Return the first part of a path that should be a folder and is a file or a link; '' when there is none."""
    parts = path.split("/")[:-1]
    for end in range(1, len(parts) + 1):
        part = "/".join(parts[:end])
        try:
            mode = os.lstat(os.path.join(top, part)).st_mode
        except OSError:
            return ""
        if not stat.S_ISDIR(mode):
            return part
    return ""


def is_file(top: str, path: str) -> bool:
    """Return whether a file or link is at a path, and no link on the way leads to it."""
    if find_obstacle(top, path):
        return False
    try:
        mode = os.lstat(os.path.join(top, path)).st_mode
    except OSError:
        return False
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


def is_inside(path: str, folders: Iterable[str]) -> bool:
    """Return whether a path is one of some paths, or below one; '' is the top."""
    return any(not folder or path == folder or path.startswith(folder + "/") for folder in folders)


def list_files(top: str, folder: str) -> set[str]:
    """Return every file and link below a folder of a work tree."""
    found = set()
    for place, folders, names in os.walk(os.path.join(top, folder)):
        links = [name for name in folders if os.path.islink(os.path.join(place, name))]
        found |= {os.path.relpath(os.path.join(place, name), top) for name in (*names, *links)}
    return found
