"""A project's knowledge as one file that can be read, carried and taken in elsewhere."""

import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import msgspec

from mi.evidence.log import EvidenceWriter
from mi.evidence.records.thoughts import LearnApplied
from mi.evidence.records.workflow_ir import Workflow
from mi.kernel import clock
from mi.kernel.errors import MiError, UsageError
from mi.kernel.files import read_bytes, write_atomic
from mi.kernel.home import ProjectHome
from mi.kernel.jsontext import BadJson, decode, decode_stored, encode
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import find_secrets
from mi.knowledge.thoughts.kinds import BINDING, RULING, Kind
from mi.knowledge.thoughts.records import Claim, Edge, Node
from mi.knowledge.thoughts.store import ThoughtStore, also_citing
from mi.knowledge.thoughts.store_state import Filter, Reading, Thought
from mi.knowledge.thoughts.trust import find_least_trusted

_KIND, _VERSION = "mi.export", "v1"
_SHAPES: dict[str, type[msgspec.Struct]] = {"claim": Claim, "node": Node, "edge": Edge, "workflow": Workflow}
_THOUGHTS: tuple[Kind, ...] = ("claim", "node", "edge")
_LONGEST_HEADER = 64 * 1024  # what begins otherwise is no export, and may never end
_WORKFLOW_ID = re.compile(r"wf_\w{4,64}")


class ExportHeader(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of an export; `sha256` is that of all lines after it."""

    kind: str = _KIND
    version: str = _VERSION
    ts: str
    project_key: str
    counts: dict[str, int]
    sha256: str


class ExportLine(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is known: a claim, node, edge or workflow as it was stored."""

    part: str
    record: dict[str, Any]


class Parcel(NamedTuple):
    """What a file brings."""

    header: ExportHeader
    lines: list[ExportLine]


class Packed(NamedTuple):
    """A project's knowledge as the bytes of a file, and how many records stayed behind because they hold a secret."""

    header: ExportHeader
    data: bytes
    left_out: int


class Taken(NamedTuple):
    """What is new here, by part, and how much was here already."""

    new: dict[str, list[dict[str, Any]]]
    known: int

    @property
    def size(self) -> int:
        return sum(len(found) for found in self.new.values())


def pack(store: ThoughtStore, place: ProjectHome, project_key: str) -> Packed:
    """Return what stands in a project's store, and its workflows."""
    lines = [*_thoughts(store), *_workflows(place.workflows)]
    encoded = {encode(line): line.part for line in lines}
    clean = {raw: part for raw, part in encoded.items() if not find_secrets(raw.decode())}
    body = b"".join(raw + b"\n" for raw in clean)
    counts = {part: list(clean.values()).count(part) for part in _SHAPES}
    header = ExportHeader(ts=clock.now(), project_key=project_key, counts=counts, sha256=_sha256(body))
    return Packed(header, encode(header) + b"\n" + body, len(encoded) - len(clean))


def export(packed: Packed, path: str) -> None:
    """Write it to a file; of what stands there already only an older export is replaced."""
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise UsageError("export-no-folder", path=folder)
    if os.path.exists(path) and not (os.path.isfile(path) and _is_export(path)):
        raise MiError("export-in-the-way", path=path)
    write_atomic(os.path.abspath(path), packed.data)


def _is_export(path: str) -> bool:
    with open(path, "rb") as file:
        first = file.readline(_LONGEST_HEADER)
    try:
        return decode(first, dict[str, Any]).get("kind") == _KIND
    except BadJson:
        return False


def _thoughts(store: ThoughtStore) -> Iterator[ExportLine]:
    reading = store.read()
    for kind in _THOUGHTS:
        found = [thought.raw for thought in reading.find(kind, Filter())]
        yield from (ExportLine(part=kind, record=raw) for raw in reversed(found))


def _workflows(folder: str) -> Iterator[ExportLine]:
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if name.endswith(".json") and _WORKFLOW_ID.fullmatch(name[:-5]):
            try:
                yield ExportLine(
                    part="workflow", record=decode(read_bytes(os.path.join(folder, name)) or b"", dict[str, Any])
                )
            except BadJson:
                continue  # one that cannot be read here helps nobody elsewhere


def read_parcel(path: str) -> Parcel:
    """Return a file from elsewhere, checked; `-` is standard input."""
    if path == "-":
        return _opened(sys.stdin.buffer, path)
    try:
        with open(path, "rb") as file:
            return _opened(file, path)
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError("no-such-file", path=path) from None


def _opened(file: BinaryIO, path: str) -> Parcel:
    """Check what comes from elsewhere: form, version, checksum, every record, and that no secret is in it."""
    try:
        header = decode(file.readline(_LONGEST_HEADER), ExportHeader)
    except (BadJson, msgspec.ValidationError):
        raise MiError("not-an-export", path=path) from None
    if header.kind != _KIND:
        raise MiError("not-an-export", path=path)
    if header.version != _VERSION:
        raise MiError("export-version", path=path, version=header.version, known=_VERSION)
    body = file.read()
    if _sha256(body) != header.sha256:
        raise MiError("export-changed", path=path)
    lines = [_checked(raw, number, path) for number, raw in enumerate(body.splitlines(), 2) if raw]
    return Parcel(header, lines)


def _checked(raw: bytes, number: int, path: str) -> ExportLine:
    try:
        line = decode(raw, ExportLine)
        if line.part not in _SHAPES:
            raise MiError("export-part", path=path, line=number, part=line.part)
        known = decode_stored(encode(line.record), _SHAPES[line.part])
        if isinstance(known, Workflow) and not _WORKFLOW_ID.fullmatch(known.id):
            raise MiError("export-workflow-id", path=path, line=number, value=known.id)
    except (BadJson, msgspec.ValidationError) as error:
        raise MiError("export-line", path=path, line=number, reason=str(error)) from None
    found = find_secrets(raw.decode("utf-8", "replace"))
    if found:
        raise MiError("export-secret", path=path, line=number, kind=found[0].kind)
    return line


def compare(parcel: Parcel, store: ThoughtStore, place: ProjectHome) -> Taken:
    """Return what of a parcel is not here yet; what was taken back here stays taken back, what was said here holds."""
    reading = store.read()
    new: dict[str, list[dict[str, Any]]] = {}
    known = 0
    seen: set[str] = set()
    for line in parcel.lines:
        own_id = str(line.record["id" if line.part == "workflow" else f"{line.part}_id"])
        if line.part == "workflow":
            here = os.path.exists(os.path.join(place.workflows, f"{line.record['id']}.json"))
        else:
            here = reading.get(own_id) is not None
        if here or own_id in seen or _overrules(line, reading, seen):
            known += 1
        else:
            seen.add(own_id)
            new.setdefault(line.part, []).append(line.record)
    return Taken(new, known)


def _overrules(line: ExportLine, reading: Reading, new: set[str]) -> bool:
    """Return whether it would replace what was said here, or rule beside it: what comes from elsewhere never does."""
    record = line.record
    if line.part == "edge" and record.get("edge_type") in BINDING:
        bound = reading.get(str(record.get("from_id")))
        return _is_own(bound) if bound else record.get("from_id") not in new
    ruling = [tag for tag in record.get("tags") or () if line.part == "claim" and str(tag).startswith(RULING)]
    return any(_is_own(one) for tag in ruling for one in reading.find("claim", Filter(tags=(tag,))))


def _is_own(thought: Thought) -> bool:
    return thought.raw.get("origin") in ("user", "mind")


def take_in(
    taken: Taken,
    parcel: Parcel,
    store: ThoughtStore,
    place: ProjectHome,
    project_id: str,
    log: Callable[[], EvidenceWriter],
) -> str:
    """Store what is new, as imported and of this project; returns the id of the event that it cites."""
    thoughts = [record for part in _THOUGHTS for record in taken.new.get(part, [])]
    ids = [str(record[f"{record['kind']}_id"]) for record in thoughts]
    workflows = taken.new.get("workflow", [])
    source = f"import {parcel.header.sha256[:12]} of {parcel.header.project_key}"
    applied = [*ids, *(str(workflow["id"]) for workflow in workflows)]
    event = log().append(LearnApplied(suggestion_id=source, applied_claim_ids=applied), sync=True)
    here = {"scope": "project", "visibility": "project", "project_id": project_id}
    # an agent's word is no more than that by having been elsewhere
    origins = [find_least_trusted(["import", record.get("origin") or "import"]) for record in thoughts]
    stamped = [record | here | {"origin": origin} for record, origin in zip(thoughts, origins, strict=True)]
    store.reassert([also_citing(record, event.event_id) for record in stamped])
    for workflow in workflows:
        write_atomic(
            os.path.join(place.workflows, f"{workflow['id']}.json"), msgspec.json.format(encode(workflow), indent=2)
        )
    return event.event_id


def _sha256(data: bytes) -> str:
    from hashlib import sha256

    return sha256(data).hexdigest()
