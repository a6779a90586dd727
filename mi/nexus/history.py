"""Looking back and around: closed cycles, where the work stands, and the files that agents produce on the way."""

import os
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from mi.kernel import git
from mi.kernel.errors import StorageError, UsageError
from mi.nexus.plan import Answer
from mi.nexus.reading import keep_objects
from mi.nexus.store import Store
from mi.nexus.tasks import count_tasks

_LAST = 10


class HistorySearch(Struct, frozen=True, kw_only=True):
    query: str | UnsetType = UNSET
    last_n: int | UnsetType = UNSET


class ContextQuery(Struct, frozen=True, kw_only=True):
    pass


def search(store: Store, asked: HistorySearch) -> Answer:
    """Return the last cycles that hold a text anywhere, in any case."""
    wanted = (asked.query or "").lower()
    found = [cycle for cycle in store.cycles() if not wanted or wanted in _said(cycle).lower()]
    last = asked.last_n if isinstance(asked.last_n, int) else _LAST
    shown = found[-last:] if last > 0 else []
    return {"total": len(found), "showing": len(shown), "cycles": [_summary(cycle) for cycle in shown]}


def _said(value: Any) -> str:
    """Return everything that a cycle says, however deep; the names of its fields say nothing."""
    match value:
        case dict():
            return "\n".join(map(_said, value.values()))
        case list():
            return "\n".join(map(_said, value))
    return "" if value is None else str(value)


def _summary(cycle: dict[str, Any]) -> Answer:
    """Return a cycle in short; what it does not have is left out."""
    answer: Answer = {name: str(cycle.get(name) or "") for name in ("completed_at", "branch")}
    plan, tasks = cycle.get("plan"), cycle.get("tasks")
    if isinstance(plan, dict):
        issues = keep_objects(plan.get("issues"))
        decided = [issue for issue in issues if issue.get("status") == "decided"]
        answer["topic"] = str(plan.get("topic") or "")
        answer["decisions"] = [{name: str(one.get(name) or "") for name in ("title", "decision")} for one in decided]
    if isinstance(tasks, list):
        answer["task_count"] = len(tasks)
    return answer


def read_context(store: Store, asked: ContextQuery) -> Answer:
    """Branch, goal, progress and decisions; a file that cannot be read is as good as none."""
    answer: Answer = {"branch": git.find_branch(store.place.root), "activeMode": None}
    try:
        found = store.tasks()
    except (StorageError, OSError):
        found = None
    if found is None:
        return answer | {"decisions": []}
    summary = {"activeMode": "team", "goal": found.goal, "tasksSummary": count_tasks(found)}
    return answer | summary | {"decisions": found.decisions}


class ArtifactWrite(Struct, frozen=True, kw_only=True):
    filename: str
    content: str


def write(store: Store, asked: ArtifactWrite) -> Answer:
    """Write an artifact; a name that leads out of the folder is refused."""
    path = _inside(store, asked.filename)
    with store.lock():
        store.write(path, asked.content.encode("utf-8", "replace"))
    return {"success": True, "path": path}


def _inside(store: Store, filename: str) -> str:
    parts = filename.replace("\\", "/").split("/")
    named = parts[-1] not in ("", ".")
    if not named or "\0" in filename or ".." in parts or os.path.isabs(filename):
        raise UsageError("artifact-name", value=filename)
    folder = os.path.join(os.path.realpath(store.place.folder), "state", "artifacts")
    path = os.path.join(folder, filename)
    if os.path.realpath(path) != os.path.normpath(path):  # a link on the way, to wherever
        raise UsageError("artifact-link", value=filename)
    if os.path.isdir(path):
        raise UsageError("artifact-name", value=filename)
    return os.path.normpath(path)
