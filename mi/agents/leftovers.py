"""Processes an agent leaves behind: found by their session, or by a mark in the environment they inherited."""

import os
import signal
import sys
import time
from collections.abc import Sequence

from mi.kernel import ids
from mi.kernel.ancestry import ask_ps
from mi.kernel.named_tuple import NamedTuple

VARIABLE = "MI_BATCH_MARK"
_PROC = "/proc"  # where it is missing, as on macOS, `ps` is asked
_GRACE_S = 0.3  # what an agent leaves is often about to end


class LeftProcess(NamedTuple):
    """A process that outlives its agent."""

    pid: int
    command: str


class ProcessMark:
    """A mark that every descendant inherits, also one that left the process group and lost its parent."""

    def __init__(self, value: str) -> None:
        self._entry = f"{VARIABLE}={value}".encode()
        self.environment = {VARIABLE: value}

    def find(self) -> list[int]:
        """Return the living processes that carry the mark."""
        return [pid for pid, entries in _environments().items() if pid != os.getpid() and self._entry in entries]

    def find_left(self, session: int) -> list[LeftProcess]:
        """Return what carries the mark or is of the agent's session, with all that descends from it, after a moment."""
        deadline = time.monotonic() + _GRACE_S
        while (found := self._look(session)) and time.monotonic() < deadline:
            time.sleep(0.02)
        return [LeftProcess(pid, _command_of(pid)) for pid in sorted(found)]

    def _look(self, session: int) -> set[int]:
        stats = {pid: stat for pid, stat in _stats().items() if pid != os.getpid()}
        found = {pid for pid, stat in stats.items() if stat.session == session} | {*self.find()} & {*stats}
        while more := {pid for pid, stat in stats.items() if stat.parent in found} - found:
            found |= more
        return found

    def kill(self) -> int:
        """End them all, and what they start meanwhile; returns how many there were."""
        killed: set[int] = set()
        for _ in range(10):
            found = [pid for pid in self.find() if pid not in killed]
            if not found:
                break
            for pid in found:
                try:
                    os.kill(pid, signal.SIGKILL)
                except (ProcessLookupError, PermissionError):
                    pass
            killed.update(found)
        return len(killed)


def make_mark() -> ProcessMark:
    """Return a mark that no other process carries."""
    return ProcessMark(ids.make_id("mark"))


def mark_of(pid: int) -> ProcessMark | None:
    """Return the mark a living process carries; None when it is gone or was not started by MI."""
    start = f"{VARIABLE}=".encode()
    values = [entry.removeprefix(start) for entry in _environments(pid).get(pid, ()) if entry.startswith(start)]
    return ProcessMark(values[0].decode("utf-8", "replace")) if values else None


def group_exists(group: int) -> bool:
    """Return whether anybody lives in a process group.

    The dead whom nobody buries, as in many containers, do not count.
    """
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    stats = _stats()
    return not stats or any(stat.group == group for stat in stats.values())


def end_processes(left: Sequence[LeftProcess]) -> None:
    """End processes that an agent left; none that another one took the number of since."""
    for one in left:
        if _command_of(one.pid) == one.command:
            try:
                os.kill(one.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass


class _Stat(NamedTuple):
    parent: int
    group: int
    session: int


def _stats() -> dict[int, _Stat]:
    """Return whose each living process is."""
    if not _has_proc():  # `ps` tells no session that can be compared: an agent's group has the same number
        rows = (line.split(None, 3) for line in ask_ps("-A", "-o", "pid=,ppid=,pgid=,stat="))
        return {int(row[0]): _Stat(int(row[1]), int(row[2]), int(row[2])) for row in rows if row[3][:1] != "Z"}
    return {pid: stat for pid in _all_pids() if (stat := _stat_of(pid))}


def _stat_of(pid: int) -> _Stat | None:
    """Return whose a process is; None when it is gone or dead."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            state, *numbers = file.read().rpartition(b")")[2].split()[:4]
    except OSError:
        return None
    return None if state in (b"Z", b"X") else _Stat(*map(int, numbers))


def _command_of(pid: int) -> str:
    if not _has_proc():
        return " ".join(ask_ps("-ww", "-p", str(pid), "-o", "command="))
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read(4096).rstrip(b"\0").replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


def _environments(pid: int | None = None) -> dict[int, list[bytes]]:
    """Return the environment of a process, or of each that this user may look into."""
    if not _has_proc():  # the words of the command stand before it: a mark is none of them
        whose = ["-A"] if pid is None else ["-p", str(pid)]
        lines = ask_ps(*whose, "-ww", "-o", "pid=,command=", *(["-E"] if sys.platform == "darwin" else ["e"]))
        rows = (line.strip().partition(" ") for line in lines)
        return {int(number): os.fsencode(rest).split() for number, _, rest in rows}
    return {one: _environment_of(one) for one in (_all_pids() if pid is None else [pid])}


def _has_proc() -> bool:
    return os.path.isdir(_PROC + "/self")


def _all_pids() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def _environment_of(pid: int) -> list[bytes]:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read(1 << 20).split(b"\0")
    except OSError:
        return []  # gone, or another user's
