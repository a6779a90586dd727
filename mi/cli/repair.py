"""`mi repair`: mend what doctor found, and what a merge of two people's work left; nothing can be lost by it."""

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_cd, add_json, command
from mi.cli.output import Output


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    built = command(
        "mi repair",
        "Mend what is broken in the home or left by a merge; a dry run without --apply.",
        "mi repair --apply",
        _run,
    )
    built.add_argument("--apply", action="store_true", help="mend it; without this only say what would be done")
    add_cd(built)
    add_json(built)
    return built


def _run(context: HomeContext, args: Args) -> int:
    from mi.app.merge_repair import find_merge_damage
    from mi.evidence.damage import find_damage

    out = Output(context.quiet_language)
    found = [*find_damage(context.home), *find_merge_damage(context)]
    for one in found if args.apply else []:
        if one.mend:
            one.mend()
    if args.json:
        by_hand = [{} if one.mend else {"by_hand": True} for one in found]
        damage = [
            {"kind": one.key, "path": one.path} | one.details | more for one, more in zip(found, by_hand, strict=True)
        ]
        out.json({"applied": args.apply, "damage": damage})
        return 0
    for one in found:
        mark = "! " if one.mend is None else "✓ " if args.apply else "· "
        out.line(mark + out.text("repair." + one.key, path=one.path, **one.details))
    if not found:
        out.say("repair.nothing")
    elif not args.apply and (count := sum(one.mend is not None for one in found)):
        out.say("repair.dry", count=count)
    return 0
