"""The latest run of a log, seen from the log's end, or one run as a whole; nothing is written."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from mi.evidence.former import DECIDING, find_end
from mi.evidence.reader import Event, read_at, read_back, read_whole
from mi.evidence.records.proof import Proof
from mi.evidence.records.run import Marks, RunEnd, RunUsage
from mi.evidence.records.table import AFTER_END
from mi.kernel import jsonl
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices

if TYPE_CHECKING:  # sqlite3 is needed only where the log is long
    from mi.evidence.index import EvidenceIndex
    from mi.kernel.log_view import Progress

OF_RUN = ("run_start", "hands_input", "run_end")  # every run has one of them
WINDOW = 1 << 18  # how far back a read-only answer looks by itself; what is older needs the index


class LatestRun(NamedTuple):
    """What the end of a log says of the latest run; `ended` is None while it runs or after it was killed."""

    run_id: str
    ended: RunEnd | None
    marks: Marks
    spent: RunUsage
    batches: int
    evidence_ids: list[str]


def read_window(log: str, notices: Notices, known: int = 0) -> Iterator[Event]:
    """Yield the events near the end of a log, latest first.

    As far back as `known` (an offset) or the window reaches.
    """
    start = max(known, jsonl.measure_size(log) - WINDOW)
    for event in read_back(log, notices):
        if event.offset + event.length < start:  # a record that reaches into the window counts, however long
            return
        yield event


def find_latest_run(log: str, index: "EvidenceIndex", notices: Notices, run_id: str = "") -> LatestRun | None:
    """Return the run that wrote last, or the one that is named.

    Its end is its last word, and its batches are numbered: a look back suffices.
    """
    found = _seen_in(log, read_window(log, notices), run_id)
    if found is None and jsonl.measure_size(log) > WINDOW:  # since then much that is of others: the index knows
        events = [event for offset in index.seen_last(log, OF_RUN, run_id) if (event := read_at(log, offset))]
        found = _seen_in(log, events, run_id)
    return found


def _seen_in(log: str, events: Iterable[Event], run_id: str) -> LatestRun | None:
    """Return what events, latest first, say of a run; without an id, of the one that wrote the latest of them."""
    ended: RunEnd | None = None
    later: dict[str, bool | None] = {}
    seen, batches, decided, begun = False, 0, False, False
    for event in events:
        if event.head.kind in AFTER_END:
            continue
        if event.head.kind == "proof" and not event.head.batch_id:  # by `mi prove`, after the run
            proof = read_whole(log, event).record()
            later.setdefault(event.head.run_id, proof.proved if isinstance(proof, Proof) else None)
            continue
        if not run_id and event.head.run_id.startswith("run_"):
            run_id = event.head.run_id
        if not run_id or event.head.run_id != run_id:
            continue
        seen = True
        begun = begun or event.head.kind == "run_start"  # an end that comes before is of another process
        if event.head.kind == "run_end" and not begun and ended is None:
            record = read_whole(log, event).record()
            ended = record if isinstance(record, RunEnd) else None
        if event.head.kind in DECIDING and not decided:
            decided, ended = True, ended or find_end(read_whole(log, event))
        number = count_batches(event.head.batch_id)
        if number and event.head.kind in ("hands_input", "batch_end"):  # other events may be before the batch begins
            batches = number
            break
        batches = batches or number
    if not seen:
        return None
    if ended is None:
        return LatestRun(run_id, None, Marks(), RunUsage(), batches, [])
    proved = later.get(run_id)
    marks = ended.marks if proved is None else msgspec.structs.replace(ended.marks, proved=proved)
    return LatestRun(run_id, ended, marks, ended.spent, batches, ended.evidence_ids)


def count_batches(batch_id: str) -> int:
    """Return how many batches there were when this one ran: b0 is the first."""
    number = batch_id.removeprefix("b").partition(".")[0]
    return int(number) + 1 if number.isdigit() else 0


def whole_run(log: str, run_id: str, index: "EvidenceIndex", progress: "Progress") -> dict[str, Any] | None:
    """Return the run's task, status, marks and events; None when the log knows no such run."""
    found: dict[str, Any] = {}
    batches: list[str] = []
    places = index.find_run(log, run_id, progress)
    for event in filter(None, (read_at(log, offset) for offset in places.list_all(OF_RUN))):
        if event.head.kind == "hands_input":
            batches.append(event.head.batch_id)
            continue
        fields = read_whole(log, event).fields()
        if event.head.kind == "run_start":
            begun = {"run_id": run_id, "task": fields.get("task", ""), "started": fields.get("ts", "")}
            found = (
                begun | {"hands": fields.get("hands", ""), "mind": fields.get("mind", "")} | found | {"status": None}
            )
        else:
            kept = ("status", "reason", "marks", "spent", "exit", "evidence_ids")
            found |= {name: fields.get(name) for name in kept} | {"ended": fields.get("ts", "")}
    if batches and not found:
        found = _find_former(log, run_id, places.list_all(("hands_input", "decide_next")))
    return found | {"batches": len(dict.fromkeys(batches))} if found else None


def _find_former(log: str, run_id: str, offsets: list[int]) -> dict[str, Any]:
    """Return a run of the earlier tool: its first input is its task, its last decision its end."""
    found: dict[str, Any] = {"run_id": run_id, "status": None}
    for event in filter(None, (read_at(log, offset) for offset in offsets)):
        if event.head.kind == "hands_input":
            found = {"task": event.fields().get("input", ""), "started": event.head.ts} | found
        elif (end := find_end(event)) is not None:
            kept = ("status", "reason", "exit", "evidence_ids")
            found |= {name: getattr(end, name) for name in kept} | {"ended": end.ts}
    return found
