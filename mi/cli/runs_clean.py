"""`mi runs clean`: work trees whose work is merged or kept, out of the way."""

from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_json
from mi.cli.output import Output

if TYPE_CHECKING:
    from mi.app.cleaning import CleanedTree


def fill_parser(parser: Parser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("runs", nargs="*", metavar="run", help="only the work trees of these runs, done or not")
    parser.add_argument("--dry-run", action="store_true", help="print what would go, remove nothing")
    add_json(parser)


def clean(context: HomeContext, args: Args) -> int:
    """Remove work trees, and say of each what became of it."""
    from mi.app.cleaning import clean_trees
    from mi.hosts.setups import is_any_set_up

    out = Output(context.language)
    found: list[CleanedTree] = []
    for one in clean_trees(context, args.runs, apply=not args.dry_run):
        found.append(one)
        if not one.stays and not args.dry_run and is_any_set_up(context.home):
            from mi.cli.tree_hosts import leave_hosts

            leave_hosts(context, one.tree.root)
        if not args.json:
            _say(out, one, args.dry_run)
    if args.json:
        out.json({"applied": not args.dry_run, "trees": [_describe(one) for one in found]})
    elif not found:
        out.say("clean.nothing")
    return 0


def _say(out: Output, one: "CleanedTree", is_dry: bool) -> None:
    tree = one.tree
    if one.stays:
        out.say("clean.stays", path=tree.path, why=one.stays)
        return
    branch = out.text("clean.branch-goes" if one.branch_goes else "clean.branch-stays", branch=tree.branch)
    out.say("clean.would" if is_dry else "clean.removed", path=tree.path, branch=branch)
    if one.kept:
        out.say("clean.kept", ref=one.kept)
    elif one.would_keep:
        out.say("clean.would-keep")


def _describe(one: "CleanedTree") -> dict[str, object]:
    tree = one.tree
    said = {"run_id": tree.run_id, "path": tree.path, "branch": tree.branch, "removed": not one.stays}
    return said | {"why": one.stays, "branch_removed": one.branch_goes and not one.stays, "kept": one.kept}
