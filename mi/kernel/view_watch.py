"""Which stored views another process wrote since this one looked: what they say is then read from the logs again.

A view is derived and its seal no secret, so a program that writes to both could take a value away or give one, with
every log as MI wrote it.
"""

import os

_FileState = tuple[int, int, int] | None
_known: dict[str, _FileState] = {}  # by view: as this process left it
_foreign: set[str] = set()


def watch_view(path: str) -> None:
    """Remember a view as it is."""
    _foreign.discard(path)
    _known[path] = _read_state(path)


def begin_write(path: str) -> None:
    """Look at a view before this process writes to it: afterwards nobody could tell."""
    if path in _known and _read_state(path) != _known[path]:
        _foreign.add(path)


def end_write(path: str) -> None:
    """Remember a view as this process wrote it."""
    if path in _known:
        _known[path] = _read_state(path)


def is_written_by_others(path: str) -> bool:
    """Return whether another process wrote to a view that is watched."""
    begin_write(path)
    return path in _foreign


def _read_state(path: str) -> _FileState:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_ctime_ns
