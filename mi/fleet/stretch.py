"""How a stretch of a run ended, from the run's log: the only place that knows."""

import time
from collections.abc import Iterator

from mi.evidence.reader import parse, read_back
from mi.evidence.records.base import Record
from mi.evidence.records.questions import Question, UserInput
from mi.evidence.records.run import BatchEnd, Limit, RunEnd, RunStart, RunUsage
from mi.fleet.queue import EndState, QueuedJob, Spending, StretchEnd
from mi.kernel import clock, jsonl
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices

UNTOLD_S = 900.0  # how long an agent is paused whose vendor does not say when its limit ends
_PASSED_S = 5.0  # and one whose limit has ended since
_QUEUED = ("tasks_queued", "race")  # written before the run could begin
_KINDS = ("run_start", "run_end", "question", "user_input", "limit")


class RunRecords(NamedTuple):
    """What a log says of a run: the latest first."""

    records: list[Record]

    @property
    def stretch(self) -> list[Record]:
        """The records since the run began or went on for the last time, that one included."""
        starts = [place for place, record in enumerate(self.records) if isinstance(record, RunStart)]
        return self.records[: starts[0] + 1] if starts else []

    def find_end(self) -> RunEnd | None:
        """Return the end of the latest stretch; None while it has none."""
        return next((record for record in self.stretch if isinstance(record, RunEnd)), None)

    def find_question(self) -> Question | None:
        """Return the question that the run waits for."""
        closed = {record.question_id for record in self.records if isinstance(record, UserInput)}
        asked = (record for record in self.records if isinstance(record, Question) and record.blocks)
        return next((question for question in asked if question.id not in closed), None)

    def find_limit(self) -> Limit | None:
        """Return the vendor's limit that the latest stretch ended at."""
        limits = (record for record in self.stretch if isinstance(record, Limit) and record.limit == "vendor")
        return next((limit for limit in limits if not limit.passed), None)

    @property
    def agent(self) -> str:
        return next((record.hands for record in self.records if isinstance(record, RunStart)), "")


def read_run(log: str, run_id: str, notices: Notices, is_whole: bool = False) -> RunRecords:
    """Return what a log says of a run since it was queued, by the order of the lines: a clock may be set back.

    `is_whole`: it may have begun before.
    """
    records: list[Record] = []
    for event in read_back(log, notices):
        if event.head.kind in _QUEUED and not is_whole and run_id.encode() in event.raw:
            break
        if event.head.kind not in _KINDS or (event.head.run_id != run_id and event.head.kind != "user_input"):
            continue
        record = event.record()
        if record is not None:
            records.append(record)
        if event.head.kind == "run_start" and event.head.seq == 1:
            break
    return RunRecords(records)


def read_end(run: RunRecords, job: QueuedJob, now: float | None = None) -> StretchEnd | None:
    """Return how the latest stretch ended; None when it was cut off, or the queue knows of that end already."""
    end = run.find_end()
    if end is None or end.event_id == job.noted:
        return None
    ended = StretchEnd(_STATES[end.status], end.reason, 0.0, end.event_id, run.agent, _sum_up(end.spent))
    if end.status != "blocked":
        return ended
    if run.find_question() is not None:
        return ended._replace(state="waiting")
    limit = run.find_limit()
    return ended if limit is None else ended._replace(state="queued", not_before=find_reset(limit, now))


_STATES: dict[str, EndState] = {"done": "done", "blocked": "blocked", "failed": "failed", "interrupted": "stopped"}


def find_reset(limit: Limit, now: float | None = None) -> float:
    """Return when a vendor's limit ends; where that is not told, a while from now."""
    now = time.time() if now is None else now
    try:
        return max(clock.parse(limit.resets_at), now + _PASSED_S)
    except ValueError:
        return now + UNTOLD_S


class SpendingTail:
    """What a run spends while its stretch goes on, by what its log says from now on."""

    def __init__(self, log: str, run_id: str) -> None:
        self._tail = jsonl.Tail(log, jsonl.measure_size(log))
        self._run_id = run_id
        self.agent = ""

    def read(self) -> Spending:
        """Return what batches spent that ended since the last time, as far as it is known."""
        usd, tokens = 0.0, 0
        for record in self._read_records():
            if isinstance(record, RunStart):
                self.agent = record.hands
            elif isinstance(record, BatchEnd):
                spent = _sum_up(record.usage)
                usd, tokens = usd + (spent.cost_usd or 0.0), tokens + (spent.tokens or 0)
        return Spending(usd, tokens)

    def _read_records(self) -> Iterator[Record | None]:
        for line in self._tail.read():
            event = parse(line)
            if event and event.head.run_id == self._run_id and event.head.kind in ("run_start", "batch_end"):
                yield event.record()


def _sum_up(spent: RunUsage) -> Spending:
    known = spent.input_tokens is not None and spent.output_tokens is not None
    return Spending(spent.cost_usd, (spent.input_tokens or 0) + (spent.output_tokens or 0) if known else None)
