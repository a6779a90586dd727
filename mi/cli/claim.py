"""`mi claim`: what MI holds to be true, wanted or likely."""

from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.cli import thoughts
from mi.cli.arguments import Args, Group, Parser, add_cd, add_json, count, share
from mi.cli.output import Output, Progress, show_waiting
from mi.kernel.safe_text import shorten_gist

if TYPE_CHECKING:
    from mi.learning.knowledge import Knowledge


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group("mi claim", "Claims: facts, preferences, assumptions and goals.", "mi claim list --tag values:base")
    group.add("list", "list claims", "mi claim list --type preference --contains tests", _list, _fill_list)
    group.add("show", "show a claim", "mi claim show cl_… --json --graph --depth 2", _show, thoughts.add_show)
    group.add(
        "retract",
        "take a claim back",
        "mi claim retract cl_… --scope project",
        _retract,
        thoughts.add_retract,
        person_only=True,
    )
    example = 'mi claim supersede cl_… --text "Use pytest."'
    group.add("supersede", "replace a claim", example, _supersede, _fill_supersede, person_only=True)
    same = "mi claim same-as cl_dup… cl_kept…"
    group.add("same-as", "say that a claim is a duplicate", same, _same_as, _fill_same_as, person_only=True)
    apply = "mi claim apply-suggested ls_… --dry-run"
    group.add("apply-suggested", "learn what was suggested", apply, _apply, _fill_apply, person_only=True)
    group.add("mine", "look for claims in the latest run", "mi claim mine --json", _mine, _fill_mine)
    confirm = "mi claim confirm cl_…"
    group.add("confirm", "say that facts from agents' work hold", confirm, _settle, _fill_settle, person_only=True)
    group.add("drop", "say that they do not", "mi claim drop cl_…", _settle, _fill_settle, person_only=True)
    return group.parser


def _fill_list(parser: Parser) -> None:
    from mi.knowledge.thoughts.kinds import CLAIM_TYPES

    thoughts.add_filters(parser, CLAIM_TYPES)


def _fill_supersede(parser: Parser) -> None:
    parser.add_argument("ref", metavar="id", help="the claim's id")
    from mi.knowledge.thoughts.kinds import CLAIM_TYPES

    parser.add_argument("--text", required=True, help="what holds instead; type and tags stay")
    parser.add_argument("--claim-type", choices=CLAIM_TYPES, help="what it is (default: as before)")
    parser.add_argument("--tag", action="append", metavar="TAG", help="a tag instead of those of before; several: all")
    parser.add_argument("--valid-from", metavar="TIME", help="from when it holds (default: as before)")
    parser.add_argument("--valid-to", metavar="TIME", help="until when it holds (default: as before)")
    thoughts.add_details(parser)
    thoughts.add_where(parser, writes=True)


def _fill_same_as(parser: Parser) -> None:
    parser.add_argument("duplicate", help="the id that leads to the other from now on")
    parser.add_argument("canonical", help="the id that stays")
    parser.add_argument("--notes", metavar="TEXT", help="what to know about it")
    thoughts.add_where(parser, writes=True)


def _fill_apply(parser: Parser) -> None:
    parser.add_argument("ref", metavar="ls_…", help="the suggestion's id, from `mi inbox`")
    parser.add_argument("--dry-run", action="store_true", help="show what would be stored, store nothing")
    parser.add_argument("--extra-rationale", metavar="TEXT", default="", help="why you want it, beside what was said")
    parser.add_argument("--force", action="store_true", help="also what was settled before, or stands already")
    add_cd(parser)
    add_json(parser)


def _fill_mine(parser: Parser) -> None:
    parser.add_argument("--max-claims", type=count, metavar="N", help="at most so many (default: the config's)")
    parser.add_argument("--min-confidence", type=share, metavar="N", help="as sure as this (default: the config's)")
    add_cd(parser)
    add_json(parser)


def _fill_settle(parser: Parser) -> None:
    parser.add_argument("ids", nargs="*", metavar="id", help="of the facts (default: all that `mi inbox` shows)")
    add_cd(parser)
    add_json(parser)


def _settle(context: HomeContext, args: Args) -> int:
    from mi.app.mined_facts import settle_facts

    context.use_project()
    settled = settle_facts(context, args.ids, is_true=args.command == "confirm")
    out = Output(context.language)
    if args.json:
        out.json({"settled": settled, "confirmed": args.command == "confirm"})
    else:
        out.say(f"claim.{args.command}", count=len(settled))
    return 0


def _list(context: HomeContext, args: Args) -> int:
    return thoughts.show_list(context, args, "claim")


def _show(context: HomeContext, args: Args) -> int:
    return thoughts.show_one(context, args, "claim")


def _retract(context: HomeContext, args: Args) -> int:
    from mi.app.undo import retract_at

    event_id = retract_at(thoughts.open_editor(context, args), args.ref, "claim", args.rationale)
    return thoughts.describe_stored(
        context, args, "thoughts.retracted", ref=args.ref, scope=args.scope, event_id=event_id
    )


def _supersede(context: HomeContext, args: Args) -> int:
    from mi.knowledge.thoughts.editor import supersede

    for flag, said in (("--valid-from", args.valid_from), ("--valid-to", args.valid_to)):
        if said is not None:
            thoughts.parse_time(flag, said)
    changed = thoughts.read_details(args, "claim_type", "valid_from", "valid_to", "visibility", "notes")
    if args.tag is not None:
        changed["tags"] = [tag.strip() for tag in args.tag if tag.strip()]
    event_id, new = supersede(thoughts.open_editor(context, args), args.ref, args.text, changed)
    fields = {"ref": args.ref, "claim_id": new.claim_id, "scope": args.scope, "event_id": event_id}
    return thoughts.describe_stored(context, args, "thoughts.superseded", **fields)


def _same_as(context: HomeContext, args: Args) -> int:
    from mi.knowledge.thoughts.editor import same_as

    event_id, edge = same_as(
        thoughts.open_editor(context, args), args.duplicate, args.canonical, thoughts.read_details(args, "notes")
    )
    ends = {"duplicate": args.duplicate, "canonical": args.canonical}
    fields = {**ends, "edge_id": edge.edge_id, "scope": args.scope, "event_id": event_id}
    return thoughts.describe_stored(context, args, "thoughts.same-as", **fields)


def _apply(context: HomeContext, args: Args) -> int:
    from mi.app.learning import build_knowledge
    from mi.learning import answering

    out = Output(context.language)
    log = context.project_home.evidence
    progress = Progress(out, "progress.indexing")
    suggested = answering.find(log, context.evidence_index, args.ref, progress, context.notices, args.force)
    wish = answering.ApplyingWish(args.extra_rationale, args.force)
    planned = answering.plan(build_knowledge(context), suggested, wish)
    shown: dict[str, Any] = {"suggestion_id": args.ref, "scope": planned.scope, "text": suggested.text}
    if args.dry_run:
        shown |= {"dry_run": True, "merges_into": [] if planned.claim else planned.claim_ids}
        key = "suggestion.would-apply" if planned.claim else "suggestion.would-merge"
        claims = " ".join(planned.claim_ids)
    else:
        stored = answering.apply(build_knowledge(context), suggested, context.open_project_log, wish)
        shown |= {"event_id": stored.event_id, "applied_claim_ids": stored.applied_claim_ids}
        key, claims = "suggestion.applied", " ".join(stored.applied_claim_ids)
    if args.json:
        out.json(shown)
    else:
        fields = {"text": suggested.text, "scope": planned.scope, "event_id": shown.get("event_id", "")}
        out.say(key, id=args.ref, claims=claims, **fields)
    return 0


def _limit_mining(knowledge: "Knowledge", args: Args) -> "Knowledge":
    """Return what learning stands on, with the limits that were given in place of the config's."""
    from msgspec.structs import replace

    given = {"max_claims_per_checkpoint": args.max_claims, "min_confidence": args.min_confidence}
    limits = replace(knowledge.runtime.thought_db, **{name: one for name, one in given.items() if one is not None})
    return knowledge._replace(runtime=replace(knowledge.runtime, thought_db=limits))


def _mine(context: HomeContext, args: Args) -> int:
    from mi.app.learning import build_knowledge, build_mind
    from mi.learning.mine_command import mine_latest

    out = Output(context.language)
    mind = build_mind(context)
    knowledge = _limit_mining(build_knowledge(context), args)
    with show_waiting(out, mind.name):
        stored = mine_latest(knowledge, context.open_project_log(), mind)
    if args.json:
        names = ("event_id", "state", "applied_claim_ids", "merged_claim_ids", "dropped")
        out.json({name: getattr(stored, name) for name in names} | {"mind": mind.name})
        return 0
    thoughts_now = knowledge.thoughts()
    for claim_id in stored.applied_claim_ids:
        claim = thoughts_now.get(claim_id)
        out.beside(f"{claim_id}  ", shorten_gist(str(claim.raw.get("text")), 100) if claim else "")
    for note in stored.dropped:
        out.say("mining.left-out", note=note)
    key = "mining.done" if stored.applied_claim_ids else "mining.by-rules" if mind.name == "rules" else "mining.nothing"
    out.say(key, count=len(stored.applied_claim_ids), event_id=stored.event_id)
    return 0
