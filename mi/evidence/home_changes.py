"""What somebody else did to the logs of a home: found by their seals, marked, told, and accepted by the person."""

import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mi.kernel import jsonl
from mi.kernel.home import Home
from mi.kernel.seal import SealedEnd, Stretch, StretchKind, find_changes, find_marked, read_head, recall_head, seal_anew


class LogChange(NamedTuple):
    """A part of a log that is not as MI wrote it."""

    log: str
    kind: StretchKind
    start: int
    end: int

    def read_lines(self) -> list[bytes]:
        """Return the lines that stand there now."""
        return jsonl.read_range(self.log, self.start, self.end).splitlines() if self.kind != "cut" else []


class LogWatch:
    """Some logs as they were when they were last looked at."""

    def __init__(self, logs: Iterable[str]) -> None:
        self._held: dict[str, SealedEnd | None] = {log: read_head(log) for log in logs}

    def look(self) -> list[LogChange]:
        """Mark and return what is not MI's and was not known; costs as much as is new while nobody touched the logs."""
        found: list[LogChange] = []
        for log, held in self._held.items():
            found += mark_changes(log, [head for head in (held, recall_head(log)) if head])
            self._held[log] = read_head(log)
        return found


def mark_changes(log: str, held: Sequence[SealedEnd] = (), thorough: bool = False) -> list[LogChange]:
    """Find what is not MI's in a log, and mark it: it does not count until the person accepts it.

    A log that nobody seems to have touched is read only if it is to be `thorough`.
    """
    if not os.path.exists(log):
        return [LogChange(log, *one) for one in find_changes(log, held)]
    with jsonl.keep_writers_out(log):
        known = _marked(log)
        found = find_changes(log, held, thorough)
        if found:
            seal_anew(log, [*known, *(one for one in found if one.kind != "cut")])
            _forget_view(log)
    return [LogChange(log, *one) for one in found]


def find_unaccepted(home: Home) -> list[LogChange]:
    """Return what was found in the logs of a home and waits for the person's word."""
    return [LogChange(log, *one) for log in home.logs() for one in find_marked(log)]


def accept_changes(home: Home) -> list[LogChange]:
    """Let what was found count from now on."""
    found = find_unaccepted(home)
    for log in dict.fromkeys(one.log for one in found):
        with jsonl.keep_writers_out(log):
            seal_anew(log)
        _forget_view(log)
    return found


def _marked(log: str) -> list[Stretch]:
    """Return what is marked already; what follows the sealed end is found anew."""
    head = read_head(log)
    return [one for one in find_marked(log) if head is None or one.start < head.end]


def _forget_view(log: str) -> None:
    """Remove the view that was made without what counts now."""
    for suffix in ("", "-journal", "-wal", "-shm"):
        view = os.path.join(os.path.dirname(log), f"view.sqlite{suffix}")
        if os.path.exists(view):
            os.unlink(view)
