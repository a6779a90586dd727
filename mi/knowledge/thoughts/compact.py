"""`mi gc thoughtdb`: archives a store's files, then leaves out lines without which every answer stays the same."""

import gzip
import os
from collections.abc import Iterator
from contextlib import ExitStack
from hashlib import sha256
from shutil import rmtree
from typing import Any

from mi.evidence.home_changes import mark_changes
from mi.kernel import clock, files, jsonl
from mi.kernel.errors import MiError
from mi.kernel.home import FILE_MODE, ThoughtFiles, make_dirs
from mi.kernel.jsontext import BadJson
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.seal import find_foreign, prepare_seal, read_head, replace_log
from mi.kernel.state import encode_pretty
from mi.kernel.view_seal import remove_view
from mi.knowledge.thoughts.kinds import Kind
from mi.knowledge.thoughts.line_state import MAX_LINE, LineState, parse

_CHUNK = 1 << 20


class CompactedFile(NamedTuple):
    """What a file of a store holds, and what would be left of it."""

    kind: Kind
    path: str
    lines: int
    kept: int
    size: int
    kept_size: int
    reasons: dict[str, int]  # why lines are left out → how many


class _Said(NamedTuple):
    """The state of an id: whether it stands, the latest time of its lines, its last assertion."""

    stands: bool
    latest: int
    digest: bytes


class CompactionOutcome(NamedTuple):
    """The files that were looked at and, when it was carried out, the archive's folder."""

    files: list[CompactedFile]
    archive: str


def preview(store: ThoughtFiles) -> CompactionOutcome:
    """Return what compaction would do; nothing is changed."""
    return CompactionOutcome([_measure(kind, path) for kind, path in _paths(store) if os.path.exists(path)], "")


def apply(store: ThoughtFiles) -> CompactionOutcome:
    """Archive, then compact, with all writers kept out; killed at any point, every line is in a file that is read."""
    with ExitStack() as held:
        present = [(kind, path) for kind, path in _paths(store) if os.path.exists(path)]
        for _, path in present:
            prepare_seal(path)  # of an older home: no log is sealed before the others
            if read_head(path):
                mark_changes(path, thorough=True)
            held.enter_context(jsonl.keep_writers_out(path))
            if find_foreign(path):
                raise MiError("seal-open", path=path)  # by their places what is not MI's is known
        _clear_leftovers(store)
        files.remove_if_there(os.path.join(store.root, "view.snapshot.json"))  # the earlier tool's view, long stale
        outcome = [_measure(kind, path) for kind, path in present]
        if all(one.kept == one.lines for one in outcome):
            return CompactionOutcome(outcome, "")
        archive = _archive(store, outcome)
        for one in outcome:
            if one.kept != one.lines:
                _rewrite(one)
        remove_view(store.view)
        return CompactionOutcome(outcome, archive)


def _clear_leftovers(store: ThoughtFiles) -> None:
    """Remove what an earlier compaction had half written when it was killed."""
    for folder in (store.root, store.archive):
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            path = os.path.join(folder, name)
            if ".tmp." in name and os.path.isdir(path):
                rmtree(path)
            elif ".jsonl" in name and ".tmp." in name:
                os.unlink(path)


def _paths(store: ThoughtFiles) -> list[tuple[Kind, str]]:
    return [("claim", store.claims), ("node", store.nodes), ("edge", store.edges)]


def _measure(kind: Kind, path: str) -> CompactedFile:
    lines = kept = size = kept_size = 0
    reasons: dict[str, int] = {}
    for line, reason in _judged(kind, path):
        lines += 1
        size += line.length + line.complete
        if reason:
            reasons[reason] = reasons.get(reason, 0) + 1
        else:
            kept += 1
            kept_size += line.length + 1
    return CompactedFile(kind, path, lines, kept, size, kept_size, reasons)


def _judged(kind: Kind, path: str) -> Iterator[tuple[jsonl.Line, str]]:
    """Yield each line, and why it may go; a line that is kept has no reason."""
    state: dict[str, _Said] = {}
    for line in jsonl.read_forward(path, 0, MAX_LINE):
        if line.cut or not line.complete:
            yield line, ""  # too long for any reader, or still being written: not ours to judge
            continue
        try:
            entry = parse(line.data, kind) if line.data.strip() else None
        except BadJson:
            yield line, "unreadable"
            continue
        if entry is None:
            yield line, "" if line.data.strip() else "blank"
        else:
            yield line, _redundant(kind, entry, line.data, state)


def _redundant(kind: Kind, entry: LineState, data: bytes, state: dict[str, _Said]) -> str:
    """Why a line about an id changes no answer, now or as of any time, given the lines before it."""
    known = state.get(entry.id)
    if known is None:
        if not entry.asserts:
            return "moot"  # takes back what was never said
        state[entry.id] = _Said(True, entry.ts, sha256(data).digest())
        return ""
    if entry.ts >= known.latest:
        if not entry.asserts and not known.stands:
            return "repeated"
        # An edge that is said again is the newest: its place in the order counts.
        if entry.asserts and known.stands and kind != "edge" and sha256(data).digest() == known.digest:
            return "repeated"
    digest = sha256(data).digest() if entry.asserts else known.digest
    state[entry.id] = _Said(entry.asserts, max(known.latest, entry.ts), digest)
    return ""


def _archive(store: ThoughtFiles, outcome: list[CompactedFile]) -> str:
    """Return the files as they are, packed, in a folder that appears only when it is complete."""
    folder = os.path.join(store.archive, clock.filename_stamp())
    building = f"{folder}.tmp.{os.getpid()}"
    make_dirs(building)
    for one in outcome:
        _pack(one.path, os.path.join(building, os.path.basename(one.path) + ".gz"))
    manifest: dict[str, Any] = {
        "version": "v1",
        "ts": clock.now(),
        "files": [
            {
                "name": os.path.basename(one.path),
                "archived": os.path.basename(one.path) + ".gz",
                "lines": one.lines,
                "bytes": one.size,
                "kept_lines": one.kept,
                "kept_bytes": one.kept_size,
                "left_out": one.reasons,
            }
            for one in outcome
        ],
    }
    files.write_atomic(os.path.join(building, "manifest.json"), encode_pretty(manifest))
    os.rename(building, folder)
    files.sync_folder(store.archive)
    return folder


def _pack(path: str, packed: str) -> None:
    fd = os.open(packed, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
    with open(path, "rb") as source, open(fd, "wb") as target:
        with gzip.GzipFile(filename="", mode="wb", fileobj=target) as out:
            while chunk := source.read(_CHUNK):
                out.write(chunk)
        target.flush()
        os.fsync(target.fileno())


def _rewrite(one: CompactedFile) -> None:
    """Write the kept lines into a new file that takes the old one's place at once."""
    temporary = f"{one.path}.tmp.{os.getpid()}"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, FILE_MODE)
    with open(fd, "wb") as target:
        for line, reason in _judged(one.kind, one.path):
            if not reason:
                whole = line.data if not line.cut else jsonl.read_line(one.path, line.offset) or b""
                target.write(whole + (b"\n" if line.complete else b""))
        target.flush()
        os.fsync(target.fileno())
    replace_log(one.path, temporary)
    files.sync_folder(os.path.dirname(one.path))
