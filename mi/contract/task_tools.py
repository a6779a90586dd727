"""The task tools: the task file is the authority, and these are the only way for an agent to change it."""

from typing import Annotated

from msgspec import Meta, Struct

from mi.contract import arguments, proposals, requests
from mi.contract.gate import GateVerdict, MutationRequest
from mi.contract.session import ContractSession
from mi.kernel.errors import NotFound, UsageError
from mi.kernel.messages import text as message
from mi.tasks import tinytasks
from mi.tasks.task_list import ListedTask, TaskList
from mi.tasks.tinytasks_file import LoadedTaskFile


class ListInput(Struct, frozen=True, kw_only=True):
    pass


class ListResult(Struct, frozen=True, kw_only=True):
    """The tasks in order; `pointer` is the one to work on."""

    authority: str
    exists: bool
    goal: str
    tasks: list[ListedTask]
    pointer: str
    read_only: bool
    unsure: str
    awaiting: str


class AddInput(Struct, frozen=True, kw_only=True):
    title: str
    section: Annotated[str, Meta(description="A ## heading; made at the end when absent.")] = ""
    subtasks: Annotated[list[str], Meta(description="Atomic steps in their order.")] = []


class UpdateInput(Struct, frozen=True, kw_only=True):
    task_id: str
    title: Annotated[str, Meta(description="New words for a task you proposed that nobody ticked or edited.")] = ""
    subtasks: Annotated[list[str], Meta(description="Further steps of an open task.")] = []


class CompleteInput(Struct, frozen=True, kw_only=True):
    task_id: Annotated[str, Meta(description="The current leaf, from task_list.")]


class ChangeResult(Struct, frozen=True, kw_only=True):
    """What was changed, and where the work goes on."""

    task_id: str
    subtask_ids: list[str]
    pointer: str
    remaining: int
    awaiting: str
    event_id: str


def task_list(session: ContractSession, given: ListInput) -> ListResult:
    """Return the tasks as their authority has them."""
    return list_tasks(session.sync_pointer())


def list_tasks(tasks: TaskList) -> ListResult:
    """Return a task list as it is shown."""
    return ListResult(
        authority=tasks.authority,
        exists=tasks.exists,
        goal=tasks.goal,
        tasks=list(tasks.tasks),
        pointer=tasks.pointer,
        read_only=tasks.other,
        unsure=tasks.unsure,
        awaiting=tasks.awaiting,
    )


def task_add(session: ContractSession, given: AddInput) -> ChangeResult:
    """Add a task at the end; where there is no list, this proposes one."""
    from mi.contract.plan_detection import list_steps  # its patterns take a while to compile: who only looks needs none

    title = arguments.check_text("title", given.title, needed=True, line=True)
    section = arguments.check_text("section", given.section, line=True).lstrip("# ")
    subtasks = arguments.check_items("subtasks", given.subtasks)
    said = {"title": title, **({"section": section} if section else {}), **({"subtasks": subtasks} if subtasks else {})}
    exists = session.tasks().exists
    request = MutationRequest(
        "task_add", "task" if exists else "propose", said, steps=0 if session.person else list_steps(title, subtasks)
    )
    verdict = _admitted(session, request, title, section, subtasks)
    loaded = session.tiny_tasks.load()
    if loaded is None:
        text = tinytasks.create(title, title, subtasks, section)
        if session.place.settings().tasks.verify == "ask" and not session.person:
            proposals.ask_to_verify(session, text)
    else:
        _refuse_reorder(session, request, loaded, section, verdict)
        text = tinytasks.add_task(loaded.document, title, subtasks, section)
    return _changed(session, request, verdict, loaded, text)


def _admitted(
    session: ContractSession, request: MutationRequest, title: str, section: str, subtasks: list[str]
) -> GateVerdict:
    """Pass the gate; after a finished list, tasks that no request of a person opened it for are filed instead."""
    verdict = session.judge(request)
    if verdict.code == "NO_UNCHECKED_TASK":
        asked_for = requests.take_leave(session.place.folder, title, section, subtasks, session.place.notices)
        if asked_for:
            return session.pass_gate(request._replace(asked_for=asked_for))
        question_id = proposals.propose(session, title, section, subtasks)
        why = message("tasks.proposal-filed", session.place.language, id=question_id)
        raise session.refusal(verdict, request, why, question_id, misconduct=False)
    return session.pass_gate(request)


def _refuse_reorder(
    session: ContractSession, request: MutationRequest, loaded: LoadedTaskFile, section: str, verdict: GateVerdict
) -> None:
    """Raise if a task would come in front of the one that is worked on."""
    pointer, place = loaded.document.pointer(), tinytasks.place_for(loaded.document, section)
    if session.person or pointer is None or place is None:
        return
    if place <= loaded.document.items[pointer].line:
        raise session.refuse("TASK_REORDERED", request, section, verdict)


def task_update(session: ContractSession, given: UpdateInput) -> ChangeResult:
    """Add subtasks to an open task, or put other words to one's own."""
    task_id = arguments.check_text("task_id", given.task_id, needed=True, line=True)
    title = arguments.check_text("title", given.title, line=True)
    subtasks = arguments.check_items("subtasks", given.subtasks)
    said = {"task_id": task_id, **({"title": title} if title else {}), **({"subtasks": subtasks} if subtasks else {})}
    if not title and not subtasks:
        raise UsageError("nothing-to-update", task_id=task_id)
    place = _place(session, task_id)
    if subtasks and place is not None and place.task.parent:
        raise UsageError("two-levels", task_id=task_id)
    request = MutationRequest("task_update", "task", said)
    verdict = session.pass_gate(request)
    loaded, at = _found(session, task_id)
    _refuse_redefinition(session, request, loaded, at, title, subtasks, verdict)
    document, renamed = loaded.document, dict[str, str]()
    if title and title != document.items[at].title:
        document, renamed = tinytasks.parse(tinytasks.retitle(document, at, title)), {task_id: title}
    text = tinytasks.add_subtasks(document, at, subtasks) if subtasks else document.text
    return _changed(session, request, verdict, loaded, text, renamed, task_id)


def _refuse_redefinition(
    session: ContractSession,
    request: MutationRequest,
    loaded: LoadedTaskFile,
    at: int,
    title: str,
    subtasks: list[str],
    verdict: GateVerdict,
) -> None:
    """Other words are for tasks that this session proposed and nobody touched; subtasks for open ones."""
    if session.person:
        return
    known, document = loaded.tasks[at], loaded.document
    touched = document.is_done(at) or any(document.items[child].checked for child in document.children(at))
    if title and title != known.title and (known.proposed_by != session.name or touched):
        raise session.refuse("TASK_REDEFINED", request, known.id, verdict)
    if subtasks and document.is_done(at):
        raise session.refuse("TASK_REDEFINED", request, known.id, verdict)


def task_complete(session: ContractSession, given: CompleteInput) -> ChangeResult:
    """Tick the leaf that is worked on."""
    task_id = arguments.check_text("task_id", given.task_id, needed=True, line=True)
    place = _place(session, task_id)
    if place is not None and place.task.checked:
        raise UsageError("task-done", task_id=task_id, pointer=place.tasks.pointer or "-")
    if place is not None and not place.task.leaf:
        raise UsageError("task-has-subtasks", task_id=task_id, pointer=place.tasks.pointer)
    request = MutationRequest("task_complete", "task", {"task_id": task_id})
    verdict = session.pass_gate(request)
    loaded, at = _found(session, task_id)
    if not session.person and at != loaded.document.pointer():
        raise session.refuse("TASK_SKIPPED", request, task_id, verdict)
    return _changed(session, request, verdict, loaded, tinytasks.tick(loaded.document, at), task_id=task_id)


class _TaskPlace(Struct, frozen=True):
    tasks: TaskList
    task: ListedTask


def _place(session: ContractSession, task_id: str) -> _TaskPlace | None:
    """Return the task that a call names; None where another room keeps the tasks and the gate says so."""
    tasks = session.tasks()
    if tasks.other or tasks.unsure:
        return None
    task = tasks.find(task_id)
    if task is None:
        raise NotFound("unknown-task", task_id=task_id)
    return _TaskPlace(tasks, task)


def _found(session: ContractSession, task_id: str) -> tuple[LoadedTaskFile, int]:
    loaded = session.tiny_tasks.load()
    at = loaded.place(task_id) if loaded is not None else None
    if loaded is None or at is None:
        raise NotFound("unknown-task", task_id=task_id)
    return loaded, at


def _changed(
    session: ContractSession,
    request: MutationRequest,
    verdict: GateVerdict,
    loaded: LoadedTaskFile | None,
    text: str,
    renamed: dict[str, str] | None = None,
    task_id: str = "",
) -> ChangeResult:
    """Write the file and say what is new in it."""
    proposer = "" if session.person else session.name
    now = session.tiny_tasks.change(loaded, text, proposer, renamed or {})
    before = {task.id for task in loaded.tasks} if loaded else set()
    new = [task for task in now.tasks if task.id not in before]
    first = task_id or next((one.id for one in new if not one.parent), "")
    event_id = session.passed(verdict, request, first)
    tasks = session.sync_pointer()
    remaining = sum(task.leaf and not task.checked for task in tasks.tasks)
    return ChangeResult(
        task_id=first,
        subtask_ids=[one.id for one in new if one.parent],
        pointer=tasks.pointer,
        remaining=remaining,
        awaiting=tasks.awaiting,
        event_id=event_id,
    )
