"""`mi export` and `mi import`: a project's knowledge as one file."""

from mi.app.home_context import HomeContext
from mi.app.thoughts import build_thoughts
from mi.cli.arguments import Args, Parser, add_cd, add_json, command
from mi.cli.output import Output
from mi.kernel.safe_text import shorten_gist
from mi.kernel.text import pad

_SHOWN = 20


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    if name == "export":
        built = command("mi export", "Write a project's knowledge to one file.", "mi export app.mi.jsonl", _export)
        built.add_argument("path", metavar="FILE", help="where to write it; - for standard output")
    else:
        built = command(
            "mi import",
            "Take in what another home exported; a preview without --apply.",
            "mi import app.mi.jsonl",
            _import,
            person_only=True,
        )
        built.add_argument("path", metavar="FILE", help="an export; - for standard input")
        built.add_argument("--apply", action="store_true", help="store it; without this only say what is new")
    add_cd(built)
    add_json(built)
    return built


def _export(context: HomeContext, args: Args) -> int:
    from mi.learning.transfer import export, pack

    packed = pack(build_thoughts(context).own, context.project_home, context.project.key)
    if packed.left_out:
        context.notices.add("export-left-out", context.project_home.root, count=packed.left_out)
    out = Output(context.language)
    if args.path == "-":
        out.raw(packed.data.rstrip(b"\n"), False)
        return 0
    export(packed, args.path)
    header = packed.header
    if args.json:
        out.json({"path": args.path, "counts": header.counts, "sha256": header.sha256, "left_out": packed.left_out})
    else:
        out.say("transfer.written", path=args.path, counts=_counts(out, header.counts))
    return 0


def _import(context: HomeContext, args: Args) -> int:
    from mi.learning.transfer import compare, read_parcel, take_in

    parcel = read_parcel(args.path)
    store, place = build_thoughts(context).own, context.project_home
    taken = compare(parcel, store, place)
    event_id = ""
    if args.apply and taken.size:
        event_id = take_in(taken, parcel, store, place, context.project.project_id, context.open_project_log)
        if taken.new.get("workflow"):
            from mi.cli.host import sync_changed

            sync_changed(context, "project", "import")
    out = Output(context.language)
    counts = {part: len(found) for part, found in taken.new.items()}
    if args.json:
        out.json({"from": parcel.header.project_key, "new": counts, "known": taken.known, "event_id": event_id})
        return 0
    shown = [(part, one) for part, found in taken.new.items() for one in found if part != "edge"]
    for part, one in shown[:_SHOWN]:
        said = shorten_gist(str(one.get("text") or one.get("title") or one.get("name")), 90)
        out.line(f"  {pad(out.text('transfer.part-' + part), 9)} {said}")
    if len(shown) > _SHOWN:
        out.say("transfer.more", count=len(shown) - _SHOWN)
    key = "transfer.taken" if event_id else "transfer.preview" if taken.size else "transfer.nothing"
    out.say(key, counts=_counts(out, counts), known=taken.known, source=parcel.header.project_key, event_id=event_id)
    return 0


def _counts(out: Output, counts: dict[str, int]) -> str:
    named = [f"{count} {out.text('transfer.part-' + part)}" for part, count in counts.items() if count]
    return ", ".join(named) or "0"
