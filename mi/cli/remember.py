"""`mi remember`: the one way to write something down, for oneself or for the team."""

from typing import TYPE_CHECKING, Any, get_args

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_cd, add_json, command
from mi.cli.output import Output
from mi.knowledge.search.team import Kind

if TYPE_CHECKING:
    from mi.contract.memories import MemoryType
    from mi.contract.memory_tools import WriteResult

_TYPES: "dict[str, MemoryType]" = {"rule": "constraint", "preference": "constraint", "pattern": "note"}


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    built = command(
        "mi remember",
        "Write something down, for yourself or with --team for everybody; runs and agents recall it.",
        'mi remember "Releases go out on Tuesdays." --kind rule',
        _remember,
        person_only=True,
    )
    built.add_argument("text", nargs="+", help="what to keep; - reads standard input")
    built.add_argument("--kind", choices=get_args(Kind), default="note", help="what it is (default: note)")
    built.add_argument(
        "--team", action="store_true", help="in files that git carries to everybody, and by the hub where one is joined"
    )
    built.add_argument("--name", default="", metavar="NAME", help="with --team: the topic in 2 to 4 words")
    built.add_argument("--force", action="store_true", help="keep it although code or the web could give it again")
    add_cd(built)
    add_json(built)
    return built


def _remember(context: HomeContext, args: Args) -> int:
    from mi.cli.input_files import read_given_text

    text = (read_given_text("-") if args.text == ["-"] else " ".join(args.text)).strip()
    context.use_project()
    fields, said = _for_team(context, args, text) if args.team else _for_oneself(context, args, text)
    out = Output(context.language)
    if args.json:
        out.json({"kind": args.kind} | fields)
    else:
        out.say(said, **({"kind": args.kind} | fields))
    return 0


def _for_oneself(context: HomeContext, args: Args, text: str) -> tuple[dict[str, Any], str]:
    kept = _keep(context, args, text)
    return {"reach": "mine", "id": kept.id, "event_id": kept.event_id, "undo": kept.undo}, "remember.mine"


def _keep(context: HomeContext, args: Args, text: str, *, for_team: bool = False) -> "WriteResult":
    from mi.cli.governed import pass_gate
    from mi.contract.arguments import LIMITS
    from mi.contract.memory_tools import WriteInput, write_kind

    first = text.partition("\n")[0]
    summary = first if len(first) <= LIMITS["summary"] else first[: LIMITS["summary"]].rpartition(" ")[0] or first
    detail = text.removeprefix(summary).strip("\n")
    given = WriteInput(type=_TYPES.get(args.kind, args.kind), summary=summary, detail=detail)
    return pass_gate(context, args, lambda session: write_kind(session, given, args.kind, for_team=for_team))


def _for_team(context: HomeContext, args: Args, text: str) -> tuple[dict[str, Any], str]:
    """Keep a word in the team's files and, where a hub is joined, for the hub; there it needs no files."""
    from mi.app.hub import is_sharing
    from mi.app.remember import write_down
    from mi.kernel.errors import NotFound, UsageError

    if not text:
        raise UsageError("empty-text", field="text")
    fields: dict[str, Any] = {"reach": "team"}
    shares = is_sharing(context)
    try:
        kept = write_down(context, args.kind, text, args.name, force=args.force)
        fields |= {"id": kept.name, "path": kept.path, "proposal": kept.is_proposal}
    except NotFound:
        if not shares:
            raise
        kept = None
    if shares:
        shared = _keep(context, args, text, for_team=True)
        fields = {"id": shared.id, "path": "", "proposal": False} | fields | {"shared": shared.id, "undo": shared.undo}
    said = "remember.shared" if kept is None else "remember.proposed" if kept.is_proposal else "remember.team"
    return fields, said
