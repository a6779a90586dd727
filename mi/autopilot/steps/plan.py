"""What a tag in a run's task adds to it: the skill that the tag asks for, and the task that it would begin with."""

from collections.abc import Callable

from mi.autopilot.steps.protocol import RunRecorder, RunSteps
from mi.kernel.messages import text
from mi.nexus import tags
from mi.nexus.roster import read_skill_body
from mi.tasks.task_list import TaskStore
from mi.tasks.task_text import write_task_text

_WORKS = "nx-run"


class PlanSteps(RunSteps):
    """Gives a new agent thread the skills that the task's tags name."""

    def __init__(self, open_store: Callable[[], TaskStore], language: str) -> None:
        self._open_store = open_store
        self._language = language

    def opening(self, recorder: RunRecorder, task: str) -> str:
        found = [tag for tag in tags.find(task) if tag.skill]
        parts = [read_skill_body(tag.skill, tag.variant) for tag in found]
        if any(tag.skill == _WORKS for tag in found):
            parts.append(self._next_task())
        return "\n\n".join(part for part in parts if part)

    def _next_task(self) -> str:
        tasks = self._open_store().look()
        current = tasks.find(tasks.pointer)
        if current is None:
            return ""
        said = write_task_text(tasks, current, self._language)
        return text("run.next-task", self._language, goal=tasks.goal, id=current.id, task=said)
