"""Runs of the earlier tool of the same format: they have no start and no end of their own."""

from mi.evidence.reader import Event
from mi.evidence.records.run import Marks, RunEnd

_LAST_WORDS = {"stop_done": "done", "stop_blocked": "blocked"}  # of a loop break
DECIDING = ("decide_next", "loop_break")


def find_end(event: Event) -> RunEnd | None:
    """Return the end that a decision of the earlier tool was: it wrote no other; None for every other event."""
    if event.head.kind not in DECIDING or event.by_this_tool:
        return None
    fields = event.fields()
    output = fields.get("output") if isinstance(fields.get("output"), dict) else {}
    status = _LAST_WORDS.get(str((output or {}).get("action")))
    if fields.get("next_action") == "stop":
        status = "done" if fields.get("status") == "done" else "blocked"
    if status is None:
        return None
    head, notes = event.head, fields.get("notes") or (output or {}).get("notes")
    return RunEnd(
        marks=Marks(ran=True),
        status="done" if status == "done" else "blocked",
        exit=0 if status == "done" else 3,
        reason=str(notes or ""),
        evidence_ids=[head.event_id] if head.event_id else [],
        event_id=head.event_id,
        run_id=head.run_id,
        batch_id=head.batch_id,
        ts=head.ts,
    )
