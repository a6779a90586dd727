"""One run per work tree at a time, and which runs go on now."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from mi.kernel import clock, files
from mi.kernel.errors import Blocked
from mi.kernel.home import FILE_MODE, Home, make_place
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.locks import is_held, is_still, try_lock
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices


class Owner(msgspec.Struct, frozen=True, kw_only=True):
    """Who holds the lock."""

    run_id: str = ""
    pid: int = 0
    ts: str = ""
    door: str = ""  # where the run hears of what a person writes meanwhile; '' when it does not listen
    root: str = ""  # where it works


class RunningRun(NamedTuple):
    """A run that goes on now."""

    project_id: str
    lock: str
    owner: Owner


def find_running(home: Home, project_id: str = "") -> Iterator[RunningRun]:
    """Yield the runs whose process lives, of one project or of all."""
    for found in (one for one in home.project_ids() if project_id in ("", one)):  # a path is no project
        for lock in home.project(found).list_run_locks():
            if is_held(lock):
                yield RunningRun(found, lock, read_owner(lock))


@contextmanager
def run_lock(path: str, run_id: str, notices: Notices, door: str = "", root: str = "") -> Iterator[None]:
    """Hold a work tree's run lock; Blocked, naming the owner, when a living process holds it."""
    make_place(path)
    fd, former = _take(path)
    try:
        if former.run_id:  # its owner died without letting go in order: the system freed the lock
            notices.add("lock-taken-over", path, run_id=former.run_id, since=former.ts)
        owner = Owner(run_id=run_id, pid=os.getpid(), ts=clock.now(), door=door, root=root)
        os.ftruncate(fd, 0)
        os.pwrite(fd, msgspec.json.encode(owner), 0)
        yield
        os.ftruncate(fd, 0)
        if os.path.basename(os.path.dirname(path)) == "locks":  # of a work tree, of which there may be thousands
            files.remove_if_there(path)
    finally:
        os.close(fd)


def _take(path: str) -> tuple[int, Owner]:
    """Return the lock, opened and held, and who held it last; whoever held it may have removed the file meanwhile."""
    while True:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        try:
            former = read_owner(path)
            if not try_lock(fd, path):
                raise Blocked("run-in-progress", run_id=former.run_id, pid=former.pid, since=former.ts)
            if is_still(fd, path):
                return fd, former
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)


def read_owner(path: str) -> Owner:
    """Return who holds or last held a lock."""
    try:
        return decode(files.read_bytes(path) or b"{}", Owner)
    except BadJson:
        return Owner()
