"""`mi export` and `mi import`: a project's knowledge as one file."""

from mi.app import App
from mi.cli.arguments import Args, Parser, add_cd, add_json, command
from mi.cli.output import Output, gist

_SHOWN = 20


def parser(name: str) -> Parser:
    if name == "export":
        built = command("mi export", "Write a project's knowledge to one file.", "mi export app.mi.jsonl", _export)
        built.add_argument("path", metavar="FILE", help="where to write it")
    else:
        built = command(
            "mi import",
            "Take in what another home exported; a preview without --apply.",
            "mi import app.mi.jsonl",
            _import,
        )
        built.add_argument("path", metavar="FILE", help="an export")
        built.add_argument("--apply", action="store_true", help="store it; without this only say what is new")
    add_cd(built)
    add_json(built)
    return built


def _export(app: App, args: Args) -> int:
    from mi.learning.transfer import export

    header = export(app.project_thoughts, app.project_home, app.project.key, args.path)
    out = Output(app.language)
    if args.json:
        out.json({"path": args.path, "counts": header.counts, "sha256": header.sha256})
    else:
        out.say("transfer.written", path=args.path, counts=_counts(header.counts))
    return 0


def _import(app: App, args: Args) -> int:
    from mi.learning.transfer import compare, open_parcel, take_in

    parcel = open_parcel(args.path)
    store, place = app.project_thoughts, app.project_home
    taken = compare(parcel, store, place)
    event_id = ""
    if args.apply and taken.size:
        event_id = take_in(taken, parcel, store, place, app.project.project_id, app.open_project_log)
    out = Output(app.language)
    counts = {part: len(found) for part, found in taken.new.items()}
    if args.json:
        out.json({"from": parcel.header.project_key, "new": counts, "known": taken.known, "event_id": event_id})
        return 0
    shown = [(part, one) for part, found in taken.new.items() for one in found if part != "edge"]
    for part, one in shown[:_SHOWN]:
        out.line(f"  {part:<9} {gist(str(one.get('text') or one.get('title') or one.get('name')), 90)}")
    if len(shown) > _SHOWN:
        out.say("transfer.more", count=len(shown) - _SHOWN)
    key = "transfer.taken" if event_id else "transfer.preview" if taken.size else "transfer.nothing"
    out.say(key, counts=_counts(counts), known=taken.known, source=parcel.header.project_key, event_id=event_id)
    return 0


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {part}" for part, count in counts.items() if count) or "0"
