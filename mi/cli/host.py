"""`mi host`: workflows as skills in your agents' workspaces, and out again without a trace."""

from typing import TYPE_CHECKING, Any

from mi.app import App
from mi.cli.arguments import Args, Group, Parser, add_cd, add_json
from mi.cli.output import Output

if TYPE_CHECKING:
    from mi.workflows.hosting import Synced


def parser(name: str) -> Parser:
    summary = "Hosts: workspaces in which your agents find the workflows as skills."
    group = Group("mi host", summary, "mi host list")
    group.add("list", "list the hosts and what is bound", "mi host list", _list, _fill)
    group.add("bind", "put the workflows into a host's workspace", "mi host bind claude-code", _bind, _fill_bind)
    group.add("unbind", "take them out again", "mi host unbind claude-code", _unbind, _fill_bind)
    group.add("sync", "bring bound workspaces up to date", "mi host sync", _sync, _fill)
    return group.parser


def _fill(parser: Parser) -> None:
    add_cd(parser)
    add_json(parser)


def _fill_bind(parser: Parser) -> None:
    parser.add_argument("host", help="openclaw, claude-code or codex")
    parser.add_argument("--workspace", metavar="DIR", help="the host's workspace (default: the project's root)")
    _fill(parser)


def _list(app: App, args: Args) -> int:
    import os

    import msgspec

    from mi.hosts.adapters import HOSTS
    from mi.project.overlay import read_overlay

    out = Output(app.language)
    bound = read_overlay(app.home, app.project, app.notices).host_bindings  # all that is needed: it starts at once
    if args.json:
        listed = [msgspec.to_builtins(one) | {"there": os.path.isdir(one.workspace_root)} for one in bound]
        out.json({"hosts": list(HOSTS), "bindings": listed})
        return 0
    for one in bound:
        key = "host.bound" if os.path.isdir(one.workspace_root) else "host.bound-gone"
        out.say(key, host=one.host, root=one.workspace_root, count=len(one.register.symlink_dirs))
    if not bound:
        out.say("host.none", hosts=", ".join(HOSTS))
    app.note_last()
    return 0


def _bind(app: App, args: Args) -> int:
    from mi.hosts.adapters import adapter

    adapter(args.host)
    app.use_project()
    done = [app.bindings.bind(args.host, args.workspace or app.project.root)]
    return _recorded(app, args, done, "bind")


def _unbind(app: App, args: Args) -> int:
    return _recorded(app, args, app.bindings.unbind(args.host, args.workspace), "unbind")


def _sync(app: App, args: Args) -> int:
    out = Output(app.language)
    if not app.bindings.all():
        if args.json:
            out.json({"synced": []})
        else:
            from mi.hosts.adapters import HOSTS

            out.say("host.none", hosts=", ".join(HOSTS))
        return 0
    return _recorded(app, args, app.bindings.sync(), "sync")


def _recorded(app: App, args: Args, done: "list[Synced]", reason: str) -> int:
    import msgspec

    from mi.evidence.records.workflows import HostSync

    synced = [msgspec.to_builtins(one) for one in done]
    app.open_project_log().append(HostSync(reason=reason, results=synced))
    out = Output(app.language)
    if args.json:
        out.json({"synced": synced})
    else:
        report(app, out, synced, reason)
    return 0 if all(one.ok for one in done) else 1


def sync_changed(app: App, scope: str, reason: str) -> list[dict[str, Any]]:
    """After a change of workflows: sync this project's workspaces; after one of a global workflow everybody's."""
    import msgspec

    from mi.workflows.hosting import Bindings, bound_projects, sync_bound

    if not app.config.runtime.workflows.auto_sync_on_change:
        return []
    projects = bound_projects(app.home, app.notices) if scope == "global" else [app.project]
    done: list[dict[str, Any]] = []
    for one in projects:
        writer = app.evidence_writer(app.home.project(one.project_id).evidence)
        done += msgspec.to_builtins(sync_bound(Bindings(app.home, one, app.notices), writer.append, reason))
    return done


def report(app: App, out: Output, synced: list[dict[str, Any]], reason: str = "sync") -> None:
    """One line for each workspace; what failed or was left alone is a notice."""
    key = "host.unbound" if reason == "unbind" else "host.synced"
    for one in synced:
        if one["ok"]:
            counts = {name: len(one[name]) for name in ("workflows", "changed", "removed")}
            out.say(key, host=one["host"], root=one["workspace_root"], **counts)
        else:
            app.notices.add("host-sync-failed", one["workspace_root"], host=one["host"], reason=one["error"])
        for path in one["kept"]:
            app.notices.add("host-kept", path, root=one["workspace_root"])
