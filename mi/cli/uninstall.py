"""`mi uninstall`: everything that MI put anywhere, out again; with `--purge` its home, too."""

import os
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_json, command
from mi.cli.output import Output, flush
from mi.cli.prompts import ask_person, at_terminal, is_yes
from mi.kernel.errors import Blocked, MiError
from mi.kernel.home import Home

if TYPE_CHECKING:
    from mi.app.fleet_traces import FleetTraces
    from mi.kernel.purge import Purge
    from mi.workflows.uninstall import Cleared

_MOST_NAMED = 20  # kept paths that are named one by one: a home can be a folder full of other things


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    built = command(
        "mi uninstall",
        "Take everything MI put into workspaces and into your agents' settings out again; your MI home stays.",
        "mi uninstall --dry-run",
        _run,
        person_only=True,
    )
    built.add_argument(
        "--workspace", action="append", default=[], metavar="DIR", help="also this one, e.g. moved since"
    )
    built.add_argument("--snapshots", action="store_true", help="also the snapshots of your work trees, each listed")
    built.add_argument("--purge", action="store_true", help="delete the MI home, too: all that MI knows of you")
    built.add_argument("--yes", action="store_true", help="without asking, also work that is not merged")
    built.add_argument("--dry-run", action="store_true", help="print what would go, remove nothing")
    add_json(built)
    return built


def _run(context: HomeContext, args: Args) -> int:
    from mi.workflows.uninstall import clear_everywhere

    traces = _find_traces(context, args)
    plan = _planned(context, args) if args.purge else None
    stay = _take_trees(context, traces) if traces and not args.dry_run else []
    done = clear_everywhere(context.home, args.workspace, context.notices, apply=not args.dry_run)
    for one in done:
        if one.gone:
            context.notices.add("workspace-gone", one.workspace_root)
        if one.error:
            context.notices.add("uninstall-failed", one.workspace_root, reason=one.error)
        for path in one.kept:
            context.notices.add("host-kept", path, root=one.workspace_root)
    if not args.dry_run:
        _forget_setups(context)
    snapshots = _take_snapshots(context, args)
    failed = bool(stay) or any(one.error for one in done)
    if failed:
        plan = None  # the home knows where the rest is
    elif plan is not None and not args.dry_run:
        from mi.kernel.purge import purge

        plan = purge(context.home)
    _note_kept(context, plan)
    _say(context, args, done, plan, snapshots, traces)
    return int(failed)


def _find_traces(context: HomeContext, args: Args) -> "FleetTraces | None":
    """Return the work trees and branches that MI made; Blocked where they hold work and nobody said --yes."""
    if not context.home.exists():
        return None
    from mi.app.fleet_traces import find_traces

    traces = find_traces(context)
    if args.purge and traces.queued and not args.yes and not args.dry_run:
        raise Blocked("uninstall-queued", count=traces.queued)
    if traces.unmerged and not args.yes and not args.dry_run:
        raise Blocked("uninstall-unmerged", names=", ".join(traces.unmerged[:_MOST_NAMED]), count=len(traces.unmerged))
    return traces


def _take_trees(context: HomeContext, traces: "FleetTraces") -> list[str]:
    """Remove the work trees and branches; return those that stay, which is said."""
    from mi.app.fleet_traces import remove_traces

    stay = remove_traces(context, traces)
    for one in stay:
        context.notices.add("tree-stays", one.tree.path, reason=one.stays)
    return [one.tree.path for one in stay]


def _forget_setups(context: HomeContext) -> None:
    """Take out what `mi setup` left in git, and that it was ever called."""
    from mi.app.merge_driver import remove_merge_driver
    from mi.app.setup import hide_own_files
    from mi.hosts.setups import forget_setups, read_setups

    roots = [root for root in read_setups(context.home, context.notices) if os.path.isdir(root)]
    forget_setups(context.home)
    for root in roots:
        remove_merge_driver(root)
        hide_own_files(context, root)


def _take_snapshots(context: HomeContext, args: Args) -> list[str]:
    """Return the snapshots in repositories of known projects that go, or would; those that stay are noticed."""
    from mi.project.known import KnownProjects
    from mi.project.snapshots import find_kept_stores, list_snapshots, remove_snapshots

    named: list[str] = []
    for root in KnownProjects(context.home, context.notices).roots:
        store = next(iter(find_kept_stores(root, "")), None) if os.path.isdir(root) else None
        found = list_snapshots(store) if store else []
        reason = remove_snapshots(store, found) if store and found and args.snapshots and not args.dry_run else ""
        if found and (reason or not args.snapshots):
            context.notices.add("snapshots-stay", root, count=len(found), reason=f": {reason}" if reason else "")
        elif found:
            named += [f"{root} {kept.ref}" for kept in found]
    return named


def _planned(context: HomeContext, args: Args) -> "Purge":
    """Return what a purge deletes, once it may.

    No run goes on, and a person who saw the paths says yes, or said --yes.
    """
    from mi.kernel.purge import find_purge

    _refuse_while_running(context.home)
    plan, out = find_purge(context.home), Output(context.language)
    known = args.dry_run or args.yes or not plan.gone
    for path in plan.gone if (known or at_terminal(context)) and not args.json else []:
        out.line(path)
    flush()
    if known:
        return plan
    question = out.text("uninstall.purge-ask", count=len(plan.gone), home=context.home.root)
    if not is_yes(ask_person(context, question)):
        raise Blocked("purge-unconfirmed", home=context.home.root, count=len(plan.gone))
    return plan


def _note_kept(context: HomeContext, plan: "Purge | None") -> None:
    kept = plan.kept if plan else []
    for path in kept[:_MOST_NAMED]:
        context.notices.add("purge-kept", path)
    if more := len(kept[_MOST_NAMED:]):
        context.notices.add("purge-kept-more", context.home.root, count=more)


def _say(
    context: HomeContext,
    args: Args,
    done: "list[Cleared]",
    plan: "Purge | None",
    snapshots: list[str],
    traces: "FleetTraces | None",
) -> None:
    import msgspec

    out = Output(context.language)
    gone, kept = plan or ([], [])
    trees = [one.tree.path for one in traces.trees] if traces else []
    branches = [f"{one.main} {one.name}" for one in traces.branches] if traces else []
    configs, queued = (traces.configs, traces.queued) if traces else ([], 0)
    if args.json:
        fields = {"applied": not args.dry_run, "workspaces": msgspec.to_builtins(done), "home": context.home.root}
        fields |= {"purged": plan is not None and not args.dry_run, "deleted": gone, "kept": kept}
        out.json(
            fields
            | {"snapshots": snapshots, "work_trees": trees, "branches": branches, "git": configs, "queued": queued}
        )
        return
    for name in [*trees, *branches, *configs, *snapshots]:
        out.line(name)
    for one in done:
        for path in [*one.removed, *one.changed]:
            out.line(os.path.join(one.workspace_root, path))
    if queued:
        out.say("uninstall.queued", count=queued)
    would = "would" if args.dry_run else "done"
    cleared = [one for one in done if one.removed or one.changed]
    if plan is not None:
        out.say(f"uninstall.purge-{would}", count=len(cleared), home=context.home.root, paths=len(gone))
    else:
        out.say(f"uninstall.{would}" if done else "uninstall.nothing", count=len(cleared), home=context.home.root)


def _refuse_while_running(home: Home) -> None:
    from mi.kernel.locks import is_held

    for project_id in home.project_ids():
        if any(map(is_held, home.project(project_id).list_run_locks())):
            raise MiError("purge-running", project=project_id)
