"""What the team's files add to a run: rules that bind here, and what bears on the task."""

from collections.abc import Callable

from mi.autopilot.steps.protocol import RunRecorder, RunSteps
from mi.kernel.messages import text
from mi.knowledge.search.team import PRINCIPLE, TeamText, fill_lines

_BUDGET = 2000  # characters of the agent's first input


class TeamSteps(RunSteps):
    """Tells a new agent thread what the team wrote down; a persona that boots tells its own principles and cards."""

    def __init__(self, find_team: Callable[[str], list[TeamText]], boots: bool, language: str) -> None:
        self._find_team = find_team
        self._boots = boots
        self._language = language

    def opening(self, recorder: RunRecorder, task: str) -> str:
        told = (PRINCIPLE,) if self._boots else ()
        found = [one for one in self._find_team(task) if one.source not in told]
        lines = fill_lines(found, _BUDGET)
        return "\n".join([text("run.team", self._language), *lines]) if lines else ""
