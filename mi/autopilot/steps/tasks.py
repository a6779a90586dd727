"""A run that works on a task of the list: the agent is told so, and the list hears how it ended."""

from collections.abc import Callable

from mi.autopilot.steps.protocol import RunRecorder, RunSteps
from mi.evidence.records.base import Record
from mi.evidence.records.governed import TaskOutcome
from mi.evidence.records.run import RunEnd
from mi.kernel.errors import MiError, NotFound
from mi.kernel.messages import text
from mi.kernel.notices import Notices
from mi.tasks.task_list import TaskRun, TaskStore


class TaskSteps(RunSteps):
    """Ticks the task once it is done and verified; otherwise leaves it open with the reason."""

    def __init__(self, open_store: Callable[[], TaskStore], task_id: str, notices: Notices, language: str) -> None:
        self._open_store = open_store
        self._task_id = task_id
        self._notices = notices
        self._language = language

    def opening(self, recorder: RunRecorder, task: str) -> str:
        if not self._task_id:
            return ""
        return text("run.list-task", self._language, id=self._task_id)

    def session_log(self, recorder: RunRecorder, end: Record) -> None:
        if not self._task_id or not isinstance(end, RunEnd):
            return
        store = self._open_store()
        done = TaskOutcome(task_id=self._task_id, authority=store.name, status=end.status, reason=end.reason)
        recorder.append(done)
        try:
            self._settle(store, end)
        except (MiError, OSError) as error:
            self._notices.add("task-not-settled", store.name, task_id=self._task_id, reason=str(error))

    def _settle(self, store: TaskStore, end: RunEnd) -> None:
        seen = store.look()
        task = seen.find(self._task_id)
        if task is None:
            raise NotFound("unknown-task", task_id=self._task_id)
        if end.status == "done":
            for one in [*seen.list_children(task.id), task]:
                if one.leaf and not one.checked:
                    store.complete(store.look(), one.id)
        store.note_run(task.id, TaskRun(run_id=end.run_id, status=end.status, reason=end.reason))
