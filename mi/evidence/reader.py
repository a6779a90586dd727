"""Reading evidence: from the end or from an offset, around lines that cannot be read."""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from mi.evidence.records.base import Record
from mi.evidence.records.kinds import record_type
from mi.kernel import jsonl, text
from mi.kernel.jsontext import BadJson, decode, decode_fields, decode_stored, encode
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.kernel.seal import find_foreign

_SHOWN_LINE = 1 << 18  # enough of a record to show it in a list; `mi show` reads it whole
_CUT_FIELD = r'"(kind|event_id|run_id|batch_id|ts)":\s*"([^"\\]{1,200})"'
_CUT_SEQ = r'"seq":\s*(\d{1,18})'


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

    @property
    def by_this_tool(self) -> bool:
        """Whether it was not written by the earlier tool, whose records say no version."""
        return b'"v":' in self.raw

    def record(self) -> Record | None:
        """Return the typed record; None for a kind or shape this version does not know."""
        shape = record_type(self.head.kind)
        if shape is None or self.cut:
            return None
        try:
            if not self.by_this_tool:  # a field of another shape costs itself, not the record
                return decode_fields(encode(shape.read_former(self.fields())), shape)
            return decode_stored(self.raw, shape)
        except BadJson:
            return None

    def fields(self) -> dict[str, Any]:
        """Return everything in the record, known to this version or not; of one that is cut, its head."""
        if not self.cut:
            try:
                return decode_stored(self.raw, dict[str, Any])
            except BadJson:
                pass
        head: dict[str, Any] = msgspec.to_builtins(self.head)
        return head | {"cut": True, "bytes": self.length}


def read_back(path: str, notices: Notices) -> Iterator[Event]:
    """Return the events of a log, latest first."""
    return _events(jsonl.read_backward(path, _SHOWN_LINE), path, notices)


def read_on(path: str, offset: int, notices: Notices) -> Iterator[Event]:
    """Return the events of a log from a byte offset on."""
    return _events(jsonl.read_forward(path, offset, _SHOWN_LINE), path, notices)


def read_last(
    path: str, count: int, notices: Notices, wanted: Callable[[Event], bool] = lambda event: True
) -> list[Event]:
    """Return the latest events that are wanted, oldest first."""
    found: list[Event] = []
    for event in read_back(path, notices):
        if len(found) == count:
            break
        if wanted(event):
            found.append(event)
    return found[::-1]


def read_at(path: str, offset: int) -> Event | None:
    """Return the whole event that begins at an offset."""
    data = jsonl.read_line(path, offset)
    if data is None:
        return None
    return parse(jsonl.Line(offset, len(data), data, True))


def read_those(path: str, offsets: Iterable[int]) -> Iterator[Event]:
    """Yield the events that begin at some offsets, as a list shows them; those that are not MI's tell nothing."""
    fd, foreign = jsonl.open_to_read(path), find_foreign(path)
    if fd is None:
        return
    try:
        for offset in offsets:
            line = next(jsonl.lines(fd, offset, _SHOWN_LINE), None)
            event = parse(line) if line else None
            if event and not any(one.start <= offset < one.end for one in foreign):
                yield event
    finally:
        os.close(fd)


def read_whole(path: str, event: Event) -> Event:
    """Return an event with all its bytes."""
    return read_at(path, event.offset) or event if event.cut else event


def parse(line: jsonl.Line) -> Event | None:
    """Return a line as an event; None when it is no record."""
    try:
        head: Head | None = decode(line.data, Head)
    except BadJson:
        head = _head_of_cut(line.data) if line.cut else _head_of_odd(line.data)
    return Event(line.offset, line.length, head, line.data, line.cut) if head else None


def _head_of_cut(data: bytes) -> Head | None:
    start = text.decode(data[:2048])
    fields = dict(reversed(re.findall(_CUT_FIELD, start)))
    if "kind" not in fields:
        return None
    seq = re.search(_CUT_SEQ, start)
    return Head(**fields, seq=int(seq[1]) if seq else 0)


def _head_of_odd(data: bytes) -> Head | None:
    """Return the head of a record with broken text or a field of an unexpected type.

    That costs the field, not the record.
    """
    try:
        fields = decode_stored(data, dict[str, Any])
    except BadJson:
        return None
    usual = {name: fields.get(name) for name in Head.__struct_fields__}
    right = {name: value for name, value in usual.items() if isinstance(value, int if name == "seq" else str)}
    return msgspec.convert(right, Head) if "kind" in right else None


def _events(lines: Iterable[jsonl.Line], path: str, notices: Notices) -> Iterator[Event]:
    """Yield the events of lines; those that are not MI's tell nothing until the person accepts them."""
    unreadable, foreign = 0, find_foreign(path)
    try:
        for line in lines:
            event = parse(line)
            if event is not None:
                if not any(one.start <= line.offset < one.end for one in foreign):
                    yield event
            elif not line.complete:
                notices.add("torn-line", path, size=line.length)
            elif line.data.strip():
                unreadable += 1
    finally:
        if unreadable:
            notices.add("unreadable-lines", path, count=unreadable)
