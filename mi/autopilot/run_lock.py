"""One run per project at a time."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from mi.kernel import clock, files
from mi.kernel.errors import Blocked
from mi.kernel.home import FILE_MODE, make_place
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.locks import try_lock
from mi.kernel.notices import Notices


class Owner(msgspec.Struct, frozen=True, kw_only=True):
    """Who holds the lock."""

    run_id: str = ""
    pid: int = 0
    ts: str = ""
    door: str = ""  # where the run hears of what a person writes meanwhile; '' when it does not listen


@contextmanager
def run_lock(path: str, run_id: str, notices: Notices, door: str = "") -> Iterator[None]:
    """Hold a project's run lock; Blocked, naming the owner, when a living process holds it."""
    make_place(path)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
    try:
        former = read_owner(path)
        if not try_lock(fd, path):
            raise Blocked("run-in-progress", run_id=former.run_id, pid=former.pid, since=former.ts)
        if former.run_id:  # its owner died without letting go in order: the system freed the lock
            notices.add("lock-taken-over", path, run_id=former.run_id, since=former.ts)
        owner = Owner(run_id=run_id, pid=os.getpid(), ts=clock.now(), door=door)
        os.ftruncate(fd, 0)
        os.pwrite(fd, msgspec.json.encode(owner), 0)
        yield
        os.ftruncate(fd, 0)
    finally:
        os.close(fd)


def read_owner(path: str) -> Owner:
    """Return who holds or last held a lock."""
    try:
        return decode(files.read_bytes(path) or b"{}", Owner)
    except BadJson:
        return Owner()
