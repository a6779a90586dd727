"""The contract from the shell: the same gate for an agent; a person, at a terminal or in a script, is none."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from mi.app.contract import build_contract
from mi.app.home_context import HomeContext
from mi.app.speaker import find_speaker
from mi.cli.arguments import Args
from mi.cli.output import Output
from mi.kernel.errors import Blocked

if TYPE_CHECKING:
    from mi.contract.gate import AllowedCall
    from mi.contract.session import ContractSession

T = TypeVar("T")
_COMMANDS = {
    "memory_query": "mi memory query",
    "memory_recent": "mi memory recent",
    "memory_set_mode": "mi contract mode",
    "memory_write": "mi memory write",
    "memory_doctor": "mi contract status",
    "memory_check_task_authority": "mi contract status",
    "task_list": "mi task list",
    "task_add": "mi task add",
    "task_complete": "mi task complete",
}


def pass_gate(context: HomeContext, args: Args, work: "Callable[[ContractSession], T]") -> T:
    """Do something in the shell's own session; a refusal says the next command, with --json also the checklist."""
    from mi.contract.session import ContractSession, Refused

    person = find_speaker(context).by == "terminal"
    session = ContractSession.open(
        build_contract(context), "person" if person else "shell", "cli", wait=True, person=person
    )
    try:
        return work(session)
    except Refused as refused:
        raise _told(context, args, refused) from None
    finally:
        session.close()


def _told(context: HomeContext, args: Args, refused: object) -> Blocked:
    from mi.contract.session import Refused

    assert isinstance(refused, Refused)
    verdict = refused.verdict
    line = refused.line(context.quiet_language)
    if args.json:
        Output(context.language).json({"error": {"code": verdict.code, "message": line} | refused.told()})
    return Blocked("refused-in-shell", line=line, command=name_command(verdict.next))


def name_command(call: "AllowedCall | None") -> str:
    """Return a call of a tool as the command that does the same."""
    if call is None:
        return "-"
    words = [_COMMANDS.get(call.tool, call.tool)]
    for name in ("mode", "task_id", "title"):
        if name in call.arguments and call.tool != "memory_write":
            words.append(str(call.arguments[name]))
    if call.tool == "memory_write":
        words += ["claim", "…"] if call.arguments.get("type") == "claim" else ["…"]
        new = {"task_id": "--task", "evidence": "--evidence file_exists", "rationale": "--rationale", "key": "--key"}
        last = list(call.arguments)[-1] if call.arguments else ""
        words += [f"{new[last]} …"] if last in new else []
    return " ".join(words)
