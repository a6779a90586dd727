"""What a repository's plan adds to a run: the next task that can be begun, and the skill that a tag asks for."""

from mi.autopilot.steps.protocol import RunRecorder, RunSteps
from mi.kernel.errors import MiError
from mi.kernel.messages import text
from mi.nexus import tags
from mi.nexus.roster import read_skill_body
from mi.nexus.store import Store
from mi.nexus.tasks import find_ready


class PlanSteps(RunSteps):
    """Tells a new agent thread what comes next in the plan."""

    def __init__(self, store: Store, language: str) -> None:
        self._store = store
        self._language = language

    def opening(self, recorder: RunRecorder, task: str) -> str:
        parts = [*self._skills(task), self._next_task()]
        return "\n\n".join(part for part in parts if part)

    def _skills(self, task: str) -> list[str]:
        return [read_skill_body(tag.skill, tag.variant) for tag in tags.find(task) if tag.skill]

    def _next_task(self) -> str:
        """Return the first ready task of an active plan; a file that cannot be read tells nothing here."""
        try:
            found = self._store.tasks()
        except (MiError, OSError):
            return ""
        waiting = find_ready(found) if found else []
        if found is None or not waiting:
            return ""
        task = waiting[0]
        lines = [self._say("run.next-task", goal=found.goal, id=task.id, title=task.title, context=task.context)]
        if isinstance(task.approach, str):
            lines.append(self._say("run.task-approach", approach=task.approach))
        if isinstance(task.acceptance, str):
            lines.append(self._say("run.task-acceptance", acceptance=task.acceptance))
        return "\n".join([*lines, self._say("run.task-done", id=task.id)])

    def _say(self, key: str, **details: object) -> str:
        return text(key, self._language, **details)
