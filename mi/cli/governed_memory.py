"""`mi memory write|query|recent|verify`: the contract's memory from the shell."""

from typing import TYPE_CHECKING

import msgspec

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Group, Parser, add_cd, add_count, add_json
from mi.cli.output import Output
from mi.kernel.safe_text import shorten_gist

if TYPE_CHECKING:
    from collections.abc import Callable

    from mi.contract.memory_tools import RecallResult
    from mi.contract.session import ContractSession


def add_to(group: Group) -> None:
    """Add the subcommands that go through the gate, or leave a receipt for it."""
    write = 'mi memory write fact "The API is in api.py" --evidence file_exists api.py'
    group.add("write", "keep a memory", write, _write, _fill_write)
    query = 'mi memory query "how do we release?"'
    group.add("query", "recall by a question; counts as recall", query, _query, _fill_query)
    group.add("recent", "recall the latest; counts as recall", "mi memory recent -n 5", _recent, _fill_recent)
    group.add("verify", "check the evidence of facts again", "mi memory verify", _verify, _fill_verify)


def _fill(built: Parser) -> None:
    add_cd(built)
    add_json(built)


def _fill_write(built: Parser) -> None:
    types = ("fact", "constraint", "decision", "claim", "plan", "observation", "note")
    built.add_argument("type", choices=types, help="what kind of memory it is")
    built.add_argument("summary", help="one or two sentences")
    built.add_argument("--detail", default="", metavar="TEXT", help="more about it")
    built.add_argument("--key", default="", help="a name; a later write under it replaces this one")
    built.add_argument("--source", default="", metavar="TEXT", help="its origin")
    built.add_argument("--classification", choices=("public", "internal"), default="internal", help="default: internal")
    built.add_argument(
        "--evidence",
        nargs=2,
        action="append",
        default=[],
        metavar=("KIND", "VALUE"),
        help="file_exists PATH, grep_hit PATTERN::FILE, cmd_exit0 COMMAND, test_pass COMMAND; several: all must hold",
    )
    built.add_argument("--rationale", default="", metavar="TEXT", help="why; a decision or constraint needs it")
    built.add_argument("--task", default="", metavar="ID", help="the task it is for")
    _fill(built)


def _fill_query(built: Parser) -> None:
    built.add_argument("query", nargs="+", help="a question or words")
    built.add_argument("--limit", type=int, default=10, metavar="N", help="matches, 1 to 100 (default 10)")
    built.add_argument("--kind", default="", help="only this: fact, decision, rule, preference, pattern or note")
    built.add_argument("--reach", default="", choices=("", "mine", "team"), help="only your own, or the team's files")
    _fill(built)


def _fill_recent(built: Parser) -> None:
    add_count(built, "how many, 1 to 100 (default 10)")
    _fill(built)


def _fill_verify(built: Parser) -> None:
    built.add_argument("id", nargs="?", default="", help="a memory's id (default: all facts)")
    _fill(built)


def _write(context: HomeContext, args: Args) -> int:
    from mi.cli.governed import pass_gate
    from mi.contract.memory_tools import WriteInput, memory_write

    given = WriteInput(
        type=args.type,
        summary=args.summary,
        detail=args.detail,
        key=args.key,
        source=args.source,
        classification=args.classification,
        evidence=[f"{kind}::{value}" for kind, value in args.evidence],
        rationale=args.rationale,
        task_id=args.task,
    )
    done = pass_gate(context, args, lambda session: memory_write(session, given))
    out = Output(context.language)
    if args.json:
        out.json(msgspec.to_builtins(done))
    else:
        out.say("memory.kept", id=done.id, type=done.type, truth=done.truth, undo=done.undo)
    return 0


def _query(context: HomeContext, args: Args) -> int:
    from mi.contract.memory_tools import QueryInput, memory_query

    given = QueryInput(query=" ".join(args.query), limit=args.limit, kind=args.kind, reach=args.reach)
    return _recalled(context, args, "memory.nothing", lambda session: memory_query(session, given))


def _recent(context: HomeContext, args: Args) -> int:
    from mi.contract.memory_tools import RecentInput, memory_recent

    given = RecentInput(count=10 if args.count is None else args.count)
    return _recalled(context, args, "memory.nothing-yet", lambda session: memory_recent(session, given))


def _recalled(context: HomeContext, args: Args, nothing: str, work: "Callable[[ContractSession], RecallResult]") -> int:
    from mi.cli.governed import pass_gate

    found = pass_gate(context, args, work)
    out = Output(context.language)
    if args.json:
        out.json(msgspec.to_builtins(found))
        return 0
    for one in found.results:
        why = f"  ({one.stale_why})" if one.stale_why else ""
        out.beside(f"{one.id}  {one.type:<11} {one.truth:<9} ", shorten_gist(one.summary, 100) + why)
    if not found.results:
        out.say(nothing)
    if found.left_out:
        out.say("memory.left-out", count=found.left_out)
    return 0


def _verify(context: HomeContext, args: Args) -> int:
    from mi.cli.governed import pass_gate
    from mi.contract.memory_tools import VerifyInput, memory_verify

    done = pass_gate(context, args, lambda session: memory_verify(session, VerifyInput(id=args.id)))
    out = Output(context.language)
    if args.json:
        out.json(msgspec.to_builtins(done))
        return 0
    for one in done.checked:
        out.line(f"{one.id}  {one.truth:<9} {one.why or out.text('memory.holds')}")
    out.say("memory.checked", count=len(done.checked), stale=done.stale, remaining=done.remaining)
    return 0
