"""The seal of a stored view: in which state MI's last writer left the file.

A view is derived from logs that have seals of their own, so one in another state is not mended but built again.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from mi.kernel import files
from mi.kernel.home import FILE_MODE, SEAL, make_place

_LONGEST = 100  # bytes


def compare_seal(path: str) -> Literal["same", "other", "touched"]:
    """Return whether a view is as MI's last writer left it; one that is about to say so is waited for.

    `other`: it was copied, or its writer was killed, or there were no seals of views yet.
    """
    try:
        fd = os.open(path + SEAL, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return "other"
    try:
        if _read(fd) == _state(path):
            return "same"
        fcntl.flock(fd, fcntl.LOCK_SH)
        said, state = _read(fd), _state(path)
        if said == state:
            return "same"
        is_content = len(said) == len(state) and said[0] == state[0] and said[1:3] != state[1:3]
        return "touched" if is_content and not os.path.lexists(path + "-journal") else "other"
    finally:
        os.close(fd)


def is_left_midway(path: str) -> bool:
    """Return whether a writer was killed over a view: SQLite then takes back what it had begun to write."""
    if not os.path.lexists(path + "-journal"):
        return False
    try:
        with open(path + SEAL, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False  # it is still at it, or there is no seal that could tell
    return True


@contextmanager
def keep_seal(path: str) -> Iterator[None]:
    """Seal a view anew after it was written to, by whoever holds the view's own lock until then."""
    if not os.path.lexists(path + SEAL):
        make_place(path + SEAL)
    fd = os.open(path + SEAL, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        try:
            yield
        finally:  # what could not be written was taken back by then
            os.pwrite(fd, b":".join(_state(path)).ljust(_LONGEST), 0)
    finally:
        os.close(fd)


def remove_seal(path: str) -> None:
    """Remove the seal of a view that is removed."""
    files.remove_if_there(path + SEAL)


def _read(fd: int) -> list[bytes]:
    return os.pread(fd, _LONGEST, 0).rstrip().split(b":")


def _state(path: str) -> list[bytes]:
    found = os.stat(path)
    return [b"%d" % one for one in (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)]
