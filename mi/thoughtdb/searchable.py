"""What can be searched in a line of a Thought DB store."""

from collections.abc import Callable, Iterator

from msgspec import Struct

from mi.kernel import jsonl
from mi.kernel.jsontext import BadJson, decode_fields
from mi.memory.documents import Change, Document, Mark, Unmark
from mi.memory.logs import ReadLine
from mi.thoughtdb.kinds import REDIRECTS, Kind
from mi.thoughtdb.lines import Line, milliseconds

_RAW = "values:raw"  # kept for audit, never recalled


class _Ref(Struct):
    event_id: str = ""


class _Line(Line):
    """With what can be searched in them."""

    title: str = ""
    text: str = ""
    source_refs: list[_Ref] = []


def reader(kind: Kind, project_id: str) -> ReadLine:
    """Reads the lines of the file that holds a kind."""
    read = _READERS[kind]

    def changes(line: jsonl.Line) -> Iterator[Change]:
        try:
            one = decode_fields(line.data, _Line)
        except BadJson:
            return  # the store reports what it cannot read; here it is only not found
        yield from read(one, project_id)

    return changes


def _claim(one: _Line, project_id: str) -> Iterator[Change]:
    if one.kind == "claim_retract" and one.claim_id:
        yield Mark("retract:" + one.claim_id, one.claim_id)
    elif one.kind == "claim" and one.claim_id and _RAW not in (one.tags or ()):
        yield _document(one, one.claim_id, "claim", one.claim_type, project_id)


def _node(one: _Line, project_id: str) -> Iterator[Change]:
    if one.kind == "node_retract" and one.node_id:
        yield Mark("retract:" + one.node_id, one.node_id)
    elif one.kind == "node" and one.node_id:
        yield _document(one, one.node_id, "node", one.node_type, project_id)


def _edge(one: _Line, project_id: str) -> Iterator[Change]:
    if one.kind == "edge_retract":
        yield Unmark(one.edge_id)
    elif one.kind == "edge" and one.edge_type in REDIRECTS:
        yield Mark(one.edge_id, one.from_id, one.to_id)


_READERS: dict[Kind, Callable[[_Line, str], Iterator[Change]]] = {"claim": _claim, "node": _node, "edge": _edge}


def _document(one: _Line, thought_id: str, kind: str, type_: str, project_id: str) -> Document:
    return Document(
        thought_id,
        kind,
        one.text,
        project_id,
        title=one.title,
        ts=one.asserted_ts,
        tags=(type_, *(one.tags or ())),
        event_ids=tuple(ref.event_id for ref in one.source_refs if ref.event_id),
        valid_from=_seconds(one.valid_from),
        valid_to=_seconds(one.valid_to),
    )


def _seconds(timestamp: str | None) -> float | None:
    found = milliseconds(timestamp, None)
    return None if found is None else found / 1000
