"""A run that works on a task of the list: the agent is told so, and the list hears how it ended."""

from collections.abc import Callable, Collection

from mi.autopilot.list_watch import ListWatch, name_tasks
from mi.autopilot.steps.protocol import Outcome, RunPlace, RunRecorder, RunSteps, SendFirst, Stop
from mi.evidence.records.base import Record
from mi.evidence.records.governed import TaskOutcome
from mi.evidence.records.run import RunEnd
from mi.kernel.consent import agrees, refuses
from mi.kernel.errors import MiError, NotFound, UsageError
from mi.kernel.language import patterns
from mi.kernel.messages import text
from mi.mind.views import Case
from mi.tasks.task_list import TaskRun, TaskStore


class TaskSteps(RunSteps):
    """Ticks the task once it is done and verified; otherwise leaves it open with the reason.

    The list is the person's: what the agent ticks is open again at the end, and what it takes out or rewords is asked
    about.
    """

    def __init__(
        self,
        open_store: Callable[[], TaskStore],
        task_id: str,
        place: RunPlace,
        open_beside: Callable[[], TaskStore] | None = None,
        settles: bool = True,
    ) -> None:
        """`open_beside`: the person's own list, where the agent works in a tree beside it; that hears of the end."""
        self._open_store = open_store
        self._open_settled = open_beside or open_store
        self._settles = settles
        self._task_id = task_id
        self._place = place
        self._watch = ListWatch(open_store, place, task_id)
        self._watches = {self._watch: open_store}
        if open_beside is not None:  # the person's own list, which the agent may reach all the same
            self._watches[ListWatch(open_beside, place, task_id, beside=True)] = open_beside
        self._answers = 0

    def opening(self, recorder: RunRecorder, task: str) -> str:
        if not self._task_id:
            return ""
        return text("run.list-task", self._place.language, id=self._task_id)

    def before_batch(self, recorder: RunRecorder, next_input: str) -> Outcome:
        """Look at the list before the agent can change it."""
        _ = self._task_id and [watch.found for watch in self._watches]
        return None

    def closing(self, recorder: RunRecorder, case: Case) -> Outcome:
        """Ask about tasks that the agent took out of the list or put into other words."""
        lost = self._watch.find_lost(self._open_store().look()) if self._task_id else []
        if not lost:
            return None
        language, named = self._place.language, name_tasks(lost)
        of = f"tasks {' '.join(task.id for task in lost)} {self._answers}"
        answer = recorder.ask_once(text("run.list-changed", language, tasks=named), of=of)
        if answer is None or refuses(answer):
            return Stop(text("run.list-waits", language, tasks=named))
        if agrees(answer, patterns().go_on):
            return None
        self._answers += 1  # whoever said what to do instead is asked anew
        return SendFirst(answer)

    def session_log(self, recorder: RunRecorder, end: Record) -> None:
        if not self._task_id or not isinstance(end, RunEnd):
            return
        store = self._open_store()
        # the list in a tree of the run's own is never ticked: two runs would conflict in it
        settled = end.status == "done" and len(self._watches) == 1
        ticked = [
            (watch, watch.find_ticked(open_list().look(), done=settled)) for watch, open_list in self._watches.items()
        ]
        if lost := self._watch.find_lost(store.look()):
            self._place.notices.add("task-lost", self._watch.found.authority, tasks=name_tasks(lost))
        recorder.append(
            TaskOutcome(
                task_id=self._task_id,
                authority=store.name,
                status=end.status,
                reason=end.reason,
                reopened=sorted({task.id for _, tasks in ticked for task in tasks}),
            )
        )
        try:
            for watch, tasks in ticked:
                watch.reopen(self._watches[watch](), tasks)
            if self._settles:
                others = {one.id for one in self._watch.found.tasks if not self._watch.is_own(one)}
                settle_task(self._open_settled(), self._task_id, end, others)
        except (MiError, OSError) as error:
            self._place.notices.add("task-not-settled", store.name, task_id=self._task_id, reason=str(error))


def settle_task(store: TaskStore, task_id: str, end: RunEnd, others: Collection[str] = ()) -> bool:
    """Tick the task of a run that is done, with its subtasks but not `others`; return whether anything was ticked.

    Which run worked on it last is kept.
    """
    seen = store.look()
    if seen.unsure:
        raise UsageError("tasks-unsure", reason=seen.unsure)
    task = seen.find(task_id)
    if task is None:
        raise NotFound("unknown-task", task_id=task_id)
    parts = [one for one in seen.list_children(task.id) if one.id not in others]
    wanted = [one.id for one in (*parts, task) if one.leaf and not one.checked] if end.status == "done" else []
    for one in wanted:
        store.complete(store.look(), one)
    store.note_run(task.id, TaskRun(run_id=end.run_id, status=end.status, reason=end.reason))
    return bool(wanted)
