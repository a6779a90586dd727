"""`mi card`: verified pieces of what the team knows."""

from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.app.members import build_member
from mi.cli.arguments import Args, Group, Parser
from mi.cli.output import Output
from mi.cli.persona import add_where

if TYPE_CHECKING:
    from mi.persona.cards import CardFile

_MUST = ("boot", "must")  # ways of reading that a task does not go on without


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group("mi card", "Cards: what the team has learned and verified.", "mi card list")
    listed = group.add("list", "list the cards, the most salient first", "mi card list --status all", _list)
    listed.add_argument(
        "--status", choices=["active", "archived", "deprecated", "all"], default="active", help="default: active"
    )
    show = group.add("show", "show a card", "mi card show P-001", _show)
    show.add_argument("id", help="the card's id")
    match = group.add("match", "which cards bear on a task", 'mi card match "migrate the database"', _match)
    match.add_argument("task", nargs="+", help="the task in words")
    health = group.add("health", "how salience is spread", "mi card health", _health)
    index = group.add("index", "write the card index anew", "mi card index", _index)
    archive = group.add("archive", "take a card out of use; its file stays", "mi card archive H-003", _archive)
    archive.add_argument("id", help="the card's id")
    archive.add_argument("--deprecated", action="store_true", help="it was wrong, not only old")
    for one in (listed, show, match, health, index, archive):
        add_where(one)
    return group.parser


def _cards(context: HomeContext, args: Args) -> "list[CardFile]":
    from mi.persona.cards import read_cards
    from mi.persona.place import require_persona

    found, problems = read_cards(require_persona(build_member(context, args.member)))
    for one in problems:
        context.notices.add("card-unreadable", one.path)
    return found


def _shown(one: "CardFile") -> dict[str, Any]:
    import msgspec

    fields: dict[str, Any] = msgspec.to_builtins(one.card)
    return fields | {"path": one.path}


def _list(context: HomeContext, args: Args) -> int:
    found = [one for one in _cards(context, args) if args.status in ("all", one.card.status)]
    found.sort(key=lambda one: -one.card.salience)
    out = Output(context.language)
    if args.json:
        out.json([_shown(one) for one in found])
        return 0
    for one in found:
        _line(out, one)
    if not found:
        out.say("persona.no-cards")
    return 0


def _line(out: Output, one: "CardFile") -> None:
    card = one.card
    status = "" if card.status == "active" else f", {card.status}"
    out.line(f"{card.id:<6} {card.salience:>2}  {card.title}  ({card.merge_key}{status})")


def _show(context: HomeContext, args: Args) -> int:
    from mi.persona.cards import find_card

    one = find_card(_cards(context, args), args.id)
    out = Output(context.language)
    if args.json:
        out.json(_shown(one) | {"body": one.body})
        return 0
    _line(out, one)
    out.line()
    out.line(one.body.rstrip())
    return 0


def _match(context: HomeContext, args: Args) -> int:
    from mi.persona.cards import decide_reading, match

    found = match(_cards(context, args), " ".join(args.task))
    out = Output(context.language)
    rows = [(one, shared, decide_reading(one.card, matched=True)) for one, shared in found]
    if args.json:
        out.json([_matched(*row) for row in rows])
        return 0
    for one, _, how in rows:
        _line(out, one)
        if how in _MUST:
            out.line("       " + out.text("persona.must-read", id=one.card.id))
    if not rows:
        out.say("persona.no-match")
    return 0


def _matched(one: "CardFile", shared: int, how: str) -> dict[str, Any]:
    must = how in _MUST
    row = _shown(one) | {"shared": shared, "read": how, "must_read": must}
    return row | {"body": one.body} if must else row


def _health(context: HomeContext, args: Args) -> int:
    from mi.persona.cards import measure_health

    found = measure_health(_cards(context, args))
    out = Output(context.language)
    if args.json:
        out.json(found)
        return 0
    spread: Any = found["spread"]
    for level, count in spread.items():
        out.line(f"{level:>3}  {'█' * min(count, 60)}{' ' if count else ''}{count}")
    out.say(
        "persona.calibrate" if found["warning"] else "persona.healthy", middle=found["middle"], active=found["active"]
    )
    return 0


def _index(context: HomeContext, args: Args) -> int:
    from mi.persona.cards import find_duplicates, write_index

    found = _cards(context, args)
    twice = find_duplicates(found)
    out = Output(context.language)
    if twice:
        from mi.kernel.errors import MiError

        raise MiError(twice[0].code, **({"path": twice[0].path} | twice[0].details))
    written = write_index(build_member(context, args.member), found)
    if args.json:
        out.json({"cards": len(found), "written": written})
    else:
        out.say("persona.indexed" if written else "persona.index-same", count=len(found))
    return 0


def _archive(context: HomeContext, args: Args) -> int:
    from mi.cli.governed import require_leave
    from mi.persona.cards import archive

    require_leave(context, args, "mi card archive", args.id)
    one = archive(build_member(context, args.member), args.id, "deprecated" if args.deprecated else "archived")
    out = Output(context.language)
    if args.json:
        out.json(_shown(one))
    else:
        out.say("persona.archived", id=one.card.id, status=one.card.status)
    return 0
