"""The contract from the shell: the same gate for an agent; a person, at a terminal or in a script, is none."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from mi.app.contract import build_contract, open_person_session
from mi.app.home_context import HomeContext
from mi.app.speaker import Speaker, find_host_session, find_speaker
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
    """Do something in the session above, or the shell's own; a refusal says the next command, as JSON the checklist."""
    from mi.contract.session import Refused

    session = _open_session(context, is_person=find_speaker(context).by == "terminal")
    try:
        return work(session)
    except Refused as refused:
        raise _told(context, args, refused) from None
    finally:
        session.close()


def _open_session(context: HomeContext, *, is_person: bool) -> "ContractSession":
    """Return a person's session, that of the host which runs this command, or the shell's own."""
    from mi.contract.session import ContractSession

    if is_person:
        return open_person_session(context)
    place = build_contract(context)
    if above := find_host_session(context.home):
        from mi.contract.host_session import open_host_session

        return open_host_session(place, *above, "cli")
    return ContractSession.open(place, "shell", "cli", wait=True)


def require_leave(context: HomeContext, args: Args, tool: str, about: str) -> None:
    """Raise Blocked for an agent whose session is bound by the contract and which may not write now.

    What lasts, and is no `memory_write`: memory files, cards and proposals.
    """
    speaker = find_speaker(context)
    if speaker.by == "terminal" or not _is_bound(context, speaker):
        return
    from mi.contract.gate import MutationRequest

    def ask(session: "ContractSession") -> None:
        pointer = session.tasks().pointer
        request = MutationRequest("memory_write", "memory", {"summary": about}, task_id=pointer)
        session.passed(session.pass_gate(request), request, f"{tool}: {about}")

    pass_gate(context, args, ask)


def _is_bound(context: HomeContext, speaker: Speaker) -> bool:
    """Return whether hooks enforce the contract in the session of an agent; in any, where it is not known whose."""
    from mi.hosts.adapters import HOSTS
    from mi.hosts.installed import is_enforced

    above = find_host_session(context.home)
    named = [above.host] if above else [host for host in HOSTS if speaker.is_of(host)]
    return any(is_enforced(context.home, context.project.root, one, "contract") for one in named or HOSTS)


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
