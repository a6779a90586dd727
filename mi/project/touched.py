"""Whether anything of the work was touched after a moment, also where it was put back as it had been."""

import os
from collections.abc import Callable, Iterable

from mi.kernel import git

_LIST_BYTES = 32 << 20
_LIST_S = 30.0


def touched_after(root: str, moment: float, is_apart: Callable[[str], bool]) -> bool:
    """Return whether a file of the work changed after a moment, or one came to be or went away in its folders.

    What git ignores, and what `is_apart` names, is no work. The time at which a file's state changed cannot be set
    back by a program, as that of its writing can.
    """
    listed = set(_list_files(root))
    work = [file for file in listed if not is_apart(file)]
    if any(_changed_at(os.path.join(root, file)) > moment for file in work):
        return True
    folders = {folder for file in work for folder in _above(file)} | {""}
    return any(_entries_changed(os.path.join(root, folder), folder, moment, listed, folders) for folder in folders)


def _list_files(root: str) -> Iterable[str]:
    """Return the files of the work: those that git has or would take, all of them without git.

    What a sparse checkout leaves out is none of them.
    """
    arguments = ("ls-files", "-z", "-t", "--cached", "--others", "--exclude-standard")
    answer = git.run(root, *arguments, timeout_s=_LIST_S, max_bytes=_LIST_BYTES)
    if answer.code == 0 and not answer.cut:
        found = ((entry[:1], entry[2:]) for entry in answer.output.split("\0") if entry)
        return (name for tag, name in found if tag != "S" or os.path.lexists(os.path.join(root, name)))
    return _walk(root)


def _walk(root: str) -> Iterable[str]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in (".git", "node_modules", ".venv", "__pycache__")]
        yield from (os.path.relpath(os.path.join(folder, name), root) for name in names)


def _above(path: str) -> Iterable[str]:
    while path:
        path = os.path.dirname(path)
        yield path


def _entries_changed(place: str, folder: str, moment: float, listed: set[str], folders: set[str]) -> bool:
    """Return whether the list of a folder's entries changed after a moment, and not by what is no work."""
    try:
        changed = os.lstat(place).st_mtime
        if changed <= moment:
            return False
        entries = [entry.name for entry in os.scandir(place)]
    except OSError:
        return True
    others = [name for name in entries if name != ".git" and not _is_work(os.path.join(folder, name), listed, folders)]
    return not any(_changed_at(os.path.join(place, name)) >= changed for name in others)


def _is_work(path: str, listed: set[str], folders: set[str]) -> bool:
    return path in listed or path in folders


def _changed_at(path: str) -> float:
    try:
        return os.lstat(path).st_ctime
    except OSError:
        return 0.0
