"""`mi trust`: let MI run the checks of this repository itself, as they are shown."""

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_cd, add_json, command
from mi.cli.output import Output


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    built = command(
        "mi trust",
        "Let MI run this repository's own checks, in a copy, to prove what agents did; shows the commands.",
        "mi trust",
        _run,
        person_only=True,
    )
    built.add_argument("--remove", action="store_true", help="trust it no longer")
    built.add_argument("--dry-run", action="store_true", help="print the commands, change nothing")
    add_cd(built)
    add_json(built)
    return built


def _run(context: HomeContext, args: Args) -> int:
    from mi.app.trust import find_check_commands, remove_trust, store_trust

    context.use_project()
    commands = find_check_commands(context)
    out = Output(context.language)
    if not args.dry_run:
        remove_trust(context) if args.remove else store_trust(context, commands)
    if args.json:
        out.json({"project_root": context.project.root, "commands": commands, "trusted": not args.remove})
        return 0
    for line in commands:
        out.line(f"  {line}")
    key = "trust.would" if args.dry_run else "trust.removed" if args.remove else "trust.stored"
    out.say(key, root=context.project.root)
    return 0
