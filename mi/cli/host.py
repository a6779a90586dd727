"""`mi host`: workflows as skills in your agents' workspaces, and out again without a trace."""

from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.app.workflows import build_bindings
from mi.cli.arguments import Args, Group, Parser, add_cd, add_json
from mi.cli.output import Output

if TYPE_CHECKING:
    from mi.workflows.hosting import Synced


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    summary = "Hosts: workspaces in which your agents find the workflows as skills."
    group = Group("mi host", summary, "mi host list")
    group.add("list", "list the hosts and what is bound", "mi host list", _list, _fill)
    group.add("bind", "put the workflows into a host's workspace", "mi host bind claude-code", _bind, _fill_bind)
    group.add("unbind", "take them out again", "mi host unbind claude-code", _unbind, _fill_unbind)
    group.add("sync", "bring bound workspaces up to date", "mi host sync", _sync, _fill)
    return group.parser


def _fill(parser: Parser) -> None:
    add_cd(parser)
    add_json(parser)


def _fill_bind(parser: Parser) -> None:
    generated = "the workspace's folder for what MI generates (default: .mi/generated/HOST)"
    parser.add_argument("--generated-rel-dir", metavar="DIR", default="", help=generated)
    linked = "the workspace's folder in which the skills are linked (default: where the host looks)"
    parser.add_argument("--symlink-dir", metavar="DIR", default="", help=linked)
    _fill_unbind(parser)


def _fill_unbind(parser: Parser) -> None:
    from mi.hosts.adapters import HOSTS

    *names, last = HOSTS
    parser.add_argument("host", help=f"{', '.join(names)} or {last}")
    parser.add_argument("--workspace", metavar="DIR", help="the host's workspace (default: the project's root)")
    _fill(parser)


def _list(context: HomeContext, args: Args) -> int:
    import os

    import msgspec

    from mi.hosts.adapters import HOSTS
    from mi.project.overlay import read_overlay

    out = Output(context.language)
    bound = read_overlay(
        context.home, context.project, context.notices
    ).host_bindings  # all that is needed: it starts at once
    if args.json:
        listed = [msgspec.to_builtins(one) | {"there": os.path.isdir(one.workspace_root)} for one in bound]
        out.json({"hosts": list(HOSTS), "bindings": listed})
        return 0
    for one in bound:
        key = "host.bound" if os.path.isdir(one.workspace_root) else "host.bound-gone"
        out.say(key, host=one.host, root=one.workspace_root, count=len(one.register.symlink_dirs))
    if not bound:
        out.say("host.none", hosts=", ".join(HOSTS))
    context.note_last()
    return 0


def _bind(context: HomeContext, args: Args) -> int:
    from mi.hosts.adapters import load_adapter

    load_adapter(args.host)
    context.use_project()
    workspace = args.workspace or context.project.root
    done = [build_bindings(context).bind(args.host, workspace, args.generated_rel_dir, args.symlink_dir)]
    return _recorded(context, args, done, "bind")


def _unbind(context: HomeContext, args: Args) -> int:
    return _recorded(context, args, build_bindings(context).unbind(args.host, args.workspace), "unbind")


def _sync(context: HomeContext, args: Args) -> int:
    out = Output(context.language)
    if not build_bindings(context).all():
        if args.json:
            out.json({"synced": []})
        else:
            from mi.hosts.adapters import HOSTS

            out.say("host.none", hosts=", ".join(HOSTS))
        return 0
    return _recorded(context, args, build_bindings(context).sync(), "sync")


def _recorded(context: HomeContext, args: Args, done: "list[Synced]", reason: str) -> int:
    import msgspec

    from mi.evidence.records.workflows import HostSync

    synced = [msgspec.to_builtins(one) for one in done]
    context.open_project_log().append(HostSync(reason=reason, results=synced))
    out = Output(context.language)
    if args.json:
        out.json({"synced": synced})
    else:
        report(context, out, synced, reason)
    return 0 if all(one.ok for one in done) else 1


def sync_changed(context: HomeContext, scope: str, reason: str) -> list[dict[str, Any]]:
    """After a change of workflows: sync this project's workspaces; after one of a global workflow everybody's."""
    import msgspec

    from mi.workflows.hosting import Bindings, list_bound_projects, sync_bound

    if not context.config.runtime.workflows.auto_sync_on_change:
        return []
    projects = list_bound_projects(context.home, context.notices) if scope == "global" else [context.project]
    done: list[dict[str, Any]] = []
    for one in projects:
        writer = context.evidence_writer(context.home.project(one.project_id).evidence)
        done += msgspec.to_builtins(sync_bound(Bindings(context.home, one, context.notices), writer.append, reason))
    return done


def report(context: HomeContext, out: Output, synced: list[dict[str, Any]], reason: str = "sync") -> None:
    """Print one line for each workspace; what failed or was left alone is a notice."""
    key = "host.unbound" if reason == "unbind" else "host.synced"
    for one in synced:
        if one["ok"]:
            counts = {name: len(one[name]) for name in ("workflows", "changed", "removed")}
            out.say(key, host=one["host"], root=one["workspace_root"], **counts)
        else:
            context.notices.add("host-sync-failed", one["workspace_root"], host=one["host"], reason=one["error"])
        for path in one["kept"]:
            context.notices.add("host-kept", path, root=one["workspace_root"])
