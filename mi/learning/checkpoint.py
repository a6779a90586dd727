"""Checkpoints: whether a stretch of work is complete; what is kept of it, and what is learned from it."""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from mi.evidence.records.hands import Evidence
from mi.evidence.records.mind import DecideNext, RiskEvent
from mi.evidence.records.run import BatchEnd, Closing, UserInput
from mi.evidence.records.thoughts import Checkpoint, NodeMaterialized, Snapshot, SourceRefs
from mi.kernel import ids
from mi.kernel.config.types import Runtime
from mi.kernel.secrets import redact, redact_start
from mi.kernel.text import fit_one_line
from mi.knowledge.thoughts.kinds import CHECKPOINT, NodeType, Origin
from mi.knowledge.thoughts.records import Edge, Node
from mi.knowledge.thoughts.store import ThoughtStore, citing
from mi.learning.segments import Hand, Segment, SegmentFile
from mi.learning.text_overlap import echoes
from mi.mind.language import says_lasting
from mi.mind.mind import Judgement
from mi.mind.prompts.checkpoint_decide import CheckpointDecision, SegmentCase, checkpoint_decide

Lesson = Callable[[Hand, Segment], None]
_SNAPSHOT = 1200  # characters
_READ = 8000  # of each part: a secret that the end of the snapshot would cut in two is still recognised
_WORTH_ASKING = 3  # batches after which a stretch may be complete without any other sign
_TITLE = 90

_ACTIONS = 20
_SOURCES = 8  # events that one node is traced to


class Checkpoints:
    """Called before each batch but the first and at the run's end.

    `always` look at every stretch, `lessons` at one that is complete, `at_end` when the run is over.
    """

    def __init__(
        self,
        file: SegmentFile,
        runtime: Runtime,
        lessons: Sequence[Lesson],
        always: Sequence[Lesson] = (),
        at_end: Sequence[Lesson] = (),
        about: Callable[[SegmentCase], SegmentCase] = lambda case: case,
    ) -> None:
        self._file = file
        self._enabled = is_enabled(runtime)
        self._lessons = lessons
        self._always = always
        self._at_end = at_end
        self._about = about

    def at(self, hand: Hand, planned_next_input: str, status_hint: str) -> None:
        """Judge the stretch; a complete one is kept as a snapshot, learned from, and followed by a new one."""
        segment = self._file.take_in(planned_next_input, status_hint)
        for lesson in self._always:
            lesson(hand, segment)
        if self._enabled and segment.batches:
            self._judge(hand, segment)
        if status_hint and status_hint != "interrupted":
            for lesson in self._at_end:
                lesson(hand, segment)

    def _judge(self, hand: Hand, segment: Segment) -> None:
        judgement, note = self._decide(hand, segment)
        decision = judgement.value or checkpoint_decide.rules(build_segment_case(segment))
        record = Checkpoint(
            state=judgement.state,
            mind_transcript_ref=judgement.transcript_ref,
            segment_id=segment.segment_id,
            planned_next_input=segment.planned_next_input,
            status_hint=segment.status_hint,
            note=note,
            output=msgspec.to_builtins(decision),
        )
        hand.append(record)
        if ends_segment(segment.status_hint):  # whatever a model says: no later stretch could hold this one
            end = segment.status_hint if segment.status_hint in ("done", "blocked") else "other"
            kind = decision.checkpoint_kind if decision.should_checkpoint else end
            decision = msgspec.structs.replace(decision, should_checkpoint=True, checkpoint_kind=kind)
        if decision.should_checkpoint:
            self._cut(hand, segment._replace(decision=decision))

    def _decide(self, hand: Hand, segment: Segment) -> tuple[Judgement[CheckpointDecision], str]:
        case = build_segment_case(segment)
        why = decide_by_rules(segment)
        if why:
            return Judgement(checkpoint_decide.rules(case), "skipped", "rules", error=why), why
        judgement = hand.judge(checkpoint_decide, self._about(case))
        return judgement, judgement.error

    def _cut(self, hand: Hand, segment: Segment) -> None:
        segment = segment._replace(snapshot=hand.append(snapshot(segment)))
        for lesson in self._lessons:
            lesson(hand, segment)
        self._file.reset()


def is_enabled(runtime: Runtime) -> bool:
    """Return whether anything is on that needs checkpoints."""
    thoughts = runtime.thought_db
    by_thoughts = thoughts.enabled and (thoughts.auto_mine or thoughts.auto_materialize_nodes)
    return by_thoughts or runtime.workflows.auto_mine or runtime.preference_mining.auto_mine


def ends_segment(status_hint: str) -> bool:
    """Return whether the run is over; one that was interrupted is expected to go on."""
    return status_hint in ("done", "blocked", "failed")


def decide_by_rules(segment: Segment) -> str:
    """Why no judgement is needed: the answer follows from what was seen. Empty when a Mind should be asked."""
    if segment.status_hint == "interrupted":
        return "interrupted: the stretch goes on when the run does"
    signs = find_signs(segment)
    if ends_segment(segment.status_hint):
        return "" if signs else "the run ended, and nothing in it asks to be understood"
    return "" if signs else "nothing marks the end of a stretch"


def find_signs(segment: Segment) -> list[str]:
    """Return what makes a stretch worth a judgement."""
    last = segment.last(BatchEnd)
    found = {
        "the person spoke": any(isinstance(record, UserInput) for record in segment.records),
        "the person said something lasting": ends_segment(segment.status_hint) and _lasting(segment),
        "a risk": any(isinstance(record, RiskEvent) for record in segment.records),
        "several batches": segment.batches >= _WORTH_ASKING,
        "a subtask is verified": bool(
            segment.planned_next_input and last and last.seen.get("marks", {}).get("verified")
        ),
    }
    return [sign for sign, holds in found.items() if holds]


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
