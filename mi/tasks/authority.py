"""Which store keeps a project's task list: the plan state of a harness where there is one, else tinyTasks.md."""

from mi.tasks import NEXUS_TASKS, find_list
from mi.tasks.nexus_tasks import NexusTasks
from mi.tasks.task_list import TaskStore
from mi.tasks.tinytasks_file import TinyTasks


def find_authority(root: str, tiny_tasks: TinyTasks) -> TaskStore:
    """Return the plan state of a harness where the project has one, else its tinyTasks.md."""
    return NexusTasks(root) if find_list(root) == NEXUS_TASKS else tiny_tasks
