"""The gate: one pure function from a session's state and the task authority to a verdict.

Recall, then declared mode, then task authority, then what the write itself must carry, then permission. The first
that is missing gives the code; the checklist always shows all of them, and the next call is one that is allowed.
"""

from typing import Any, Literal

from msgspec import Struct

from mi.contract.state import SessionState, find_valid_receipt
from mi.kernel.named_tuple import NamedTuple
from mi.tasks.task_list import TaskList

Code = Literal[
    "ok",
    "RECALL_REQUIRED",
    "MODE_NOT_SET",
    "MODE_TOO_LOW",
    "TASKS_REQUIRED",
    "TASKS_UNVERIFIED",
    "TASKS_UNCERTAIN",
    "NO_UNCHECKED_TASK",
    "TASK_NOT_CURRENT",
    "TASK_REDEFINED",
    "TASK_SKIPPED",
    "TASK_REORDERED",
    "OTHER_AUTHORITY",
    "PERSONS_WORD",
    "EVIDENCE_REQUIRED",
    "EVIDENCE_FAILED",
    "EVIDENCE_UNCERTAIN",
    "RATIONALE_REQUIRED",
    "KEY_HOLDS_FACT",
    "PERMISSION_DENIED",
    "PROTECTED_FILE",
]
What = Literal["memory", "propose", "task", "edit"]


class Permission(NamedTuple):
    """What the team's rules say to a mutation."""

    answer: Literal["allow", "ask", "deny"] = "allow"
    reason: str = ""


class MutationRequest(NamedTuple):
    """A mutation somebody wants to make. `propose`: the first list of tasks where there is no task file."""

    tool: str
    what: What
    arguments: dict[str, Any] = {}
    person: bool = False  # the contract binds agents
    task_id: str | None = None  # the leaf it says it works on; None: a mutation that names none
    asked_for: str = ""  # the person's request that opens a finished list for it
    steps: int = 0  # the steps this very call declares
    lacks: Code = "ok"  # what the write itself does not carry: evidence, rationale
    because: str = ""  # what of the write shows it
    store: str = ""  # the task list that the tool itself would write; "": whichever the project has


class Precondition(Struct, frozen=True, kw_only=True):
    """One precondition: whether it is met, and what is known about it."""

    item: str
    rule: str
    done: bool
    detail: str = ""


class AllowedCall(Struct, frozen=True, kw_only=True):
    """A call that is allowed now."""

    tool: str
    arguments: dict[str, Any] = {}


class GateVerdict(NamedTuple):
    """Passed when the code is ok."""

    code: Code
    checklist: tuple[Precondition, ...]
    next: AllowedCall | None = None
    detail: str = ""

    @property
    def passed(self) -> bool:
        return self.code == "ok"


class GateMoment(NamedTuple):
    """What the verdict depends on beside the state: the time, how long a recall counts, the team's rules."""

    now_s: float
    receipt_max_age_s: int = 3600
    permission: Permission = Permission()
    least_mode: Literal["GUARDED", "STRICT"] = "GUARDED"


def decide(request: MutationRequest, state: SessionState, tasks: TaskList, moment: GateMoment) -> GateVerdict:
    """Return whether a mutation may be made now."""
    steps = max(state.steps, request.steps)
    found: list[tuple[Code, Precondition]] = [
        _recall(request, state, moment),
        _mode(request, state, moment),
        _externalised(request, state, tasks, steps),
        _authority(request, state, tasks),
        _content(request),
        _permission(request, moment),
    ]
    missing = [code for code, check in found if not check.done]
    if request.store and tasks.tasks and tasks.authority != request.store:  # no recall or mode would help
        missing.insert(0, "OTHER_AUTHORITY")
    code = missing[0] if missing else "ok"
    detail = next((check.detail for one, check in found if one == code and not check.done), "")
    call = suggest_call(code, request, tasks, moment.least_mode)
    return GateVerdict(code, tuple(check for _, check in found), call, detail)


def _recall(request: MutationRequest, state: SessionState, moment: GateMoment) -> tuple[Code, Precondition]:
    receipt = find_valid_receipt(state, moment.now_s, moment.receipt_max_age_s)
    # Whoever has declared nothing yet will declare a mode that asks for it.
    done = request.person or state.mode == "PASSIVE" or receipt is not None
    detail = receipt.ts if receipt else _why_no_receipt(state)
    return "RECALL_REQUIRED", Precondition(item="recall", rule="R1", done=done, detail=detail)


def _why_no_receipt(state: SessionState) -> str:
    if not state.receipts:
        return "none"
    last = state.receipts[-1]
    return f"{last.ts} void:{last.void or 'age'}"


def _mode(request: MutationRequest, state: SessionState, moment: GateMoment) -> tuple[Code, Precondition]:
    code: Code = "MODE_NOT_SET" if state.mode is None else "MODE_TOO_LOW"
    done = request.person or state.mode in (moment.least_mode, "STRICT")
    return code, Precondition(item="mode", rule="R4", done=done, detail=state.mode or "none")


def _externalised(
    request: MutationRequest, state: SessionState, tasks: TaskList, steps: int
) -> tuple[Code, Precondition]:
    """R2: where tasks are required there is a task list."""
    required = state.mode == "STRICT" or tasks.exists or steps > 1
    done = request.person or request.what == "propose" or tasks.exists or not required
    detail = tasks.authority if tasks.exists else f"steps:{steps}" if steps > 1 else "none"
    return "TASKS_REQUIRED", Precondition(item="tasks", rule="R2", done=done, detail=detail)


def _authority(request: MutationRequest, state: SessionState, tasks: TaskList) -> tuple[Code, Precondition]:
    """R3: the list can be relied on, has an open leaf, and the work is on it."""
    code, detail = _authority_problem(request, state, tasks)
    if request.person or code == "ok":
        return "ok", Precondition(item="task authority", rule="R3", done=True, detail=tasks.pointer or detail)
    return code, Precondition(item="task authority", rule="R3", done=False, detail=detail)


def _authority_problem(request: MutationRequest, state: SessionState, tasks: TaskList) -> tuple[Code, str]:
    if tasks.unsure:
        return "TASKS_UNCERTAIN", tasks.unsure
    if not tasks.exists:
        return "ok", "none"
    if not tasks.pointer and request.asked_for:
        return "ok", f"request: {request.asked_for}"
    if not tasks.pointer:
        return "NO_UNCHECKED_TASK", "done"
    if tasks.awaiting:
        return "TASKS_UNVERIFIED", tasks.awaiting
    if state.mode == "STRICT" and request.what == "memory" and request.task_id != tasks.pointer:
        return "TASK_NOT_CURRENT", f"{request.task_id or 'none'} != {tasks.pointer}"
    return "ok", tasks.pointer


def _content(request: MutationRequest) -> tuple[Code, Precondition]:
    done = request.lacks == "ok"
    return request.lacks, Precondition(
        item="content", rule="R5", done=done, detail="" if done else request.because or request.lacks
    )


def _permission(request: MutationRequest, moment: GateMoment) -> tuple[Code, Precondition]:
    answer, reason = moment.permission
    done = request.person or answer == "allow"
    return "PERMISSION_DENIED", Precondition(item="permission", rule="permission", done=done, detail=reason or answer)


def suggest_call(
    code: Code, request: MutationRequest, tasks: TaskList, least_mode: str = "GUARDED"
) -> AllowedCall | None:
    """Return a call that is allowed in that situation and leads on.

    Where a person is needed, the one to look meanwhile.
    """
    match code:
        case "ok":
            return None
        case "RECALL_REQUIRED":
            return AllowedCall(tool="memory_recent", arguments={"count": 10})
        case "MODE_NOT_SET" | "MODE_TOO_LOW":
            return AllowedCall(tool="memory_set_mode", arguments={"mode": least_mode})
        case "TASKS_REQUIRED":
            return AllowedCall(
                tool="task_add", arguments={"title": "<goal>", "subtasks": ["<first step>", "<second step>"]}
            )
        case "TASK_SKIPPED" if tasks.pointer:
            return AllowedCall(tool="task_complete", arguments={"task_id": tasks.pointer})
        case "TASK_NOT_CURRENT":
            return AllowedCall(tool=request.tool, arguments=request.arguments | {"task_id": tasks.pointer})
        case "PERSONS_WORD":  # the evidence was for a fact
            rest = {name: value for name, value in request.arguments.items() if name != "evidence"}
            return AllowedCall(tool=request.tool, arguments=rest | {"type": "claim"})
        case "EVIDENCE_REQUIRED" | "EVIDENCE_FAILED" | "EVIDENCE_UNCERTAIN":
            example = [{"kind": "file_exists", "value": "<path>"}]
            return AllowedCall(tool=request.tool, arguments=request.arguments | {"evidence": example})
        case "RATIONALE_REQUIRED":
            return AllowedCall(tool=request.tool, arguments=request.arguments | {"rationale": "<why>"})
        case "KEY_HOLDS_FACT":
            return AllowedCall(tool=request.tool, arguments=request.arguments | {"key": "<another key>"})
        case "TASK_REORDERED":
            rest = {name: value for name, value in request.arguments.items() if name != "section"}
            return AllowedCall(tool="task_add", arguments=rest)
        case "OTHER_AUTHORITY":
            return AllowedCall(tool="task_list")
        case "TASKS_UNCERTAIN":
            return AllowedCall(tool="memory_doctor")
        case "PERMISSION_DENIED":
            return AllowedCall(tool="memory_check_task_authority")
        case _:  # a person is needed: look, and ask
            return AllowedCall(tool="task_list")
