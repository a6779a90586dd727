"""The batches of one run by the index: some of them are read, however long the run and its log are."""

from msgspec import Struct, field

from mi.evidence.index import EvidenceIndex
from mi.evidence.latest import count_batches
from mi.evidence.reader import Event, read_those, read_whole
from mi.evidence.records.base import Record
from mi.evidence.records.run import RunUsage
from mi.kernel.jsontext import BadJson, decode_stored
from mi.kernel.log_view import Progress
from mi.kernel.named_tuple import NamedTuple

_MOST_BYTES = 4 << 20  # of a record that is read whole; a larger one is told by its head


class BatchRecords(NamedTuple):
    """What was recorded of one batch, in order; of a record that is too long its event alone."""

    batch_id: str
    records: list[Record]
    too_long: list[Event]


class RunWindow(NamedTuple):
    """Some neighbouring batches of a run, and what was recorded after them where they are the latest."""

    batches: list[BatchRecords]
    first: int  # 1: the run's first input
    last: int
    total: int
    after: list[Record]  # of no batch, such as a later proof


def read_window(
    log: str, run_id: str, index: EvidenceIndex, progress: Progress, last: int = 0, most: int = 10
) -> RunWindow:
    """Return the batches up to a number, or the latest ones."""
    places = index.find_run(log, run_id, progress)
    sent = places.by_kind.get("hands_input", [])
    last = min(last, len(sent)) or len(sent)
    first = max(last - most, 0)
    begin, end = sent[first - 1] if first else 0, sent[last] if last < len(sent) else None
    offsets = index.list_events(log, run_id, progress) or places.list_all(places.by_kind)  # else of the earlier tool
    wanted = [offset for offset in offsets if begin <= offset and (end is None or offset < end)]
    events = [event for event in read_those(log, wanted) if event.head.run_id == run_id]
    numbers = {count_batches(one.head.batch_id) for one in events if one.offset in sent[first:last]}
    own = [one for one in events if count_batches(one.head.batch_id) in numbers]
    after = [one for one in events if not one.head.batch_id] if end is None else []
    return RunWindow(_group(log, own), first + 1, last, len(sent), [x for one in after if (x := _read(log, one))])


def _group(log: str, events: list[Event]) -> list[BatchRecords]:
    found: dict[str, BatchRecords] = {}
    for event in events:
        batch_id = event.head.batch_id.partition(".")[0]
        batch = found.setdefault(batch_id, BatchRecords(batch_id, [], []))
        record = _read(log, event)
        if record is not None:
            batch.records.append(record)
        elif event.cut:
            batch.too_long.append(event)
    return list(found.values())


def _read(log: str, event: Event) -> Record | None:
    return (read_whole(log, event) if event.length <= _MOST_BYTES else event).record()


class _UsageFields(Struct):
    usage: RunUsage = field(default_factory=RunUsage)


def sum_usage(log: str, run_id: str, index: EvidenceIndex, progress: Progress) -> RunUsage:
    """Return what the batches of a run used that has not ended, as far as their agents told."""
    total = RunUsage(input_tokens=0, output_tokens=0, cost_usd=0.0, seconds=0.0, calls=0)
    for event in read_those(log, index.list_events(log, run_id, progress)):
        if event.head.kind != "batch_end":
            continue
        try:
            total = total.plus(decode_stored(read_whole(log, event).raw, _UsageFields).usage)
        except BadJson:
            total = RunUsage()
    return total
