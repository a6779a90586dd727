"""The seal of a stored view: in which state MI's last writer left the file.

A view is derived from logs that have seals of their own, so one in another state is not mended but built again.
"""

import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Literal

from mi.kernel.home import FILE_MODE, SEAL, make_place
from mi.kernel.jsonl import measure_size

_LONGEST = 100  # bytes
_BEGUN = b"begun"  # before the state in which a view was when somebody began to write to it


class NotSealed(sqlite3.DatabaseError):
    """A stored view is not as MI's last writer left it, or another one has taken its place."""


def compare_seal(path: str) -> Literal["same", "other", "touched"]:
    """Return whether a view is as MI's last writer left it; one that is about to say so is waited for.

    `other`: it was copied, or its writer was killed, or there were no seals of views yet.
    """
    try:
        fd = os.open(path + SEAL, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return "other"
    try:
        if _has_seal(path, fd):
            return "same"
        fcntl.flock(fd, fcntl.LOCK_SH)
        if _has_seal(path, fd):
            return "same"
        said, state = _read(fd), _state(path)
        is_content = len(said) == len(state) and said[0] == state[0] and said[1:3] != state[1:3]
        return "touched" if is_content and not _has_journal(path) else "other"
    finally:
        os.close(fd)


@contextmanager
def keep_seal(path: str, inode: int) -> Iterator[None]:
    """Seal a view anew after it was written to; NotSealed when it is not the one with this inode, new or as left."""
    with _lock_seal(path) as fd:
        if read_inode(path) != inode or (measure_size(path) and not _has_seal(path, fd)):
            raise NotSealed("it was written or made anew meanwhile")
        _write(fd, [_BEGUN, *_state(path)])
        try:
            yield
        finally:  # what could not be written was taken back by then
            _write(fd, _state(path))


def remove_view(path: str, is_kept: Callable[[], bool] = lambda: False) -> None:
    """Remove a stored view, unless it `is_kept` once nobody else writes to it.

    Its seal stays, for nothing: others wait for its lock.
    """
    if not os.path.lexists(path) and not _has_journal(path):
        return
    if os.path.islink(path + SEAL):
        os.unlink(path + SEAL)
    with _lock_seal(path) as fd:
        if is_kept():
            return
        os.ftruncate(fd, 0)
        for name in (path + "-journal", path):
            with suppress(FileNotFoundError):
                os.unlink(name)


def is_sealed(path: str) -> bool:
    """Return whether a view is as MI's last writer left it, without waiting for one that writes."""
    try:
        with open(path + SEAL, "rb") as file:
            return _has_seal(path, file.fileno())
    except OSError:
        return False


def read_inode(path: str) -> int:
    """Return which file has a name; 0 when none has."""
    try:
        return os.stat(path).st_ino
    except FileNotFoundError:
        return 0


@contextmanager
def _lock_seal(path: str) -> Iterator[int]:
    if not os.path.lexists(path + SEAL):
        make_place(path + SEAL)
    fd = os.open(path + SEAL, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield fd
    finally:
        os.close(fd)


def _has_seal(path: str, fd: int) -> bool:
    """Return whether a view is as its seal says; a journal is of a version that kept one, and was killed."""
    state = _state(path)
    return bool(state) and _read(fd)[-len(state) :] == state and not _has_journal(path)


def _has_journal(path: str) -> bool:
    return os.path.lexists(path + "-journal")


def _read(fd: int) -> list[bytes]:
    return os.pread(fd, _LONGEST, 0).rstrip().split(b":")


def _write(fd: int, state: list[bytes]) -> None:
    os.pwrite(fd, b":".join(state).ljust(_LONGEST), 0)


def _state(path: str) -> list[bytes]:
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return []  # somebody removed it
    return [b"%d" % one for one in (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)]
