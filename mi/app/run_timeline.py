"""A run to look at: what it is, and batch by batch what MI said, the agent did, MI saw and decided."""

from collections.abc import Iterable
from typing import Any, TypeVar

from mi.agents.steps import AgentStep, AgentSteps, read_steps
from mi.app.home_context import HomeContext
from mi.app.run_again import find_run
from mi.evidence.reader import Event
from mi.evidence.records.base import Record
from mi.evidence.records.governed import Verification
from mi.evidence.records.hands import HandsInput
from mi.evidence.records.mind import AutoAnswer, CheckPlan, DecideNext, LoopBreak, RiskEvent
from mi.evidence.records.proof import Proof
from mi.evidence.records.questions import Question
from mi.evidence.records.run import BatchEnd, Closing, RunEnd, RunStart, RunUsage
from mi.evidence.records.thoughts import LearnSuggested
from mi.evidence.records.trees import TreeSnapshot, TreeWork
from mi.evidence.run_batches import BatchRecords, RunWindow, read_window, sum_usage
from mi.evidence.run_story import AskedInRun, RunStory, read_story
from mi.evidence.runs import RunEntry
from mi.fleet.report import ReportedPart, list_parts
from mi.kernel import clock
from mi.kernel.named_tuple import NamedTuple

R = TypeVar("R", bound=Record)
MOST_BATCHES = 10
_LINES = 300  # of a transcript that are read where several batches are shown
_ALL_LINES = 20_000  # where one is
_MOST_CITED = 50  # events that parts rest on and that are looked up


class TimelineDecision(NamedTuple):
    """Something that was judged or decided, with its reason; `has_why`: the event can be asked why."""

    event_id: str
    kind: str
    record: Record
    reason: str
    has_why: bool
    ts: str


class ObservedCommand(NamedTuple):
    """A command as MI saw it in a batch."""

    command: str
    exit_code: int | None
    is_check: bool
    after_last_change: bool


class TimelineBatch(NamedTuple):
    """One batch; `end` is None while the agent works, or after it was killed."""

    batch_id: str
    sent: HandsInput | None
    end: BatchEnd | None
    agent: AgentSteps
    seen: list[ObservedCommand]
    changed: list[str]  # the files that differ after it
    decisions: list[TimelineDecision]
    asked: list[AskedInRun]
    before: TreeSnapshot | None
    after: TreeSnapshot | None
    too_long: list[Event]
    seconds: float | None

    @property
    def ts(self) -> str:
        """Return when it began."""
        return self.sent.ts if self.sent else ""

    @property
    def check(self) -> bool | None:
        """Return whether its last check passed; None where none was seen."""
        checks = [one for one in self.seen if one.is_check]
        return checks[-1].exit_code == 0 if checks else None

    def find_step(self, command: str) -> AgentStep | None:
        """Return the last time that a command ran in it, with its output."""
        ran = (one for one in reversed(self.agent.steps) if one.kind == "command" and one.text == command)
        return next(ran, None)


class RunTimeline(NamedTuple):
    """A run and some of its batches, the latest first."""

    entry: RunEntry
    log: str
    story: RunStory
    window: RunWindow
    batches: list[TimelineBatch]
    start: RunStart
    end: RunEnd | None
    closing: Closing | None
    proof: Proof | None
    works: list[TreeWork]
    parts: list[ReportedPart]
    spent: RunUsage


def build_timeline(context: HomeContext, run_id: str, last: int = 0, most: int = MOST_BATCHES) -> RunTimeline:
    """Return a run of any project, with the batches up to a number, or the latest ones."""
    entry = find_run(context, run_id)
    log = context.home.project(entry.project_id).evidence
    index = context.evidence_index
    story = read_story(log, run_id, index, _quietly)
    window = read_window(log, run_id, index, _quietly, last, most)
    is_latest = window.last == window.total
    latest = window if is_latest else read_window(log, run_id, index, _quietly, 0, 1)
    told = [*(record for batch in latest.batches for record in batch.records), *latest.after]
    lines = _ALL_LINES if most == 1 else _LINES
    asked = {one.id: one for one in story.asked}
    batches = [_make_batch(context, one, entry.agent, lines, asked) for one in reversed(window.batches)]
    closing = _find_last(told, Closing)
    return RunTimeline(
        entry,
        log,
        story,
        window,
        batches,
        _find_start(context, log, entry),
        story.end,
        closing,
        _find_last(told, Proof),
        [one for one in told if isinstance(one, TreeWork)],
        _list_parts(context, log, closing, told),
        entry.spent if story.end else sum_usage(log, run_id, index, _quietly),
    )


def _find_start(context: HomeContext, log: str, entry: RunEntry) -> RunStart:
    event = context.evidence_index.find(log, f"ev_{entry.run_id}_1", _quietly)
    start = event.record() if event else None
    return start if isinstance(start, RunStart) else RunStart(task=entry.task, project_root=entry.root)


def _list_parts(context: HomeContext, log: str, closing: Closing | None, told: list[Record]) -> list[ReportedPart]:
    """Return the parts of the task as they were judged last; while the run goes on, as its last batch showed them."""
    if closing is None:
        end = _find_last(told, BatchEnd)
        return [_read_part(one) for one in (end.seen.get("parts") or () if end else ()) if isinstance(one, dict)]
    known = {one.event_id for one in told}
    cited = {one for part in closing.parts for one in part.cited_ids} - known
    found = [context.evidence_index.find(log, one, _quietly) for one in sorted(cited)[:_MOST_CITED]]
    return list_parts(closing, [*(x for one in found if one and (x := one.record())), *told])


def _read_part(seen: dict[str, Any]) -> ReportedPart:
    names, missing = seen.get("seen") or [], seen.get("missing") or []
    state = str(seen.get("state", "unclear"))
    return ReportedPart(
        text=str(seen.get("text", "")), state=state, seen=[*map(str, names)], missing=[*map(str, missing)]
    )


def _make_batch(
    context: HomeContext, batch: BatchRecords, hands: str, lines: int, asked: dict[str, AskedInRun]
) -> TimelineBatch:
    records = batch.records
    sent, end = _find_last(records, HandsInput), _find_last(records, BatchEnd)
    if sent and end and end.seq < sent.seq:
        end = None  # it was killed, and is done again
    snapshots = [one for one in records if isinstance(one, TreeSnapshot) and one.commit]
    questions = [asked[one.id] for one in records if isinstance(one, Question) and one.id in asked]
    return TimelineBatch(
        batch.batch_id,
        sent,
        end,
        read_steps(context.home.path(sent.transcript_path), hands, lines)
        if sent and sent.transcript_path
        else AgentSteps(()),
        _list_seen(end),
        [str(one) for one in end.seen.get("changed_files") or ()] if end else [],
        [_explain(one) for one in records if _is_told(one)],
        questions,
        next((one for one in snapshots if one.of != "end"), None),
        next((one for one in reversed(snapshots) if one.of == "end"), None),
        batch.too_long,
        _measure(sent, end),
    )


def _is_told(record: Record) -> bool:
    """Return whether a record is a judgement, a decision or something that happened to the run."""
    told_elsewhere = isinstance(record, Question | TreeWork | Verification | LearnSuggested)
    return not told_elsewhere and not {"why", "run"}.isdisjoint(record.shown_in)


def _explain(record: Record) -> TimelineDecision:
    kind = str(record.__struct_config__.tag)
    reason = ""
    match record:
        case DecideNext():
            reason = record.notes
        case CheckPlan():
            reason = record.checks.notes
        case AutoAnswer():
            reason = record.auto_answer.notes
        case RiskEvent():
            reason = " · ".join(record.risk.mitigation)
        case LoopBreak():
            reason = record.output.notes if record.output else record.reason
    return TimelineDecision(record.event_id, kind, record, reason, "why" in record.shown_in, record.ts)


def _list_seen(end: BatchEnd | None) -> list[ObservedCommand]:
    """Return the commands that a batch showed: they are kept as they were seen, and may be of another shape."""
    seen = end.seen.get("commands") if end else None
    return [
        ObservedCommand(
            str(one.get("command", "")),
            code if isinstance(code := one.get("exit_code"), int) else None,
            bool(one.get("is_check")),
            bool(one.get("after_last_change")),
        )
        for one in (seen if isinstance(seen, list) else [])
        if isinstance(one, dict)
    ]


def _measure(sent: HandsInput | None, end: BatchEnd | None) -> float | None:
    try:
        return clock.parse(end.ts) - clock.parse(sent.ts) if sent and end else None
    except ValueError:
        return None


def _find_last(records: Iterable[Record], kind: type[R]) -> R | None:
    return next((one for one in reversed(list(records)) if isinstance(one, kind)), None)


def _quietly(done: int, total: int) -> None:
    """Say nothing of how far the index is."""
