"""The tasks: what is being done, what can be begun, and the closing of a cycle."""

import os
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from mi.kernel import clock
from mi.kernel.errors import NotFound, UsageError
from mi.nexus import extensions
from mi.nexus.plan import Answer
from mi.nexus.state import ReusePolicy, Task, Tasks, TaskStatus, is_given
from mi.nexus.store import Store
from mi.nexus.targets import relate_to_root


class NexusTaskList(Struct, frozen=True, kw_only=True):
    pass


class TaskAdd(Struct, frozen=True, kw_only=True):
    title: str
    context: str
    deps: list[int] | UnsetType = UNSET
    approach: str | UnsetType = UNSET
    acceptance: str | UnsetType = UNSET
    risk: str | UnsetType = UNSET
    plan_issue: int | UnsetType = UNSET
    goal: str | UnsetType = UNSET
    decisions: list[str] | UnsetType = UNSET
    owner: str | UnsetType = UNSET
    owner_agent_id: str | UnsetType = UNSET
    owner_reuse_policy: ReusePolicy | UnsetType = UNSET


class TaskUpdate(Struct, frozen=True, kw_only=True):
    id: int
    status: TaskStatus


class TaskClose(Struct, frozen=True, kw_only=True):
    pass


_CARRIED = ("approach", "acceptance", "risk", "plan_issue", "owner", "owner_agent_id", "owner_reuse_policy")


def show(store: Store, asked: NexusTaskList) -> Answer:
    """Return all tasks and how far they are."""
    found = store.tasks()
    if found is None:
        return {"exists": False}
    summary = count_tasks(found) | {
        "blocked": sum(task.status == "in_progress" for task in found.tasks),
        "ready": [task.id for task in find_ready(found)],
    }
    return {"goal": found.goal, "tasks": msgspec.to_builtins(found.tasks), "summary": summary}


def count_tasks(found: Tasks) -> Answer:
    """Return how many tasks there are, and how many are done and open."""
    states = [task.status for task in found.tasks]
    return {"total": len(states), "completed": states.count("completed"), "pending": states.count("pending")}


def find_ready(found: Tasks) -> list[Task]:
    """Return the pending tasks that wait for nothing."""
    done = {task.id for task in found.tasks if task.status == "completed"}
    return [task for task in found.tasks if task.status == "pending" and done.issuperset(task.deps)]


def add(store: Store, asked: TaskAdd) -> Answer:
    """Add a task; the first one makes the file."""
    with store.lock():
        former = store.tasks() or Tasks(goal=_goal(store, asked), decisions=[], tasks=[])
        carried = {name: getattr(asked, name) for name in _CARRIED}
        task = Task(
            id=max([0, *(task.id for task in former.tasks)]) + 1,
            title=asked.title,
            context=asked.context,
            status="pending",
            deps=asked.deps or [],
            created_at=clock.now(),
            **carried,
        )
        new = Tasks(
            goal=asked.goal if isinstance(asked.goal, str) else former.goal,
            decisions=[*former.decisions, *(asked.decisions or [])],
            tasks=[*former.tasks, task],
        )
        extensions.save_tasks(store, new)
    return {"task": msgspec.to_builtins(task)}


def _goal(store: Store, asked: TaskAdd) -> str:
    """Return the goal of a new file that was given none: a file without one would not be valid for others."""
    plan = store.plan()
    return plan.topic if plan and plan.topic else asked.title


def update(store: Store, asked: TaskUpdate) -> Answer:
    """Set a task's status; a completed task may be opened again."""
    _there(store)  # before the lock, which would make the folder
    with store.lock():
        found = _there(store)
        changed = [
            msgspec.structs.replace(task, status=asked.status) if task.id == asked.id else task for task in found.tasks
        ]
        task = next((task for task in changed if task.id == asked.id), None)
        if task is None:
            raise NotFound("nx-no-task", id=asked.id)
        extensions.save_tasks(store, msgspec.structs.replace(found, tasks=changed))
    return {"task": msgspec.to_builtins(task)}


def _there(store: Store) -> Tasks:
    found = store.tasks()
    if found is None:
        raise NotFound("nx-no-tasks")
    return found


def close(store: Store, asked: TaskClose) -> Answer:
    """Archive plan and tasks as a cycle, then remove both files; nothing active makes an empty cycle."""
    with store.lock():
        plan, found = store.plan(), store.tasks()
        tasks = found.tasks if found else []
        gone = extensions.collect_leaving(store, "plan", "tasks")
        cycle, total = store.archive(plan, tasks)
        plan = cycle.plan  # of a close that was killed it may be gone already
        extensions.archive(store, gone, cycle.completed_at)
        deleted = [os.path.basename(path) for path in (store.place.plan, store.place.tasks) if _removed(path)]
    decided = sum(issue.status == "decided" for issue in plan.issues) if plan else 0
    topics = [plan.topic if plan else "", found.goal if found else ""]
    return {
        "closed": True,
        "cycle": cycle.completed_at,
        "branch": cycle.branch,
        "archived": {"plan": plan is not None, "decisions": decided, "tasks": len(tasks)},
        "deleted": deleted,
        "total_cycles": total,
        "incomplete_count": sum(task.status != "completed" for task in tasks),
        "memoryHint": {
            "taskCount": len(tasks),
            "decisionCount": decided,
            "cycleTopics": [topic for topic in topics if topic],
        },
    }


def _removed(path: str) -> bool:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    return True


def set_targets(store: Store, task_id: int, paths: list[str], generated: list[str] | None = None) -> dict[str, Any]:
    """Say which files a task will change and a build will write; kept in this harness's extension."""
    _there(store)
    named_files, built = _inside(store, paths), _inside(store, generated or [])
    with store.lock():
        found = _there(store)
        if all(task.id != task_id for task in found.tasks):
            raise NotFound("nx-no-task", id=task_id)
        fields = {"target_files": named_files} | ({"generated_files": built} if built else {})
        extensions.extend_task(store, task_id, fields)
    return {"id": task_id} | fields


def _inside(store: Store, paths: list[str]) -> list[str]:
    """Paths from the project's root; one that leads out of it is refused."""
    found = [relate_to_root(store.place.root, path.strip()) for path in paths]
    for given_as, path in zip(paths, found, strict=True):
        if not path or os.path.isabs(path) or path.split(os.sep)[0] == "..":
            raise UsageError("target-outside", value=given_as)
    return list(dict.fromkeys(found))


def find_named(found: Tasks | None, task_id: int) -> Task | None:
    """Return the task with an id."""
    return next((task for task in found.tasks if task.id == task_id), None) if found else None


def find_owner(task: Task) -> str:
    """Return who a task is for; empty when nobody was named."""
    return task.owner if is_given(task.owner) else ""  # type: ignore[return-value]
