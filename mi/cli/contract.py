"""`mi contract`: where agents' sessions stand, what they tried, and the contract's text in AGENTS.md and CLAUDE.md."""

from typing import TYPE_CHECKING

import msgspec

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Group, Parser, add_cd, add_count, add_json
from mi.cli.output import Output
from mi.kernel.safe_text import shorten_gist

if TYPE_CHECKING:
    from mi.contract.memory_tools import ModeResult
    from mi.contract.session import ContractSession
    from mi.hosts.apply import Placed

_AUDITED = 50


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group("mi contract", "The contract with agents: recall, mode, tasks, memory.", "mi contract status")
    group.add("status", "where each session stands", "mi contract status --json", _status, _fill)
    group.add("audit", "what was tried against the rules, newest first", "mi contract audit -n 20", _audit, _fill_audit)
    group.add("mode", "declare the mode of work from the shell", "mi contract mode GUARDED", _mode, _fill_mode)
    install = "mi contract install --file AGENTS.md"
    group.add(
        "install", "put the contract into AGENTS.md and CLAUDE.md", install, _install, _fill_install, person_only=True
    )
    group.add("update", "renew the text where it stands", "mi contract update", _update, _fill, person_only=True)
    group.add("remove", "take the text out again", "mi contract remove", _remove, _fill, person_only=True)
    return group.parser


def _fill(built: Parser) -> None:
    add_cd(built)
    add_json(built)


def _fill_audit(built: Parser) -> None:
    add_count(built, f"how many (default {_AUDITED}; 0: all)")
    _fill(built)


def _fill_mode(built: Parser) -> None:
    choices = ("PASSIVE", "GUARDED", "STRICT")
    built.add_argument("mode", type=str.upper, choices=choices, help="what the work may change")
    _fill(built)


def _fill_install(built: Parser) -> None:
    names = "a file to put it into (default: AGENTS.md and CLAUDE.md as far as they are there)"
    built.add_argument("--file", action="append", default=[], metavar="PATH", help=names)
    _fill(built)


def _status(context: HomeContext, args: Args) -> int:
    from mi.app.tasks import read_tasks
    from mi.contract.diagnostics import sessions
    from mi.contract.installed import find_files_with

    out = Output(context.language)
    found = sessions(context.project_home.contract, context.notices)
    tasks, files = read_tasks(context), find_files_with(context.project.root, context.home)
    leaves = [one.checked for one in tasks.tasks if one.leaf]
    counts = {"authority": tasks.authority, "open": leaves.count(False), "done": leaves.count(True)}
    if args.json:
        shown = {name: msgspec.to_builtins(state) for name, state in found.items()}
        said = {"exists": tasks.exists, "pointer": tasks.pointer, "awaiting": tasks.awaiting, "unsure": tasks.unsure}
        out.json({"sessions": shown, "tasks": counts | said, "installed": files})
        return 0
    if not found:
        out.say("contract.no-sessions")
    for name, state in found.items():
        recall = next((one.ts for one in reversed(state.receipts) if not one.void), "-")
        count = state.counters.get("violations", 0)
        details = {"mode": state.mode or "-", "recall": recall, "pointer": state.pointer or "-", "violations": count}
        out.say("contract.session", client=name, **details)
    if tasks.unsure:
        out.say("tasks.unsure", reason=tasks.unsure)
    elif tasks.exists:
        out.say("contract.tasks", **counts)
    else:
        out.say("tasks.none")
    out.say("contract.installed" if files else "contract.not-installed", files=", ".join(files))
    return 0


def _audit(context: HomeContext, args: Args) -> int:
    from mi.contract.diagnostics import violations

    out = Output(context.language)
    count = _AUDITED if args.count is None else args.count or None
    found = violations(context.project_home.evidence, count, context.notices)
    if args.json:
        out.json([msgspec.to_builtins(one) for one in found])
        return 0
    for one in found:
        said = f"{one.code}  {one.tool}  {one.client}  {one.boundary}  {one.mode or '-'}  {one.outcome}"
        out.line(f"{one.ts}  {said}  {shorten_gist(one.details, 80)}")
    if not found:
        out.say("contract.no-violations")
    return 0


def _mode(context: HomeContext, args: Args) -> int:
    from mi.cli.governed import pass_gate
    from mi.contract.memory_tools import ModeInput, memory_set_mode

    def declare(session: "ContractSession") -> "tuple[str, ModeResult]":
        return session.name, memory_set_mode(session, ModeInput(mode=args.mode))

    client, done = pass_gate(context, args, declare)
    out = Output(context.language)
    if args.json:
        out.json(msgspec.to_builtins(done))
    else:
        out.say("contract.mode", client=client, mode=done.mode)
    return 0


def _install(context: HomeContext, args: Args) -> int:
    from mi.contract.installed import install

    return _placed(context, args, install(context.project.root, context.home, args.file))


def _update(context: HomeContext, args: Args) -> int:
    from mi.contract.installed import update

    return _placed(context, args, update(context.project.root, context.home))


def _remove(context: HomeContext, args: Args) -> int:
    from mi.contract.installed import remove

    return _placed(context, args, remove(context.project.root, context.home))


def _placed(context: HomeContext, args: Args, done: "Placed") -> int:
    out = Output(context.language)
    changed = [*done.changed, *done.removed]
    if args.json:
        out.json({"changed": done.changed, "removed": done.removed, "kept": done.kept})
    elif changed:
        out.say("contract.changed", files=", ".join(changed))
    else:
        out.say("contract.unchanged")
    return 0
