"""Steps of the loop that the memory fills."""

from collections.abc import Callable
from typing import Literal

from mi.autopilot.session import RunSteps
from mi.evidence.records.base import Record
from mi.kernel.config.types import CrossProjectRecall
from mi.memory.backend import Hit, Query
from mi.memory.recall import recall


class RememberingSteps(RunSteps):
    """Recalls, at the three moments the configuration names, what bears on the task from here and elsewhere."""

    def __init__(self, search: Callable[[Query], list[Hit]], settings: CrossProjectRecall, project_id: str) -> None:
        self._search = search
        self._settings = settings
        self._project_id = project_id

    def recall(self, trigger: Literal["run_start", "before_ask_user", "risk_signal"], query: str) -> list[Record]:
        found = recall(self._search, self._settings, trigger, query, self._project_id)
        return [found] if found is not None else []
