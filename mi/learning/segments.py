"""Segments: the stretch of a run since the last checkpoint, read from the log, with whose words are whose."""

import itertools
from collections.abc import Callable, Container
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import Struct

from mi.evidence.reader import read_back, read_on
from mi.evidence.records.base import Record
from mi.evidence.records.hands import Evidence, HandsInput
from mi.evidence.records.mind import DecideNext, RiskEvent
from mi.evidence.records.questions import Question, UserInput
from mi.evidence.records.run import BatchEnd, RunEnd, RunStart
from mi.evidence.records.table import SHOWN_IN
from mi.evidence.records.thoughts import Snapshot
from mi.kernel import clock, ids, jsonl
from mi.kernel.home import ProjectHome
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.kernel.secrets import redact_start
from mi.kernel.state import read_state, update_state
from mi.mind.mind import Judgement, Mind
from mi.mind.prompt import Prompt
from mi.mind.prompts.checkpoint_decide import CheckpointDecision
from mi.mind.views import CitableText
from mi.project.run_state import keep_state

R = TypeVar("R", bound=Record)
Input = TypeVar("Input")
Output = TypeVar("Output")
T = TypeVar("T")
_COMPACT = 400  # characters of an event that the buffer keeps
_KEPT = 60  # events that the buffer keeps
_BETWEEN = 2000  # records, of commands too, that are looked through for the run's beginning
_FILE = "segment_state.json"  # of each run
_TOLD = SHOWN_IN["segment"]  # what tells of a stretch of work; the rest of the log is bookkeeping


class Hand(Protocol):
    """Writes into the log and asks the Mind: the run's own hand, or that of a command."""

    def append(self, record: R, *, note: str = "", batch_id: str = "") -> R:
        """Store a record, of the batch that is named or of the current one."""

    def judge(self, prompt: Prompt[Input, Output], given: Input) -> Judgement[Output]:
        """Return a Mind's answer; what went wrong is recorded."""


class RunHand(Hand, Protocol):
    """The run's own hand, which can have the Mind think while the agent works."""

    @property
    def thinks_at_once(self) -> bool:
        """Return whether answers take no time: no model is asked."""

    def beside(self, work: Callable[[Mind], T]) -> Callable[[], T]:
        """Begin to ask beside what comes next; what is returned waits for the answers."""

    def settle(self, prompt: Prompt[Any, Output], judgement: Judgement[Output]) -> Judgement[Output]:
        """Record what an answer cost and what went wrong with it."""


class SegmentEvent(Struct, frozen=True, kw_only=True):
    event_id: str
    kind: str = ""
    text: str = ""


class SegmentState(Struct, frozen=True, kw_only=True):
    """`segment_state.json`: where the current stretch begins in the log, and a compact copy of it."""

    version: str = "v1"
    segment_id: str = ""
    run_id: str = ""
    task: str = ""
    task_event_id: str = ""
    started_ts: str = ""
    log_offset: int = 0
    batches: int = 0
    events: list[SegmentEvent] = []
    considered: int = 0  # mined preferences looked at in this run
    suggested: list[SegmentEvent] = []  # what this run suggested to learn
    learned: bool = False  # the run has ended, and all that it taught was learned


class Segment(NamedTuple):
    """A stretch of work; at a checkpoint with the decision that cut it and the snapshot that keeps it."""

    segment_id: str
    run_id: str
    task: CitableText  # the run's task, by the event that holds it
    records: list[Record]
    planned_next_input: str = ""
    status_hint: str = ""
    decision: CheckpointDecision | None = None
    snapshot: Snapshot | None = None
    end: int = 0  # in the log

    @property
    def batch_id(self) -> str:
        """The batch it ends with."""
        last = self.last(BatchEnd)
        return last.batch_id if last else ""

    @property
    def batches(self) -> int:
        return sum(isinstance(record, BatchEnd) for record in self.records)

    @property
    def events(self) -> list[CitableText]:
        """What happened, each with the id to cite it by."""
        return [
            CitableText(id=record.event_id, text=_compact(record)) for record in self.records if _kind(record) in _TOLD
        ]

    def person_said(self) -> list[CitableText]:
        """Return the person's own words: the task, and their answers without the questions."""
        answers = [
            CitableText(id=record.event_id, text=record.answer)
            for record in self.records
            if isinstance(record, UserInput) and not record.author
        ]
        return [self.task, *answers] if self.task.text else answers

    def agent_said(self) -> str:
        """Return everything in the stretch that came out of the Hands, or was drawn from it."""
        return "\n".join(part for record in self.records for part in _of_hands(record) if part)

    def last(self, shape: type[R]) -> R | None:
        """Return the latest record of a type."""
        return next((record for record in reversed(self.records) if isinstance(record, shape)), None)


class SegmentFile:
    """The segment buffer of a project: carried over a kill, begun anew with every run and after every checkpoint."""

    def __init__(self, place: ProjectHome, run_id: str, begins_at: int, notices: Notices) -> None:
        self._place = place
        self._run_id = run_id
        self._notices = notices
        self._begins_at = begins_at  # in the log; a run that is resumed began earlier
        self.state = self._begin(read_segment(place, run_id, notices))

    def take_in(self, planned_next_input: str, status_hint: str) -> Segment:
        """Return the stretch so far, read from the log; the buffer is brought up to it."""
        end = jsonl.measure_size(self._place.evidence)
        state, records = self._stretch()
        start = next((record for record in records if isinstance(record, RunStart)), None)
        if start is not None and not state.task_event_id:
            state = msgspec.structs.replace(state, task=start.task, task_event_id=start.event_id)
        task = CitableText(id=state.task_event_id, text=state.task)
        segment = Segment(state.segment_id, self._run_id, task, records, planned_next_input, status_hint, end=end)
        told = [record for record in records if _kind(record) in _TOLD][-_KEPT:]
        events = [SegmentEvent(event_id=one.event_id, kind=_kind(one), text=_compact(one)) for one in told]
        self.save(msgspec.structs.replace(state, batches=segment.batches, events=events, learned=False))
        return segment

    def reset(self, end: int) -> None:
        """Begin the next stretch where this one ended in the log; the agent may have worked on since."""
        fresh = SegmentState(segment_id=ids.make_id("seg"), started_ts=clock.now())
        kept = {name: getattr(self.state, name) for name in ("run_id", "task", "task_event_id")}
        counted = {"considered": self.state.considered, "suggested": self.state.suggested}
        self.save(msgspec.structs.replace(fresh, log_offset=end, **kept, **counted))

    def finish(self) -> None:
        """Note that nothing is left to learn of the run."""
        self.save(msgspec.structs.replace(self.state, learned=True))

    def save(self, state: SegmentState) -> None:
        self.state = state
        keep_state(self._place, self._run_id, _FILE, state, self._notices)
        update_state(self._place.segment_state, SegmentState, lambda old: state, self._notices)

    def _begin(self, stored: SegmentState) -> SegmentState:
        """Return the stored stretch when it is of this run and the log still reaches there; else a new one."""
        if (
            stored.run_id == self._run_id
            and stored.segment_id
            and stored.log_offset <= jsonl.measure_size(self._place.evidence)
        ):
            return stored
        began = self._run_began()
        return SegmentState(
            segment_id=ids.make_id("seg"), run_id=self._run_id, started_ts=clock.now(), log_offset=began
        )

    def _run_began(self) -> int:
        """Return where the run's records begin in the log; of a run that was cut before, what follows the cut."""
        began, log = self._begins_at, self._place.evidence
        own = (event for event in read_on(log, began, self._notices) if event.head.run_id == self._run_id)
        first = next(own, None)
        if first is not None and first.head.seq == 1:
            return began
        earlier = (event for event in read_back(log, self._notices) if event.offset < began)
        for event in itertools.islice(earlier, _BETWEEN):
            if event.head.run_id == self._run_id:
                if event.head.kind == "snapshot":
                    break
                began = event.offset
                if event.head.seq == 1:
                    break
        return began

    def _stretch(self) -> tuple[SegmentState, list[Record]]:
        """Return the records since the stretch began.

        Where it was cut before a kill, and not begun anew, those after the last that its snapshot cites.
        """
        read = self._read()
        for _, record in read:
            if isinstance(record, Snapshot) and record.segment_id == self.state.segment_id:
                cited = set(record.source_refs.event_ids)
                end = max((end for end, one in read if one.event_id in cited), default=self.state.log_offset)
                fresh = msgspec.structs.replace(self.state, segment_id=ids.make_id("seg"), log_offset=end)
                return fresh, [one for at, one in read if at > end]
        return self.state, [record for _, record in read]

    def _read(self) -> list[tuple[int, Record]]:
        """Return the run's own records and answers that were given to it by command.

        Each with the offset of its end.
        """
        found: list[tuple[int, Record]] = []
        for event in read_on(self._place.evidence, self.state.log_offset, self._notices):
            if event.head.run_id == self._run_id or event.head.kind == "user_input":
                record = event.record()
                if record is not None and is_of_run(self._place.evidence, self._run_id, record):
                    found.append((event.offset + event.length + 1, record))
        return found


def is_of_run(log: str, run_id: str, record: Record) -> bool:
    """Return whether a record tells of a run: its own, or the person's answer, by command, to a question of it."""
    if isinstance(record, UserInput) and record.dismissed:
        return False
    if record.run_id == run_id or (isinstance(record, UserInput) and record.question_id == run_id):
        return True
    if not isinstance(record, UserInput) or not record.question_id:
        return False
    asked = f'"{record.question_id}"'.encode()
    questions = (event for event in read_back(log, Notices()) if event.head.kind == "question" and asked in event.raw)
    found = next(questions, None)
    return found is not None and found.head.run_id == run_id


def read_segment(place: ProjectHome, run_id: str, notices: Notices) -> SegmentState:
    """Return the stored segment of a run; of one of the first version, the project's."""
    own = read_state(place.run_state(run_id, _FILE), SegmentState, notices)
    return own if own.run_id else read_state(place.segment_state, SegmentState, notices)


def find_unlearned(
    place: ProjectHome, begins_at: int, notices: Notices, but: Container[str] = ()
) -> tuple[str, str] | None:
    """Return the run before a place in the log, and how it ended, where it was stopped before it had learned.

    `but` are runs that go on: they learn themselves.
    """
    earlier = (event for event in read_back(place.evidence, notices) if event.offset < begins_at)
    runs = (event for event in earlier if event.head.run_id.startswith("run_") and event.head.run_id not in but)
    last = next(runs, None)
    if last is None:
        return None
    run_id = last.head.run_id
    stored = read_segment(place, run_id, notices)
    if stored.run_id == run_id and stored.learned:
        return None
    own = (event for event in itertools.chain([last], runs) if event.head.run_id == run_id)
    for event in itertools.islice(own, _BETWEEN):
        if event.head.kind in ("run_start", "batch_end"):
            return None
        end = event.record() if event.head.kind == "run_end" else None
        if isinstance(end, RunEnd):
            return (run_id, end.status) if end.status != "interrupted" else None
    return None


def _kind(record: Record) -> str:
    return str(record.__struct_config__.tag)


def _compact(record: Record) -> str:
    return redact_start(f"{_kind(record)}: {record.headline()}", _COMPACT)


def _of_hands(record: Record) -> list[str]:
    match record:
        case BatchEnd():
            return [record.last_message, *(str(one.get("command", "")) for one in record.seen.get("commands", []))]
        case Evidence():
            actions = [action.detail for action in record.actions]
            return [*record.facts, *record.results, *record.unknowns, *record.risk_signals, *actions]
        case Question() | UserInput():
            return [record.text if isinstance(record, Question) else record.question]
        case RiskEvent():
            return record.risk_signals
        case DecideNext() | HandsInput():
            return []
    return []
