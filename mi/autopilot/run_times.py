"""When runs and sessions of hosts were active: what began meanwhile, and lost its parents, may be an agent's."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

import msgspec

from mi.autopilot.run_lock import find_running
from mi.kernel import jsonl
from mi.kernel.ancestry import measure_boot, read_start
from mi.kernel.errors import StorageError
from mi.kernel.files import read_bytes, write_atomic
from mi.kernel.home import Home
from mi.kernel.locks import acquire, is_held
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.seal import is_foreign, replace_log

_LARGEST = 256 * 1024  # bytes, about a thousand runs; then the older half goes
_LINGERING_S = 2.0  # what was only waiting for the end is begun right after it


class RunMoment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of the journal: a run or a host's session began (at `began`), or ended (at `ended`, as well)."""

    run_id: str  # of a session: the host and the session's id
    began: float
    ended: float = 0
    lock: str = ""  # relative to the home; held as long as the run goes on
    pid: int = 0  # the host's process; it began at `began`
    vouched: bool = False  # a person's command began this process, which goes on without it: no run, nor a session

    @property
    def place(self) -> str | int:
        """Return what only one can have at a time: a run its lock, a session its host."""
        return self.lock or self.pid


class ActiveTime(NamedTuple):
    """A run, or the session of a host, and the time in which what it started could begin."""

    run_id: str
    began: float
    ended: float
    pid: int = 0  # the host's process

    def holds(self, moment: float) -> bool:
        """Return whether a process that began at this moment began during the run."""
        return self.began - 0.1 <= moment <= self.ended + _LINGERING_S


@contextmanager
def keep_run_times(home: Home, lock: str, run_id: str) -> Iterator[None]:
    """Write down that a run begins, and that it ended."""
    begun = RunMoment(run_id=run_id, began=time.time(), lock=home.relative(lock))
    _append(home, begun)
    try:
        yield
    finally:
        _note_end(home, begun, time.time())


def note_session(home: Home, name: str, pid: int, began: float, until: float = 0) -> None:
    """Write down that a session of a host goes on, in a process that began then: while that lives, or `until` then."""
    _append(home, RunMoment(run_id=name, began=began, pid=pid, ended=until))


def note_session_end(home: Home, name: str, pid: int, began: float) -> None:
    """Write down that a session ended; one of which nobody says so ends with its host."""
    _note_end(home, RunMoment(run_id=name, began=began, pid=pid), time.time())


def note_vouched(home: Home, pid: int) -> None:
    """Write down that a person's command began a process that goes on without it, as a worker in the background."""
    _append(home, RunMoment(run_id="", began=read_start(pid), pid=pid, vouched=True))


def is_vouched(home: Home, starts: Mapping[int, float], lets_in: Callable[[str, int], bool]) -> bool:
    """Return whether a person's command began one of some processes, told by pid and start.

    `lets_in`: which lines of the journal count for whoever asks.
    """
    path = home.run_times
    for line in jsonl.read_forward(path, 0):
        moment = _decode(line.data) if b"vouched" in line.data else None
        if moment is None or not moment.vouched or moment.pid not in starts:
            continue
        if abs(starts[moment.pid] - moment.began) < _LINGERING_S and lets_in(path, line.offset):
            return not is_foreign(path, line.offset)
    return False


def find_active_run(home: Home, moments: Iterable[float], but: int = 0) -> str:
    """Return the run or session that was active at one of these moments; '' when none was, `but` of this process."""
    wanted = list(moments)
    since = min(wanted) - _LINGERING_S
    times = [one for one in read_run_times(home, since) if not but or one.pid != but]
    return next((one.run_id for one in times if any(map(one.holds, wanted))), "")


def read_run_times(home: Home, since: float = 0) -> list[ActiveTime]:
    """Return when runs were active that ended since a moment; the end of a killed one is when that is noticed."""
    moments = [moment for moment in _read(home) if not moment.vouched]
    times = [
        ActiveTime(one.run_id, one.began, one.ended, one.pid) for one in moments if one.ended and one.ended >= since
    ]
    ended = {(one.run_id, one.began) for one in moments if one.ended}
    latest: dict[str | int, RunMoment] = {}
    for begun in moments:
        if begun.ended or (begun.run_id, begun.began) in ended:
            continue
        if killed := latest.get(begun.place):
            times.append(ActiveTime(killed.run_id, killed.began, begun.began, killed.pid))  # the next one has its lock
        latest[begun.place] = begun
    return [*times, *(_find_end(home, begun) for begun in latest.values())]


def _find_end(home: Home, begun: RunMoment) -> ActiveTime:
    """Return how long a run was active of which no end was written down."""
    now, booted = time.time(), measure_boot()
    if _goes_on(home, begun):
        return ActiveTime(begun.run_id, begun.began, now, begun.pid)
    ended = now if begun.began > booted else booted
    _note_end(home, begun, ended)
    return ActiveTime(begun.run_id, begun.began, ended, begun.pid)


def _goes_on(home: Home, begun: RunMoment) -> bool:
    return is_held(home.path(begun.lock)) if begun.lock else _is_alive(begun)


def _is_alive(moment: RunMoment | None) -> bool:
    return moment is not None and abs(read_start(moment.pid) - moment.began) < _LINGERING_S


def _read(home: Home) -> list[RunMoment]:
    lines = (read_bytes(home.run_times) or b"").splitlines()
    try:  # all at once: there may be thousands
        return msgspec.json.decode(b"[" + b",".join(lines) + b"]", type=list[RunMoment])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return [moment for line in lines if (moment := _decode(line))]


def _decode(line: bytes) -> RunMoment | None:
    try:
        return msgspec.json.decode(line, type=RunMoment)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _note_end(home: Home, begun: RunMoment, ended: float) -> None:
    try:
        _append(home, RunMoment(run_id=begun.run_id, began=begun.began, ended=ended, pid=begun.pid))
    except (OSError, StorageError):
        pass  # it is noticed later


def _append(home: Home, moment: RunMoment) -> None:
    jsonl.append(home.run_times, msgspec.json.encode(moment), sealed=True)
    if jsonl.measure_size(home.run_times) > _LARGEST and not _is_watched(home):
        _drop_older_half(home.run_times)


def _is_watched(home: Home) -> bool:
    """Return whether another process has a run: to that, a journal that is shortened is one that was cut."""
    return any(run.owner.pid != os.getpid() for run in find_running(home))


def _drop_older_half(path: str) -> None:
    fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        acquire(fd, path)  # whoever appends waits for it, and then opens the new file
        if not os.path.samestat(os.fstat(fd), os.stat(path)):
            return  # another did it meanwhile
        lines = [line.data for line in jsonl.lines(fd) if line.complete]
        half = len(lines) // 2
        kept = [line for line in lines[:half] if b"vouched" in line and _is_alive(_decode(line))]
        temporary = f"{path}.tmp.{os.getpid()}"
        write_atomic(temporary, b"".join(line + b"\n" for line in [*kept, *lines[half:]]))
        replace_log(path, temporary)
    finally:
        os.close(fd)
