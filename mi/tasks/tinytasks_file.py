"""The task authority in a file of the project: read with stable ids, changed by compare-and-swap."""

import os
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from mi.kernel import files, inside
from mi.kernel.errors import MiError, NotFound, StorageError, UsageError
from mi.kernel.locks import lock_folder
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.kernel.state import read_state, update_state
from mi.tasks import tinytasks
from mi.tasks.task_ids import KnownTask, TaskSighting, match
from mi.tasks.task_list import Conflict, ListedTask, NewTask, TaskList, TaskRun

_MAX_BYTES = 1 << 20
STATE = "tasks.json"
Renamed = Mapping[str, str]  # id → the title it has from now on
NOBODY: Renamed = MappingProxyType({})


class TaskState(Struct, frozen=True, kw_only=True):
    """`contract/tasks.json`: the ids of the tasks as last seen, and whether somebody is to verify the list."""

    version: str = "v1"
    file_hash: str = ""
    tasks: list[KnownTask] = []
    awaiting: str = ""  # the question that asks for it
    awaiting_hash: str = ""  # the list it asks about: one that a person changed is verified by that
    confirmed: bool = False  # a person verified the list
    runs: dict[str, TaskRun] = {}  # by task: the run that worked on it last


class LoadedTaskFile(NamedTuple):
    """The file at one moment."""

    document: tinytasks.TaskDocument
    hash: str
    tasks: list[KnownTask]
    state: TaskState

    def place(self, task_id: str) -> int | None:
        """Return where a task stands in the list."""
        return next((at for at, one in enumerate(self.tasks) if one.id == task_id), None)


class TinyTasks:
    """tinyTasks.md in the project root."""

    name = tinytasks.FILE

    def __init__(self, root: str, folder: str, notices: Notices, *, save: bool = True) -> None:
        self.path = os.path.join(root, tinytasks.FILE)
        self._root = os.path.realpath(root)
        self._folder = folder
        self._state = os.path.join(folder, STATE)
        self._notices = notices
        self._save = save  # without it ids are worked out and not remembered: whoever only looks writes nothing
        self._cache: tuple[tuple[int, ...], tuple[int, ...], TaskList] | None = None

    def look(self) -> TaskList:
        """Return the tasks as they are now; what cannot be read is uncertain, never empty."""
        stamps = _stamp(self.path), _stamp(self._state)
        if self._cache is not None and self._cache[:2] == stamps:
            return self._cache[2]
        try:
            loaded = self.load()
        except (MiError, OSError) as error:
            return TaskList(self.name, exists=True, unsure=str(error))
        listed = TaskList(self.name) if loaded is None else self._listed(loaded)
        self._cache = (stamps[0], _stamp(self._state), listed)
        return listed

    def load(self) -> LoadedTaskFile | None:
        """Return the file with the ids of its tasks; None when there is none. Ids that are new are remembered."""
        data = self._read()
        if data is None:
            return None
        digest = _digest(data)
        document = tinytasks.parse(data.decode("utf-8", "surrogateescape"))
        state = read_state(self._state, TaskState, self._notices)
        if state.file_hash != digest:
            state = self._remember(digest, document)
        return LoadedTaskFile(document, digest, state.tasks, state)

    def add(self, seen: TaskList, new: NewTask, proposer: str = "") -> list[str]:
        """Add a task at the end, or make the file with it; return its id and those of its subtasks."""
        if new.deps:
            raise UsageError("tasks-in-order", value=", ".join(new.deps))
        loaded = self._load_seen(seen)
        details = [f"{name}: {value}" for name in ("context", "acceptance", "owner") if (value := getattr(new, name))]
        parts = (new.title, new.subtasks, new.section, details)
        text = tinytasks.add_task(loaded.document, *parts) if loaded else tinytasks.create(new.title, *parts)
        return self._new_ids(loaded, text, proposer)

    def revise(
        self, seen: TaskList, task_id: str, title: str, subtasks: Sequence[str], proposer: str = ""
    ) -> list[str]:
        """Put other words to a task and add subtasks; return the ids of those."""
        loaded, at = self._find_seen(seen, task_id)
        document, renamed = loaded.document, dict[str, str]()
        if title and title != document.items[at].title:
            document, renamed = tinytasks.parse(tinytasks.retitle(document, at, title)), {task_id: title}
        text = tinytasks.add_subtasks(document, at, subtasks) if subtasks else document.text
        return self._new_ids(loaded, text, proposer, renamed)

    def complete(self, seen: TaskList, task_id: str, proposer: str = "") -> None:
        """Tick a leaf."""
        loaded, at = self._find_seen(seen, task_id)
        self.change(loaded, tinytasks.tick(loaded.document, at), proposer)

    def reopen(self, seen: TaskList, task_id: str) -> None:
        """Take the tick off a leaf, and off its task."""
        loaded, at = self._find_seen(seen, task_id)
        self.change(loaded, tinytasks.untick(loaded.document, at))

    def move_up(self, seen: TaskList, task_id: str) -> None:
        """Put a task with all that belongs to it before the one above it."""
        loaded, at = self._find_seen(seen, task_id)
        self.change(loaded, tinytasks.move_up(loaded.document, at))

    def comes_before_pointer(self, section: str) -> bool:
        """Return whether a task added to a section would stand in front of the one that is worked on."""
        loaded = self.load()
        if loaded is None:
            return False
        pointer, place = loaded.document.pointer(), tinytasks.place_for(loaded.document, section)
        return pointer is not None and place is not None and place <= loaded.document.items[pointer].line

    def note_run(self, task_id: str, run: TaskRun) -> None:
        """Keep which run worked on a task last."""
        self._update(lambda old: msgspec.structs.replace(old, runs=old.runs | {task_id: run}))

    def _load_seen(self, seen: TaskList) -> LoadedTaskFile | None:
        loaded = self.load()
        if (loaded.hash if loaded else "") != seen.version:
            raise Conflict("tasks-conflict", path=self.path)
        return loaded

    def _find_seen(self, seen: TaskList, task_id: str) -> tuple[LoadedTaskFile, int]:
        loaded = self._load_seen(seen)
        at = loaded.place(task_id) if loaded else None
        if loaded is None or at is None:
            raise NotFound("unknown-task", task_id=task_id)
        return loaded, at

    def _new_ids(self, loaded: LoadedTaskFile | None, text: str, proposer: str, renamed: Renamed = NOBODY) -> list[str]:
        before = {task.id for task in loaded.tasks} if loaded else set[str]()
        now = self.change(loaded, text, proposer, renamed)
        new = [task for task in now.tasks if task.id not in before]
        return [task.id for task in sorted(new, key=lambda task: bool(task.parent))]

    def change(
        self, loaded: LoadedTaskFile | None, text: str, proposed_by: str = "", renamed: Renamed = NOBODY
    ) -> LoadedTaskFile:
        """Replace the file by a new text if it is still the one that was loaded; Conflict when it is not."""
        data = text.encode("utf-8", "surrogateescape")
        path = self._real()
        mode = os.stat(path).st_mode & 0o777 if loaded is not None else 0o644
        with lock_folder(os.path.dirname(path)):
            now = self._read()
            if (loaded.hash if loaded else None) != (_digest(now) if now is not None else None):
                raise Conflict("tasks-conflict", path=self.path)
            files.write_atomic(path, data, mode)
        document = tinytasks.parse(text)
        state = self._remember(_digest(data), document, proposed_by, renamed)
        return LoadedTaskFile(document, _digest(data), state.tasks, state)

    def await_verification(self, question_id: str, text: str) -> None:
        """Work on this list waits until a person verified it; said before the list is written."""
        digest = _digest(text.encode("utf-8", "surrogateescape"))
        self._update(lambda old: msgspec.structs.replace(old, awaiting=question_id, awaiting_hash=digest))

    def awaits(self, question_id: str) -> bool:
        """Return whether work waits for the answer to a question."""
        return bool(question_id) and read_state(self._state, TaskState, self._notices).awaiting == question_id

    def verified(self, question_id: str) -> None:
        """Note that a person said yes: work on the list need not wait any more."""
        if self.awaits(question_id):
            self._update(lambda old: msgspec.structs.replace(old, awaiting="", confirmed=True))

    def _remember(
        self, digest: str, document: tinytasks.TaskDocument, proposed_by: str = "", renamed: Renamed = NOBODY
    ) -> TaskState:
        """Keep the ids; a list that a person changed needs no verification any more."""
        seen = [TaskSighting(one.title, one.parent, document.is_done(at)) for at, one in enumerate(document.items)]

        def change(old: TaskState) -> TaskState:
            known = [msgspec.structs.replace(task, title=renamed.get(task.id, task.title)) for task in old.tasks]
            before = {one.id for one in known}
            named = match(known, seen)
            if proposed_by:
                replace = msgspec.structs.replace
                named = [task if task.id in before else replace(task, proposed_by=proposed_by) for task in named]
            waits = old.awaiting if proposed_by or old.awaiting_hash == digest else ""
            now = {task.id for task in named}
            return msgspec.structs.replace(
                old,
                file_hash=digest,
                tasks=named,
                awaiting=waits,
                awaiting_hash=digest if waits else "",
                confirmed=bool(named) and (old.confirmed or bool(old.awaiting and not waits)),
                runs={task_id: run for task_id, run in old.runs.items() if task_id in now},
            )

        if not self._save:
            return change(read_state(self._state, TaskState, self._notices))
        return self._update(change)

    def _update(self, change: Callable[[TaskState], TaskState]) -> TaskState:
        return update_state(self._state, TaskState, change, self._notices)

    def _listed(self, loaded: LoadedTaskFile) -> TaskList:
        document, pointer = loaded.document, loaded.document.pointer()
        tasks = tuple(
            ListedTask(
                id=known.id,
                title=one.title,
                checked=document.is_done(at),
                parent=known.parent,
                section=one.section,
                leaf=document.is_leaf(at),
                run=loaded.state.runs.get(known.id, UNSET),
                **_details(document, at),
            )
            for at, (one, known) in enumerate(zip(document.items, loaded.tasks, strict=True))
        )
        return TaskList(
            self.name,
            True,
            document.goal,
            tasks,
            loaded.tasks[pointer].id if pointer is not None else "",
            awaiting=loaded.state.awaiting,
            confirmed=loaded.state.confirmed,
            version=loaded.hash,
            proposed={task.id: task.proposed_by for task in loaded.tasks if task.proposed_by},
        )

    def _read(self) -> bytes | None:
        data = files.read_bytes(self._real())
        if data is not None and len(data) > _MAX_BYTES:
            raise MiError("tasks-too-large", path=self.path, limit=_MAX_BYTES)
        return data

    def _real(self) -> str:
        """Return where the file is; MiError when it is a link that leads out of the project."""
        try:
            return inside.real_path(self._root, self.path)
        except StorageError as error:
            raise MiError("tasks-outside", path=self.path) if error.code == "leads-out" else error from None


def _details(document: tinytasks.TaskDocument, at: int) -> dict[str, Any]:
    """Return what a task says beside its title; who it is for stands with the context."""
    found = tinytasks.find_details(document, at)
    owner = f"owner: {found['owner']}" if "owner" in found else ""
    context = "\n".join(part for part in (found.get("context", ""), owner) if part)
    named = {"context": context, "acceptance": found.get("acceptance", "")}
    return {name: text for name, text in named.items() if text}


def _digest(data: bytes) -> str:
    from mi.kernel.digest import hash_sha256

    return hash_sha256(data)


def _stamp(path: str) -> tuple[int, ...]:
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns
