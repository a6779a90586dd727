"""`mi node`: decisions, actions and summaries."""

from mi.app.home_context import HomeContext
from mi.cli import thoughts
from mi.cli.arguments import Args, Group, Parser
from mi.kernel.errors import NotFound


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group("mi node", "Nodes: decisions, actions and summaries.", "mi node list --type decision")
    group.add("list", "list nodes", "mi node list --type summary --tag values:summary", _list, _fill_list)
    example = "mi node show nd_… --json --graph --edge-type derived_from"
    group.add("show", "show a node", example, _show, thoughts.add_show)
    group.add(
        "create",
        "store a node",
        'mi node create --type decision --title "Use SQLite"',
        _create,
        _fill_create,
        person_only=True,
    )
    group.add("retract", "take a node back", "mi node retract nd_…", _retract, thoughts.add_retract, person_only=True)
    return group.parser


def _fill_list(parser: Parser) -> None:
    from mi.knowledge.thoughts.kinds import NODE_TYPES

    thoughts.add_filters(parser, NODE_TYPES)


def _fill_create(parser: Parser) -> None:
    from mi.knowledge.thoughts.kinds import NODE_TYPES

    parser.add_argument("--type", choices=NODE_TYPES, required=True, help="what it is")
    parser.add_argument("--title", required=True, help="in one line")
    parser.add_argument("--text", default="", help="in full")
    parser.add_argument("--tag", action="append", default=[], metavar="TAG", help="a tag; may be repeated")
    parser.add_argument("--cite", action="append", default=[], metavar="EVENT", help="an event it comes from (ev_…)")
    thoughts.add_details(parser, confidence=True)
    thoughts.add_where(parser, writes=True)


def _list(context: HomeContext, args: Args) -> int:
    return thoughts.show_list(context, args, "node")


def _show(context: HomeContext, args: Args) -> int:
    return thoughts.show_one(context, args, "node")


def _create(context: HomeContext, args: Args) -> int:
    from mi.knowledge.thoughts.editor import create_node

    for cited in args.cite:
        if not thoughts.know_event(context, args, cited):
            raise NotFound("unknown-event", ref=cited)
    details = thoughts.read_details(args, "notes", "visibility", "confidence")
    desk = thoughts.open_editor(context, args)
    event_id, node = create_node(desk, args.type, args.title, args.text, args.tag, args.cite, details)
    return thoughts.describe_stored(
        context, args, "thoughts.node", node_id=node.node_id, scope=args.scope, event_id=event_id
    )


def _retract(context: HomeContext, args: Args) -> int:
    from mi.knowledge.thoughts.editor import retract

    event_id = retract(thoughts.open_editor(context, args), args.ref, "node", args.rationale)
    return thoughts.describe_stored(
        context, args, "thoughts.retracted", ref=args.ref, scope=args.scope, event_id=event_id
    )
