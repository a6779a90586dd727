"""Which store keeps a project's task list: a harness's plan state (read only, its own tools change it), or our file."""

import os

from msgspec import Struct

from mi.kernel import inside
from mi.kernel.errors import MiError
from mi.kernel.jsontext import BadJson, decode
from mi.tasks.task_list import ListedTask, TaskAuthority, TaskList
from mi.tasks.tinytasks_file import TinyTasks

FILE = os.path.join(".nexus", "state", "tasks.json")


def find_authority(root: str, tiny_tasks: TinyTasks) -> TaskAuthority:
    """Return the plan state of a harness where the project has one, else its tinyTasks.md."""
    return NexusTasks(root) if NexusTasks.exists_in(root) else tiny_tasks


class _Task(Struct):
    id: int | str
    title: str = ""
    status: str = "pending"
    deps: list[int | str] = []


class _Tasks(Struct):
    goal: str = ""
    tasks: list[_Task] = []


class NexusTasks:
    """The tasks of a harness; the one in progress is the one worked on, else the first that waits for nothing."""

    name = FILE

    def __init__(self, root: str) -> None:
        self._root = root

    @staticmethod
    def exists_in(root: str) -> bool:
        """Return whether a project keeps its tasks here."""
        return os.path.exists(os.path.join(root, FILE))

    def look(self) -> TaskList:
        """Return the tasks as they are now; what cannot be read is uncertain."""
        try:
            found = decode(inside.read_bytes(self._root, FILE) or b"", _Tasks)
        except (OSError, MiError, BadJson) as error:
            return TaskList(FILE, exists=True, unsure=str(error), other=True)
        tasks = [
            ListedTask(id=str(task.id), title=task.title, checked=task.status == "completed") for task in found.tasks
        ]
        return TaskList(FILE, True, found.goal, tuple(tasks), _pointer(found.tasks), other=True)


def _pointer(tasks: list[_Task]) -> str:
    done = {task.id for task in tasks if task.status == "completed"}
    begun = [task for task in tasks if task.status == "in_progress"]
    ready = [task for task in tasks if task.status == "pending" and done.issuperset(task.deps)]
    waiting = [task for task in tasks if task.status != "completed"]
    return str((begun or ready or waiting)[0].id) if waiting else ""
