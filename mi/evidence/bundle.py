"""The latest batch as one object: what was sent, what came back, what was decided, where it is written."""

import itertools
from typing import Any

from mi.evidence.index import EvidenceIndex
from mi.evidence.latest import WINDOW, read_window
from mi.evidence.reader import Event, read_at, read_on
from mi.evidence.records.table import SHOWN_IN
from mi.kernel import jsonl
from mi.kernel.log_view import Progress
from mi.kernel.notices import Notices

Raw = dict[str, Any]
_MOST = 1000  # records that are read of a batch's beginning, where its end is further away than the window


def find_latest_batch(
    log: str, index: EvidenceIndex, notices: Notices, progress: Progress, run_id: str = ""
) -> Raw | None:
    """Return the bundle of the latest batch of a log, or of one of its runs; None when no batch was ever sent."""
    events = list(read_window(log, notices))
    sent = (at for at, one in enumerate(events) if one.head.kind == "hands_input")
    first = next((at for at in sent if run_id in ("", events[at].head.run_id)), None)
    corrupt = next((event.fields() for event in events if event.head.kind == "state_corrupt"), None)
    if first is not None:
        batch = events[first::-1]
    else:
        start = _find_sent(log, index, progress, run_id) if jsonl.measure_size(log) > WINDOW else None
        if start is None:
            return None
        batch = list(itertools.islice(read_on(log, start, notices), _MOST))
        batch += [event for event in reversed(events) if event.offset > batch[-1].offset]
        batch += _find_applied(log, batch, index, progress)
    return _bundle(_of_batch([event.fields() for event in batch])) | {"state_corrupt_recent": corrupt}


def _find_sent(log: str, index: EvidenceIndex, progress: Progress, run_id: str) -> int | None:
    """Return where the latest input to an agent is, of any run or of one."""
    if run_id:
        return index.find_run(log, run_id, progress).find_last("hands_input")
    return index.latest(log, "hands_input", progress)


def _find_applied(log: str, batch: list[Event], index: EvidenceIndex, progress: Progress) -> list[Event]:
    """Return what applied a suggestion of the batch beyond what was read of it."""
    suggested = [event.fields() for event in batch if event.head.kind == "learn_suggested"]
    refs = [str(raw.get("id") or raw.get("event_id")) for raw in suggested]
    offsets = {index.referring(log, "learn_applied", ref, progress) for ref in refs} - {one.offset for one in batch}
    return [event for offset in offsets if offset is not None and (event := read_at(log, offset)) is not None]


def _of_batch(records: list[Raw]) -> list[Raw]:
    """Return the records of the batch that the first one opens, and later applications of what it suggested."""
    run_id, batch = records[0].get("run_id"), _batch_of(records[0])
    mine = [raw for raw in records if raw.get("run_id") == run_id and _batch_of(raw) in ("", batch)]
    suggested = {raw.get("id") or raw.get("event_id") for raw in mine if raw["kind"] == "learn_suggested"}
    applied = [raw for raw in records if raw["kind"] == "learn_applied" and raw.get("suggestion_id") in suggested]
    return [raw for raw in mine if raw["kind"] != "learn_applied"] + applied


def _batch_of(raw: Raw) -> str:
    """`b0` of `b0` and of its re-plans `b0.after_testless`, `b0.after_tls_claim`."""
    return str(raw.get("batch_id", "")).partition(".")[0]


def _bundle(records: list[Raw]) -> Raw:
    first = records[0]
    bundle: Raw = {name: first.get(name, "") for name in ("run_id", "batch_id", "thread_id", "ts")}
    for kind in SHOWN_IN["batch"]:
        bundle[kind] = next((raw for raw in reversed(records) if raw["kind"] == kind), None)
    for name, kind in _lists().items():
        bundle[name] = [raw for raw in records if raw["kind"] == kind]
    bundle["hands_last_message"] = (bundle["batch_end"] or {}).get("last_message", "")
    bundle["hands_transcript_ref"] = _transcript_of(bundle)
    refs = (raw.get("mind_transcript_ref") for raw in records)
    bundle["mind_transcript_refs"] = list(dict.fromkeys(ref for ref in refs if ref))
    bundle["event_ids"] = [raw.get("event_id", "") for raw in records]
    return bundle


def _lists() -> dict[str, str]:
    """Return the kinds of which a batch shows all, by their name in the bundle: `why_traces` beside `why_trace`."""
    single = SHOWN_IN["batch"]
    return {f"{kind}s" if kind in single else kind: kind for kind in SHOWN_IN["batch_list"]}


def list_judgements(bundle: Raw) -> list[Raw]:
    """Return what was seen and decided in a batch, in its order; last the kinds of which there may be several."""
    apart = {"hands_input", "batch_end", *_lists().values()}
    single = [bundle[kind] for kind in SHOWN_IN["batch"] if kind not in apart and bundle[kind]]
    order: list[str] = bundle["event_ids"]
    single.sort(key=lambda raw: order.index(raw.get("event_id", "")))
    return single + [raw for name in _lists() for raw in bundle[name]]


def _transcript_of(bundle: Raw) -> str:
    places = (bundle["batch_end"], "hands_transcript_ref"), (bundle["evidence"], "hands_transcript_ref")
    for raw, name in (*places, (bundle["hands_input"], "transcript_path")):
        if raw and raw.get(name):
            return str(raw[name])
    return ""
