"""`mi trust`: let MI run the checks of this repository itself, as they are shown."""

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_cd, add_json, command
from mi.cli.output import Output

_SHOWN_FILES = 8


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    built = command(
        "mi trust",
        "Let MI run this repository's own checks, in a copy, to prove what agents did; shows the commands.",
        "mi trust",
        _run,
        person_only=True,
    )
    built.add_argument("--team", action="store_true", help="let the rules and cards that it has committed bind as well")
    built.add_argument("--remove", action="store_true", help="trust it no longer")
    built.add_argument("--dry-run", action="store_true", help="print the commands, change nothing")
    add_cd(built)
    add_json(built)
    return built


def _run(context: HomeContext, args: Args) -> int:
    from mi.app.team_files import build_team_files
    from mi.app.trust import find_check_commands, list_team_files, remove_trust, store_team_trust, store_trust

    context.use_project()
    commands, files = find_check_commands(context), list_team_files(context)
    out = Output(context.language)
    binds, team = False, build_team_files(context)
    if not args.dry_run:
        remove_trust(context) if args.remove else store_trust(context, commands)
        binds = not args.remove and bool(files) and wants_team(context, args, out, files)
        if binds and (args.team or not team.is_trusted):
            store_team_trust(context, is_yes=True)
    if args.json:
        told = {"project_root": context.project.root, "commands": commands, "trusted": not args.remove}
        out.json(told | {"team_files": files, "team": binds, "team_unbound": team.list_unbound()})
        return 0
    for line in commands:
        out.line(f"  {line}")
    key = "trust.would" if args.dry_run else "trust.removed" if args.remove else "trust.stored"
    out.say(key, root=context.project.root)
    if files and not args.remove:
        out.say("trust.team" if binds else "trust.team-not", count=len(files))
        if binds and (unbound := team.list_unbound()):
            out.say("trust.unbound", paths=", ".join(unbound))
    return 0


def wants_team(context: HomeContext, args: Args, out: Output, files: list[str]) -> bool:
    """Return whether the person lets what the repository says to a team bind; asked where they sit there."""
    from mi.app.team_files import build_team_files
    from mi.cli.prompts import ask_person, is_yes

    if getattr(args, "team", False) or build_team_files(context).is_trusted:
        return True
    shown = ", ".join(files[:_SHOWN_FILES])
    return not args.json and is_yes(ask_person(context, out.text("trust.ask-team", count=len(files), files=shown)))
