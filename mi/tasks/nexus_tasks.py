"""The task list in `.nexus/state/tasks.json`: each subtask is a task of its own, on which its task depends."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from mi.kernel import clock, inside
from mi.kernel.errors import MiError, NotFound, StorageError, UsageError
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.messages import NestedText
from mi.tasks import NEXUS_TASKS
from mi.tasks.task_list import Conflict, ListedTask, NewTask, TaskList, TaskRun

if TYPE_CHECKING:  # a hook looks at the list without any of it
    from mi.nexus.state import Task, Tasks, TaskStatus
    from mi.nexus.store import Store

FILE = NEXUS_TASKS
OWN = os.path.join(".nexus", "state", "mi", "tasks.extension.json")


class _Task(Struct):
    id: int
    title: str = ""
    status: str = "pending"
    deps: list[int] = []
    context: str | UnsetType = UNSET
    acceptance: str | UnsetType | None = UNSET
    approach: str | UnsetType | None = UNSET


class _Tasks(Struct):
    goal: str = ""
    tasks: list[_Task] = []


class NexusTasks:
    """The tasks of a harness; the one in progress is the one worked on, else the first that waits for nothing."""

    name = FILE

    def __init__(self, root: str) -> None:
        self._root = root

    def look(self) -> TaskList:
        """Return the tasks as they are now; what cannot be read is uncertain."""
        try:
            data = inside.read_bytes(self._root, FILE) or b""
            found = self._parse(data)
        except (OSError, MiError) as error:
            return TaskList(FILE, exists=True, unsure=str(error))
        own, waiting = self._read_own(), _find_waiting(found.tasks)
        proposed = {task_id: str(fields["proposed_by"]) for task_id, fields in own.items() if "proposed_by" in fields}
        return TaskList(
            FILE,
            exists=True,
            goal=found.goal,
            tasks=tuple(_listed(task, own.get(str(task.id), {}), waiting.get(task.id)) for task in found.tasks),
            pointer=_pointer(found.tasks),
            version=_digest(data),
            adopted={str(fields["adopted_id"]): task_id for task_id, fields in own.items() if "adopted_id" in fields},
            proposed={task_id: by for task_id, by in proposed.items() if not _is_done(found.tasks, task_id)},
        )

    def _parse(self, data: bytes) -> _Tasks:
        """Return the tasks as every change reads them, too; StorageError when there is no telling them apart."""
        try:
            found = decode(data, _Tasks)
        except BadJson:  # of another writer
            tasks = self._open().tasks()
            found = msgspec.convert(msgspec.to_builtins(tasks), _Tasks) if tasks else _Tasks()
        numbers = [task.id for task in found.tasks]
        if len(set(numbers)) < len(numbers):
            twice = next(one for one in numbers if numbers.count(one) > 1)
            reason = NestedText("reason.same-id", id=twice)
            raise StorageError("state-malformed", path=os.path.join(self._root, FILE), reason=reason)
        return found

    def add(self, seen: TaskList, new: NewTask, proposer: str = "") -> list[str]:
        """Add a task and one for each step of it; the task waits for its steps."""
        deps = [_number(one) for one in new.deps]
        unknown = [str(one) for one in deps if seen.find(str(one)) is None]
        if unknown:
            raise NotFound("unknown-task", task_id=unknown[0])
        with self._changing(seen) as (store, tasks):
            first = next_id(tasks.tasks)
            steps = list(range(first + 1, first + 1 + len(new.subtasks)))
            more = {"acceptance": new.acceptance or UNSET, "owner": new.owner or UNSET}
            about = new.context or new.section or new.title
            made = [make_task(first, new.title, about, deps=[*deps, *steps], **more)]
            made += [make_task(number, title, new.title) for number, title in zip(steps, new.subtasks, strict=True)]
            _save(store, tasks, [*tasks.tasks, *made], [task.id for task in made], proposer)
        return [str(task.id) for task in made]

    def revise(
        self, seen: TaskList, task_id: str, title: str, subtasks: Sequence[str], proposer: str = ""
    ) -> list[str]:
        """Put other words to a task, and add steps that it waits for."""
        with self._changing(seen) as (store, tasks):
            task, first = _find(tasks, task_id), next_id(tasks.tasks)
            steps = list(range(first, first + len(subtasks)))
            changed = msgspec.structs.replace(task, title=title or task.title, deps=[*task.deps, *steps])
            if steps and task.status == "completed":
                changed = msgspec.structs.replace(changed, status="pending")
            made = [make_task(number, step, changed.title) for number, step in zip(steps, subtasks, strict=True)]
            _save(store, tasks, [*_replaced(tasks, changed), *made], steps, proposer)
        return [str(number) for number in steps]

    def complete(self, seen: TaskList, task_id: str, proposer: str = "") -> None:
        """Set a task to completed."""
        self._set_status(seen, task_id, "completed")

    def reopen(self, seen: TaskList, task_id: str) -> None:
        """Set a task to pending."""
        self._set_status(seen, task_id, "pending")

    def move_up(self, seen: TaskList, task_id: str) -> None:
        """Put a task before the one above it; what it waits for still comes first."""
        with self._changing(seen) as (store, tasks):
            listed = list(tasks.tasks)
            at = listed.index(_find(tasks, task_id))
            if at:
                listed[at - 1 : at + 1] = [listed[at], listed[at - 1]]
            _save(store, tasks, listed, [], "")

    def _set_status(self, seen: TaskList, task_id: str, status: "TaskStatus") -> None:
        with self._changing(seen) as (store, tasks):
            changed = msgspec.structs.replace(_find(tasks, task_id), status=status)
            _save(store, tasks, _replaced(tasks, changed), [], "")

    def comes_before_pointer(self, section: str) -> bool:
        """Return False: a new task stands at the end, and what is ready before it stays so."""
        return False

    def note_run(self, task_id: str, run: TaskRun) -> None:
        """Keep in this harness's own file which run worked on a task last."""
        from mi.nexus import extensions

        store = self._open()
        with store.lock():
            extensions.extend_task(store, _number(task_id), {"run": msgspec.to_builtins(run)})

    @contextmanager
    def _changing(self, seen: TaskList) -> "Iterator[tuple[Store, Tasks]]":
        """Yield the store and the tasks under its lock; Conflict when they are not those that were seen."""
        if seen.unsure:
            raise UsageError("tasks-unsure", reason=seen.unsure)
        store = self._open()
        with store.lock():
            data = inside.read_bytes(self._root, FILE)
            if data is None or _digest(data) != seen.version:
                raise Conflict("tasks-conflict", path=os.path.join(self._root, FILE))
            tasks = store.tasks()
            assert tasks is not None  # it was just read
            yield store, tasks

    def _open(self) -> "Store":
        from mi.nexus.layout import NexusLayout
        from mi.nexus.store import Store

        return Store(NexusLayout(self._root))

    def _read_own(self) -> dict[str, dict[str, Any]]:
        """Return what MI keeps about each task; a file that cannot be read tells nothing."""
        try:
            data = inside.read_bytes(self._root, OWN)
            found = decode(data, dict[str, Any]).get("task_extensions") if data else None
        except (OSError, MiError, BadJson):
            return {}
        return {key: one for key, one in found.items() if isinstance(one, dict)} if isinstance(found, dict) else {}


def _find_waiting(tasks: list[_Task]) -> dict[int, list[str]]:
    """Return which open tasks come before each one that nobody began."""
    is_open = {task.id for task in tasks if task.status != "completed"}
    waiting = {task.id: [str(one) for one in task.deps if one in is_open] for task in tasks if task.status == "pending"}
    return {task_id: first for task_id, first in waiting.items() if first}


def _listed(task: _Task, own: dict[str, Any], waits_for: list[str] | None) -> ListedTask:
    try:
        run = msgspec.convert(own["run"], TaskRun) if "run" in own else UNSET
    except msgspec.ValidationError:
        run = UNSET
    return ListedTask(
        id=str(task.id),
        title=task.title,
        checked=task.status == "completed",
        context="\n".join(part for part in (task.context, task.approach) if part and part != task.title) or UNSET,
        acceptance=task.acceptance or UNSET,
        run=run,
        waits_for=waits_for or UNSET,
    )


def _pointer(tasks: list[_Task]) -> str:
    done = {task.id for task in tasks if task.status == "completed"}
    begun = [task for task in tasks if task.status == "in_progress"]
    ready = [task for task in tasks if task.status == "pending" and done.issuperset(task.deps)]
    waiting = [task for task in tasks if task.status != "completed"]
    return str((begun or ready or waiting)[0].id) if waiting else ""


def _is_done(tasks: list[_Task], task_id: str) -> bool:
    return any(str(task.id) == task_id and task.status == "completed" for task in tasks)


def _number(task_id: str) -> int:
    if not task_id.isdecimal():
        raise UsageError("task-number", value=task_id)
    return int(task_id)


def next_id(tasks: "Sequence[Task]") -> int:
    """Return the number of the next task."""
    return max([0, *(task.id for task in tasks)]) + 1


def make_task(number: int, title: str, context: str, **more: Any) -> "Task":
    """Return a new task that is pending."""
    from mi.nexus.state import Task

    deps = more.pop("deps", [])
    return Task(id=number, title=title, context=context, status="pending", deps=deps, created_at=clock.now(), **more)


def _find(tasks: "Tasks", task_id: str) -> "Task":
    task = next((task for task in tasks.tasks if str(task.id) == task_id), None)
    if task is None:
        raise NotFound("unknown-task", task_id=task_id)
    return task


def _replaced(tasks: "Tasks", changed: "Task") -> "list[Task]":
    return [changed if task.id == changed.id else task for task in tasks.tasks]


def _save(store: "Store", tasks: "Tasks", changed: "list[Task]", new: list[int], proposer: str) -> None:
    from mi.nexus import extensions

    if proposer and new:
        extensions.extend_tasks(store, {number: {"proposed_by": proposer} for number in new})
    extensions.save_tasks(store, msgspec.structs.replace(tasks, tasks=changed))


def _digest(data: bytes) -> str:
    from mi.kernel.digest import hash_sha256

    return hash_sha256(data)
