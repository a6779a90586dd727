"""Reading evidence: from the end or from an offset, around lines that cannot be read."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from mi.evidence.records.base import Record
from mi.evidence.records.kinds import record_type
from mi.kernel import jsonl, text
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.notices import Notices

_SHOWN_LINE = 1 << 18  # enough of a record to show it in a list; `mi show` reads it whole
_CUT_FIELD = re.compile(r'"(kind|event_id|run_id|batch_id|ts)":\s*"([^"\\]{1,200})"')


class Head(Struct, frozen=True):
    """What all records have in common."""

    kind: str
    event_id: str = ""
    run_id: str = ""
    seq: int = 0
    batch_id: str = ""
    ts: str = ""


class Event(NamedTuple):
    """One record of a log: where it is, what it is, and its bytes (shortened when `cut`)."""

    offset: int
    length: int
    head: Head
    raw: bytes
    cut: bool

    def record(self) -> Record | None:
        """The typed record; None for a kind or shape this version does not know."""
        shape = record_type(self.head.kind)
        if shape is None or self.cut:
            return None
        try:
            return decode(self.raw, shape)
        except BadJson:
            return None

    def fields(self) -> dict[str, Any]:
        """Everything in the record, known to this version or not; of one that is cut, its head."""
        if self.cut:
            head: dict[str, Any] = msgspec.to_builtins(self.head)
            return head | {"cut": True, "bytes": self.length}
        return decode(self.raw, dict[str, Any])


def read_back(path: str, notices: Notices) -> Iterator[Event]:
    """The events of a log, latest first."""
    return _events(jsonl.read_backward(path, _SHOWN_LINE), path, notices)


def read_on(path: str, offset: int, notices: Notices) -> Iterator[Event]:
    """The events of a log from a byte offset on."""
    return _events(jsonl.read_forward(path, offset, _SHOWN_LINE), path, notices)


def last(path: str, count: int, notices: Notices, wanted: Callable[[Event], bool] = lambda event: True) -> list[Event]:
    """The latest events that are wanted, oldest first."""
    found: list[Event] = []
    for event in read_back(path, notices):
        if len(found) == count:
            break
        if wanted(event):
            found.append(event)
    return found[::-1]


def read_at(path: str, offset: int) -> Event | None:
    """The whole event that begins at an offset."""
    data = jsonl.read_line(path, offset)
    if data is None:
        return None
    return parse(jsonl.Line(offset, len(data), data, True))


def parse(line: jsonl.Line) -> Event | None:
    """A line as an event; None when it is no record."""
    data = line.data
    try:
        return Event(line.offset, line.length, decode(data, Head), data, False)
    except BadJson:
        pass
    if line.cut:
        return _parse_cut(line)
    repaired = text.decode(data).encode()  # invalid UTF-8 costs the odd character, not the record
    try:
        return Event(line.offset, line.length, decode(repaired, Head), repaired, False)
    except BadJson:
        return None


def _parse_cut(line: jsonl.Line) -> Event | None:
    fields = dict(reversed(_CUT_FIELD.findall(text.decode(line.data[:2048]))))
    if "kind" not in fields:
        return None
    return Event(line.offset, line.length, Head(**fields), line.data, True)


def _events(lines: Iterable[jsonl.Line], path: str, notices: Notices) -> Iterator[Event]:
    unreadable = 0
    try:
        for line in lines:
            event = parse(line)
            if event is not None:
                yield event
            elif not line.complete:
                notices.add("torn-line", path, size=line.length)
            elif line.data.strip():
                unreadable += 1
    finally:
        if unreadable:
            notices.add("unreadable-lines", path, count=unreadable)
