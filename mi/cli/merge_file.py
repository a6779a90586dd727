"""`mi merge-file`: the merge driver that git calls for a history or a card that two people changed."""

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_json, command
from mi.cli.output import Output


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    built = command(
        "mi merge-file",
        "Merge two people's .nexus/history.json or card; git calls it.",
        "mi merge-file base.json ours.json theirs.json .nexus/history.json",
        _run,
    )
    built.add_argument("base", metavar="FILE", help="as it was before both")
    built.add_argument("ours", metavar="FILE", help="as we have it; the merge is written there")
    built.add_argument("theirs", metavar="FILE", help="as they have it")
    built.add_argument("path", metavar="PATH", help="which file of the repository it is")
    add_json(built)
    return built


def _run(context: HomeContext, args: Args) -> int:
    from mi.app.merge_driver import merge_file

    merge_file(args.base, args.ours, args.theirs, args.path)
    if args.json:
        Output(context.quiet_language).json({"merged": args.path})
    return 0
