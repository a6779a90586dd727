"""Moving the open tasks of tinyTasks.md into `.nexus/state/tasks.json`, which keeps the list from then on."""

import os
from typing import Any, NamedTuple

import msgspec

from mi.kernel import files
from mi.kernel.errors import NotFound
from mi.nexus import extensions
from mi.nexus.state import Task, Tasks
from mi.nexus.store import Store
from mi.tasks import tinytasks
from mi.tasks.nexus_tasks import make_task, next_id
from mi.tasks.task_list import ListedTask, TaskList
from mi.tasks.tinytasks_file import TinyTasks

COPY = "tinyTasks.adopted.md"


class Adoption(NamedTuple):
    """How many tasks were carried over, and where the file as it was is kept."""

    carried: int
    copy: str


def adopt_tasks(tiny_tasks: TinyTasks, store: Store, folder: str) -> Adoption:
    """Carry the open tasks over with their subtasks; finished ones stay where they are."""
    seen, loaded = tiny_tasks.look(), tiny_tasks.load()
    tops = [task for task in seen.tasks if not task.parent and not task.checked]
    if loaded is None or not tops:
        raise NotFound("nothing-to-adopt", path=tiny_tasks.path)
    copy = os.path.join(folder, COPY)
    files.write_atomic(copy, loaded.document.text.encode("utf-8", "surrogateescape"))
    with store.lock():
        carried = _carry(store, seen, tops)
    places = [place for task in tops if (place := loaded.place(task.id)) is not None]
    tiny_tasks.change(loaded, tinytasks.remove_tasks(loaded.document, places))
    return Adoption(carried, copy)


def _carry(store: Store, seen: TaskList, tops: list[ListedTask]) -> int:
    """Write the tasks that are not there yet: whoever was killed before may have carried some."""
    tasks = store.tasks() or Tasks(goal=seen.goal or tops[0].title, decisions=[], tasks=[])
    there = {fields.get("adopted_id") for fields in extensions.read_task_fields(store).values()}
    made: list[Task] = []
    for top in tops:
        if top.id not in there:
            first = next_id([*tasks.tasks, *made])
            children = seen.list_children(top.id)
            numbers = {one.id: first + at for at, one in enumerate([top, *children])}
            for one in (top, *children):
                made.append(_converted(one, top, numbers))
                extensions.extend_task(store, numbers[one.id], _kept_fields(one))
    store.save(store.place.tasks, msgspec.structs.replace(tasks, tasks=[*tasks.tasks, *made]))
    return len(made)


def _converted(one: ListedTask, top: ListedTask, numbers: dict[str, int]) -> Task:
    steps = [number for task_id, number in numbers.items() if task_id != top.id]
    about = one.context or (one.section or one.title if one is top else top.title)
    task = make_task(
        numbers[one.id], one.title, str(about), deps=steps if one is top else [], acceptance=one.acceptance
    )
    return msgspec.structs.replace(task, status="completed") if one.checked else task


def _kept_fields(one: ListedTask) -> dict[str, Any]:
    run = {"run": msgspec.to_builtins(one.run)} if one.run else {}
    return {"adopted_id": one.id} | run
