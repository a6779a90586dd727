"""checkpoint_decide: whether a stretch of work is complete."""

from typing import Literal

from msgspec import Struct

from mi.mind.prompt import Prompt, Section
from mi.mind.sections import cited
from mi.mind.views import CitableText

_INSTRUCTION = """\
Judge whether the work since the last checkpoint forms a complete stretch (a phase changed, a subtask is
complete, a risk or a question interrupted it, the run ends). should_mine_workflow: the work followed a procedure
that other tasks of this project may follow again; a habit is kept only when it is seen in several runs, so say so each
time. should_mine_preferences: the person's words, answers or corrections show how they want things done in general."""
_LONG_SEGMENT = 4  # batches after which a stretch is cut even when nothing marks its end


CheckpointKind = Literal[
    "none",
    "phase_change",
    "subtask_complete",
    "risk_boundary",
    "user_interaction",
    "timebox",
    "max_batches",
    "done",
    "blocked",
    "other",
]


class CheckpointDecision(Struct, frozen=True, kw_only=True):
    should_checkpoint: bool
    checkpoint_kind: CheckpointKind
    should_mine_workflow: bool
    should_mine_preferences: bool
    confidence: float
    notes: str


class SegmentCase(Struct, frozen=True, kw_only=True):
    """A stretch of a run that may be complete."""

    task: str
    events: list[CitableText]
    batches: int
    planned_next_input: str = ""
    status_hint: str = ""
    lasting: bool = False  # the person said something that is meant to last
    known: list[CitableText] = []
    runtime: str = ""
    overlay: str = ""


def _sections(given: SegmentCase) -> list[Section]:
    return [
        Section("RUNTIME", given.runtime, 0.3),
        Section("PROJECT", given.overlay, 0.3),
        Section("KNOWN ALREADY", cited(given.known), 1),
        Section("TASK", given.task, 1),
        Section("EVENTS", cited(given.events), 4),
        Section("PLANNED NEXT INPUT", given.planned_next_input, 1),
        Section("STATUS", given.status_hint, 0.1),
    ]


def _rules(given: SegmentCase) -> CheckpointDecision:
    """Cut at the end of a run or of a long stretch; look for preferences only where the person named some."""
    kind: CheckpointKind = "max_batches" if given.batches >= _LONG_SEGMENT else "none"
    match given.status_hint:
        case "done" | "blocked":
            kind = given.status_hint
        case "failed":
            kind = "other"
        case "interrupted":
            kind = "none"
    return CheckpointDecision(
        should_checkpoint=kind != "none",
        checkpoint_kind=kind,
        should_mine_workflow=False,
        should_mine_preferences=given.lasting and kind != "none",
        confidence=0.8,
        notes="",
    )


checkpoint_decide = Prompt("checkpoint_decide", CheckpointDecision, _INSTRUCTION, _sections, _rules)
