"""What this harness adds to the common files: kept beside them, archived and deleted with them."""

import os
from typing import Any

import msgspec

from mi.kernel.errors import StorageError, UsageError
from mi.kernel.named_tuple import NamedTuple
from mi.nexus.reading import keep_objects, read_raw_json
from mi.nexus.state import CycleExtension, Fields, HistoryExtension, Issue, PlanExtension, Task, Tasks, TasksExtension
from mi.nexus.store import Store


def read_task_fields(store: Store) -> dict[str, Fields]:
    """Return the extension fields of each task, by its id as text."""
    return _read(store, "tasks", "task_extensions")


def read_issue_fields(store: Store) -> dict[str, Fields]:
    """Return the extension fields of each issue of the plan, by its id as text."""
    return _read(store, "plan", "issue_extensions")


def _read(store: Store, base: str, key: str) -> dict[str, Fields]:
    raw = read_raw_json(store.place.extension(base), dict[str, Any]) or {}
    found = raw.get(key)
    return (
        {name: fields for name, fields in found.items() if isinstance(fields, dict)} if isinstance(found, dict) else {}
    )


def extend_task(store: Store, task_id: int, fields: Fields) -> None:
    """Add fields to a task's extension; the caller holds the lock."""
    extend_tasks(store, {task_id: fields})


def extend_tasks(store: Store, added: dict[int, Fields]) -> None:
    """Add fields to the extensions of tasks, in one write; the caller holds the lock."""
    known = read_task_fields(store)
    for task_id, fields in added.items():
        _refuse_base_fields(fields, Task)
        known[str(task_id)] = known.get(str(task_id), {}) | fields
    store.save(store.place.extension("tasks"), TasksExtension(extends="tasks.json", task_extensions=known))


def save_tasks(store: Store, tasks: Tasks) -> None:
    """Write the tasks; fields of another writer that the file may not hold are kept here, under `foreign_fields`."""
    raw = read_raw_json(store.place.tasks, dict[str, Any]) or {}
    kept: dict[int, Fields] = {}
    for one in keep_objects(raw.get("tasks")):
        foreign = {name: value for name, value in one.items() if name not in Task.__struct_fields__}
        if foreign and isinstance(one.get("id"), int):
            kept[one["id"]] = {"foreign_fields": foreign}
    if kept:
        extend_tasks(store, kept)
    store.save(store.place.tasks, tasks)


def extend_issue(store: Store, plan_id: int, issue_id: int, fields: Fields) -> None:
    """Add fields to the extension of an issue of the plan; the caller holds the lock."""
    _refuse_base_fields(fields, Issue)
    known = read_issue_fields(store)
    known[str(issue_id)] = known.get(str(issue_id), {}) | fields
    extension = PlanExtension(extends="plan.json", extension_for_plan_id=plan_id, issue_extensions=known)
    store.save(store.place.extension("plan"), extension)


def _refuse_base_fields(fields: Fields, base: type[msgspec.Struct]) -> None:
    """Raise if a field of the common file is given: it has one place, and not here."""
    repeated = sorted(set(fields) & set(base.__struct_fields__))
    if repeated:
        raise UsageError("extension-repeats", names=", ".join(repeated))


class Leaving(NamedTuple):
    """What this harness knows about files that go into the history, read before anything is changed."""

    bases: tuple[str, ...]
    issues: dict[str, Fields]
    tasks: dict[str, Fields]
    former: list[CycleExtension]


def collect_leaving(store: Store, *bases: str) -> Leaving:
    """Return the extensions of `plan`, `tasks` or both.

    StorageError, before anything is archived, when one is malformed.
    """
    path = store.place.extension("history")
    raw = read_raw_json(path, dict[str, Any]) or {}
    try:
        former = msgspec.convert(raw.get("cycle_extensions", []), list[CycleExtension])
    except msgspec.ValidationError as error:
        raise StorageError("state-malformed", path=path, reason=str(error)) from None
    issues = read_issue_fields(store) if "plan" in bases else {}
    return Leaving(bases, issues, read_task_fields(store) if "tasks" in bases else {}, former)


def archive(store: Store, gone: Leaving, completed_at: str) -> None:
    """Move the extensions of archived files into this harness's own archive; the caller holds the lock."""
    if gone.issues or gone.tasks:
        # Whoever was killed here has archived them already, and perhaps removed some.
        kept = next((one for one in gone.former if one.completed_at == completed_at), None)
        entry = CycleExtension(
            completed_at=completed_at,
            issue_extensions=gone.issues or (kept.issue_extensions if kept else msgspec.UNSET),
            task_extensions=gone.tasks or (kept.task_extensions if kept else msgspec.UNSET),
        )
        whole = HistoryExtension(
            extends="history.json", cycle_extensions=[*(one for one in gone.former if one is not kept), entry]
        )
        store.save(store.place.extension("history"), whole)
    for base in gone.bases:
        path = store.place.extension(base)
        if os.path.lexists(path):
            os.unlink(path)
