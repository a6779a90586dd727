"""One change of a repository's list of work trees at a time: git fails where it finds one half made or half gone."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from mi.kernel.errors import StorageError
from mi.kernel.locks import acquire

_PATIENCE_S = 600.0  # as long as a large repository may take to be checked out


@contextmanager
def hold_tree_list(top: str) -> Iterator[None]:
    """Hold the right to add and remove work trees of a repository; where no locks can be had, go without."""
    place = os.path.join(top, ".git")
    fd = os.open(place if os.path.isdir(place) else top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(StorageError):
            acquire(fd, place, _PATIENCE_S)
        yield
    finally:
        os.close(fd)
