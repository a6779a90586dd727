"""Showing raw transcripts: what the agent printed, without secrets unless the stored lines are asked for."""

from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args
from mi.cli.output import Output, Progress, flush
from mi.kernel import jsonl
from mi.kernel.errors import NotFound
from mi.kernel.safe_text import shorten_gist
from mi.kernel.secret_lines import LineRedactor

if TYPE_CHECKING:
    from mi.evidence.transcripts import TranscriptEntry

_LINES = 200
_LONGEST_KEY = 300  # lines of a private key, which may begin before those that are shown


def show_latest(context: HomeContext, out: Output, args: Args, kind: str, run: str = "") -> None:
    """Print the end of the latest transcript of a kind, of the project or of a run, and with -f what comes."""
    from mi.evidence.transcripts import find_latest

    folder = context.project_home.hands_transcripts if kind == "hands" else context.project_home.mind_transcripts
    path = _find_of_run(context, out, kind, run) if run else find_latest(folder)
    if path is None and run:
        raise NotFound("no-transcript-of", kind=kind, run=run)
    if path is None:
        raise NotFound("no-transcript", path=folder)
    context.note_last()
    show(out, args, path)


def _find_of_run(context: HomeContext, out: Output, kind: str, run: str) -> str | None:
    """Return the latest transcript that the records of a run name."""
    from mi.app.report import find_run_place
    from mi.evidence.reader import read_on

    place = find_run_place(context, run, Progress(out, "progress.indexing"))
    field = {"hands": "transcript_path", "mind": "mind_transcript_ref"}[kind]
    named, found = f'"{field}"'.encode(), ""
    for event in read_on(place.log, place.start, context.notices):
        if event.head.run_id == place.run_id and named in event.raw:
            found = str(event.fields().get(field) or found)
    return context.home.path(found) if found else None


def show(out: Output, args: Args, path: str) -> None:
    """Print the end of one transcript, and with -f what comes."""
    from mi.evidence.transcripts import tail

    if getattr(args, "follow", False):
        _show_coming(out, args, path)
    count = _LINES if args.count is None else args.count
    redactors: defaultdict[str, LineRedactor] = defaultdict(LineRedactor)
    read = [(entry, redactors[entry.stream].hide(entry.line)) for entry in tail(path, count + _LONGEST_KEY)]
    entries = read[max(0, len(read) - count) :]
    if args.json:
        out.json([_fields(entry, line) for entry, line in entries])
        return
    for entry, line in entries:
        _print(out, args, entry, line)


def _show_coming(out: Output, args: Args, path: str) -> None:
    """Print the last lines and then those that come, none left out and none twice."""
    from mi.evidence.transcripts import parse_entry

    redactors: defaultdict[str, LineRedactor] = defaultdict(LineRedactor)
    count = _LINES if args.count is None else args.count
    lines = list(islice(jsonl.read_backward(path), count + _LONGEST_KEY))[::-1]
    start = lines[0].offset if lines else jsonl.measure_size(path)
    unseen = max(0, sum(line.complete for line in lines) - count)
    for number, line in enumerate(jsonl.follow(path, start)):
        entry = parse_entry(line.data)
        shown = redactors[entry.stream].hide(entry.line)
        if number >= unseen:
            _print(out, args, entry, shown)
            flush()


def _print(out: Output, args: Args, entry: "TranscriptEntry", line: str) -> None:
    if getattr(args, "jsonl", False):
        out.raw(_raw(entry, line) if args.redact else entry.raw, args.redact)
    elif args.json:
        out.json_line(_fields(entry, line))
    else:
        out.line(f"{shorten_gist(entry.ts[11:19], 8)} {shorten_gist(entry.stream, 6):<6} {shorten_gist(line, 2000)}")


def _fields(entry: "TranscriptEntry", line: str) -> dict[str, Any]:
    """Return the stored object, its line made safe; of a stored line that is none, the line."""
    from mi.kernel.jsontext import BadJson, decode

    try:
        stored = decode(entry.raw, dict[str, Any])
    except BadJson:
        return {"line": line}
    return stored | ({"line": line} if "line" in stored else {})


def _raw(entry: "TranscriptEntry", line: str) -> bytes:
    if line == entry.line:
        return entry.raw
    import msgspec

    return msgspec.json.encode(_fields(entry, line))
