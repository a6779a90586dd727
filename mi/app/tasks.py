"""The task list of a project: read and changed where it is kept, and taken up by runs."""

import os
from functools import partial
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.kernel.named_tuple import NamedTuple
from mi.tasks import has_list

if TYPE_CHECKING:
    from mi.tasks.adoption import Adoption
    from mi.tasks.task_list import ListedTask, TaskList, TaskStore
    from mi.tasks.tinytasks_file import TinyTasks


def build_task_store(context: HomeContext) -> "TaskStore":
    """Return where the project keeps its tasks; looking writes nothing where nothing was written before."""
    from mi.tasks.authority import find_authority

    return find_authority(context.project.root, _open_tiny_tasks(context))


def _open_tiny_tasks(context: HomeContext) -> "TinyTasks":
    from mi.tasks.tinytasks_file import TinyTasks

    folder = context.project_home.contract
    return TinyTasks(context.project.root, folder, context.notices, save=os.path.isdir(folder))


def read_tasks(context: HomeContext) -> "TaskList":
    """Return the tasks as they are."""
    return build_task_store(context).look()


def adopt_list(context: HomeContext) -> "Adoption":
    """Carry the open tasks of tinyTasks.md over into the plan state of a harness."""
    from mi.app.nexus import build_nexus, record_nexus_event
    from mi.tasks.adoption import adopt_tasks

    folder = context.project_home.contract
    record_nexus_event(context, "task_adopt", {"tasks": [task.title for task in read_tasks(context).tasks]})
    return adopt_tasks(_open_tiny_tasks(context), build_nexus(context), folder)


class ChosenTask(NamedTuple):
    """A task of the list, as a run gets it."""

    id: str
    text: str


def choose_task(context: HomeContext, task_id: str = "", *, even_waiting: bool = False) -> ChosenTask:
    """Return a task of the list by its id, or the one that comes next; NotFound when there is none to do.

    A task that waits for others is chosen only where the person says why.
    """
    from mi.kernel.errors import NotFound, UsageError
    from mi.tasks.task_text import write_task_text

    _settle_killed(context)
    tasks = read_tasks(context)
    if tasks.unsure:
        raise UsageError("tasks-unsure", reason=tasks.unsure)
    task = tasks.find(task_id or tasks.pointer)
    if task is None:
        key = "unknown-task" if task_id else "tasks-none-open" if tasks.exists else "tasks-none"
        raise NotFound(key, **({"task_id": task_id} if task_id else {}))
    if task.checked:
        raise UsageError("task-done", task_id=task.id, pointer=tasks.pointer or "-")
    if task.waits_for and not even_waiting:
        raise UsageError("task-waits", task_id=task.id, first=", ".join(task.waits_for), next=task.waits_for[0])
    return ChosenTask(task.id, write_task_text(tasks, task, context.language_for(task.title)))


def _settle_killed(context: HomeContext) -> None:
    """Bring the list up to date after a run that was killed while it worked on it."""
    from mi.autopilot.list_watch import reopen_after_kill
    from mi.autopilot.steps.protocol import RunPlace

    place = RunPlace(context.home, context.project, "", context.notices)
    reopen_after_kill(partial(build_task_store, context), place)


def find_listed(context: HomeContext, words: str) -> "ListedTask | None":
    """Return the open task of the list that a run's task names in the same words."""
    if not has_list(context.project.root):
        return None
    wanted = _plain(words)
    open_tasks = (task for task in read_tasks(context).tasks if not task.checked)
    return next((task for task in open_tasks if _plain(task.title) == wanted), None)


def _plain(words: str) -> str:
    from mi.kernel.language import patterns

    return " ".join(words.casefold().split()).rstrip("." + "".join(patterns().full_stops))


def wants_next_task(words: str) -> bool:
    """Return whether a person's whole request is to go on with the list."""
    from mi.kernel.language import compiled, patterns

    return compiled(patterns().next_task).fullmatch(words.strip()) is not None
