"""The steps of the loop that learning fills: checkpoints, and whatever is to be learned at one."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from mi.autopilot.run_parts import RunRecorder, RunSteps
from mi.kernel import jsonl

if TYPE_CHECKING:  # needed at the first checkpoint, when the agent has worked already
    from mi.learning.checkpoint import Checkpoints, Lesson
    from mi.learning.knowledge import Knowledge


class LearningSteps(RunSteps):
    """Cuts the run into stretches and learns from those that are complete; `more` is what other rooms learn then."""

    def __init__(
        self, open_knowledge: "Callable[[], Knowledge]", log: str, run_id: str, more: "Sequence[Lesson]" = ()
    ) -> None:
        self._open_knowledge = open_knowledge
        self._run_id = run_id
        self._more = more
        self._begins_at = jsonl.size(log)  # what this run, or this part of it, writes follows from here
        self._checkpoints: Checkpoints | None = None

    def checkpoint(self, pen: RunRecorder, planned_next_input: str, status_hint: str) -> None:
        if self._checkpoints is None:
            self._checkpoints = _checkpoints(self._open_knowledge(), self._run_id, self._begins_at, self._more)
        self._checkpoints.at(pen, planned_next_input, status_hint)


def _checkpoints(knowledge: "Knowledge", run_id: str, begins_at: int, more: "Sequence[Lesson]") -> "Checkpoints":
    """Learning as the configuration wants it."""
    from mi.learning.checkpoint import Checkpoints
    from mi.learning.consolidate import Consolidation
    from mi.learning.mining import ClaimMiner, PreferenceMiner
    from mi.learning.nodes import materialise
    from mi.learning.segments import SegmentFile
    from mi.learning.suggestions import Learner

    runtime = knowledge.runtime
    file = SegmentFile(knowledge.place, run_id, begins_at, knowledge.notices)
    learner = Learner(knowledge, file, run_id)
    lessons: list[Lesson] = []
    if runtime.preference_mining.auto_mine:
        lessons.append(PreferenceMiner(learner, file))
    if runtime.thought_db.enabled and runtime.thought_db.auto_mine:
        lessons.append(ClaimMiner(learner))
    if runtime.thought_db.enabled and runtime.thought_db.auto_materialize_nodes:
        lessons.append(partial(materialise, knowledge.own))
    return Checkpoints(
        file,
        runtime,
        [*lessons, *more],
        always=[learner.from_judgements],
        at_end=[Consolidation(learner, file)],
        about=knowledge.about,
    )
