"""The task list during a run that works on it: what the agent does to it is seen against how the run found it."""

import os
from collections.abc import Callable
from functools import cached_property

import msgspec
from msgspec import UNSET, Struct

from mi.autopilot.steps.protocol import RunPlace
from mi.evidence.reader import read_back
from mi.evidence.records.governed import Gate, NexusEvent, TaskOutcome
from mi.evidence.records.run import RunStart
from mi.kernel.locks import is_held
from mi.kernel.state import read_state, update_state
from mi.tasks.task_list import ListedTask, TaskList, TaskStore

_READ = {shape.__struct_config__.tag for shape in (Gate, NexusEvent, RunStart, TaskOutcome)}


class FoundList(Struct, frozen=True, kw_only=True):
    """`contract/run_tasks.json`, or `<lock>_tasks.json` of a linked work tree: the open tasks as a run found them."""

    version: str = "v1"
    run_id: str = ""
    tasks: list[ListedTask] = []
    authority: str = ""  # the file that kept them
    left: str = ""  # the version of the list when the run ended; "" while it goes on, and when it was killed


class ListWatch:
    """Knows which tasks were open when the run began; since then what a person or another run did counts, no more.

    In the list `beside` a work tree, which is the person's own, what a session over MCP ticked counts, too.
    """

    def __init__(self, open_store: Callable[[], TaskStore], place: RunPlace, own: str, *, beside: bool = False) -> None:
        self._open_store = open_store
        self._place = place
        self._own = own  # the task that the run works on
        self._beside = beside

    @cached_property
    def found(self) -> FoundList:
        """Return the open tasks as the run found them; written down, so that a resumed run still knows."""
        kept, now = self._read(), self._open_store().look()
        if kept.run_id == self._place.run_id and kept.left in ("", now.version):
            return kept  # else somebody worked on the list since the run ended
        tasks = [task for task in now.tasks if not task.checked]
        found = FoundList(run_id=self._place.run_id, tasks=tasks, authority=now.authority)
        self._write(found)
        self._open_store().look()  # there is a folder now in which a list keeps its ids
        return found

    def find_lost(self, now: TaskList) -> list[ListedTask]:
        """Return the tasks beside the run's own that are gone, or say something else now."""
        settled = self._list_settled()
        others = (task for task in self.found.tasks if task.id not in settled and not self.is_own(task))
        return [task for task in others if not _is_same(task, now.find(task.id), moved=task.id in now.adopted)]

    def find_ticked(self, now: TaskList, *, done: bool) -> list[ListedTask]:
        """Return the tasks that were ticked and that neither the run settles nor a person ticked."""
        settled = self._list_settled()
        wanted = (task for task in self.found.tasks if task.id not in settled and not (done and self.is_own(task)))
        there = (found for task in wanted if (found := now.find(task.id)) is not None)
        return [task for task in there if task.leaf and task.checked]

    def reopen(self, store: TaskStore, ticked: list[ListedTask]) -> None:
        """Take these ticks off again, say so, and note how the run leaves the list; what fails, the next run does."""
        for task in ticked:
            store.reopen(store.look(), task.id)
        if ticked:
            self._place.notices.add("task-reopened", store.name, tasks=name_tasks(ticked))
        self._write(msgspec.structs.replace(self.found, left=store.look().version))

    def is_own(self, task: ListedTask) -> bool:
        """Return whether a task is the run's own, or was a part of it from the beginning."""
        return self._own in (task.id, task.parent)

    def _list_settled(self) -> set[str]:
        """Return the tasks that a person's command or another run settled since; what nobody heard is no event."""
        found: set[str] = set()
        for event in read_back(self._place.files.evidence, self._place.notices):
            match event.record() if event.head.kind in _READ else None:
                case Gate(tool="task_complete" | "task_update", outcome="done") as gate:
                    found |= {gate.details} if self._counts(gate) else set()
                case NexusEvent(event="task_update", by="terminal", error="", params=dict(params)):
                    found.add(str(params.get("id")))
                case TaskOutcome(status="done", task_id=settled) if event.head.run_id != self._place.run_id:
                    found.add(settled)
                case RunStart(run_id=self._place.run_id, resumed_from=""):
                    break
        return found

    def _counts(self, gate: Gate) -> bool:
        return gate.client.startswith("person-") if gate.boundary == "cli" else self._beside and gate.boundary == "mcp"

    def _read(self) -> FoundList:
        return read_state(_find_state(self._place, self._beside), FoundList, self._place.notices)

    def _write(self, new: FoundList) -> None:
        update_state(_find_state(self._place, self._beside), FoundList, lambda old: new, self._place.notices)


def name_tasks(tasks: list[ListedTask]) -> str:
    """Return tasks in one line."""
    return "; ".join(f"{task.id} {task.title}" for task in tasks)


def reopen_after_kill(open_store: Callable[[], TaskStore], place: RunPlace) -> None:
    """Take off what was ticked in a run that could not look at the list when it ended."""
    kept = read_state(_find_state(place), FoundList, place.notices)
    if not kept.run_id or kept.left or is_held(place.files.find_run_lock(place.project.root)):
        return
    events = (event for event in read_back(place.files.evidence, place.notices) if event.head.run_id == kept.run_id)
    outcome = next((event.record() for event in events if event.head.kind in ("task_outcome", "run_start")), None)
    own, done = "", False
    match outcome:
        case TaskOutcome(task_id=own, status=status):
            done = status == "done"
        case RunStart(list_task=own):
            pass
    watch = ListWatch(open_store, place._replace(run_id=kept.run_id), own)
    store = open_store()
    watch.reopen(store, watch.find_ticked(store.look(), done=done))


def _find_state(place: RunPlace, beside: bool = False) -> str:
    """Return the file of the work tree: each has its own list beside the person's, and a run of its own."""
    lock = os.path.basename(place.files.find_run_lock(place.project.root))
    end = "_beside_tasks.json" if beside else "_tasks.json"
    return os.path.join(place.files.contract, os.path.splitext(lock)[0] + end)


def _is_same(before: ListedTask, now: ListedTask | None, *, moved: bool) -> bool:
    """Return whether a task still wants what it wanted; a list that was moved gives a context to those without."""
    if now is None:
        return False
    context = now.context if before.context or not moved else UNSET
    return (now.title, now.acceptance, context) == (before.title, before.acceptance, before.context)
