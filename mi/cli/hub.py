"""`mi hub`: where the homes of a team meet."""

import os
import sys
from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Group, Parser, add_json
from mi.cli.output import Output

if TYPE_CHECKING:
    from mi.app.hub import HubStatus

SECRET = "MI_HUB_SECRET"


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    summary = "A PostgreSQL in which a team shares knowledge, questions and runs; without a word: how it stands."
    group = Group("mi hub", summary, "mi hub join 'host=db.example dbname=mi user=mi_x_ana'", _status)
    add_json(group.parser)
    init = "make the hub in a database of yours, or bring it up to date"
    group.add("init", init, "mi hub init 'host=db.example dbname=mi user=me'", _init, _fill_dsn, person_only=True)
    invite = "make a login for a member, good for one home"
    group.add("invite", invite, "mi hub invite ana", _invite, _fill_member, person_only=True)
    remove = "lock a member out; what they shared stays"
    group.add("remove", remove, "mi hub remove ana", _remove, _fill_member, person_only=True)
    join = "take part with this home, by the DSN and the secret of an invitation"
    group.add("join", join, "mi hub join 'host=db.example dbname=mi user=…'", _join, _fill_join, person_only=True)
    offer = "let your workers (mi worker --hub) take up tasks that others queued for others"
    group.add("offer", offer, "mi hub offer", _offer, _fill_offer, person_only=True)
    group.add("leave", "take part no longer", "mi hub leave", _leave, _fill_leave, person_only=True)
    group.add("status", "who takes part, and what waits to go there or to come", "mi hub status", _status, add_json)
    return group.parser


def _fill_dsn(parser: Parser) -> None:
    parser.add_argument("dsn", metavar="DSN", help="libpq's words or URL, without a password")
    add_json(parser)


def _fill_member(parser: Parser) -> None:
    parser.add_argument("member", help="their name: small letters, digits, - and _")
    parser.add_argument("--dsn", default="", metavar="DSN", help="of the hub's owner (default: that of mi hub init)")
    add_json(parser)


def _fill_join(parser: Parser) -> None:
    parser.add_argument("dsn", metavar="DSN", nargs="?", default="", help="from the invitation")
    parser.add_argument("--again", action="store_true", help="as another home: this one is a copy of one that joined")
    add_json(parser)


def _fill_leave(parser: Parser) -> None:
    parser.add_argument("--yes", action="store_true", help="do not ask")
    add_json(parser)


def _fill_offer(parser: Parser) -> None:
    parser.add_argument("--stop", action="store_true", help="offer it no longer")
    add_json(parser)


def _offer(context: HomeContext, args: Args) -> int:
    from mi.hub.membership import offer

    state = offer(context.home, context.notices, not args.stop)
    fields = {"member": state.member, "offers": not args.stop}
    return _tell(context, args, fields, "hub.offers-no-more" if args.stop else "hub.offers")


def _init(context: HomeContext, args: Args) -> int:
    from mi.hub.membership import make_hub

    made = make_hub(context.home, context.notices, args.dsn)
    said = "hub.made" if made.steps else "hub.up-to-date"
    return _tell(context, args, {"hub_id": made.hub_id, "steps": made.steps}, said, count=len(made.steps))


def _invite(context: HomeContext, args: Args) -> int:
    from mi.hub.membership import invite

    given = invite(context.home, context.notices, args.member, args.dsn)
    if args.json:
        sys.stdout.write(_show_secret({"member": args.member, "dsn": given.dsn, "secret": given.secret}))
        return 0
    out = Output(context.language)
    out.say("hub.invited", member=args.member, dsn=given.dsn)
    sys.stdout.write(f"  {given.secret}\n")  # the one time that a secret is to be seen
    return 0


def _show_secret(value: dict[str, Any]) -> str:
    from mi.kernel.state import encode_pretty

    return encode_pretty(value).decode()


def _remove(context: HomeContext, args: Args) -> int:
    from mi.hub.membership import remove

    ended = remove(context.home, context.notices, args.member, args.dsn)
    return _tell(context, args, {"member": args.member, "ended": ended}, "hub.removed")


def _join(context: HomeContext, args: Args) -> int:
    from mi.hub import membership
    from mi.hub.connection import parse_dsn
    from mi.kernel.errors import UsageError

    if args.again:
        state = membership.rejoin(context.home, context.notices)
    elif args.dsn:
        parse_dsn(args.dsn)  # before anybody types a secret
        state = membership.join(context.home, context.notices, args.dsn, _ask_secret(context))
    else:
        raise UsageError("hub-needs-dsn")
    fields = {"hub_id": state.hub_id, "member": state.member, "home_id": state.home_id}
    return _tell(context, args, fields, "hub.joined", share=context.config.hub.share)


def _ask_secret(context: HomeContext) -> str:
    """Return the secret of an invitation: from the environment, else typed unseen."""
    from mi.cli.prompts import at_terminal
    from mi.kernel.errors import UsageError

    if secret := os.environ.get(SECRET):
        return secret
    if not at_terminal(context):
        raise UsageError("hub-needs-secret", name=SECRET)
    from getpass import getpass

    return getpass(Output(context.language).text("hub.ask-secret") + " ").strip()


def _leave(context: HomeContext, args: Args) -> int:
    from mi.cli.prompts import ask_person, is_yes
    from mi.hub.membership import leave
    from mi.kernel.errors import Blocked

    if not args.yes and not is_yes(ask_person(context, Output(context.language).text("hub.ask-leave"))):
        raise Blocked("hub-leave-needs-yes")
    state = leave(context.home, context.notices)
    return _tell(context, args, {"hub_id": state.hub_id, "home_id": state.home_id}, "hub.left")


def _status(context: HomeContext, args: Args) -> int:
    from mi.app.hub import read_status

    found = read_status(context)
    if args.json:
        Output(context.language).json(_describe(found))
    else:
        _show(Output(context.language), found)
    return 0


def _describe(found: "HubStatus") -> dict[str, Any]:
    return found._asdict() | {"members": [one._asdict() for one in found.members]}


def _show(out: Output, found: "HubStatus") -> None:
    out.say("hub.status", member=found.member, where=found.where, share=found.share)
    out.say("hub.status-tls" if found.tls else "hub.status-no-tls")
    out.say("hub.status-waits", out=found.to_push, come=found.to_pull)
    if found.aside:
        out.say("sync.aside", count=found.aside, path=os.path.join("hub", "aside.jsonl"))
    for one in found.members:
        state = "removed" if one.removed else "joined" if one.joined else "invited"
        out.beside(f"  {one.name}  ", out.text(f"hub.member-{state}", homes=one.homes, seen=one.seen))


def _tell(context: HomeContext, args: Args, fields: dict[str, Any], said: str, **more: object) -> int:
    out = Output(context.language)
    if args.json:
        out.json(fields)
    else:
        out.say(said, **(fields | more))
    return 0
