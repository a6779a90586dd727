"""What a task list is, whoever keeps it: tinyTasks.md, or the plan state of a harness."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from msgspec import UNSET, Struct, UnsetType

from mi.kernel.errors import MiError
from mi.kernel.named_tuple import NamedTuple

NOTHING: Mapping[str, str] = MappingProxyType({})


class TaskRun(Struct, frozen=True, kw_only=True):
    """The last run that worked on a task: how it ended, and why it is still open if it is."""

    run_id: str
    status: str
    reason: str = ""


class ListedTask(Struct, frozen=True, kw_only=True):
    """One task or subtask; `checked` of a task with subtasks follows from them."""

    id: str
    title: str
    checked: bool
    parent: str = ""
    section: str = ""
    leaf: bool = True
    context: str | UnsetType = UNSET  # what one must know to do it
    acceptance: str | UnsetType = UNSET  # how one sees that it is done
    run: TaskRun | UnsetType = UNSET
    waits_for: list[str] | UnsetType = UNSET  # open tasks that come first


class NewTask(NamedTuple):
    """A task to be added; what a store has no place for it refuses."""

    title: str
    section: str = ""
    subtasks: Sequence[str] = ()
    context: str = ""
    acceptance: str = ""
    owner: str = ""
    deps: Sequence[str] = ()


class TaskList(NamedTuple):
    """The tasks in their order, as their authority says; never inferred."""

    authority: str
    exists: bool = False
    goal: str = ""
    tasks: tuple[ListedTask, ...] = ()
    pointer: str = ""  # the task to work on: the first unchecked leaf, or the first that waits for nothing
    unsure: str = ""  # why the list cannot be relied on; then nothing may be changed
    awaiting: str = ""  # the question that asks a person to verify the list; until then work waits
    confirmed: bool = False  # a person verified it: agents extend and reword only what is below its tasks
    version: str = ""  # of the file it was read from: a change of another one is a conflict
    adopted: Mapping[str, str] = NOTHING  # ids that tasks had in tinyTasks.md: whoever began with one still finds it
    proposed: Mapping[str, str] = NOTHING  # tasks that an agent proposed and nobody touched, by its session

    def find(self, task_id: str) -> ListedTask | None:
        """Return a task by its id, or by the one it had in tinyTasks.md."""
        wanted = self.adopted.get(task_id, task_id)
        return next((task for task in self.tasks if task.id == wanted), None)

    def list_children(self, task_id: str) -> list[ListedTask]:
        """Return the subtasks of a task."""
        return [task for task in self.tasks if task.parent == task_id]

    def choose_next(self, ids: Collection[str]) -> str:
        """Return which of these tasks comes next; "" when none is left that could be begun."""
        wanted = {self.adopted.get(one, one) for one in ids}
        ready = [task.id for task in self.tasks if task.leaf and not task.checked and not task.waits_for]
        return next((one for one in sorted(ready, key=self.pointer.__ne__) if one in wanted), "")

    def count_open(self) -> int:
        """Return how many leaves are left."""
        return sum(task.leaf and not task.checked for task in self.tasks)


class Conflict(MiError):
    """Somebody changed the file at the same moment; nothing of theirs was touched."""


class TaskStore(Protocol):
    """Where a project keeps its tasks; each change is of the list that was seen, else a Conflict."""

    name: str

    def look(self) -> TaskList:
        """Return the tasks as they are now; reading changes no task."""
        ...

    def add(self, seen: TaskList, new: NewTask, proposer: str = "") -> list[str]:
        """Add a task with its subtasks at the end; return their ids, the task's first."""
        ...

    def revise(
        self, seen: TaskList, task_id: str, title: str, subtasks: Sequence[str], proposer: str = ""
    ) -> list[str]:
        """Put other words to a task ("": none) and add subtasks; return the ids of those."""
        ...

    def complete(self, seen: TaskList, task_id: str, proposer: str = "") -> None:
        """Tick a leaf."""
        ...

    def reopen(self, seen: TaskList, task_id: str) -> None:
        """Take the tick off a leaf."""
        ...

    def move_up(self, seen: TaskList, task_id: str) -> None:
        """Put a task before the one above it of the same kind: among tasks of its section, or subtasks of its task."""
        ...

    def comes_before_pointer(self, section: str) -> bool:
        """Return whether a task added to a section would stand in front of the one that is worked on."""
        ...

    def note_run(self, task_id: str, run: TaskRun) -> None:
        """Keep which run worked on a task last."""
        ...
