"""Documents from an EvidenceLog: snapshots for recall, and every record verbatim for `mi search`."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from mi.evidence.reader import Event, parse
from mi.evidence.records.thoughts import SourceRefs
from mi.kernel import jsonl
from mi.kernel.jsontext import BadJson, decode_fields
from mi.kernel.log_source import ReadLine
from mi.kernel.secrets import LOOK_AHEAD
from mi.knowledge.search.documents import MAX_TEXT, Change, Document, Unmark
from mi.knowledge.status import Correction

# Fields that name or number a record instead of saying something.
_NAMING = """kind v event_id run_id seq ts batch_id thread_id state prompt_sha256 transcript_path hands_transcript_ref
    mind_transcript_ref mind_transcript_refs source_refs event_ids evidence_ids by opens dismissed once"""
_NOT_SAID = frozenset(_NAMING.split())


def snapshot_reader(project_id: str) -> ReadLine[Change]:
    """Read the snapshots among the lines of a log, and what was said about them by `mi undo` and `mi redo`."""

    def read(line: jsonl.Line) -> Iterator[Change]:
        if b'"snapshot"' in line.data:
            yield from _snapshot(line.data, project_id)
        elif b'"snapshots"' in line.data:
            yield from _taken_back(line.data)

    return read


def record_reader(project_id: str) -> ReadLine[Change]:
    """Read every line of a log as a document, neighbour to those of its run."""

    def read(line: jsonl.Line) -> Iterator[Change]:
        event = parse(line)
        if event is not None and event.head.event_id:
            yield _evidence(event, project_id)

    return read


class _Snapshot(Struct):
    kind: str
    event_id: str = ""
    ts: str = ""
    snapshot_id: str = ""
    text: str = ""
    tags: list[str] = []
    source_refs: SourceRefs | None = None


def _snapshot(data: bytes, project_id: str) -> Iterator[Document]:
    try:
        one = decode_fields(data, _Snapshot)
    except BadJson:
        return
    name = one.snapshot_id or one.event_id
    if one.kind != "snapshot" or not name:
        return
    cited = one.source_refs.event_ids if one.source_refs else []
    events = tuple(dict.fromkeys([one.event_id, *cited]))
    yield Document(name, "snapshot", one.text, project_id, ts=one.ts, tags=tuple(one.tags), event_ids=events)


class _Ids(Struct):
    snapshots: list[str] = []


class _Undone(Struct):
    kind: str
    target: str = ""
    retracted: _Ids | None = None
    restored: _Ids | None = None


def _taken_back(data: bytes) -> Iterator[Change]:
    """Yield that a snapshot whose run was undone is no longer recalled, until that is taken back."""
    try:
        one = decode_fields(data, _Undone)
    except BadJson:
        return
    if one.kind == "undo" and one.retracted:
        yield from (Correction(f"undo:{one.target}:{name}", name) for name in one.retracted.snapshots)
    elif one.kind == "redo" and one.restored:
        yield from (Unmark(f"undo:{one.target}:{name}") for name in one.restored.snapshots)


def _evidence(event: Event, project_id: str) -> Document:
    head = event.head
    said: list[str] = []
    if event.cut:
        said.append(event.raw.decode("utf-8", "replace"))
    else:
        _collect({name: value for name, value in event.fields().items() if name not in _NOT_SAID}, said)
    return Document(
        head.event_id,
        "evidence",
        "\n".join(said)[: MAX_TEXT + LOOK_AHEAD],
        project_id,
        ts=head.ts,
        tags=(head.kind,),
        event_ids=(head.event_id,),
        group=head.run_id,
        position=head.seq or _number(head.event_id),
    )


def _number(event_id: str) -> int:
    """Return the place of a record in its run, from its id: a cut one does not tell it otherwise."""
    last = event_id.rpartition("_")[2]
    return int(last) if last.isdecimal() and len(last) < 10 else 0


def _collect(value: Any, said: list[str]) -> None:
    """Collect the texts in a record, in their order; of settings and the like also their names."""
    if isinstance(value, str):
        if value:
            said.append(value)
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name in _NOT_SAID:
                continue
            if isinstance(inner, (str, dict, list)):
                _collect(inner, said)
            elif inner is not None:
                said.append(f"{name} {inner}")
    elif isinstance(value, list):
        for inner in value:
            _collect(inner, said)
