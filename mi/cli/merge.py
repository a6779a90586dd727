"""`mi merge`: the work of a run in a work tree of its own, brought to your branch."""

from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_cd, add_json, command
from mi.cli.output import Output

if TYPE_CHECKING:
    from mi.fleet.merging import MergeWay


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    summary = "Bring the work of a run in a work tree of its own to your branch; conflicts change nothing."
    built = command("mi merge", summary, "mi merge last", _run, person_only=True)
    built.add_argument("which", metavar="run", nargs="?", default="last", help="the run (default: the latest)")
    add_ways(built)
    built.add_argument("--anyway", action="store_true", help="also of a run that is not done, with what it left")
    add_cd(built)
    add_json(built)
    return built


def add_ways(parser: Parser) -> None:
    """Add the flags for how and where to work is brought over."""
    way = parser.add_mutually_exclusive_group()
    way.add_argument(
        "--ff-only", dest="way", action="store_const", const="ff-only", help="only if nothing else moved on"
    )
    way.add_argument("--merge", dest="way", action="store_const", const="merge", help="always by a merge commit")
    way.add_argument(
        "--rebase", dest="way", action="store_const", const="rebase", help="put its commits on top of yours"
    )
    parser.add_argument("--into", default="", metavar="BRANCH", help="to this branch (default: the one you are on)")


def _run(context: HomeContext, args: Args) -> int:
    return bring_over(context, args, args.which, args.anyway)


def bring_over(context: HomeContext, args: Args, run: str, anyway: bool = False) -> int:
    """Bring a run's work over as the flags say, and tell what came."""
    from mi.app.merging import describe_merge, merge_run

    way: MergeWay = args.way or ""
    merged = merge_run(context, run, way, args.into, anyway)
    out, result = Output(context.language), merged.result
    if args.json:
        said = {"run_id": merged.run_id, "branch": merged.branch, "into": merged.into, "way": result.way}
        out.json(said | {"commit": result.commit, "files": result.files, "ticked": merged.ticked})
        return 0
    for line in describe_merge(merged, context.language):
        out.line(line)
    return 0
