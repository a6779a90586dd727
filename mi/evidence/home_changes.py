"""What somebody else did to the logs of a home: found by their seals, marked, told, and accepted by the person."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

import msgspec

from mi.kernel import jsonl
from mi.kernel.home import SEAL, Home
from mi.kernel.jsontext import BadJson, decode_fields
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.seal import (
    SealedEnd,
    Stretch,
    StretchKind,
    find_changes,
    find_marked,
    forget_head,
    read_head,
    recall_head,
    seal_anew,
)
from mi.kernel.view_seal import remove_view

_PERSONS_FILES = (
    "config.json",
    "permissions.json",
    "trust.json",
    "checks.toml",
    "hub.json",
)  # whatever else writes, not these


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

    def is_rewritten(self, log: str) -> bool:
        """Return whether a log is, at its beginning, the rewritten one that was last said to take its place."""

    def check_rewrites(self, is_clean: Callable[[str], bool]) -> None:
        """Let a log be rewritten only while it is clean: what was not looked at must not be hidden by it."""


class LogWatch:
    """Some logs as they were when they were last looked at."""

    def __init__(self, logs: Iterable[str], door: Doorkeeper) -> None:
        self._door = door
        self._held: dict[str, SealedEnd | None] = {}
        for log in logs:
            self._hold(log)
        door.check_rewrites(self._is_clean)

    def look(self) -> list[LogChange]:
        """Mark and return what is not MI's and was not known; costs as much as is new while nobody touched the logs."""
        return [change for log in self._held for change in self._look_at(log)]

    def _look_at(self, log: str) -> list[LogChange]:
        if not os.path.exists(log):
            heads, self._held[log] = self._heads(log), None
            forget_head(log)
            return mark_changes(log, heads) if heads else []
        with jsonl.keep_writers_out(log):
            if self._door.is_rewritten(log):
                forget_head(log)
                self._held[log] = None
            held = self._held[log]
            found = _mark_locked(log, self._heads(log))
            if read_head(log) != held:
                found += self._mark_unspoken(log, held.end if held else 0)
                self._hold(log)
        return found

    def _heads(self, log: str) -> list[SealedEnd]:
        return [head for head in (self._held[log], recall_head(log)) if head]

    def _is_clean(self, log: str) -> bool:
        """Return whether nothing in a log would be marked; whoever is about to rewrite it holds its lock."""
        held = self._held.get(log)
        return not find_changes(log, self._heads(log)) and not self._find_unspoken(log, held.end if held else 0)

    def _hold(self, log: str) -> None:
        head = self._held[log] = read_head(log)
        self._door.note_seen(log, head.end if head else 0)

    def _mark_unspoken(self, log: str, start: int) -> list[LogChange]:
        """Mark what speaks for the person and came by none of their doors, though it is sealed as if MI wrote it."""
        new = self._find_unspoken(log, start)
        if new:
            seal_anew(log, [*_marked(log), *new])
            forget_view(log)
        return [LogChange(log, *one) for one in new]

    def _find_unspoken(self, log: str, start: int) -> list[Stretch]:
        known = [one for one in _marked(log) if one.kind != "cut"]
        lines = [
            Stretch("added", line.offset, line.offset + line.length + 1)
            for line in jsonl.read_forward(log, start)
            if not any(one.start <= line.offset < one.end for one in known)
            and speaks_for_person(log, line.data)
            and not self._door.lets_in(log, line.offset)
        ]
        return list(_join(lines))


class _SpokenLine(msgspec.Struct):
    kind: str = ""
    origin: str = ""
    path: str = ""
    by: str = ""
    client: str = ""
    boundary: str = ""
    dismissed: bool = False
    vouched: bool = False


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
            if line.kind == "user_input":
                return line.by != "chat" and not by_nobody
            if line.kind == "gate":
                return line.boundary == "cli" and line.client.startswith("person-")
            return line.kind == "limit_raised" or (line.kind == "nexus_event" and line.by == "terminal")
        case "run_times.jsonl":
            return line.vouched
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
        return _mark_locked(log, held, thorough)


def _mark_locked(log: str, held: Sequence[SealedEnd], thorough: bool = False) -> list[LogChange]:
    known = _marked(log)
    found = find_changes(log, held, thorough)
    if found:
        seal_anew(log, dict.fromkeys((*known, *found)))
        forget_view(log)
    return [LogChange(log, *one) for one in found]


def find_unaccepted(home: Home) -> list[LogChange]:
    """Return what was found in the logs of a home and waits for the person's word."""
    return [LogChange(log, *one) for log in home.logs() for one in find_marked(log)]


def accept_changes(home: Home) -> list[LogChange]:
    """Let what was found count from now on."""
    found = find_unaccepted(home)
    for log in dict.fromkeys(one.log for one in found):
        if not os.path.exists(log):
            os.unlink(log + SEAL)
            continue
        with jsonl.keep_writers_out(log):
            seal_anew(log)
        forget_view(log)
    return found


def _marked(log: str) -> list[Stretch]:
    """Return what is marked already; what follows the sealed end is found anew."""
    head = read_head(log)
    return [one for one in find_marked(log) if one.kind == "cut" or head is None or one.start < head.end]


def forget_view(log: str) -> None:
    """Remove the view of thoughts beside a log; the next reader makes it anew."""
    remove_view(os.path.join(os.path.dirname(log), "view.sqlite"))
