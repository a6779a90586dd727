"""`mi repair`: mend what doctor found, as far as nothing can be lost by it."""

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_json, command
from mi.cli.output import Output


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    built = command(
        "mi repair", "Mend what is broken in the home; a dry run without --apply.", "mi repair --apply", _run
    )
    built.add_argument("--apply", action="store_true", help="mend it; without this only say what would be done")
    add_json(built)
    return built


def _run(context: HomeContext, args: Args) -> int:
    from mi.evidence.damage import find_damage

    out = Output(context.quiet_language)
    found = list(find_damage(context.home))
    for one in found if args.apply else []:
        one.mend()
    if args.json:
        out.json({"applied": args.apply, "damage": [{"kind": one.key, "path": one.path} for one in found]})
        return 0
    for one in found:
        out.line(("✓ " if args.apply else "· ") + out.text("repair." + one.key, path=one.path))
    if not found:
        out.say("repair.nothing")
    elif not args.apply:
        out.say("repair.dry", count=len(found))
    return 0
