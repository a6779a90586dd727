"""The task tools: the one list of the project, and the only way for an agent to change it."""

from typing import Annotated

from msgspec import Meta, Struct

from mi.contract import arguments, proposals, requests
from mi.contract.gate import GateVerdict, MutationRequest
from mi.contract.session import ContractSession
from mi.kernel.errors import NotFound, UsageError
from mi.kernel.messages import text as message
from mi.tasks import tinytasks
from mi.tasks.task_list import ListedTask, NewTask, TaskList


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


class MoveInput(Struct, frozen=True, kw_only=True):
    task_id: str


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
        read_only=False,
        unsure=tasks.unsure,
        awaiting=tasks.awaiting,
    )


def task_add(session: ContractSession, given: AddInput) -> ChangeResult:
    """Add a task at the end; where there is no list, this proposes one."""
    title = arguments.check_text("title", given.title, needed=True, line=True)
    section = arguments.check_text("section", given.section, line=True).lstrip("# ")
    subtasks = arguments.check_items("subtasks", given.subtasks)
    return add_task(session, NewTask(title, section, subtasks))


def add_task(session: ContractSession, new: NewTask) -> ChangeResult:
    """Add a task that a tool or a command describes."""
    from mi.contract.plan_detection import list_steps  # its patterns take a while to compile: who only looks needs none

    said = {name: value for name, value in new._asdict().items() if value}
    exists = session.tasks().exists
    steps = 0 if session.person else list_steps(new.title, list(new.subtasks))
    request = MutationRequest("task_add", "task" if exists else "propose", said, steps=steps)
    verdict = admit_addition(session, request, new)
    seen = session.tasks()
    if not session.person and session.task_store().comes_before_pointer(new.section):
        raise session.refuse("TASK_REORDERED", request, new.section, verdict)
    if not seen.exists and session.place.settings().tasks.verify == "ask" and not session.person:
        proposals.ask_to_verify(session, tinytasks.create(new.title, new.title, new.subtasks, new.section))
    made = session.task_store().add(seen, new, _proposer(session))
    return _changed(session, request, verdict, made[0], made[1:])


def admit_addition(session: ContractSession, request: MutationRequest, new: NewTask) -> GateVerdict:
    """Pass the gate; tasks beyond a finished or confirmed list that no person asked for are filed instead."""
    verdict = session.judge(request)
    tasks = session.tasks()
    extends = verdict.passed and tasks.confirmed and not session.person
    if verdict.code != "NO_UNCHECKED_TASK" and not extends:
        return session.pass_gate(request)
    parts = (new.title, new.section, list(new.subtasks))
    asked_for = requests.take_leave(session.place.folder, *parts, session.place.notices)
    if asked_for:
        return session.pass_gate(request._replace(asked_for=asked_for))
    question_id = proposals.propose(session, *parts)
    why = message("tasks.proposal-filed", session.place.language, id=question_id)
    if extends:
        verdict = session.fail_verdict("TASK_REDEFINED", request, why, verdict)
    raise session.refusal(verdict, request, why, question_id, misconduct=False)


def task_update(session: ContractSession, given: UpdateInput) -> ChangeResult:
    """Add subtasks to an open task, or put other words to one's own."""
    task_id = arguments.check_text("task_id", given.task_id, needed=True, line=True)
    title = arguments.check_text("title", given.title, line=True)
    subtasks = arguments.check_items("subtasks", given.subtasks)
    said = {"task_id": task_id, **({"title": title} if title else {}), **({"subtasks": subtasks} if subtasks else {})}
    if not title and not subtasks:
        raise UsageError("nothing-to-update", task_id=task_id)
    task = _find(session, task_id)
    if subtasks and task is not None and task.parent:
        raise UsageError("two-levels", task_id=task_id)
    request = MutationRequest("task_update", "task", said)
    verdict = session.pass_gate(request)
    seen = session.tasks()
    if not session.person:
        _refuse_redefinition(session, request, seen, task_id, title, verdict)
    made = session.task_store().revise(seen, task_id, title, subtasks, _proposer(session))
    return _changed(session, request, verdict, task_id, made)


def _refuse_redefinition(
    session: ContractSession, request: MutationRequest, seen: TaskList, task_id: str, title: str, verdict: GateVerdict
) -> None:
    """Other words are for tasks that this session proposed and nobody touched; subtasks for open ones."""
    task = seen.find(task_id)
    if task is None:
        raise NotFound("unknown-task", task_id=task_id)
    own = seen.proposed.get(task_id) == session.name and not (seen.confirmed and not task.parent)
    touched = task.checked or any(child.checked for child in seen.list_children(task_id))
    reworded = bool(title) and title != task.title
    if (reworded and (touched or not own)) or (request.arguments.get("subtasks") and task.checked):
        raise session.refuse("TASK_REDEFINED", request, task_id, verdict)


def task_complete(session: ContractSession, given: CompleteInput) -> ChangeResult:
    """Tick the leaf that is worked on."""
    task_id = arguments.check_text("task_id", given.task_id, needed=True, line=True)
    task, pointer = _find(session, task_id), session.tasks().pointer
    if task is not None and task.checked:
        raise UsageError("task-done", task_id=task_id, pointer=pointer or "-")
    if task is not None and not task.leaf:
        raise UsageError("task-has-subtasks", task_id=task_id, pointer=pointer)
    request = MutationRequest("task_complete", "task", {"task_id": task_id})
    verdict = session.pass_gate(request)
    seen = session.tasks()
    if not session.person and task_id != seen.pointer:
        raise session.refuse("TASK_SKIPPED", request, task_id, verdict)
    session.task_store().complete(seen, task_id, _proposer(session))
    return _changed(session, request, verdict, task_id, [])


def task_move(session: ContractSession, given: MoveInput) -> ChangeResult:
    """Put a task before the one above it; for a person alone: an agent takes tasks in their order."""
    task_id = arguments.check_text("task_id", given.task_id, needed=True, line=True)
    _find(session, task_id)
    request = MutationRequest("task_update", "task", {"task_id": task_id})
    verdict = session.pass_gate(request)
    session.task_store().move_up(session.tasks(), task_id)
    return _changed(session, request, verdict, task_id, [])


def _find(session: ContractSession, task_id: str) -> ListedTask | None:
    """Return the task that a call names; None where the list cannot be relied on and the gate says so."""
    tasks = session.tasks()
    task = tasks.find(task_id)
    if task is None and not tasks.unsure:
        raise NotFound("unknown-task", task_id=task_id)
    return task


def _proposer(session: ContractSession) -> str:
    return "" if session.person else session.name


def _changed(
    session: ContractSession, request: MutationRequest, verdict: GateVerdict, task_id: str, new: list[str]
) -> ChangeResult:
    """Record what was changed, and say where the work goes on."""
    event_id = session.passed(verdict, request, task_id)
    tasks = session.sync_pointer()
    return ChangeResult(
        task_id=task_id,
        subtask_ids=new,
        pointer=tasks.pointer,
        remaining=tasks.count_open(),
        awaiting=tasks.awaiting,
        event_id=event_id,
    )
