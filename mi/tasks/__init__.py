"""The one task list of a project: tinyTasks.md or the plan state of a harness, behind one interface."""

import os

TINY_TASKS = "tinyTasks.md"
NEXUS_TASKS = os.path.join(".nexus", "state", "tasks.json")


def find_list(root: str) -> str:
    """Return which file keeps a project's task list, "" where none does; reads nothing."""
    return next((name for name in (NEXUS_TASKS, TINY_TASKS) if os.path.exists(os.path.join(root, name))), "")


def has_list(root: str) -> bool:
    """Return whether a project has a task list at all; reads nothing."""
    return bool(find_list(root))
