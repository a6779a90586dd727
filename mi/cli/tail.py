"""`mi tail`: the latest evidence or transcript lines, and with -f what comes."""

from typing import TYPE_CHECKING

from mi.app import App
from mi.cli.arguments import Args, Parser, add_cd, add_count, add_json, add_redact, command
from mi.cli.output import Output
from mi.kernel import jsonl
from mi.kernel.errors import NotFound, UsageError
from mi.kernel.text import one_line

if TYPE_CHECKING:
    from mi.evidence.reader import Event
    from mi.evidence.transcripts import Entry

_EVIDENCE_LINES = 20
_TRANSCRIPT_LINES = 200


def parser(name: str) -> Parser:
    built = command("mi tail", "The latest evidence, or the end of the latest transcript.", "mi tail -n 20", _run)
    built.add_argument(
        "target", nargs="?", default="evidence", choices=["evidence", "hands", "mind"], help="default: evidence"
    )
    built.add_argument("-f", "--follow", action="store_true", help="go on printing what comes, until Ctrl-C")
    built.add_argument("--raw", action="store_true", help="print the stored evidence lines")
    built.add_argument("--jsonl", action="store_true", help="print the stored transcript lines")
    built.add_argument("--global", dest="only_global", action="store_true", help="the global evidence only")
    add_count(built, f"lines (default {_EVIDENCE_LINES}, of a transcript {_TRANSCRIPT_LINES})")
    add_cd(built)
    add_json(built)
    add_redact(built)
    return built


def _run(app: App, args: Args) -> int:
    out = Output(app.language)
    if args.target != "evidence":
        if args.only_global or args.raw:
            raise UsageError("only-evidence", target=args.target)
        code = show_transcript(app, out, args, args.target)
    else:
        if args.jsonl:
            raise UsageError("only-transcripts")
        code = _tail_evidence(app, out, args)
    app.note_last()
    return code


def _tail_evidence(app: App, out: Output, args: Args) -> int:
    from mi.evidence.reader import last

    log = app.home.evidence if args.only_global else app.project_home.evidence
    end = jsonl.size(log)
    events = last(log, _EVIDENCE_LINES if args.count is None else args.count, app.notices)
    if args.json and not args.follow:
        out.json([event.fields() for event in events])
        return 0
    for event in events:
        _print_event(out, args, event)
    if not events and not args.follow and not args.raw:
        out.say("tail.nothing", path=log)
    if args.follow:
        _follow_evidence(out, args, log, events[-1].offset + events[-1].length + 1 if events else end)
    return 0


def _follow_evidence(out: Output, args: Args, log: str, start: int) -> None:
    from mi.evidence.reader import parse

    out.flush()
    for line in jsonl.follow(log, start):
        event = parse(line)
        if event is not None:
            _print_event(out, args, event)
            out.flush()


def _print_event(out: Output, args: Args, event: "Event") -> None:
    if args.raw:
        out.raw(event.raw, args.redact)
    elif args.json:
        out.raw(event.raw, True)
    else:
        out.line(event_line(event))


def event_line(event: "Event") -> str:
    """One event on one line: when, what, which batch, the gist, and the id to look further."""
    record = event.record()
    gist = record.headline() if record else one_line(event.raw[:400].decode("utf-8", "replace"), 100)
    batch = f" {event.head.batch_id}" if event.head.batch_id else ""
    return f"{event.head.ts[:19]}  {event.head.kind + batch:<24} {one_line(gist, 96)}  {event.head.event_id}"


def show_transcript(app: App, out: Output, args: Args, kind: str) -> int:
    """The end of the project's latest transcript of a kind."""
    from mi.evidence.transcripts import latest

    folder = app.project_home.hands_transcripts if kind == "hands" else app.project_home.mind_transcripts
    path = latest(folder)
    if path is None:
        raise NotFound("no-transcript", path=folder)
    raw = args.json or getattr(args, "jsonl", False)
    end = jsonl.size(path)
    print_transcript(out, path, args.count, raw, args.redact)
    if getattr(args, "follow", False):
        _follow_transcript(out, path, end, raw, args.redact)
    return 0


def print_transcript(out: Output, path: str, count: int | None, raw: bool, hide_secrets: bool) -> int:
    """The end of one transcript: the agent's lines, or the stored ones."""
    from mi.evidence.transcripts import tail

    for entry in tail(path, _TRANSCRIPT_LINES if count is None else count):
        _print_entry(out, entry, raw, hide_secrets)
    return 0


def _follow_transcript(out: Output, path: str, start: int, raw: bool, hide_secrets: bool) -> None:
    from mi.evidence.transcripts import parse_entry

    out.flush()
    for line in jsonl.follow(path, start):
        _print_entry(out, parse_entry(line.data), raw, hide_secrets)
        out.flush()


def _print_entry(out: Output, entry: "Entry", raw: bool, hide_secrets: bool) -> None:
    if raw:
        out.raw(entry.raw, hide_secrets)
    else:
        out.line(f"{entry.ts[11:19]} {entry.stream:<6} {one_line(entry.line, 2000)}")
