"""`mi tail`: the latest evidence or transcript lines, and with -f what comes."""

from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_cd, add_count, add_json, add_redact, command
from mi.cli.output import Output, flush
from mi.kernel import jsonl
from mi.kernel.errors import UsageError
from mi.kernel.safe_text import shorten_gist
from mi.kernel.secrets import LOOK_AHEAD
from mi.kernel.text import pad

if TYPE_CHECKING:
    from mi.evidence.reader import Event

_LINES = 20


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    built = command("mi tail", "The latest evidence, or the end of the latest transcript.", "mi tail -n 20", _run)
    built.add_argument(
        "target", nargs="?", default="evidence", choices=["evidence", "hands", "mind"], help="default: evidence"
    )
    built.add_argument("-f", "--follow", action="store_true", help="go on printing what comes, until Ctrl-C")
    built.add_argument("--raw", action="store_true", help="print the stored evidence lines")
    built.add_argument("--jsonl", action="store_true", help="print the stored transcript lines")
    built.add_argument("--run", dest="run_id", metavar="RUN", default="", help="only the evidence of one run")
    built.add_argument("--global", dest="only_global", action="store_true", help="the global evidence only")
    add_count(built, f"lines (default {_LINES}, of a transcript 200)")
    add_cd(built)
    add_json(built)
    add_redact(built)
    return built


def _run(context: HomeContext, args: Args) -> int:
    out = Output(context.language)
    if args.target != "evidence":
        if args.only_global or args.raw or args.run_id:
            raise UsageError("only-evidence", target=args.target)
        from mi.cli.transcripts import show_latest

        show_latest(context, out, args, args.target)
    else:
        if args.jsonl:
            raise UsageError("only-transcripts")
        _tail_evidence(context, out, args)
    return 0


def _tail_evidence(context: HomeContext, out: Output, args: Args) -> None:
    from mi.app.run_names import find_run_id
    from mi.evidence.reader import read_last

    log = context.home.evidence if args.only_global else context.project_home.evidence
    size = jsonl.measure_size(log)
    count = _LINES if args.count is None else args.count
    args.run_id = find_run_id(context, args.run_id)
    events = read_last(log, count, context.notices, lambda event: args.run_id in ("", event.head.run_id))
    if not args.only_global:
        context.note_last()
    if args.json and not args.follow:
        out.json([event.fields() for event in events])
        return
    for event in events:
        _print_event(out, args, event, log)
    if size == 0 and not (args.follow or args.raw):
        out.say("tail.nothing", path=log)
    if args.follow:
        _follow_evidence(out, args, log, _end_of(events[-1], log) if events else size)


def _end_of(event: "Event", log: str) -> int:
    """Return where what follows an event begins; the newline of the last one may be still to come."""
    return min(event.offset + event.length + 1, jsonl.measure_size(log))


def _follow_evidence(out: Output, args: Args, log: str, start: int) -> None:
    from mi.evidence.reader import parse

    flush()
    for line in jsonl.follow(log, start):
        event = parse(line)
        if event is not None and args.run_id in ("", event.head.run_id):
            _print_event(out, args, event, log)
            flush()


def _print_event(out: Output, args: Args, event: "Event", log: str) -> None:
    if args.raw:
        out.raw(jsonl.read_line(log, event.offset) or event.raw, args.redact)
    elif args.json:
        out.json_line(event.fields())
    else:
        out.beside(*format_event(out, event))


def format_event(out: Output, event: "Event") -> tuple[str, str]:
    """Return one event on one line: when, what and which batch; beside it the gist, and the id to look further."""
    record = event.record()
    what = record.headline(out.word) if record else event.raw[: 2 * LOOK_AHEAD].decode("utf-8", "replace")
    kind = shorten_gist(f"{out.word(event.head.kind)} {event.head.batch_id}", 60)
    head = f"{shorten_gist(event.head.ts[:19], 19):<19}  {pad(kind, 24)} "
    return head, f"{shorten_gist(what, 96)}  {shorten_gist(event.head.event_id, 100)}"
