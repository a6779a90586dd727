"""`mi undo` and `mi redo`: take back what a run or an event taught, and restore it."""

from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_cd, add_json, command
from mi.cli.output import Output, Progress, flush
from mi.kernel.safe_text import shorten_gist
from mi.kernel.text import pad

if TYPE_CHECKING:
    from mi.app.undo import Undoing, UndoPreview

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
    from mi.app.run_names import find_run_id

    out, undoing = _begin(context)
    ref = undoing.find_last() if args.ref == "last" else find_run_id(context, args.ref)
    found = undoing.preview(ref)
    if found.restores:
        return _restore(context, args, out, undoing, found, ref)
    if not args.json:
        _show(out, found)
    wanted = args.apply or (bool(found.changes) and _agrees(context, out, args, "undo.ask", ref, len(found.changes)))
    event_ids = undoing.take_back(found.ref) if wanted else []
    if args.json:
        told = {"target": ref, "applied": bool(event_ids), "event_ids": event_ids, "taught": found.changes}
        out.json(told | {"cited_by": [one._asdict() for one in found.reach]})
        return 0
    key = "undo." + ("done" if event_ids else "preview" if found.changes else "nothing")
    out.say(key, ref=ref, count=len(found.changes), event_id=" ".join(event_ids))
    return 0


def _redo(context: HomeContext, args: Args) -> int:
    out, undoing = _begin(context)
    found = undoing.preview_restoring(undoing.find_last_undone(None if args.ref == "last" else args.ref))
    return _restore(context, args, out, undoing, found, found.ref)


def _begin(context: HomeContext) -> "tuple[Output, Undoing]":
    from mi.app.undo import Undoing

    out = Output(context.language)
    return out, Undoing(context, Progress(out, "progress.indexing"))


def _restore(context: HomeContext, args: Args, out: Output, undoing: "Undoing", found: "UndoPreview", ref: str) -> int:
    """Show what was undone, and restore it once that is wanted; `ref` is what the person named."""
    if not args.json:
        _show(out, found)
    count = len(found.changes)
    wanted = args.apply or (bool(count) and _agrees(context, out, args, "redo.ask", found.ref, count))
    done = undoing.restore(found.ref) if wanted else {"event_ids": [], "restored": [], "taken_back": []}
    applied = bool(done["event_ids"])
    if args.json:
        told = {"target": found.ref if args.run is _redo else ref, "applied": applied}
        out.json(told | done | ({} if args.run is _redo else {"taught": found.changes}))
        return 0
    key = "redo." + ("done" if applied else "preview" if count else "nothing")
    command_line = f"mi redo {found.ref}" if args.run is _redo else f"mi undo {ref}"
    event_id = " ".join(done["event_ids"])
    out.say(key, ref=found.ref if applied else ref, count=count, event_id=event_id, command=command_line)
    return 0


def _agrees(context: HomeContext, out: Output, args: Args, key: str, ref: str, count: int) -> bool:
    """Return whether the person at the terminal says yes; nobody is asked for a program."""
    from mi.cli.prompts import ask_person, is_yes

    if args.json:
        return False
    flush()
    return is_yes(ask_person(context, out.text(key, ref=ref, count=count)))


def _show(out: Output, preview: "UndoPreview") -> None:
    reach = preview.reach
    for one in preview.changes:
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
