"""Steps of the loop: all that other rooms put into it, taken together, and those that the memory fills."""

from collections.abc import Callable, Sequence
from typing import Literal

from mi.autopilot.run_parts import Outcome, RunRecorder, RunSteps, SendFirst, Stop
from mi.evidence.records.base import Record
from mi.kernel.config.types import CrossProjectRecallConfig
from mi.knowledge.search.backend import Hit, Query
from mi.knowledge.search.recall import recall
from mi.mind.views import Case, FollowedWorkflow


class AllSteps(RunSteps):
    """Every room's steps, in order; the first that stands in the way is heard before the next is asked."""

    def __init__(self, rooms: Sequence[RunSteps]) -> None:
        self._rooms = rooms

    def preflight(self, pen: RunRecorder, task: str) -> Outcome:
        return next((found for room in self._rooms if (found := room.preflight(pen, task))), None)

    def opening(self, pen: RunRecorder, task: str) -> str:
        return "\n\n".join(said for room in self._rooms if (said := room.opening(pen, task)))

    def recall(
        self, pen: RunRecorder, trigger: Literal["run_start", "before_ask_user", "risk_signal"], query: str
    ) -> None:
        for room in self._rooms:
            room.recall(pen, trigger, query)

    def before_batch(self, pen: RunRecorder, next_input: str) -> Outcome:
        """What all have to say goes out together; the first that stops the run is not followed by another."""
        told: list[str] = []
        for room in self._rooms:
            match room.before_batch(pen, next_input):
                case Stop() as stop:
                    return stop
                case SendFirst(text):
                    told.append(text)
        return SendFirst("\n\n".join(told)) if told else None

    def follows_workflow(self) -> bool:
        return any(room.follows_workflow() for room in self._rooms)

    def workflow_progress(self, pen: RunRecorder, case: Case) -> FollowedWorkflow | None:
        return next((found for room in self._rooms if (found := room.workflow_progress(pen, case))), None)

    def review(self, pen: RunRecorder, case: Case) -> Outcome:
        return next((found for room in self._rooms if (found := room.review(pen, case))), None)

    def checkpoint(self, pen: RunRecorder, planned_next_input: str, status_hint: str) -> None:
        for room in self._rooms:
            room.checkpoint(pen, planned_next_input, status_hint)

    def session_log(self, pen: RunRecorder, end: Record) -> None:
        for room in self._rooms:
            room.session_log(pen, end)


class RememberingSteps(RunSteps):
    """Recalls, at the three moments the configuration names, what bears on the task from here and elsewhere."""

    def __init__(
        self,
        search: Callable[[Query], list[Hit]],
        hearing: Callable[[], Callable[[Hit], bool]],  # what a Mind may hear, by the thoughts as they are now
        settings: CrossProjectRecallConfig,
        project_id: str,
    ) -> None:
        self._search = search
        self._hearing = hearing
        self._settings = settings
        self._project_id = project_id

    def recall(
        self, pen: RunRecorder, trigger: Literal["run_start", "before_ask_user", "risk_signal"], query: str
    ) -> None:
        found = recall(self._search, self._settings, trigger, query, self._project_id, is_heard=self._hearing())
        if found is not None:
            said = "; ".join(f"{item.id}: {' '.join(item.text.split())[:160]}" for item in found.items)
            pen.append(found, note=f"recalled for {found.query_compact!r}: {said or 'nothing'}")
