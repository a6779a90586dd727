"""`mi session`: what a window leaves for the next."""

from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.members import build_member
from mi.cli.arguments import Args, Group, Parser
from mi.cli.output import Output
from mi.cli.persona import add_where

if TYPE_CHECKING:
    from mi.persona.session_log import SessionEntry


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group("mi session", "Session logs: what was done, decided and comes next.", "mi session show")
    example = 'mi session save --completed "login works" --decision "use sessions :: simpler" --next "write docs"'
    group.add("save", "write an entry to your window's log", example, _save, _fill_save)
    group.add("show", "show a session log", "mi session show --sid k3x9az", _show, _fill_show)
    return group.parser


def _fill_save(parser: Parser) -> None:
    parser.add_argument("--sid", default="", help="your window, as mi persona boot named it (default: a new one)")
    parser.add_argument(
        "--completed", action="append", metavar="TEXT", help='what was done; "" for nothing; may be repeated'
    )
    parser.add_argument(
        "--decision", action="append", metavar="TEXT", help='"decision :: reason"; "" for none; may be repeated'
    )
    parser.add_argument(
        "--next", action="append", metavar="TEXT", help='what comes next; "" for nothing; may be repeated'
    )
    parser.add_argument(
        "--insight", action="append", default=[], metavar="TEXT", help="something worth a card; may be repeated"
    )
    parser.add_argument(
        "--incident", action="append", default=[], metavar="TEXT", help="what went wrong; may be repeated"
    )
    parser.add_argument("--file", default="", help="the whole entry as JSON; - reads standard input")
    add_where(parser)


def _fill_show(parser: Parser) -> None:
    parser.add_argument("--sid", default="", help="a window (default: the latest)")
    add_where(parser)


def _save(context: HomeContext, args: Args) -> int:
    from mi.evidence.records.governed import SessionLog
    from mi.persona.place import require_persona
    from mi.persona.proposals import list_pending
    from mi.persona.session_log import append_entry, check, is_first
    from mi.persona.windows import find_window, log_files, take_slot

    persona = require_persona(build_member(context, args.member))
    entry = _entry(args)
    check(entry)
    first = is_first(log_files(persona))
    log = find_window(persona, args.sid) if args.sid else take_slot(persona)
    number = append_entry(log, entry, first)
    sections = [name for name in entry.__struct_fields__ if getattr(entry, name)]
    stored = context.open_project_log().append(SessionLog(path=log.path, sections=sections, trigger="command"))
    waiting = list_pending(persona)
    out = Output(context.language)
    if args.json:
        names = [one.name for one in waiting]
        out.json(
            {
                "path": log.path,
                "slot": log.slot,
                "sid": log.sid,
                "entry": number,
                "pending_proposals": names,
                "event_id": stored.event_id,
            }
        )
        return 0
    out.say("session.saved", slot=log.slot, number=number, path=log.path)
    for one in waiting:
        out.say("session.proposal", name=one.name, title=one.proposal.title)
    return 0


def _entry(args: Args) -> "SessionEntry":
    import msgspec

    from mi.kernel.errors import UsageError
    from mi.kernel.jsontext import BadJson, decode
    from mi.persona.session_log import LoggedDecision, SessionEntry

    if args.file:
        from mi.cli.input_files import read_given

        try:
            return decode(read_given(args.file), SessionEntry)
        except (BadJson, msgspec.ValidationError) as error:
            raise UsageError("session-file", path=args.file, reason=str(error)) from None
    decisions = None
    if args.decision is not None:
        halves = [one.partition("::") for one in args.decision if one.strip()]
        decisions = [LoggedDecision(text=text.strip(), reason=reason.strip()) for text, _, reason in halves]
    return SessionEntry(
        completed_items=_given(args.completed),
        decisions=decisions,
        next_steps=_given(args.next),
        candidate_insights=args.insight,
        incidents=args.incident,
    )


def _given(texts: list[str] | None) -> list[str] | None:
    return None if texts is None else [text for text in texts if text.strip()]


def _show(context: HomeContext, args: Args) -> int:
    from mi.kernel.errors import NotFound
    from mi.persona.place import read_text, require_persona
    from mi.persona.session_log import HEADINGS, read_sections
    from mi.persona.windows import find_window, log_files

    persona = require_persona(build_member(context, args.member))
    files = log_files(persona)
    if not files:
        raise NotFound("no-session-log", path=persona.path("sessions"))
    log = find_window(persona, args.sid) if args.sid else files[-1]
    text = read_text(persona, log.path) or ""
    out = Output(context.language)
    if args.json:
        sections = read_sections(text, HEADINGS)
        out.json({"path": log.path, "day": log.day, "slot": log.slot, "sid": log.sid, "sections": sections})
        return 0
    out.line(text.rstrip())
    return 0
