"""The nx_* tools and the one task list: they begin no second one, and pass the gate where the contract is enforced."""

from typing import Any

from mi.contract.gate import MutationRequest
from mi.contract.session import ContractSession
from mi.contract.state import count_call
from mi.contract.task_tools import admit_addition
from mi.nexus.toolset import NexusTool
from mi.tasks import NEXUS_TASKS, TINY_TASKS, find_list
from mi.tasks.task_list import NewTask

_INSISTS = "other_authority"  # how often a session wanted to begin a second list


def needs_admission(root: str, tool: NexusTool, *, enforced: bool) -> bool:
    """Return whether a call of an nx_* tool must be looked at before it is made."""
    return tool.writes and (enforced or (tool.changes_list and find_list(root) == TINY_TASKS))


def admit_call(session: ContractSession, tool: NexusTool, arguments: dict[str, Any], *, enforced: bool) -> None:
    """Raise Refused where another list is in charge, or the enforced contract does not let the call pass."""
    tasks = session.tasks()
    request = MutationRequest(
        "nx_" + tool.name,
        "task" if tool.changes_list and tasks.exists else "propose",
        arguments,
        store=NEXUS_TASKS if tool.changes_list else "",
    )
    verdict = session.judge(request)
    if verdict.code == "OTHER_AUTHORITY":
        if session.state.counters.get(_INSISTS, 0):
            session.violation(verdict.code, request.tool, "blocked", tasks.authority)
        session.state_file.update(lambda old: count_call(old, _INSISTS))
        raise session.refusal(verdict, request, tasks.authority)
    if enforced and tool.changes_list and "title" in arguments:
        admit_addition(session, request, NewTask(str(arguments["title"])))
    elif enforced and not tool.closes:
        session.pass_gate(request)
