"""Moving the open tasks of tinyTasks.md into `.nexus/state/tasks.json`, which keeps the list from then on."""

import os

import msgspec

from mi.kernel import files
from mi.kernel.digest import hash_sha256
from mi.kernel.errors import NotFound
from mi.kernel.named_tuple import NamedTuple
from mi.nexus import extensions
from mi.nexus.state import Fields, Task, Tasks
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
    copy = _keep_copy(folder, loaded.document.text.encode("utf-8", "surrogateescape"))
    with store.lock():
        carried = _carry(store, seen, tops)
    places = {task.id: at for at, task in enumerate(loaded.tasks)}
    gone = [places[task.id] for task in tops if task.id in places]
    tiny_tasks.change(loaded, tinytasks.remove_tasks(loaded.document, gone))
    return Adoption(carried, copy)


def _keep_copy(folder: str, data: bytes) -> str:
    """Write the file as it was where no other one is kept; return the place."""
    copy = os.path.join(folder, COPY)
    if files.read_bytes(copy) not in (None, data):
        stem, end = os.path.splitext(COPY)
        copy = os.path.join(folder, f"{stem}-{hash_sha256(data)[:12]}{end}")
    files.write_atomic(copy, data)
    return copy


def _carry(store: Store, seen: TaskList, tops: list[ListedTask]) -> int:
    """Write the tasks that are not there yet: whoever was killed before may have carried some."""
    tasks = store.tasks() or Tasks(goal=seen.goal or tops[0].title, decisions=[], tasks=[])
    there, number = _find_carried(store, tasks), next_id(tasks.tasks)
    children: dict[str, list[ListedTask]] = {}
    for one in seen.tasks:
        children.setdefault(one.parent, []).append(one)
    made: list[Task] = []
    kept: dict[int, Fields] = {}
    for top in tops:
        if (top.id, top.title) not in there:
            group = [top, *children.get(top.id, ())]
            numbers = {one.id: number + at for at, one in enumerate(group)}
            made += [_converted(one, top, numbers) for one in group]
            kept |= {numbers[one.id]: _kept_fields(one) for one in group}
            number += len(group)
    extensions.extend_tasks(store, kept)
    extensions.save_tasks(store, msgspec.structs.replace(tasks, tasks=[*tasks.tasks, *made]))
    return len(made)


def _find_carried(store: Store, tasks: Tasks) -> set[tuple[str, str]]:
    """Return old id and title of the open tasks that came from tinyTasks.md.

    The extension file is written first: alone, it does not show that a task was carried over. And a finished task may
    be wanted once more, in the same words.
    """
    own = extensions.read_task_fields(store)
    open_tasks = (task for task in tasks.tasks if task.status != "completed")
    return {(str(own.get(str(task.id), {}).get("adopted_id")), task.title) for task in open_tasks}


def _converted(one: ListedTask, top: ListedTask, numbers: dict[str, int]) -> Task:
    steps = [number for task_id, number in numbers.items() if task_id != top.id]
    about = one.context or (one.section or one.title if one is top else top.title)
    task = make_task(
        numbers[one.id], one.title, str(about), deps=steps if one is top else [], acceptance=one.acceptance
    )
    return msgspec.structs.replace(task, status="completed") if one.checked else task


def _kept_fields(one: ListedTask) -> Fields:
    run = {"run": msgspec.to_builtins(one.run)} if one.run else {}
    return {"adopted_id": one.id} | run
