"""Where `mi run` works: in the project, in a work tree of its own, or where it worked before; and what it leaves."""

from collections.abc import Callable

from mi.app.home_context import HomeContext
from mi.app.run import RunOptions
from mi.app.work_trees import begin_tree, find_tree, open_run_context
from mi.cli.arguments import Args
from mi.cli.output import Output
from mi.evidence.records.run import RunEnd
from mi.fleet.tree_registry import WorkTree
from mi.hosts.setups import is_any_set_up
from mi.kernel import git, ids


def find_place(context: HomeContext, args: Args, options: RunOptions) -> tuple[HomeContext, RunOptions]:
    """Return where the run works, and its options with its id."""
    if options.resume is not None:
        from mi.app.tree_run import choose_resumed

        run_id = choose_resumed(context, options.resume)
        return open_run_context(context, run_id, _tell_setup(context, args)), options._replace(resume=run_id)
    if not args.worktree:
        return context, options
    run_id = options.run_id or ids.make_run_id()
    tree = begin_tree(context, run_id, options.task, args.with_changes, _tell_setup(context, args))
    if not args.quiet and not args.json:
        _say_tree(Output(context.language_for(options.task)), tree)
    there = context.at(tree.root)
    if is_any_set_up(context.home):
        from mi.cli.tree_hosts import enter_hosts

        enter_hosts(there)
    return there, options._replace(run_id=run_id)


def _tell_setup(context: HomeContext, args: Args) -> Callable[[str], None]:
    """Return who says which command of the person's makes a work tree ready."""
    out = Output(context.language)
    return lambda command: None if args.quiet or args.json else out.say("tree.setup", command=command)


def _say_tree(out: Output, tree: WorkTree) -> None:
    """Say where a run works and what it shares with the person's own tree."""
    out.say("tree.made", path=tree.root, branch=tree.branch, base=tree.base[:12])
    if tree.links:
        out.say("tree.linked", names=", ".join(tree.links))
    if tree.ports:
        out.say("tree.ports", first=tree.ports, last=tree.ports + tree.port_count - 1)


def print_tree(context: HomeContext, out: Output, end: RunEnd) -> None:
    """Print what a run in a work tree of its own leaves: a commit to bring over, or the tree as it is."""
    tree = find_tree(context, end.run_id)
    if tree is None:
        return
    tip = git.run(tree.path, "rev-parse", "--short", f"refs/heads/{tree.branch}").output.strip()
    is_done = end.status == "done" and not git.list_uncommitted(tree.path)
    key = "tree.committed" if is_done else "tree.stays"
    out.say(key, path=tree.path, branch=tree.branch, commit=tip, run_id=end.run_id)
