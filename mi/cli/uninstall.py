"""`mi uninstall`: everything that MI put anywhere, out again; with `--purge` its home, too."""

import os
from typing import TYPE_CHECKING

from mi.app import App
from mi.cli.arguments import Args, Parser, add_json, command
from mi.cli.governed import at_terminal, refuse_agent
from mi.cli.output import Output, flush
from mi.kernel.errors import Blocked, MiError
from mi.kernel.home import Home

if TYPE_CHECKING:
    from mi.kernel.purge import Purge
    from mi.workflows.uninstall import Cleared

_MOST_NAMED = 20  # kept paths that are named one by one: a home can be a folder full of other things


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
    built.add_argument("--yes", action="store_true", help="delete it without asking, e.g. from a script")
    built.add_argument("--dry-run", action="store_true", help="print what would go, remove nothing")
    add_json(built)
    return built


def _run(app: App, args: Args) -> int:
    from mi.workflows.uninstall import clear_everywhere

    if not args.dry_run:
        refuse_agent("mi uninstall")
    plan = _planned(app, args) if args.purge else None
    done = clear_everywhere(app.home, args.workspace, app.notices, apply=not args.dry_run)
    for one in done:
        if one.gone:
            app.notices.add("workspace-gone", one.workspace_root)
        if one.error:
            app.notices.add("uninstall-failed", one.workspace_root, reason=one.error)
        for path in one.kept:
            app.notices.add("host-kept", path, root=one.workspace_root)
    failed = any(one.error for one in done)
    if failed:
        plan = None  # the home knows where the rest is
    elif plan is not None and not args.dry_run:
        from mi.kernel.purge import purge

        plan = purge(app.home)
    _note_kept(app, plan)
    _say(app, args, done, plan)
    return int(failed)


def _planned(app: App, args: Args) -> "Purge":
    """What a purge deletes, once it may: no run goes on, and a person who saw the paths says yes, or said --yes."""
    from mi.cli.prompts import means_yes, word_of_person
    from mi.kernel.purge import find_purge

    _refuse_while_running(app.home)
    plan, out = find_purge(app.home), Output(app.language)
    known = args.dry_run or args.yes or not plan.gone
    for path in plan.gone if (known or at_terminal()) and not args.json else []:
        out.line(path)
    flush()
    if known:
        return plan
    question = out.text("uninstall.purge-ask", count=len(plan.gone), home=app.home.root)
    if not means_yes(word_of_person(question)):
        raise Blocked("purge-unconfirmed", home=app.home.root, count=len(plan.gone))
    return plan


def _note_kept(app: App, plan: "Purge | None") -> None:
    kept = plan.kept if plan else []
    for path in kept[:_MOST_NAMED]:
        app.notices.add("purge-kept", path)
    if more := len(kept[_MOST_NAMED:]):
        app.notices.add("purge-kept-more", app.home.root, count=more)


def _say(app: App, args: Args, done: "list[Cleared]", plan: "Purge | None") -> None:
    import msgspec

    out = Output(app.language)
    gone, kept = plan or ([], [])
    if args.json:
        fields = {"applied": not args.dry_run, "workspaces": msgspec.to_builtins(done), "home": app.home.root}
        out.json(fields | {"purged": plan is not None and not args.dry_run, "deleted": gone, "kept": kept})
        return
    for one in done:
        for path in [*one.removed, *one.changed]:
            out.line(os.path.join(one.workspace_root, path))
    would = "would" if args.dry_run else "done"
    cleared = [one for one in done if one.removed or one.changed]
    if plan is not None:
        out.say(f"uninstall.purge-{would}", count=len(cleared), home=app.home.root, paths=len(gone))
    else:
        out.say(f"uninstall.{would}" if done else "uninstall.nothing", count=len(cleared), home=app.home.root)


def _refuse_while_running(home: Home) -> None:
    from mi.kernel.locks import is_held

    for project_id in home.project_ids():
        if is_held(home.project(project_id).run_lock):
            raise MiError("purge-running", project=project_id)
