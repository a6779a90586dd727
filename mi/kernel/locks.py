"""Locks between processes: held by the kernel, so a killed owner never leaves one behind."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from mi.kernel.errors import StorageError

_PATIENCE_S = 30.0


def acquire(fd: int, path: str, patience_s: float = _PATIENCE_S) -> None:
    """Take the exclusive lock of an open file, waiting for its owner a bounded time."""
    wait = 0.0005
    deadline = time.monotonic() + patience_s
    while not try_lock(fd, path):
        if time.monotonic() > deadline:
            raise StorageError("locked", path=path, seconds=int(patience_s))
        time.sleep(wait)
        wait = min(wait * 2, 0.02)


def try_lock(fd: int, path: str) -> bool:
    """Take the exclusive lock of an open file; False when another holds it, StorageError where there are no locks."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:  # ENOLCK, EOPNOTSUPP: some network file systems
        raise StorageError("no-locks", path=path, reason=error.strerror or str(error)) from None
    return True


def is_still(fd: int, path: str) -> bool:
    """Return whether an open file still has its name: whoever had the lock before may have removed or replaced it."""
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except FileNotFoundError:
        return False


@contextmanager
def lock_folder(path: str) -> Iterator[None]:
    """Hold the lock of a folder, for changing state files in it; readers are never blocked."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        acquire(fd, path)
        yield
    finally:
        os.close(fd)


def is_held(path: str) -> bool:
    """Return whether a living process holds a lock; one that was killed holds none, nor one where there are none."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(fd)
