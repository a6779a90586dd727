"""What the gate asks about tasks, whoever keeps them: tinyTasks.md, or the plan state of a harness."""

from typing import NamedTuple, Protocol

from msgspec import Struct


class ListedTask(Struct, frozen=True, kw_only=True):
    """One task or subtask; `checked` of a task with subtasks follows from them."""

    id: str
    title: str
    checked: bool
    parent: str = ""
    section: str = ""
    leaf: bool = True


class TaskList(NamedTuple):
    """The tasks in their order, as their authority says; never inferred."""

    authority: str
    exists: bool = False
    goal: str = ""
    tasks: tuple[ListedTask, ...] = ()
    pointer: str = ""  # the first unchecked leaf
    unsure: str = ""  # why the list cannot be relied on; then nothing may be changed
    awaiting: str = ""  # the question that asks a person to verify the list; until then work waits
    other: bool = False  # another room keeps the tasks: its own tools change them

    def find(self, task_id: str) -> ListedTask | None:
        """Return a task by its id."""
        return next((task for task in self.tasks if task.id == task_id), None)


class TaskAuthority(Protocol):
    """The single source of truth for task state."""

    name: str

    def look(self) -> TaskList:
        """Return the tasks as they are now; reading changes no task."""
        ...
