"""`mi repair`: mend what doctor found, and what a merge of two people's work left; nothing can be lost by it."""

from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_cd, add_json, command
from mi.cli.output import Output

if TYPE_CHECKING:
    from mi.evidence.damage import Damage


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
    out = Output(context.quiet_language)
    found = mend_all(context) if args.apply else find_all(context)
    if args.json:
        by_hand = [{} if one.mend else {"by_hand": True} for one in found]
        damage = [
            {"kind": one.key, "path": one.path} | one.details | more for one, more in zip(found, by_hand, strict=True)
        ]
        out.json({"applied": args.apply, "damage": damage})
        return 0
    _print(out, found, args.apply)
    if not found:
        out.say("repair.nothing")
    elif not args.apply and (count := sum(one.mend is not None for one in found)):
        out.say("repair.dry", count=count)
    return 0


def _print(out: Output, found: "list[Damage]", applied: bool) -> None:
    for one in found:
        mark = "! " if one.mend is None else "✓ " if applied else "· "
        out.line(mark + out.text("repair." + one.key, path=one.path, **one.details))


def find_all(context: HomeContext) -> "list[Damage]":
    """Return what is broken in the home or was left by a merge."""
    from mi.app.merge_repair import find_merge_damage
    from mi.evidence.damage import find_damage

    return [*find_damage(context.home), *find_merge_damage(context)]


def mend_all(context: HomeContext) -> "list[Damage]":
    """Mend what can be mended; return all that was found, what is left to a person included."""
    found = find_all(context)
    for one in found:
        if one.mend:
            one.mend()
    return found


def mend_and_tell(context: HomeContext, out: Output) -> None:
    """Mend what can be mended, and say what that was."""
    _print(out, [one for one in mend_all(context) if one.mend], applied=True)
