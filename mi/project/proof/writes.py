"""Which judges of a copy a check wrote to while it ran: they then say nothing about the code they judge."""

import os
import stat
import sys
from collections.abc import Iterable, Mapping

from mi.project.checks.judge_places import is_set_up, judge_kind

_SEPARATE = ("code", "data", "settings", "recipe", "manifest")  # the test parts of a source are built with it
_OPAQUE = ("user.overlay.opaque", "trusted.overlay.opaque")

FileStates = Mapping[str, tuple[int, ...]]


def is_watched(path: str) -> bool:
    """Return whether a check has to leave a file of its copy alone."""
    return judge_kind(path) in _SEPARATE


def note_states(folder: str, paths: Iterable[str]) -> FileStates:
    """Return what tells that a file was written to, also where its content was put back."""
    return {path: _state(os.path.join(folder, path)) for path in paths}


def find_written(folder: str, before: FileStates, layers: Iterable[str]) -> list[str]:
    """Return the noted files that were written to or removed, in the folder or in a layer over it, and new set-ups."""
    found = {path for path, state in before.items() if _state(os.path.join(folder, path)) != state}
    for layer in layers:
        found.update(path for path in before if _is_covered(layer, path))
        found.update(path for path in _files(layer) if path not in before and _sets_up(path))
    return sorted(found)


def _state(place: str) -> tuple[int, ...]:
    try:
        status = os.lstat(place)
    except OSError:
        return ()
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _is_covered(layer: str, path: str) -> bool:
    """Return whether a layer holds a file, or what hides it or a folder above it."""
    place = layer
    for part in path.split("/"):
        place = os.path.join(place, part)
        try:
            if not stat.S_ISDIR(os.lstat(place).st_mode) or _is_opaque(place):
                return True
        except OSError:
            return False
    return True


def _is_opaque(place: str) -> bool:
    """Return whether a folder of a layer stands in place of the one below, and not over it."""
    if sys.platform != "linux":  # it has no such layers
        return False
    try:
        return any(name in _OPAQUE for name in os.listxattr(place, follow_symlinks=False))
    except OSError:
        return False


def _files(layer: str) -> Iterable[str]:
    for folder, _, names in os.walk(layer):
        yield from (os.path.relpath(os.path.join(folder, name), layer) for name in names)


def _sets_up(path: str) -> bool:
    return judge_kind(path) == "settings" or (is_set_up(path) and not path.endswith("__init__.py"))
