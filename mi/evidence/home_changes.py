"""What somebody else did to the logs of a home: found by their seals, marked, told, and accepted by the person."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

import msgspec

from mi.kernel import jsonl
from mi.kernel.home import Home
from mi.kernel.jsontext import BadJson, decode_fields
from mi.kernel.seal import SealedEnd, Stretch, StretchKind, find_changes, find_marked, read_head, recall_head, seal_anew

_PERSONS_FILES = ("config.json", "permissions.json", "trust.json", "checks.toml")  # whatever else writes, not these


class LogChange(NamedTuple):
    """A part of a log that is not as MI wrote it."""

    log: str
    kind: StretchKind
    start: int
    end: int

    def read_lines(self) -> list[bytes]:
        """Return the lines that stand there now."""
        return jsonl.read_range(self.log, self.start, self.end).splitlines() if self.kind != "cut" else []


class Doorkeeper(Protocol):
    """Whoever knows which of the lines that are new in a log came by a person, or by the process that looks."""

    def lets_in(self, log: str, offset: int) -> bool:
        """Return whether the line at an offset did."""

    def note_seen(self, log: str, upto: int) -> None:
        """Note how much of a log was looked at."""


class LogWatch:
    """Some logs as they were when they were last looked at."""

    def __init__(self, logs: Iterable[str], door: Doorkeeper) -> None:
        self._door = door
        self._held: dict[str, SealedEnd | None] = {}
        for log in logs:
            self._hold(log)

    def look(self) -> list[LogChange]:
        """Mark and return what is not MI's and was not known; costs as much as is new while nobody touched the logs."""
        found: list[LogChange] = []
        for log, held in self._held.items():
            found += mark_changes(log, [head for head in (held, recall_head(log)) if head])
            if read_head(log) != held and os.path.exists(log):
                with jsonl.keep_writers_out(log):
                    found += self._mark_unspoken(log, held.end if held else 0)
                    self._hold(log)
        return found

    def _hold(self, log: str) -> None:
        head = self._held[log] = read_head(log)
        self._door.note_seen(log, head.end if head else 0)

    def _mark_unspoken(self, log: str, start: int) -> list[LogChange]:
        """Mark what speaks for the person and came by none of their doors, though it is sealed as if MI wrote it."""
        known = _marked(log)
        lines = [
            Stretch("added", line.offset, line.offset + line.length + 1)
            for line in jsonl.read_forward(log, start)
            if not any(one.start <= line.offset < one.end for one in known)
            and speaks_for_person(log, line.data)
            and not self._door.lets_in(log, line.offset)
        ]
        new = list(_join(lines))
        if new:
            seal_anew(log, [*known, *new])
            _forget_view(log)
        return [LogChange(log, *one) for one in new]


class _SpokenLine(msgspec.Struct):
    kind: str = ""
    origin: str = ""
    path: str = ""
    by: str = ""
    dismissed: bool = False


def speaks_for_person(log: str, data: bytes) -> bool:
    """Return whether a line would count as the person's word, or as what MI learned from it."""
    try:
        line = decode_fields(data, _SpokenLine)
    except BadJson:
        return False
    match os.path.basename(log):
        case "evidence.jsonl":
            # What a hook hears in a host's chat answers the questions of hooks, never those of a run.
            by_nobody = line.dismissed and not line.by
            return line.kind == "limit_raised" or (line.kind == "user_input" and line.by != "chat" and not by_nobody)
        case "written.jsonl":
            return os.path.basename(line.path) in _PERSONS_FILES
        case "claims.jsonl" | "nodes.jsonl" | "edges.jsonl":
            return line.origin != "hands"
    return False


def _join(stretches: Sequence[Stretch]) -> Iterator[Stretch]:
    """Yield the stretches, those that follow each other as one."""
    at = 0
    while at < len(stretches):
        first = last = stretches[at]
        at += 1
        while at < len(stretches) and stretches[at].start == last.end:
            last = stretches[at]
            at += 1
        yield Stretch(first.kind, first.start, last.end)


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
