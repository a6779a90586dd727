"""`mi uninstall`: everything that MI put anywhere, out again; with `--purge` its home, too."""

import os
import shutil
from typing import TYPE_CHECKING

from mi.app import App
from mi.cli.arguments import Args, Parser, add_json, command
from mi.cli.output import Output
from mi.kernel.errors import MiError
from mi.kernel.home import Home

if TYPE_CHECKING:
    from mi.workflows.uninstall import Cleared


def parser(name: str) -> Parser:
    built = command(
        "mi uninstall",
        "Take everything MI put into workspaces and into your agents' settings out again; your MI home stays.",
        "mi uninstall --dry-run",
        _run,
    )
    built.add_argument(
        "--workspace", action="append", default=[], metavar="DIR", help="also this one, e.g. moved since"
    )
    built.add_argument("--purge", action="store_true", help="delete the MI home, too: all that MI knows of you")
    built.add_argument("--dry-run", action="store_true", help="print what would go, remove nothing")
    add_json(built)
    return built


def _run(app: App, args: Args) -> int:
    from mi.cli.governed import refuse_agent
    from mi.workflows.uninstall import clear_everywhere

    if not args.dry_run:
        refuse_agent("mi uninstall")
    if args.purge:
        _refuse_while_running(app.home)
    done = clear_everywhere(app.home, args.workspace, app.notices, apply=not args.dry_run)
    for one in done:
        if one.gone:
            app.notices.add("workspace-gone", one.workspace_root)
        if one.error:
            app.notices.add("uninstall-failed", one.workspace_root, reason=one.error)
        for path in one.kept:
            app.notices.add("host-kept", path, root=one.workspace_root)
    failed = any(one.error for one in done)
    purged = args.purge and not failed  # the home knows where the rest is
    kept = _purge(app.home) if purged and not args.dry_run else []
    for path in kept:
        app.notices.add("purge-kept", path)
    _say(app, args, done, purged)
    return int(failed)


def _say(app: App, args: Args, done: "list[Cleared]", purged: bool) -> None:
    import msgspec

    out = Output(app.language)
    if args.json:
        fields = {"applied": not args.dry_run, "workspaces": msgspec.to_builtins(done), "home": app.home.root}
        out.json(fields | {"purged": purged and not args.dry_run})
        return
    for one in done:
        for path in [*one.removed, *one.changed]:
            out.line(os.path.join(one.workspace_root, path))
    would = "would" if args.dry_run else "done"
    cleared = [one for one in done if one.removed or one.changed]
    if purged:
        out.say(f"uninstall.purge-{would}", count=len(cleared), home=app.home.root)
    else:
        out.say(f"uninstall.{would}" if done else "uninstall.nothing", count=len(cleared), home=app.home.root)


def _refuse_while_running(home: Home) -> None:
    from mi.kernel.locks import is_held

    for project_id in home.project_ids():
        if is_held(home.project(project_id).run_lock):
            raise MiError("purge-running", project=project_id)


def _purge(home: Home) -> list[str]:
    """Delete what is MI's in its home, and the home when nothing else is in it; what else is."""
    kept = []
    for name in sorted(os.listdir(home.root)) if home.exists() else []:
        path = home.path(name)
        if not Home.is_own(name):
            kept.append(path)
        elif os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)
    if not kept and home.exists():
        os.rmdir(home.root)
    return kept
