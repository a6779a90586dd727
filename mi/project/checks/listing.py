"""The folders of a project and the names in them, read once and bounded."""

import os

_DEPTH, _FOLDERS, _NAMES = 12, 4000, 2000  # how far, into how many folders and at how many names of each one looks
_SKIPPED = frozenset("node_modules venv env target dist build vendor third_party site-packages __pycache__ out".split())


class FolderListing(dict[str, set[str]]):
    """The names in each folder by its path from the root, those near the root first."""

    complete = True  # False: there is more than was looked at


def list_folders(root: str) -> FolderListing:
    """Return what is in the project's folders but in those of dependencies and of what is built."""
    found = FolderListing()
    waiting = [("", 0)]
    for folder, depth in waiting:
        if len(found) >= _FOLDERS:
            found.complete = False
            break
        try:
            with os.scandir(os.path.join(root, folder)) as entries:
                some = [entry for entry, _ in zip(entries, range(_NAMES), strict=False)]
        except OSError:
            continue
        found.complete = found.complete and len(some) < _NAMES and depth < _DEPTH
        found[folder] = {entry.name for entry in some}
        if depth < _DEPTH:
            waiting += [(joined(folder, name), depth + 1) for name in sorted(e.name for e in some if _is_folder(e))]
    return found


def is_below(path: str, folder: str) -> bool:
    """Return whether a path is a folder or lies in it."""
    return not folder or path == folder or path.startswith(folder + "/")


def joined(folder: str, path: str) -> str:
    """Return a path in a folder, both as seen from the root, where '' is the root."""
    whole = os.path.normpath(os.path.join(folder, path))
    return "" if whole == "." else whole


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    return entry.name[:1] != "." and entry.name not in _SKIPPED and entry.is_dir(follow_symlinks=False)
