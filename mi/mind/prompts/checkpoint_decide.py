"""checkpoint_decide: whether a stretch of work is complete."""

from mi.mind.answers import CheckpointDecision
from mi.mind.prompt import Prompt, Section
from mi.mind.prompts.parts import cited
from mi.mind.views import SegmentCase

_INSTRUCTION = """\
Judge whether the work since the last checkpoint forms a complete stretch (a phase changed, a subtask is
complete, a risk or a question interrupted it, the run ends). Say whether it is worth looking in it for a
reusable workflow or for lasting preferences; usually it is not."""
_LONG_SEGMENT = 4  # batches after which a stretch is cut even when nothing marks its end


def _sections(given: SegmentCase) -> list[Section]:
    return [
        Section("TASK", given.task, 1),
        Section("EVENTS", cited(given.events), 4),
        Section("PLANNED NEXT INPUT", given.planned_next_input, 1),
        Section("STATUS", given.status_hint, 0.1),
    ]


def _rules(given: SegmentCase) -> CheckpointDecision:
    if given.status_hint in ("done", "blocked"):
        return _decision(given.status_hint)
    return _decision("max_batches" if given.batches >= _LONG_SEGMENT else "none")


def _decision(kind: str) -> CheckpointDecision:
    """Rules cut at the end of a run or of a long stretch, and mine nothing: that takes understanding."""
    return CheckpointDecision(
        should_checkpoint=kind != "none",
        checkpoint_kind=kind,  # type: ignore[arg-type]
        should_mine_workflow=False,
        should_mine_preferences=False,
        confidence=0.8,
        notes="",
    )


checkpoint_decide = Prompt("checkpoint_decide", CheckpointDecision, _INSTRUCTION, _sections, _rules)
