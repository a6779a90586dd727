"""Tasks: the list and the plan of each project, and the queue; add a task, put it first, run it."""

import os
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from mi.app.contract import open_person_session
from mi.app.home_context import HomeContext
from mi.app.nexus import build_nexus
from mi.app.queue import (
    AddedTasks,
    QueuedOptions,
    QueueWishes,
    WantedTask,
    add_tasks,
    build_queue,
    cancel_job,
    find_job,
    has_worker,
    put_first,
    read_list,
)
from mi.app.tasks import choose_task, read_tasks
from mi.app.worker import detach_worker
from mi.contract.session import ContractSession, Refused
from mi.contract.task_tools import AddInput, CompleteInput, MoveInput, task_add, task_complete, task_move
from mi.fleet.queue import OPEN_STATES, QueuedJob
from mi.kernel import clock
from mi.kernel.errors import Blocked, MiError, UsageError, from_os_error
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple
from mi.nexus.plan import PlanStatus, show_status
from mi.tasks.task_list import ListedTask, TaskList
from mi.web.view import PageRequest, PageView

_MOST_TASKS = 100  # of one project
_MOST_JOBS = 100
T = TypeVar("T")


class ShownTask(NamedTuple):
    """A task of a list, and what can be done with it."""

    task: ListedTask
    is_next: bool
    can_move: bool
    can_run: bool


class ProjectTasks(NamedTuple):
    """The list and the plan of one project."""

    root: str
    name: str
    listed: TaskList
    open: list[ShownTask]
    left_out: int
    done: list[ListedTask]
    plan: dict[str, Any]
    problem: str = ""


class ShownJob(NamedTuple):
    """A task in the queue, and why it does not run yet."""

    job: QueuedJob
    project: str
    not_before: str
    can_begin: bool


class TasksModel(NamedTuple):
    """All lists, plans and the queue."""

    projects: list[ProjectTasks]
    roots: list[tuple[str, str]]  # every project that a task can be added to
    chosen: dict[str, str]
    choices: list[tuple[str, str]]
    jobs: list[ShownJob]
    left_out: int
    is_idle: bool  # tasks are queued, and no worker lives
    paused: list[tuple[str, str]]


def _show(request: PageRequest) -> TasksModel:
    context, chosen = request.context, request.query.get("root", "")
    known = [(root, os.path.basename(root)) for root in context.known_projects.roots if os.path.isdir(root)]
    if chosen and chosen not in dict(known):
        raise UsageError("unknown-project", value=chosen, known=", ".join(dict(known)) or "-")
    read = [_read_project(context, root, name) for root, name in known if chosen in ("", root)]
    jobs, left_out = _list_jobs(context)
    queue = build_queue(context)
    pauses = queue.pauses() if queue.exists() else []
    return TasksModel(
        [one for one in read if chosen or one.listed.exists or one.plan["active"] or one.problem],
        known,
        {"root": chosen},
        [("", text("web.all-projects", request.language)), *known],
        jobs,
        left_out,
        any(one.job.state == "queued" for one in jobs) and not has_worker(context),
        [(one.agent, clock.format_ms(int(one.until * 1000))) for one in pauses],
    )


def _read_project(context: HomeContext, root: str, name: str) -> ProjectTasks:
    """Return what a project has to do; what cannot be read is said, and the others are shown."""
    here, plan = context.at(root), {"active": False}
    try:
        listed = read_tasks(here)
        plan = show_status(build_nexus(here), PlanStatus())
        problem = ""
    except (MiError, OSError) as error:
        problem = (error if isinstance(error, MiError) else from_os_error(error)).line(context.quiet_language)
        listed = TaskList("")
    finally:
        here.close()
    left = [one for one in listed.tasks if not one.checked]
    shown = [_make_task(listed, one) for one in left[:_MOST_TASKS]]
    done = [one for one in listed.tasks if one.checked and not one.parent]
    return ProjectTasks(root, name, listed, shown, len(left) - len(shown), done[-_MOST_TASKS:], plan, problem)


def _make_task(listed: TaskList, task: ListedTask) -> ShownTask:
    siblings = [one.id for one in listed.tasks if (one.parent, one.section) == (task.parent, task.section)]
    can_move = not listed.unsure and siblings[0] != task.id
    return ShownTask(task, task.id == listed.pointer, can_move, task.leaf and not task.waits_for and not listed.unsure)


def _list_jobs(context: HomeContext) -> tuple[list[ShownJob], int]:
    queue = build_queue(context)
    if not queue.exists():
        return [], 0
    try:
        jobs, counts = queue.jobs(OPEN_STATES, "", _MOST_JOBS), queue.counts()
    except MiError as error:
        context.notices.add("queue-unread", context.home.queue, reason=error.line(context.quiet_language))
        return [], 0
    total = sum(counts.get(state, 0) for state in OPEN_STATES)
    return [_make_job(job) for job in jobs], max(total - len(jobs), 0)


def _make_job(job: QueuedJob) -> ShownJob:
    not_before = clock.format_ms(int(job.not_before * 1000)) if job.not_before else ""
    name = os.path.basename(job.task.root) or job.task.project_id
    return ShownJob(job, name, not_before, job.state == "queued" and not job.pending)


def _at_project(request: PageRequest) -> HomeContext:
    """Return the context of a project that the home knows; a form may not name any other folder."""
    root = request.read("root")
    if root not in request.context.known_projects.roots:
        raise UsageError("unknown-project", value=root, known=", ".join(request.context.known_projects.roots) or "-")
    return request.context.at(root)


def _change(request: PageRequest, work: Callable[[ContractSession], T]) -> T:
    """Change the list of a form's project in the person's name."""
    session = open_person_session(_at_project(request))
    try:
        return work(session)
    except Refused as refused:
        raise Blocked("refused-in-shell", line=refused.line(request.language), command="mi task list") from None
    finally:
        session.close()


def _add(request: PageRequest) -> Iterator[str]:
    steps = [line.strip() for line in request.read("steps").splitlines() if line.strip()]
    given = AddInput(title=request.read("title"), section=request.read("section"), subtasks=steps)
    done = _change(request, lambda session: task_add(session, given))
    yield text("tasks.added", request.language, task_id=done.task_id, pointer=done.pointer)


def _complete(request: PageRequest) -> Iterator[str]:
    given = CompleteInput(task_id=request.read("choice"))
    done = _change(request, lambda session: task_complete(session, given))
    pointer = done.pointer or text("tasks.all-done", request.language)
    yield text("tasks.completed", request.language, task_id=done.task_id, pointer=pointer)


def _move(request: PageRequest) -> Iterator[str]:
    given = MoveInput(task_id=request.read("choice"))
    done = _change(request, lambda session: task_move(session, given))
    yield text("tasks.updated", request.language, task_id=done.task_id, pointer=done.pointer)


def _start(request: PageRequest) -> Iterator[str]:
    context = _at_project(request)
    options = QueuedOptions(detached=True)
    for task in _put_listed(request, context, QueueWishes(options=options)).tasks:
        detach_worker(context, task.run_id)
        yield text("run.detached", request.language, run_id=task.run_id)


def _queue(request: PageRequest) -> Iterator[str]:
    added = _put_listed(request, _at_project(request), QueueWishes())
    yield text("queue.added", request.language, count=len(added.tasks))


def _put_listed(request: PageRequest, context: HomeContext, wishes: QueueWishes) -> AddedTasks:
    """Queue a task of the list; MiError where it is open in the queue."""
    chosen = choose_task(context, request.read("choice"))
    added = add_tasks(context, [WantedTask(chosen.text, chosen.id)], wishes)
    for same in added.same:
        raise MiError("same-task-open", run_id=same.run_id)
    return added


def _queue_all(request: PageRequest) -> Iterator[str]:
    context = _at_project(request)
    added = add_tasks(context, read_list(context), QueueWishes())
    yield text("queue.added", request.language, count=len(added.tasks))
    for same in added.same:
        yield text("queue.same", request.language, task=same.task.task[:80], run_id=same.run_id)


def _first(request: PageRequest) -> Iterator[str]:
    job = put_first(request.context, find_job(request.context, request.read("choice")))
    yield text("queue.first", request.language, run_id=job.run_id, priority=job.priority)


def _begin(request: PageRequest) -> Iterator[str]:
    job = find_job(request.context, request.read("choice"))
    if job.state != "queued":
        raise MiError("job-ended", run_id=job.run_id, state=job.state)
    detach_worker(request.context.at(job.task.root), job.run_id)
    yield text("run.detached", request.language, run_id=job.run_id)


def _cancel(request: PageRequest) -> Iterator[str]:
    job = find_job(request.context, request.read("choice"))
    state = cancel_job(request.context, job)
    yield text("queue.stopping" if state == "running" else "queue.cancelled", request.language, run_id=job.run_id)


VIEW = PageView(
    _show,
    "runs",
    {
        "add": _add,
        "complete": _complete,
        "move": _move,
        "start": _start,
        "queue": _queue,
        "queue-all": _queue_all,
        "first": _first,
        "begin": _begin,
        "cancel": _cancel,
    },
)
