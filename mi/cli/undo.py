"""`mi undo` and `mi redo`: take back what a run or an event taught, and restore it."""

import os
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.learning import build_other_lessons
from mi.app.thoughts import build_thoughts
from mi.cli.arguments import Args, Parser, add_cd, add_json, command
from mi.cli.output import Output, Progress, flush, shorten_gist
from mi.kernel.errors import NotFound
from mi.kernel.text import pad

if TYPE_CHECKING:
    from mi.evidence.reader import Event
    from mi.learning.reach import Citation
    from mi.learning.undo import OtherLesson, Target, UndoPlace

_MOST_CITING = 20


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    if name == "redo":
        summary = "Show what was undone and would be restored; with --apply, or after a yes, restore it."
        built = command("mi redo", summary, "mi redo run_… --apply", _redo, person_only=True)
        built.add_argument("ref", nargs="?", metavar="last|run_id|ev_…", help="what was undone (default: the latest)")
        built.add_argument("--apply", "--yes", action="store_true", help="restore it (default: ask, or only show)")
    else:
        summary = (
            "Show what a run or an event taught and who cites it; with --apply, or after a yes, take it back. "
            "Nothing is erased."
        )
        built = command("mi undo", summary, "mi undo last", _undo, person_only=True)
        built.add_argument("ref", metavar="last|run_id|ev_…", help="a run, a command (cli_…), an event, or last")
        built.add_argument("--apply", "--yes", action="store_true", help="take it back (default: ask, or only show)")
    add_cd(built)
    add_json(built)
    return built


def _undo(context: HomeContext, args: Args) -> int:
    from mi.app.reach import find_reach
    from mi.app.run_names import find_run_id
    from mi.learning.undo import describe_change, undo

    out = Output(context.language)
    places, others = _places(context), build_other_lessons(context)
    ref = _find_last(context, places, others) if args.ref == "last" else find_run_id(context, args.ref)
    event = _first_event(context, out, ref)
    target, restores = _target(ref, event)
    if restores:
        return _restore(context, args, out, places, others, target, ref)
    changes = describe_change(places, target, others)
    if event is None and not changes:  # a run that taught nothing is no error; one that never was is
        raise NotFound("unknown-run", ref=ref)
    reach = find_reach(context, target, changes, Progress(out, "progress.indexing")) if changes else []
    if not args.json:
        _show(out, changes, reach)
    wanted = args.apply or (bool(changes) and _agrees(context, out, args, "undo.ask", ref, len(changes)))
    event_ids = undo(places, target, others) if wanted else []
    if args.json:
        told = {"target": ref, "applied": bool(event_ids), "event_ids": event_ids, "taught": changes}
        out.json(told | {"cited_by": [one._asdict() for one in reach]})
        return 0
    key = "undo." + ("done" if event_ids else "preview" if changes else "nothing")
    out.say(key, ref=ref, count=len(changes), event_id=" ".join(event_ids))
    return 0


def _redo(context: HomeContext, args: Args) -> int:
    from mi.learning.undo import find_last_undone

    places = _places(context)
    target = find_last_undone(places, None if args.ref == "last" else args.ref, context.notices)
    out, others = Output(context.language), build_other_lessons(context)
    return _restore(context, args, out, places, others, target, target.ref)


def _restore(
    context: HomeContext,
    args: Args,
    out: Output,
    places: "list[UndoPlace]",
    others: "list[OtherLesson]",
    target: "Target",
    ref: str,
) -> int:
    """Show what was undone, and restore it once that is wanted; `ref` is what the person named."""
    from mi.learning.undo import find_restorable, redo

    changes = [line for one in find_restorable(places, target, context.notices) for line in one.shown()]
    if not args.json:
        _show(out, changes, [])
    wanted = args.apply or (bool(changes) and _agrees(context, out, args, "redo.ask", target.ref, len(changes)))
    done = (
        redo(places, target, others, context.notices) if wanted else {"event_ids": [], "restored": [], "taken_back": []}
    )
    applied = bool(done["event_ids"])
    if args.json:
        told = {"target": target.ref if args.run is _redo else ref, "applied": applied}
        out.json(told | done | ({} if args.run is _redo else {"taught": changes}))
        return 0
    key = "redo." + ("done" if applied else "preview" if changes else "nothing")
    command_line = f"mi redo {target.ref}" if args.run is _redo else f"mi undo {ref}"
    out.say(
        key,
        ref=target.ref if applied else ref,
        count=len(changes),
        event_id=" ".join(done["event_ids"]),
        command=command_line,
    )
    return 0


def _agrees(context: HomeContext, out: Output, args: Args, key: str, ref: str, count: int) -> bool:
    """Return whether the person at the terminal says yes; nobody is asked for a program."""
    from mi.cli.prompts import ask_person, is_yes

    if args.json:
        return False
    flush()
    return is_yes(ask_person(context, out.text(key, ref=ref, count=count)))


def _show(out: Output, changes: "list[dict[str, str]]", reach: "list[Citation]") -> None:
    for one in changes:
        do = out.text("undo." + one["do"].replace(" ", "-"))
        out.beside(f"{do}  {one['id']}  ", f"{shorten_gist(one['text'], 90)}  ({one['scope']})")
    if reach:
        out.say("undo.cited-by", count=len(reach))
    for number, found in enumerate(reach):
        if number == _MOST_CITING:
            out.say("undo.more", count=len(reach) - number)
            break
        role = out.text("undo.role-" + found.role.replace("_", "-"))
        out.beside(f"  {pad(out.word(found.kind), 9)} {found.id}  ", f"{shorten_gist(found.text, 80)}  ({role})")


def _find_last(context: HomeContext, places: "list[UndoPlace]", others: "list[OtherLesson]") -> str:
    from mi.learning.undo import find_last_taught

    return find_last_taught(places, others, context.notices).ref


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
