"""`mi claim`: what MI holds to be true, wanted or likely."""

from mi.app import App
from mi.cli import thoughts
from mi.cli.arguments import Args, Group, Parser


def parser(name: str) -> Parser:
    group = Group("mi claim", "Claims: facts, preferences, assumptions and goals.", "mi claim list --tag values:base")
    group.add("list", "list claims", "mi claim list --type preference --contains tests", _list, _fill_list)
    group.add("show", "show a claim", "mi claim show cl_… --json --graph --depth 2", _show, thoughts.add_show)
    group.add("retract", "take a claim back", "mi claim retract cl_… --scope project", _retract, thoughts.add_retract)
    example = 'mi claim supersede cl_… --text "Use pytest."'
    group.add("supersede", "replace a claim", example, _supersede, _fill_supersede)
    same = "mi claim same-as cl_dup… cl_kept…"
    group.add("same-as", "say that a claim is a duplicate", same, _same_as, _fill_same_as)
    return group.parser


def _fill_list(parser: Parser) -> None:
    from mi.thoughtdb.kinds import CLAIM_TYPES

    thoughts.add_filters(parser, CLAIM_TYPES)


def _fill_supersede(parser: Parser) -> None:
    parser.add_argument("ref", metavar="id", help="the claim's id")
    parser.add_argument("--text", required=True, help="what holds instead; type and tags stay")
    thoughts.add_where(parser, writes=True)


def _fill_same_as(parser: Parser) -> None:
    parser.add_argument("duplicate", help="the id that leads to the other from now on")
    parser.add_argument("canonical", help="the id that stays")
    thoughts.add_where(parser, writes=True)


def _list(app: App, args: Args) -> int:
    return thoughts.show_list(app, args, "claim")


def _show(app: App, args: Args) -> int:
    return thoughts.show_one(app, args, "claim")


def _retract(app: App, args: Args) -> int:
    from mi.thoughtdb.changes import retract

    event_id = retract(thoughts.desk(app, args), args.ref, "claim", args.rationale)
    return thoughts.stored(app, args, "thoughts.retracted", ref=args.ref, scope=args.scope, event_id=event_id)


def _supersede(app: App, args: Args) -> int:
    from mi.thoughtdb.changes import supersede

    event_id, new = supersede(thoughts.desk(app, args), args.ref, args.text)
    fields = {"ref": args.ref, "claim_id": new.claim_id, "scope": args.scope, "event_id": event_id}
    return thoughts.stored(app, args, "thoughts.superseded", **fields)


def _same_as(app: App, args: Args) -> int:
    from mi.thoughtdb.changes import same_as

    event_id, edge = same_as(thoughts.desk(app, args), args.duplicate, args.canonical)
    ends = {"duplicate": args.duplicate, "canonical": args.canonical}
    fields = {**ends, "edge_id": edge.edge_id, "scope": args.scope, "event_id": event_id}
    return thoughts.stored(app, args, "thoughts.same-as", **fields)
