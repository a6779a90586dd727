"""What can be searched in a line of a Thought DB store."""

from collections.abc import Callable, Iterable

from msgspec import Struct

from mi.kernel import jsonl
from mi.kernel.jsontext import BadJson, decode_fields
from mi.kernel.log_source import ReadLine
from mi.knowledge.search.documents import Change, Document, Unmark
from mi.knowledge.status import Correction
from mi.knowledge.thoughts.kinds import RAW, REDIRECTS, Kind
from mi.knowledge.thoughts.line_state import StateLine, milliseconds


class _SearchRef(Struct):
    event_id: str = ""


class _SearchLine(StateLine):
    """With what can be searched in them."""

    title: str = ""
    text: str = ""
    source_refs: list[_SearchRef] = []


def reader(kind: Kind, project_id: str) -> ReadLine[Change]:
    """Return a reader of the lines of the file that holds a kind."""
    read = _READERS[kind]

    def changes(line: jsonl.Line) -> Iterable[Change]:
        try:
            one = decode_fields(line.data, _SearchLine)
        except BadJson:
            return ()  # the store reports what it cannot read; here it is only not found
        change = read(one, project_id)
        return (change,) if change else ()

    return changes


def _claim(one: _SearchLine, project_id: str) -> Change | None:
    if one.kind == "claim_retract" and one.claim_id:
        return Correction("retract:" + one.claim_id, one.claim_id)
    if one.kind == "claim" and one.claim_id and RAW not in (one.tags or ()):
        return _document(one, one.claim_id, "claim", one.claim_type, project_id)
    return None


def _node(one: _SearchLine, project_id: str) -> Change | None:
    if one.kind == "node_retract" and one.node_id:
        return Correction("retract:" + one.node_id, one.node_id)
    if one.kind == "node" and one.node_id:
        return _document(one, one.node_id, "node", one.node_type, project_id)
    return None


def _edge(one: _SearchLine, project_id: str) -> Change | None:
    if one.kind == "edge_retract":
        return Unmark(one.edge_id)
    if one.kind == "edge" and one.edge_type in REDIRECTS:
        return Correction(one.edge_id, one.from_id, one.to_id)
    return None


_READERS: dict[Kind, Callable[[_SearchLine, str], Change | None]] = {"claim": _claim, "node": _node, "edge": _edge}


def _document(one: _SearchLine, thought_id: str, kind: str, type_: str, project_id: str) -> Document:
    tags = (type_, *(one.tags or ()))
    events = tuple([ref.event_id for ref in one.source_refs if ref.event_id])
    valid = _seconds(one.valid_from), _seconds(one.valid_to)
    return Document(thought_id, kind, one.text, project_id, one.title, one.asserted_ts, tags, events, *valid)


def _seconds(timestamp: str | None) -> float | None:
    found = milliseconds(timestamp, None) if timestamp else None
    return None if found is None else found / 1000
