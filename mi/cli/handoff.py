"""`mi handoff`: a task from one member to another."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.app.members import build_member, check_receiver
from mi.cli.arguments import Args, Group, Parser
from mi.cli.output import Output
from mi.cli.persona import add_where
from mi.kernel.text import show_path

if TYPE_CHECKING:
    from mi.persona.handoffs import Deliverable, HandoffFile


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group("mi handoff", "Handoffs: a task from one member to another.", "mi handoff show")
    example = 'mi handoff new --to ada --task "Add login" --context "see docs/auth.md" --criterion "tests pass"'
    group.add("new", "hand a task over", example, _new, _fill_new)
    for verb, summary in (("send", "send a draft"), ("accept", "take a task on")):
        group.add(verb, summary, f"mi handoff {verb} HO-2026-11-16-001", _move(verb), _fill_move)
    rejected = 'mi handoff reject HO-2026-11-16-001 --reason "which login?"'
    group.add("reject", "give a task back, with the reason", rejected, _move("reject"), _fill_reject)
    done = 'mi handoff done HO-2026-11-16-001 --deliverable "patch:src/login.py:the login form"'
    group.add("done", "hand the work back", done, _move("done"), _fill_done)
    group.add("show", "show a handoff, or all", "mi handoff show HO-2026-11-16-001", _show, _fill_show)
    return group.parser


def _fill_new(parser: Parser) -> None:
    parser.add_argument("--to", required=True, metavar="NAME", help="who gets the task")
    parser.add_argument("--task", required=True, help="what is to be done")
    parser.add_argument("--context", required=True, help="what the receiver must know")
    parser.add_argument("--criterion", action="append", default=[], help="when it counts as done; may be repeated")
    parser.add_argument("--constraint", action="append", default=[], help="what must hold; may be repeated")
    parser.add_argument("--not-in-scope", action="append", default=[], help="what is not asked for; may be repeated")
    parser.add_argument("--draft", action="store_true", help="keep it, send it later")
    add_where(parser)


def _fill_move(parser: Parser) -> None:
    parser.add_argument("id", help="the handoff's id")
    add_where(parser)


def _fill_reject(parser: Parser) -> None:
    parser.add_argument("--reason", default="", help="why")
    _fill_move(parser)


def _fill_done(parser: Parser) -> None:
    parser.add_argument(
        "--deliverable",
        action="append",
        default=[],
        metavar="TYPE:PATH:TEXT",
        help="patch, file, report or config; may be repeated",
    )
    _fill_move(parser)


def _fill_show(parser: Parser) -> None:
    parser.add_argument("id", nargs="?", default="", help="the handoff's id")
    add_where(parser)


def _new(context: HomeContext, args: Args) -> int:
    from mi.persona.handoffs import hand_over
    from mi.persona.place import require_persona

    persona = require_persona(build_member(context, args.member))
    check_receiver(persona, args.to)
    made = hand_over(
        persona,
        args.to,
        args.task,
        context.language_for(args.task),
        send=not args.draft,
        context=args.context,
        acceptance_criteria=args.criterion,
        constraints=args.constraint,
        not_in_scope=args.not_in_scope,
    )
    return _stored(context, args, made)


def _move(verb: str) -> Callable[[HomeContext, Args], int]:
    def run(context: HomeContext, args: Args) -> int:
        from mi.persona.handoffs import State, move
        from mi.persona.place import require_persona

        states: dict[str, State] = {"send": "sent", "accept": "accepted", "reject": "rejected", "done": "done"}
        persona = require_persona(build_member(context, args.member))
        reason = args.reason if verb == "reject" else ""
        delivered = [_deliverable(one) for one in args.deliverable] if verb == "done" else []
        return _stored(context, args, move(persona, args.id, states[verb], persona.member, reason, delivered))

    return run


def _deliverable(text: str) -> "Deliverable":
    import msgspec

    from mi.kernel.errors import UsageError
    from mi.persona.handoffs import Deliverable

    kind, _, rest = text.partition(":")
    path, _, description = rest.partition(":")
    if not path:
        raise UsageError("bad-deliverable", value=text)
    try:
        return msgspec.convert({"type": kind, "path": path, "description": description}, Deliverable)
    except msgspec.ValidationError:
        raise UsageError("bad-deliverable", value=text) from None


def _stored(context: HomeContext, args: Args, one: "HandoffFile") -> int:
    from mi.evidence.records.governed import Handoff as Recorded

    record = Recorded(id=one.id, sender=one.sender, receiver=one.receiver, status=one.status, task=one.task)
    stored = context.open_project_log().append(record)
    out = Output(context.language)
    if args.json:
        import msgspec

        fields: dict[str, Any] = msgspec.to_builtins(one)
        out.json(fields | {"event_id": stored.event_id})
    else:
        out.say("handoff.now", id=one.id, status=one.status, receiver=one.receiver)
    return 0


def _show(context: HomeContext, args: Args) -> int:
    from mi.persona.handoffs import read, read_all
    from mi.persona.place import require_persona

    persona = require_persona(build_member(context, args.member))
    found, problems = ([read(persona, args.id)], []) if args.id else read_all(persona)
    for problem in problems:
        context.notices.add("card-unreadable", problem.path)
    out = Output(context.language)
    if args.json:
        out.json(found[0] if args.id else found)
        return 0
    for one in found:
        out.line(f"{one.id}  {one.status}  {one.sender} → {one.receiver}  {one.task}")
        if args.id:
            for label, items in (
                ("criteria", one.acceptance_criteria),
                ("constraints", one.constraints),
                ("not-in-scope", one.not_in_scope),
            ):
                for item in items:
                    out.line(f"  {out.text('handoff.' + label)}: {item}")
            for delivered in one.deliverables:
                out.line(f"  {delivered.type}: {show_path(delivered.path)} {delivered.description}")
            if one.reason:
                out.line(f"  {out.text('handoff.reason')}: {one.reason}")
    if not found:
        out.say("handoff.none")
    return 0
