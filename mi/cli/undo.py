"""`mi undo` and `mi redo`: take back what a run or an event taught, and restore it."""

import os
from typing import TYPE_CHECKING

from mi.app import App
from mi.cli.arguments import Args, Parser, add_cd, add_json, command
from mi.cli.output import Output, Progress
from mi.kernel.errors import NotFound
from mi.kernel.text import one_line

if TYPE_CHECKING:
    from mi.evidence.reader import Event
    from mi.learning.undo import Target, UndoPlace


def parser(name: str) -> Parser:
    if name == "redo":
        built = command("mi redo", "Restore what was undone.", "mi redo run_…", _redo)
        built.add_argument("ref", nargs="?", metavar="run_id|ev_…", help="what was undone (default: the latest)")
    else:
        summary = "Show what a run or an event taught; with --apply take it back. Nothing is erased."
        built = command("mi undo", summary, "mi undo run_… --apply", _undo)
        built.add_argument("ref", metavar="run_id|ev_…", help="a run, a command (cli_…) or an event")
        built.add_argument("--apply", action="store_true", help="take it back (default: only show)")
    add_cd(built)
    add_json(built)
    return built


def _undo(app: App, args: Args) -> int:
    from mi.cli.governed import refuse_hands
    from mi.learning.undo import redo, restorable, shown, undo

    if args.apply:
        refuse_hands(app)
    out = Output(app.language)
    event = _first_event(app, out, args.ref)
    target, restores = _target(args.ref, event)
    places = _places(app)
    others = app.other_lessons()
    event_ids: list[str] = []
    if restores:
        changes = [line for one in restorable(places, target, app.notices) for line in one.shown()]
        event_ids = redo(places, target, others, app.notices)["event_ids"] if args.apply else []
    else:
        changes = shown(places, target, others)
        if event is None and not changes:  # a run that taught nothing is no error; one that never was is
            raise NotFound("unknown-run", ref=args.ref)
        event_ids = undo(places, target, others) if args.apply else []
    if args.json:
        out.json({"target": args.ref, "applied": bool(event_ids), "event_ids": event_ids, "taught": changes})
        return 0
    for one in changes:
        do = out.text("undo." + one["do"].replace(" ", "-"))
        out.beside(f"{do}  {one['id']}  ", f"{one_line(one['text'], 90)}  ({one['scope']})")
    key = ("redo." if restores else "undo.") + ("done" if event_ids else "preview" if changes else "nothing")
    ref = target.ref if event_ids else args.ref
    out.say(key, ref=ref, count=len(changes), event_id=" ".join(event_ids))
    return 0


def _redo(app: App, args: Args) -> int:
    from mi.cli.governed import refuse_hands
    from mi.learning.undo import last_undone, redo

    refuse_hands(app)
    out = Output(app.language)
    places = _places(app)
    target = last_undone(places, args.ref, app.notices)
    done = redo(places, target, app.other_lessons(), app.notices)
    if args.json:
        out.json({"target": target.ref} | done)
    else:
        count = len(done["restored"]) + len(done["taken_back"])
        out.say("redo.done", ref=target.ref, count=count, event_id=" ".join(done["event_ids"]))
    return 0


def _target(ref: str, event: "Event | None") -> "tuple[Target, bool]":
    """What is to be undone, and whether that means to restore it: an undo is undone by redoing, a redo by undoing."""
    from mi.learning.undo import Target

    if event is not None and event.head.kind in ("undo", "redo"):
        return Target(str(event.fields().get("target"))), event.head.kind == "undo"
    return Target(ref), False


def _first_event(app: App, out: Output, ref: str) -> "Event | None":
    """The event, or the first of the run or command; an error that says where it is instead."""
    from mi.learning.undo import Target

    first, progress = Target(ref).first, Progress(out, "progress.indexing")
    for log in (app.project_home.evidence, app.home.evidence):
        if (event := app.evidence_index.find(log, first, progress)) is not None:
            return event
    for one in app.home.project_ids():  # only half of it could be undone from here
        log = app.home.project(one).evidence
        if os.path.exists(log) and app.evidence_index.find(log, first, progress) is not None:
            raise NotFound("thought-of-other-project", ref=ref, where=log)
    return None


def _places(app: App) -> "list[UndoPlace]":
    from mi.learning.undo import UndoPlace

    return [
        UndoPlace(app.project_thoughts, app.project_home.evidence, app.open_project_log),
        UndoPlace(app.global_thoughts, app.home.evidence, app.open_global_log),
    ]
