"""What a stored line means for the state of a store: who is asserted or taken back, when, and how it is found."""

from functools import lru_cache
from typing import Any

from msgspec import Struct

from mi.kernel import clock
from mi.kernel.jsonl import Line
from mi.kernel.jsontext import decode_fields, decode_stored
from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.thoughts.kinds import Kind

MAX_LINE = 1 << 30  # a thought is never read cut: what is missing would be lost to whoever acts by it
EARLIEST = -(1 << 62)  # the time of a line that does not say its time: known from the beginning
_NO_TAGS: list[str] = []
_KNOWN = frozenset(["user", "mind", "import", ""])


class LineState(NamedTuple):
    """One line of a store, as far as state depends on it; times are milliseconds since the epoch."""

    asserts: bool
    id: str
    ts: int
    type: str = ""
    valid_from: int | None = None
    valid_to: int | None = None
    tags: list[str] = _NO_TAGS
    from_id: str = ""
    to_id: str = ""
    by_agent: bool = False  # said by the Hands, or by whoever is none that MI knows


Placed = tuple[int, LineState]  # the offset of a line and what it says


class StateLine(Struct):
    """The fields of claims, nodes and edges that state depends on; the rest of a line is not looked at."""

    kind: str = ""
    claim_id: str = ""
    node_id: str = ""
    edge_id: str = ""
    claim_type: str = ""
    node_type: str = ""
    edge_type: str = ""
    asserted_ts: str = ""
    ts: str = ""
    valid_from: str | None = None
    valid_to: str | None = None
    tags: list[str] | None = None
    from_id: str = ""
    to_id: str = ""
    origin: str = ""


def parse(data: bytes, kind: Kind) -> LineState | None:
    """Return a line of the file that holds this kind; None when it neither asserts nor takes back.

    BadJson if unreadable.
    """
    line = decode_fields(data, StateLine)
    thought_id = getattr(line, kind + "_id")
    if not thought_id:
        return None
    if line.kind == kind:
        return LineState(
            True,
            thought_id,
            milliseconds(line.asserted_ts, EARLIEST),
            getattr(line, kind + "_type"),
            milliseconds(line.valid_from, None) if line.valid_from else None,
            milliseconds(line.valid_to, None) if line.valid_to else None,
            line.tags or _NO_TAGS,
            line.from_id,
            line.to_id,
            line.origin not in _KNOWN,
        )
    if line.kind == kind + "_retract":
        return LineState(False, thought_id, milliseconds(line.ts, EARLIEST))
    return None


def read_line(kind: Kind, line: Line) -> tuple[Placed, ...]:
    """Return what a line of the file that holds this kind says, if anything. BadJson if unreadable."""
    entry = parse(line.data, kind) if line.data.strip() else None
    return ((line.offset, entry),) if entry is not None else ()


@lru_cache(maxsize=4096)  # lines written together say the same time
def milliseconds(timestamp: str | None, otherwise: Any) -> Any:
    """Return a timestamp as milliseconds; what is none gives `otherwise`."""
    try:
        return round(clock.parse(timestamp) * 1000) if timestamp else otherwise
    except (ValueError, OverflowError):
        return otherwise


def fields(data: bytes) -> dict[str, Any]:
    """Return everything in a stored line, known to this version or not."""
    return decode_stored(data, dict[str, Any])
