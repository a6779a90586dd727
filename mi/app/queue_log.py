"""What the logs say of queued tasks: the truth about them, from which a lost queue is made again."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from mi.evidence.reader import read_at, read_whole
from mi.evidence.records.base import Record
from mi.evidence.records.queue import QueueCancelled, QueuedRun, TasksQueued
from mi.evidence.records.race import Race
from mi.fleet.queue import QueuedTask
from mi.kernel.jsontext import decode

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext

_TOGETHER = 200  # tasks of one record
_KINDS = ("tasks_queued", "race", "queue_cancelled")


def record_queued(context: "HomeContext", tasks: Sequence[QueuedTask]) -> None:
    """Append that the person queues tasks of one project, before they are in the queue."""
    writer = context.evidence_writer(context.home.project(tasks[0].project_id).evidence)
    queued = [
        QueuedRun(
            run_id=one.run_id,
            task=one.task,
            root=one.root,
            agent=one.agent,
            priority=one.priority,
            not_before=one.not_before,
            after=list(one.after),
            lock=one.lock,
            list_task=one.list_task,
            options=one.options,
        )
        for one in tasks
    ]
    for start in range(0, len(queued), _TOGETHER):
        writer.append(TasksQueued(tasks=queued[start : start + _TOGETHER]), sync=True)


def record_cancelled(context: "HomeContext", project_id: str, run_ids: list[str]) -> None:
    """Append that the person takes tasks of a project out of the queue, before they are."""
    log = context.home.project(project_id).evidence
    context.evidence_writer(log).append(QueueCancelled(run_ids=run_ids), sync=True)


def find_queued(context: "HomeContext", project_id: str, run_id: str) -> QueuedTask | None:
    """Return a task as the person queued it, by the log of its project; None where that knows of none."""
    return _read_tasks(context, project_id).get(run_id)


def list_open(context: "HomeContext") -> list[QueuedTask]:
    """Return every task of every project that was queued, was not cancelled, and neither is done nor failed."""
    from mi.evidence.latest import whole_run

    found: list[QueuedTask] = []
    for project_id in context.home.project_ids():
        log = context.home.project(project_id).evidence
        for task in _read_tasks(context, project_id).values():
            if decode(task.options.encode() or b"{}", dict[str, Any]).get("hub"):
                continue  # the hub has it
            run = whole_run(log, task.run_id, context.evidence_index, lambda done, total: None)
            if run is None or run["status"] not in ("done", "failed"):
                found.append(task)
    return found


def _read_tasks(context: "HomeContext", project_id: str) -> dict[str, QueuedTask]:
    """Return the tasks of a project that were queued and not cancelled, by their runs."""
    from mi.app.inbox import find_roots
    from mi.app.queue import identify_task

    root = find_roots(context).get(project_id, "")
    tasks: dict[str, QueuedTask] = {}
    for record in _read_records(context, project_id):
        match record:
            case TasksQueued():
                for one in record.tasks:
                    asked = (one.agent, one.priority, one.not_before, tuple(one.after), one.lock)
                    same = identify_task(project_id, one.task)
                    rest = (same, one.list_task, one.options)
                    tasks[one.run_id] = QueuedTask(one.run_id, one.task, project_id, one.root, *asked, *rest)
            case Race():
                for racer in record.racers:
                    task = QueuedTask(racer.run_id, record.task, project_id, root, racer.agent)
                    tasks[racer.run_id] = task._replace(options='{"worktree":true}')
            case QueueCancelled():
                for run_id in record.run_ids:
                    tasks.pop(run_id, None)
    return tasks


def _read_records(context: "HomeContext", project_id: str) -> Iterator[Record]:
    log = context.home.project(project_id).evidence
    for offset in context.evidence_index.all_of(log, _KINDS, lambda done, total: None):
        event = read_at(log, offset)
        record = read_whole(log, event).record() if event is not None else None
        if record is not None:
            yield record
