"""`mi edge`: how thoughts and events hang together."""

from functools import partial
from itertools import islice

from mi.app.home_context import HomeContext
from mi.cli import thoughts
from mi.cli.arguments import Args, Group, Parser
from mi.cli.output import Output


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group("mi edge", "Edges between thoughts and events.", "mi edge list --type depends_on")
    example = "mi edge create --type depends_on --from ev_… --to cl_…"
    group.add("create", "store an edge", example, _create, _fill_create, person_only=True)
    group.add("list", "list edges", "mi edge list --from ev_… --type depends_on", _list, _fill_list)
    group.add("show", "show an edge", "mi edge show ed_…", _show, _fill_show)
    group.add("retract", "take an edge back", "mi edge retract ed_…", _retract, thoughts.add_retract, person_only=True)
    return group.parser


def _fill_create(parser: Parser) -> None:
    from mi.knowledge.thoughts.kinds import EDGE_TYPES

    parser.add_argument("--type", choices=EDGE_TYPES, required=True, help="how they relate")
    parser.add_argument("--from", dest="from_id", required=True, metavar="ID", help="claim, node or event; the old one")
    parser.add_argument("--to", dest="to_id", required=True, metavar="ID", help="claim, node or event; the new one")
    thoughts.add_details(parser)
    thoughts.add_where(parser, writes=True)


def _fill_list(parser: Parser) -> None:
    from mi.knowledge.thoughts.kinds import EDGE_TYPES

    parser.add_argument("--from", dest="from_id", metavar="ID", help="that begin here")
    parser.add_argument("--to", dest="to_id", metavar="ID", help="that end here")
    thoughts.add_filters(parser, EDGE_TYPES, tagged=False)


def _fill_show(parser: Parser) -> None:
    parser.add_argument("ref", metavar="id", help="the edge's id")
    thoughts.add_as_of(parser)
    thoughts.add_where(parser)


def _create(context: HomeContext, args: Args) -> int:
    from mi.knowledge.thoughts.editor import create_edge

    known = partial(thoughts.know_event, context, args)
    details = thoughts.read_details(args, "notes", "visibility")
    event_id, edge = create_edge(
        thoughts.open_editor(context, args), args.type, args.from_id, args.to_id, known, details
    )
    return thoughts.describe_stored(
        context, args, "thoughts.edge", edge_id=edge.edge_id, scope=args.scope, event_id=event_id
    )


def _list(context: HomeContext, args: Args) -> int:
    if args.from_id is None and args.to_id is None:
        return thoughts.show_list(context, args, "edge")
    from mi.knowledge.thoughts.description import listed

    out = Output(context.language)
    seen = thoughts.open_reading(context, out, args.scope, thoughts.parse_moment(args))
    found = seen.edges_at(args.from_id, args.to_id, thoughts.build_filter(args))
    return thoughts.print_list(context, out, args, [listed(one, seen) for one in islice(found, args.limit or None)])


def _show(context: HomeContext, args: Args) -> int:
    return thoughts.show_one(context, args, "edge")


def _retract(context: HomeContext, args: Args) -> int:
    from mi.knowledge.thoughts.editor import retract

    event_id = retract(thoughts.open_editor(context, args), args.ref, "edge", args.rationale)
    return thoughts.describe_stored(
        context, args, "thoughts.retracted", ref=args.ref, scope=args.scope, event_id=event_id
    )
