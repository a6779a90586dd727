"""Checkpoints: whether a stretch of work is complete; what is kept of it, and what is learned from it."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

import msgspec

from mi.evidence.records.base import Record
from mi.evidence.records.hands import Evidence
from mi.evidence.records.mind import DecideNext
from mi.evidence.records.questions import UserInput
from mi.evidence.records.run import Closing
from mi.evidence.records.thoughts import Checkpoint, NodeMaterialized, Snapshot, SourceRefs
from mi.kernel import ids
from mi.kernel.config.types import Runtime
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import redact, redact_start
from mi.kernel.text import fit_one_line
from mi.knowledge.thoughts.kinds import CHECKPOINT, NodeType, Origin
from mi.knowledge.thoughts.records import Edge, Node
from mi.knowledge.thoughts.store import ThoughtStore, citing
from mi.learning.segments import Hand, RunHand, Segment, SegmentFile
from mi.learning.text_overlap import echoes
from mi.mind.language import says_lasting
from mi.mind.mind import Judgement, Mind
from mi.mind.prompt import Prompt
from mi.mind.prompts.checkpoint_decide import CheckpointDecision, SegmentCase, checkpoint_decide

R = TypeVar("R", bound=Record)
Output = TypeVar("Output")
MindQuestion = tuple[Prompt[Any, Any], Any]  # a prompt and what it is given


class CheckpointLesson(Protocol):
    """What is learned from a complete stretch by asking a Mind."""

    def is_wanted(self, decision: CheckpointDecision) -> bool:
        """Return whether a checkpoint is worth asking at."""

    def ask(self, segment: Segment) -> MindQuestion | None:
        """Return what to ask about a stretch; None where there is nothing."""

    def learn(self, hand: Hand, segment: Segment, judgement: Judgement[Any]) -> None:
        """Record the answer, and keep what may be kept of it."""


Plain = Callable[[Hand, Segment], None]  # what takes no judgement
_SNAPSHOT = 1200  # characters
_READ = 8000  # of each part: a secret that the end of the snapshot would cut in two is still recognised
_TITLE = 90

_ACTIONS = 20
_NOTHING_WANTED = CheckpointDecision(
    should_checkpoint=True,
    checkpoint_kind="other",
    should_mine_workflow=False,
    should_mine_preferences=False,
    confidence=1.0,
    notes="",
)
_SOURCES = 8  # events that one node is traced to


class _Answers(NamedTuple):
    """What a Mind said about a stretch: whether it is complete and, where it is, to each lesson."""

    judgement: Judgement[CheckpointDecision]
    decision: CheckpointDecision
    lessons: list[tuple[CheckpointLesson, Prompt[Any, Any], Judgement[Any]]] = []


class _Asked(NamedTuple):
    """A stretch about which a Mind is asked, and how to wait for what it says."""

    segment: Segment
    wait: Callable[[], _Answers]


class Checkpoints:
    """Called before each batch but the first and at the run's end.

    A Mind is asked beside the agent's next batch; what it said is recorded and learned when the batch has ended.
    `always` look at every stretch, `lessons` and then `kept` at one that is complete, `at_end` when the run is over.
    """

    def __init__(
        self,
        file: SegmentFile,
        runtime: Runtime,
        lessons: Sequence[CheckpointLesson],
        always: Sequence[Plain] = (),
        kept: Sequence[Plain] = (),
        at_end: Sequence[Plain] = (),
        about: Callable[[SegmentCase], SegmentCase] = lambda case: case,
    ) -> None:
        self._file = file
        self._enabled = is_enabled(runtime)
        self._lessons = lessons
        self._always = always
        self._kept = kept
        self._at_end = at_end
        self._about = about
        self._asked: _Asked | None = None

    def at(self, hand: RunHand, planned_next_input: str, status_hint: str) -> None:
        """Judge the stretch; a complete one is learned from, kept as a snapshot, and followed by a new one."""
        self._settle(hand)
        segment = self._file.take_in(planned_next_input, status_hint)
        for lesson in self._always:
            lesson(hand, segment)
        if self._enabled and segment.batches:
            self._begin(hand, segment)
        if status_hint or hand.thinks_at_once:
            self._settle(hand)
        if ends_segment(status_hint):
            for lesson in self._at_end:
                lesson(hand, segment)
            self._file.finish()

    def _begin(self, hand: RunHand, segment: Segment) -> None:
        case = build_segment_case(segment)
        if segment.status_hint == "interrupted":
            decision = checkpoint_decide.rules(case)
            why = "interrupted: the stretch goes on when the run does"
            answers = _Answers(Judgement(decision, "skipped", "rules", error=why), decision)
            self._asked = _Asked(segment, lambda: answers)
            return
        case = self._about(case)
        asking = [(lesson, question) for lesson in self._lessons if (question := lesson.ask(segment))]
        self._asked = _Asked(segment, hand.beside(partial(_ask, case=case, asking=asking)))

    def _settle(self, hand: RunHand) -> None:
        """Record and learn what a Mind was asked about the stretch before, as of the batch it ends with."""
        if self._asked is None:
            return
        (segment, wait), self._asked = self._asked, None
        answers = wait()
        judgement = hand.settle(checkpoint_decide, answers.judgement)
        placed = _OfBatch(hand, segment.batch_id)
        record = Checkpoint(
            state=judgement.state,
            mind_transcript_ref=judgement.transcript_ref,
            segment_id=segment.segment_id,
            planned_next_input=segment.planned_next_input,
            status_hint=segment.status_hint,
            note=judgement.error,
            output=msgspec.to_builtins(judgement.value or answers.decision),
        )
        placed.append(record)
        if answers.decision.should_checkpoint:
            segment = segment._replace(decision=answers.decision)
            for lesson, prompt, answer in answers.lessons:
                lesson.learn(placed, segment, hand.settle(prompt, answer))
            self._keep(placed, segment)

    def _keep(self, hand: Hand, segment: Segment) -> None:
        """Keep a complete stretch; it is cut only now, so that one whose learning is interrupted is judged again."""
        segment = segment._replace(snapshot=hand.append(snapshot(segment)))
        for lesson in self._kept:
            lesson(hand, segment)
        self._file.reset(segment.end)


class _OfBatch:
    """A run's hand that writes of an earlier batch."""

    def __init__(self, hand: Hand, batch_id: str) -> None:
        self._hand = hand
        self._batch_id = batch_id

    def append(self, record: R, *, note: str = "", batch_id: str = "") -> R:
        return self._hand.append(record, note=note, batch_id=batch_id or self._batch_id)

    def judge(self, prompt: Prompt[Any, Output], given: Any) -> Judgement[Output]:
        return self._hand.judge(prompt, given)


def _ask(mind: Mind, case: SegmentCase, asking: list[tuple[CheckpointLesson, MindQuestion]]) -> _Answers:
    """Ask whether a stretch is complete, then what is to be learned from it.

    At the run's end it is: whatever is learned in any case is asked beside.
    """
    ends = ends_segment(case.status_hint)
    sure = [one for one in asking if ends and one[0].is_wanted(_NOTHING_WANTED)]
    judgement, *early = mind.ask_together(
        partial(mind.ask, checkpoint_decide, case), *(partial(mind.ask, *question) for _, question in sure)
    )
    decision = _end_with(judgement.value or checkpoint_decide.rules(case), case.status_hint)
    if not decision.should_checkpoint:
        return _Answers(judgement, decision)
    rest = [one for one in asking if one not in sure and one[0].is_wanted(decision)]
    late = mind.ask_together(*(partial(mind.ask, *_noted(question, decision)) for _, question in rest)) if rest else []
    asked = zip([*sure, *rest], [*early, *late], strict=True)
    return _Answers(judgement, decision, [(lesson, prompt, answer) for (lesson, (prompt, _)), answer in asked])


def _noted(question: MindQuestion, decision: CheckpointDecision) -> MindQuestion:
    """Return a question with what the checkpoint's decision noted."""
    prompt, given = question
    return prompt, msgspec.structs.replace(given, notes=decision.notes)


def _end_with(decision: CheckpointDecision, status_hint: str) -> CheckpointDecision:
    """Return the decision; at a run's end a stretch ends whatever a model says: no later one could hold it."""
    if not ends_segment(status_hint):
        return decision
    end = status_hint if status_hint in ("done", "blocked") else "other"
    kind = decision.checkpoint_kind if decision.should_checkpoint else end
    return msgspec.structs.replace(decision, should_checkpoint=True, checkpoint_kind=kind)


def is_enabled(runtime: Runtime) -> bool:
    """Return whether anything is on that needs checkpoints."""
    thoughts = runtime.thought_db
    by_thoughts = thoughts.enabled and (thoughts.auto_mine or thoughts.auto_materialize_nodes)
    return by_thoughts or runtime.workflows.auto_mine or runtime.preference_mining.auto_mine


def ends_segment(status_hint: str) -> bool:
    """Return whether the run is over; one that was interrupted is expected to go on."""
    return status_hint in ("done", "blocked", "failed")


def build_segment_case(segment: Segment) -> SegmentCase:
    """Return the stretch as checkpoint_decide is shown it."""
    return SegmentCase(
        task=segment.task.text,
        events=segment.events,
        batches=segment.batches,
        planned_next_input=segment.planned_next_input,
        status_hint=segment.status_hint,
        lasting=_lasting(segment),
    )


def snapshot(segment: Segment) -> Snapshot:
    """Return a compact record of the stretch, for recall; what it says can be followed to the events."""
    evidence = [record for record in segment.records if isinstance(record, Evidence)]
    decision = segment.last(DecideNext)
    answers = [record.headline() for record in segment.records if isinstance(record, UserInput)]
    parts = [
        f"Task: {segment.task.text}",
        *(f"Seen: {one.headline()}" for one in evidence if one.headline()),
        *(f"Asked: {one}" for one in answers),
        f"Decided: {tell_decision(decision, segment)}" if decision else "",
    ]
    kind = segment.decision.checkpoint_kind if segment.decision else "other"
    return Snapshot(
        snapshot_id=ids.make_id("snap"),
        segment_id=segment.segment_id,
        checkpoint_kind=kind,
        text=redact("\n".join(redact_start(part, _READ) for part in parts if part))[:_SNAPSHOT],
        tags=[kind, *([segment.status_hint] if segment.status_hint not in ("", kind) else [])],
        source_refs=SourceRefs(event_ids=[event.id for event in segment.events]),
    )


def find_outcome(segment: Segment) -> str:
    """Return what became of a stretch: how the run ended, or that it goes on; empty when nobody said."""
    return segment.status_hint or ("not_done" if segment.planned_next_input else "")


def tell_decision(decision: DecideNext, segment: Segment) -> str:
    """Return what was decided; a judgement that MI did not follow is told as that, with what it did instead."""
    made = f"{decision.status}, {decision.next_action}: {decision.notes}".strip(" :")
    outcome = find_outcome(segment)
    if not outcome or outcome == decision.status:
        return made
    if decision.status == "not_done":
        return f"{made}. Then the run ended: {outcome}."
    closing = segment.last(Closing)
    why = f": {closing.reason}" if closing and closing.outcome != "done" and closing.reason else ""
    return f"{outcome}{why}. The judgement {decision.status!r} was not followed."


def _lasting(segment: Segment) -> bool:
    return any(says_lasting(one.text) for one in segment.person_said())


def materialise(store: ThoughtStore, hand: Hand, segment: Segment) -> None:
    """Store the nodes of a complete stretch and where each comes from; the event that says so first."""
    nodes: list[Node] = []
    edges: list[Edge] = []
    for node, sources in _nodes(store, segment):
        nodes.append(node)
        edges += [
            store.new_edge("derived_from", node.node_id, source, "", node.origin) for source in sources[-_SOURCES:]
        ]
    if not nodes:
        return
    record = NodeMaterialized(
        segment_id=segment.segment_id,
        node_ids=[node.node_id for node in nodes],
        edge_ids=[edge.edge_id for edge in edges],
    )
    event = hand.append(record)
    store.add_nodes([citing(node, event.event_id) for node in nodes])
    store.add_edges([citing(edge, event.event_id) for edge in edges])


def _nodes(store: ThoughtStore, segment: Segment) -> Iterator[tuple[Node, list[str]]]:
    """Return each node with the events it is derived from; the agent's words stay the agent's."""
    task = fit_one_line(redact_start(segment.task.text, _READ), _TITLE)
    decision = segment.last(DecideNext)
    if decision is not None and decision.headline():
        origin: Origin = "hands" if echoes(decision.notes, segment) else "mind"
        title = f"{find_outcome(segment) or decision.status}: {task}"
        yield _node(store, "decision", title, tell_decision(decision, segment), origin), [decision.event_id]
    evidence = [record for record in segment.records if isinstance(record, Evidence)]
    actions = [f"{action.kind}: {action.detail}" for record in evidence for action in record.actions]
    if actions:
        text = "\n".join(list(dict.fromkeys(actions))[:_ACTIONS])
        yield _node(store, "action", f"done for: {task}", text, "hands"), [one.event_id for one in evidence]
    if segment.snapshot is not None:
        yield _node(store, "summary", task, segment.snapshot.text, "hands"), [segment.snapshot.event_id]


def _node(store: ThoughtStore, node_type: NodeType, title: str, text: str, origin: Origin) -> Node:
    return store.new_node(node_type, title, redact(text)[:2000], [CHECKPOINT], "", origin)
