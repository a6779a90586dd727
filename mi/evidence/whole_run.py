"""One run as a whole, by its id: what was asked, how it ended, and where its events are."""

from typing import TYPE_CHECKING, Any

from mi.evidence.latest import OF_RUN
from mi.evidence.reader import read_at, whole

if TYPE_CHECKING:
    from mi.evidence.index import EvidenceIndex
    from mi.kernel.log_view import Progress


def whole_run(log: str, run_id: str, index: "EvidenceIndex", progress: "Progress") -> dict[str, Any] | None:
    """The run's task, status, marks and events; None when the log knows no such run. One without an end says so."""
    found: dict[str, Any] = {}
    batches: list[str] = []
    for offset in index.all_of(log, OF_RUN, progress):
        event = read_at(log, offset)
        if event is None or event.head.run_id != run_id:
            continue
        if event.head.kind == "hands_input":
            batches.append(event.head.batch_id)
            continue
        fields = whole(log, event).fields()
        if event.head.kind == "run_start":
            begun = {"run_id": run_id, "task": fields.get("task", ""), "started": fields.get("ts", "")}
            found = (
                begun | {"hands": fields.get("hands", ""), "mind": fields.get("mind", "")} | found | {"status": None}
            )
        else:
            kept = ("status", "reason", "marks", "spent", "exit", "evidence_ids")
            found |= {name: fields.get(name) for name in kept} | {"ended": fields.get("ts", "")}
    return found | {"batches": len(dict.fromkeys(batches))} if found else None
