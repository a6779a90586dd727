"""`mi seal`: what somebody else did to MI's own files, and whether it counts."""

from typing import Any

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Group, Parser, add_json
from mi.cli.output import Output


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group(
        "mi seal",
        "What somebody else changed in MI's own files; it does not count until you accept it.",
        "mi seal show",
    )
    show = group.add("show", "show what waits for your word", "mi seal show", _show)
    verify = group.add("verify", "read every log and compare it with its seal", "mi seal verify", _verify)
    accept = group.add("accept", "let it count from now on", "mi seal accept", _accept, person_only=True)
    for one in (show, verify, accept):
        add_json(one)
    return group.parser


def _show(context: HomeContext, args: Args) -> int:
    from mi.app.seal import list_unaccepted

    return _tell(context, args, [one._asdict() for one in list_unaccepted(context)], "seal.nothing")


def _verify(context: HomeContext, args: Args) -> int:
    from mi.app.seal import verify_logs

    found = verify_logs(context)
    _tell(context, args, [one._asdict() for one in found], "seal.whole")
    return 1 if found else 0


def _accept(context: HomeContext, args: Args) -> int:
    from mi.app.seal import accept_all

    return _tell(context, args, [one._asdict() for one in accept_all(context)], "seal.nothing", "seal.accepted")


def _tell(context: HomeContext, args: Args, found: list[dict[str, Any]], none: str, heading: str = "") -> int:
    out = Output(context.quiet_language)
    if args.json:
        out.json(found)
        return 0
    for one in found:
        out.line(out.text(f"seal.{one['kind']}", path=one["path"], count=one["number"]))
        for line in one["lines"]:
            out.line(f"  {line}")
    if not found:
        out.say(none)
    elif heading:
        out.say(heading, count=len(found))
    elif any(one["kind"] != "cut" for one in found):
        out.say("seal.how")
    return 0
