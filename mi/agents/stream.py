"""What turns an agent's lines into events, and the parts all of them share."""

from collections import Counter
from typing import Any, Protocol

import msgspec

from mi.agents.events import Event
from mi.agents.transcript import Captured
from mi.kernel.jsontext import BadJson, decode

_DEEPEST = 20  # lists and objects around a text; a line of brackets would use up the stack


class Interpreter(Protocol):
    """Reads one agent's stream; lines and fields it does not know are passed over, never an error."""

    @property
    def event_counts(self) -> Counter[str]:
        """How often each of the vendor's own event types came."""

    @property
    def item_counts(self) -> Counter[str]:
        """How often each of the vendor's own item types came."""

    def feed(self, line: Captured) -> list[Event]:
        """Return the events a line tells of."""

    def end(self) -> list[Event]:
        """Return what can only be said once the stream is over."""


class VendorEvents(Interpreter, Protocol):
    """Reads the stream of one vendor's program, whoever started it."""

    @staticmethod
    def recognises(raw: dict[str, Any]) -> bool:
        """Return whether a line has the vendor's form."""

    def read(self, raw: dict[str, Any]) -> list[Event]:
        """Return the events of one line that is already parsed."""


def parse_json_object(line: Captured) -> dict[str, Any] | None:
    """Return the JSON object on a line; invalid UTF-8 in it costs the odd character only."""
    data = line.data
    if data[:1] != b"{" and data.lstrip()[:1] != b"{":
        return None
    try:
        return as_mapping(msgspec.json.decode(data))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass  # perhaps only a byte that is no UTF-8
    try:
        return decode(line.text.encode(), dict[str, Any])
    except BadJson:
        return None


def find_text(value: object, depth: int = _DEEPEST) -> str:
    """Return the text in a field that may be a string, an object with a message, or a list of content blocks."""
    match value:
        case str():
            return value
        case list() if depth:
            return "\n".join(part for part in (find_text(one, depth - 1) for one in value) if part)
        case dict() if depth:
            found = (value[key] for key in ("text", "message", "content", "result") if value.get(key))
            return find_text(next(found, ""), depth - 1)
    return ""


def join_whole(value: object) -> int | None:
    """Return a number of tokens or an exit code; None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def as_mapping(value: object) -> dict[str, Any]:
    """Return an object, or an empty one in place of anything else."""
    return value if isinstance(value, dict) else {}
