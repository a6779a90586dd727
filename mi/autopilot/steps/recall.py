"""What the memory adds to a run: what bears on the task, from here and elsewhere."""

from collections.abc import Callable

from mi.autopilot.steps.protocol import RecallTrigger, RunPlace, RunRecorder, RunSteps
from mi.kernel.config.types import CrossProjectRecallConfig
from mi.knowledge.search.backend import Hit, Query
from mi.knowledge.search.recall import recall


class RecallSteps(RunSteps):
    """Recalls at the three moments that the configuration names."""

    def __init__(
        self,
        place: RunPlace,
        search: Callable[[Query], list[Hit]],
        build_filter: Callable[[], Callable[[Hit], bool]],  # what a Mind may hear, by the thoughts as they are now
        settings: CrossProjectRecallConfig,
    ) -> None:
        self._search = search
        self._build_filter = build_filter
        self._settings = settings
        self._project_id = place.project.project_id

    def recall(self, recorder: RunRecorder, trigger: RecallTrigger, query: str) -> None:
        is_heard = self._build_filter()
        found = recall(self._search, self._settings, trigger, query, self._project_id, is_heard=is_heard)
        if found is not None:
            recorder.append(found, note=found.told())
