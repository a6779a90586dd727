"""What the events of a session look up: the task of an agent, the files it touched, whether it should go on."""

import os
import shlex
from typing import Any, cast

from mi.kernel import jsonl
from mi.kernel.errors import MiError
from mi.kernel.jsontext import BadJson, decode_stored
from mi.nexus import extensions, pairing, tracker
from mi.nexus.capabilities import EDITS, action_of, tier_of
from mi.nexus.resume_rules import Resume, Tier, evaluate
from mi.nexus.state import Task, Tasks
from mi.nexus.store import Store
from mi.nexus.targets import targets_of
from mi.nexus.tasks import named, owned

_PRINTERS = ("cat", "head", "tail", "less", "more", "bat", "nl", "sed")


def _tasks(store: Store) -> Tasks | None:
    try:
        return store.tasks()
    except MiError:
        return None


def task_of(store: Store, task_id: Any, agent_name: str, agent_id: str) -> Task | None:
    """The task an agent was working on: the one that is named, else the one in progress that is its own."""
    found = _tasks(store)
    if found is None:
        return None
    if isinstance(task_id, int):
        return named(found, task_id)
    open_tasks = [task for task in found.tasks if task.status == "in_progress"]
    by_id = [task for task in open_tasks if agent_id and task.owner_agent_id == agent_id]
    by_name = [task for task in open_tasks if agent_name and task.owner == agent_name]
    return next((group[0] for group in (by_id, by_name) if len(group) == 1), None)


def touched_by(store: Store, agent_id: str) -> list[str]:
    """The files that an agent changed, as the tool log of the session saw it."""
    found: dict[str, None] = {}
    for line in jsonl.read_forward(store.place.tool_log):
        try:
            raw = decode_stored(line.data, dict)
        except BadJson:
            continue
        mine = agent_id and raw.get("agent_id") == agent_id and raw.get("status") == "ok"
        if mine and isinstance(raw.get("file"), str) and action_of(str(raw.get("tool"))) in EDITS:
            found[raw["file"]] = None
    return list(found)


def inside(store: Store, paths: list[str]) -> list[str]:
    """Paths as targets name them: from the project's root, when they lie below it."""
    root = os.path.realpath(store.place.root)
    found = []
    for path in paths:
        whole = os.path.normpath(os.path.join(root, path))
        found.append(os.path.relpath(whole, root) if whole.startswith(root + os.sep) else path)
    return found


def acceptance_unchecked(store: Store, task: Task) -> bool:
    """Whether a task promises something that no tester or reviewer task will look at."""
    found = _tasks(store)
    return pairing.has_acceptance(task) and found is not None and not pairing.checks_of(found, task)


def resume_of(store: Store, task_id: Any, can_resume: Any) -> Resume | None:
    """Whether an earlier agent should go on with a task; None when no task was named."""
    found = _tasks(store)
    task = named(found, task_id) if isinstance(task_id, int) else None
    if task is None:
        return None
    tier = cast(Tier, tier_of(owned(task)))
    targets = targets_of(task, extensions.of_tasks(store))
    return evaluate(task, tier, tracker.entries(store), targets, can_resume=can_resume is not False)


def printed_files(command: str) -> list[str]:
    """The files whose content a simple shell command prints."""
    try:
        words = shlex.split(command)
    except ValueError:
        return []
    if not words or words[0] not in _PRINTERS or any(word in (">", ">>", "|", "&&", ";") for word in words):
        return []
    if words[0] == "sed" and ("-n" not in words or "-i" in words):
        return []
    return [word for word in words[1:] if not word.startswith("-")]
