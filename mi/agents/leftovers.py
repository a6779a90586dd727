"""Processes an agent leaves behind: found by their group, or by a mark in the environment they inherited."""

import os
import signal

from mi.kernel import ids

VARIABLE = "MI_BATCH_MARK"


class ProcessMark:
    """A mark that every descendant inherits, also one that left the process group and lost its parent."""

    def __init__(self, value: str) -> None:
        self._entry = f"{VARIABLE}={value}".encode()
        self.environment = {VARIABLE: value}

    def find(self) -> list[int]:
        """Return the living processes that carry the mark; none where the system has no /proc."""
        return [pid for pid in _all_pids() if pid != os.getpid() and self._entry in _environment_of(pid)]

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
    values = [entry.removeprefix(start) for entry in _environment_of(pid) if entry.startswith(start)]
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
    pids = _all_pids()
    return not pids or any(_lives_in(group, pid) for pid in pids)


def _lives_in(group: int, pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            state, _, its_group = file.read().rpartition(b")")[2].split()[:3]
    except OSError:
        return False
    return int(its_group) == group and state not in (b"Z", b"X")


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
