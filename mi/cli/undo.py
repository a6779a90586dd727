"""`mi undo` and `mi redo`: take back what a run or an event taught, and restore it."""

import os
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.learning import build_other_lessons
from mi.app.thoughts import build_thoughts
from mi.cli.arguments import Args, Parser, add_cd, add_json, command
from mi.cli.output import Output, Progress
from mi.kernel.errors import NotFound
from mi.kernel.text import fit_one_line

if TYPE_CHECKING:
    from mi.evidence.reader import Event
    from mi.learning.undo import Target, UndoPlace


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    if name == "redo":
        built = command("mi redo", "Restore what was undone.", "mi redo run_…", _redo, person_only=True)
        built.add_argument("ref", nargs="?", metavar="run_id|ev_…", help="what was undone (default: the latest)")
    else:
        summary = "Show what a run or an event taught; with --apply take it back. Nothing is erased."
        built = command("mi undo", summary, "mi undo run_… --apply", _undo, person_only=True)
        built.add_argument("ref", metavar="run_id|ev_…", help="a run, a command (cli_…) or an event")
        built.add_argument("--apply", action="store_true", help="take it back (default: only show)")
    add_cd(built)
    add_json(built)
    return built


def _undo(context: HomeContext, args: Args) -> int:
    from mi.learning.undo import describe_change, find_restorable, redo, undo

    out = Output(context.language)
    event = _first_event(context, out, args.ref)
    target, restores = _target(args.ref, event)
    places = _places(context)
    others = build_other_lessons(context)
    event_ids: list[str] = []
    if restores:
        changes = [line for one in find_restorable(places, target, context.notices) for line in one.shown()]
        event_ids = redo(places, target, others, context.notices)["event_ids"] if args.apply else []
    else:
        changes = describe_change(places, target, others)
        if event is None and not changes:  # a run that taught nothing is no error; one that never was is
            raise NotFound("unknown-run", ref=args.ref)
        event_ids = undo(places, target, others) if args.apply else []
    if args.json:
        out.json({"target": args.ref, "applied": bool(event_ids), "event_ids": event_ids, "taught": changes})
        return 0
    for one in changes:
        do = out.text("undo." + one["do"].replace(" ", "-"))
        out.beside(f"{do}  {one['id']}  ", f"{fit_one_line(one['text'], 90)}  ({one['scope']})")
    key = ("redo." if restores else "undo.") + ("done" if event_ids else "preview" if changes else "nothing")
    ref = target.ref if event_ids else args.ref
    out.say(key, ref=ref, count=len(changes), event_id=" ".join(event_ids))
    return 0


def _redo(context: HomeContext, args: Args) -> int:
    from mi.learning.undo import find_last_undone, redo

    out = Output(context.language)
    places = _places(context)
    target = find_last_undone(places, args.ref, context.notices)
    done = redo(places, target, build_other_lessons(context), context.notices)
    if args.json:
        out.json({"target": target.ref} | done)
    else:
        count = len(done["restored"]) + len(done["taken_back"])
        out.say("redo.done", ref=target.ref, count=count, event_id=" ".join(done["event_ids"]))
    return 0


def _target(ref: str, event: "Event | None") -> "tuple[Target, bool]":
    """Return what is to be undone, and whether that means to restore it: redo is undone by undoing."""
    from mi.learning.undo import Target

    if event is not None and event.head.kind in ("undo", "redo"):
        return Target(str(event.fields().get("target"))), event.head.kind == "undo"
    return Target(ref), False


def _first_event(context: HomeContext, out: Output, ref: str) -> "Event | None":
    """Return the event, or the first of the run or command; an error that says where it is instead."""
    from mi.learning.undo import Target

    first, progress = Target(ref).first, Progress(out, "progress.indexing")
    for log in (context.project_home.evidence, context.home.evidence):
        if (event := context.evidence_index.find(log, first, progress)) is not None:
            return event
    for one in context.home.project_ids():  # only half of it could be undone from here
        log = context.home.project(one).evidence
        if os.path.exists(log) and context.evidence_index.find(log, first, progress) is not None:
            raise NotFound("thought-of-other-project", ref=ref, where=log)
    return None


def _places(context: HomeContext) -> "list[UndoPlace]":
    from mi.learning.undo import UndoPlace

    return [
        UndoPlace(build_thoughts(context).own, context.project_home.evidence, context.open_project_log),
        UndoPlace(build_thoughts(context).shared, context.home.evidence, context.open_global_log),
    ]
