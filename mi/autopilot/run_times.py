"""When runs of a home were active: a process that began meanwhile, and lost its parents, may be an agent's."""

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import msgspec

from mi.kernel import jsonl
from mi.kernel.ancestry import measure_boot
from mi.kernel.errors import StorageError
from mi.kernel.files import write_atomic
from mi.kernel.home import Home
from mi.kernel.jsontext import BadJson, decode_stored
from mi.kernel.locks import acquire, is_held

_LARGEST = 256 * 1024  # bytes, about a thousand runs; then the older half goes
_LINGERING_S = 2.0  # what was only waiting for the end is begun right after it


class RunMoment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of the journal: a run began, or ended."""

    run_id: str
    began: float = 0
    ended: float = 0
    lock: str = ""  # relative to the home; held as long as the run goes on


class ActiveTime(NamedTuple):
    """A run and the time in which what it started could begin."""

    run_id: str
    began: float
    ended: float

    def holds(self, moment: float) -> bool:
        """Return whether a process that began at this moment began during the run."""
        return self.began - 0.1 <= moment <= self.ended + _LINGERING_S


@contextmanager
def keep_run_times(home: Home, lock: str, run_id: str) -> Iterator[None]:
    """Write down that a run begins, and that it ended."""
    _append(home, RunMoment(run_id=run_id, began=time.time(), lock=home.relative(lock)))
    try:
        yield
    finally:
        _note_end(home, RunMoment(run_id=run_id, ended=time.time()))


def read_run_times(home: Home) -> list[ActiveTime]:
    """Return when runs were active, the earliest first; one whose end nobody wrote down ends when that is noticed."""
    times, still_open = _pair(_read(home))
    now, booted = time.time(), measure_boot()
    for moment in still_open:
        is_going_on = is_held(home.path(moment.lock))
        ended = now if is_going_on or moment.began > booted else booted
        if not is_going_on:  # it was killed
            _note_end(home, RunMoment(run_id=moment.run_id, ended=ended))
        times.append(ActiveTime(moment.run_id, moment.began, ended))
    return times


def _pair(moments: Iterable[RunMoment]) -> tuple[list[ActiveTime], list[RunMoment]]:
    """Return the runs with an end, and the beginnings without one; the next run of a project ends a killed one."""
    times: list[ActiveTime] = []
    begun: dict[str, RunMoment] = {}  # by their locks
    for moment in moments:
        lock = moment.lock or next((lock for lock, one in begun.items() if one.run_id == moment.run_id), "")
        if former := begun.pop(lock, None):
            times.append(ActiveTime(former.run_id, former.began, moment.ended or moment.began))
        if moment.began:
            begun[lock] = moment
    return times, list(begun.values())


def _read(home: Home) -> Iterator[RunMoment]:
    for line in jsonl.read_forward(home.run_times):
        try:
            yield decode_stored(line.data, RunMoment)
        except BadJson:
            continue


def _note_end(home: Home, moment: RunMoment) -> None:
    try:
        _append(home, moment)
    except (OSError, StorageError):
        pass  # it is noticed later


def _append(home: Home, moment: RunMoment) -> None:
    jsonl.append(home.run_times, msgspec.json.encode(moment))
    if jsonl.measure_size(home.run_times) > _LARGEST:
        _drop_older_half(home.run_times)


def _drop_older_half(path: str) -> None:
    fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        acquire(fd, path)  # whoever appends waits for it, and then opens the new file
        if not os.path.samestat(os.fstat(fd), os.stat(path)):
            return  # another did it meanwhile
        lines = [line.data for line in jsonl.lines(fd) if line.complete]
        write_atomic(path, b"".join(line + b"\n" for line in lines[len(lines) // 2 :]))
    finally:
        os.close(fd)
