"""`mi proposal`: candidates for cards, and their review."""

from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.app.members import build_agent_member, build_member
from mi.app.thoughts import build_thoughts
from mi.cli.arguments import Args, Group, Parser
from mi.cli.output import Output
from mi.cli.persona import add_where

if TYPE_CHECKING:
    from mi.persona.proposals import ProposalFile


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group("mi proposal", "Proposals: candidates for cards, accepted by somebody else.", "mi proposal list")
    example = 'mi proposal add --type heuristic --title "Migrations go alone" --text "…" --evidence ev_…'
    group.add("add", "propose a card", example, _add, _fill_add)
    group.add("list", "list proposals", "mi proposal list --status pending", _list, _fill_list)
    review = 'mi proposal review proposal-pattern-small-steps --verdict accept --by ada --reason "seen three times"'
    group.add("review", "accept, reject or merge a proposal", review, _review, _fill_review, person_only=_is_humans)
    return group.parser


def _fill_add(parser: Parser) -> None:
    parser.add_argument(
        "--type",
        dest="card_type",
        choices=["axiom", "principle", "heuristic", "pattern"],
        required=True,
        help="the card's type",
    )
    parser.add_argument("--title", default="", help="one line (default with --from: the claim's text)")
    parser.add_argument("--text", default="", help="content, when it applies, when it bends; - reads standard input")
    parser.add_argument(
        "--evidence", action="append", default=[], metavar="REF", help="what it rests on; may be repeated"
    )
    parser.add_argument("--source", default="", help="where it comes from")
    parser.add_argument("--merge-key", default="", help="words joined by hyphens (default: from the title)")
    parser.add_argument("--salience", type=int, default=5, help="1 to 10 (default 5)")
    parser.add_argument(
        "--from", dest="claim", default="", metavar="cl_…", help="propose what a claim says, with its evidence"
    )
    add_where(parser)


def _fill_list(parser: Parser) -> None:
    parser.add_argument(
        "--status",
        choices=["pending", "accepted", "rejected", "merged", "all"],
        default="pending",
        help="default: pending",
    )
    add_where(parser)


def _fill_review(parser: Parser) -> None:
    parser.add_argument("name", help="the proposal's file name")
    parser.add_argument("--verdict", choices=["accept", "reject", "merge"], required=True, help="the decision")
    parser.add_argument("--by", default="", metavar="NAME", help="who decides (default: the member)")
    parser.add_argument("--reason", required=True, help="why")
    parser.add_argument("--into", default="", metavar="ID", help="the card to merge into")
    add_where(parser)


def _add(context: HomeContext, args: Args) -> int:
    from mi.cli.governed import require_leave
    from mi.cli.input_files import read_given_text
    from mi.persona.place import require_persona
    from mi.persona.proposals import propose, record_of

    persona = require_persona(build_member(context, args.member))
    text = read_given_text("-") if args.text == "-" else args.text
    title, evidence = args.title, list(args.evidence)
    tags: list[str] = []
    if args.claim:
        said, refs, tags = _claim(context, args.claim)
        title, text, evidence = title or said, text or said, [args.claim, *refs, *evidence]
    more = {"merge_key": args.merge_key, "salience": args.salience, "source": args.source, "tags": tags}
    require_leave(context, args, "mi proposal add", title or text)
    kept = propose(persona, args.card_type, title, text, evidence, **more)
    stored = context.open_project_log().append(record_of(kept))
    out = Output(context.language)
    if args.json:
        out.json(_shown(kept) | {"event_id": stored.event_id})
    else:
        out.say("proposal.kept", name=kept.name, path=kept.path)
    return 0


def _claim(context: HomeContext, claim_id: str) -> tuple[str, list[str], list[str]]:
    """Text, evidence and tags of a claim."""
    from mi.kernel.errors import NotFound

    found = build_thoughts(context).read("effective").get(claim_id)
    if found is None or found.kind != "claim":
        raise NotFound("unknown-thought", ref=claim_id, scope="effective", kind="claim")
    raw = found.raw
    refs = [ref.get("event_id", "") for ref in raw.get("source_refs", [])]
    return raw.get("text", ""), [ref for ref in refs if ref], list(raw.get("tags", []))


def _shown(one: "ProposalFile") -> dict[str, Any]:
    import msgspec

    fields: dict[str, Any] = msgspec.to_builtins(one.proposal)
    return fields | {"name": one.name, "path": one.path}


def _list(context: HomeContext, args: Args) -> int:
    from mi.persona.place import require_persona
    from mi.persona.proposals import read_all

    found, problems = read_all(require_persona(build_member(context, args.member)))
    for problem in problems:
        context.notices.add("card-unreadable", problem.path)
    chosen = [one for one in found if args.status in ("all", one.proposal.status)]
    out = Output(context.language)
    if args.json:
        out.json([_shown(one) for one in chosen])
        return 0
    for one in chosen:
        proposal = one.proposal
        out.line(f"{one.name}  {proposal.status}  {proposal.title}  ({proposal.proposed_by}, {proposal.date})")
    if not chosen:
        out.say("proposal.none")
    return 0


def _is_humans(context: HomeContext, args: Args) -> bool:
    """Return whether a verdict is the human's of the team."""
    from mi.persona.boot import read_core
    from mi.persona.members import is_human, read_roles

    persona = build_agent_member(context)
    return is_human(read_roles(read_core(persona)["core/boot.md"]), args.by or args.member or persona.member)


def _review(context: HomeContext, args: Args) -> int:
    from mi.app.proposals import review_proposal

    found = review_proposal(context, args.name, args.verdict, args.reason, args.by, args.member, args.into)
    out = Output(context.language)
    if args.json:
        out.json(_shown(found.decided) | {"card": found.card_id, "event_id": found.event_id})
    else:
        status, card = found.decided.proposal.status, found.card_id or "-"
        out.say("proposal.decided", name=found.decided.name, status=status, card=card)
    return 0
