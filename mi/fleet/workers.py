"""Whether a worker lives: each holds the lock of a file of its own, which the system frees when it dies."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from mi.kernel import ids
from mi.kernel.home import FILE_MODE, make_place
from mi.kernel.locks import is_held, is_still, try_lock

_ALL, _ONE = "worker", "single"  # how the names begin of those that take any job, and of those that have one run


@contextmanager
def sign_in(folder: str, takes_all: bool = True) -> Iterator[str]:
    """Yield the name of a worker, which lives as long as this holds."""
    name = ids.make_id(_ALL if takes_all else _ONE)
    path = _path_of(folder, name)
    make_place(path)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
    try:
        while not try_lock(fd, path) or not is_still(fd, path):  # somebody took it for one that was left behind
            os.close(fd)
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        yield name
        os.unlink(path)
    finally:
        os.close(fd)


def is_gone(folder: str, name: str) -> bool:
    """Return whether a worker has ended, in order or not."""
    return not is_held(_path_of(folder, name))


def list_living(folder: str) -> list[str]:
    """Return the workers that live and take any job."""
    names = [entry.removesuffix(".lock") for entry in os.listdir(folder)] if os.path.isdir(folder) else []
    return [name for name in names if name.startswith(_ALL) and not is_gone(folder, name)]


def forget_gone(folder: str) -> None:
    """Remove the files of workers that were killed."""
    for entry in os.listdir(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, entry)
        with suppress(FileNotFoundError), open(path, "rb") as file:
            if try_lock(file.fileno(), path):
                os.unlink(path)


def _path_of(folder: str, name: str) -> str:
    return os.path.join(folder, f"{name}.lock")
