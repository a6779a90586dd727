"""What `mi claim`, `mi node` and `mi edge` have in common: flags, lists, one thought with its neighbourhood."""

import argparse
from itertools import islice
from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.app.thoughts import build_thoughts
from mi.cli.arguments import Args, add_cd, add_json, count, share
from mi.cli.output import Output, Progress
from mi.kernel.errors import NotFound, UsageError
from mi.kernel.safe_text import shorten_gist
from mi.kernel.text import pad

if TYPE_CHECKING:
    from mi.knowledge.thoughts.editor import ThoughtEditor
    from mi.knowledge.thoughts.store_state import Filter, Thought
    from mi.knowledge.thoughts.stores import CombinedStores

_LIMIT = 50
_STATUSES = ("active", "superseded", "retracted", "all")


def add_where(parser: argparse.ArgumentParser, *, writes: bool = False) -> None:
    """Add the flag for the store a command looks at, or writes."""
    scopes = ["project", "global"] if writes else ["project", "global", "effective"]
    default = "project" if writes else "effective"
    parser.add_argument("--scope", choices=scopes, default=default, help=f"which store (default: {default})")
    add_cd(parser)
    add_json(parser)


def add_as_of(parser: argparse.ArgumentParser) -> None:
    """Add the flag for a time in the past."""
    parser.add_argument("--as-of", metavar="TIME", help="what was believed then, e.g. 2026-11-16T12:00:00Z")


def add_filters(parser: argparse.ArgumentParser, types: tuple[str, ...], *, tagged: bool = True) -> None:
    """Add the flags that narrow a list."""
    if tagged:
        parser.add_argument("--tag", action="append", default=[], metavar="TAG", help="with this tag; several: all")
        parser.add_argument("--contains", default="", metavar="TEXT", help="with this text, in any case")
    parser.add_argument("--type", dest="types", action="append", choices=types, default=[], help="of this type")
    parser.add_argument("--status", choices=_STATUSES, default="active", help="default: active, and valid at the time")
    parser.add_argument(
        "--all", dest="status", action="store_const", const="all", default="active", help="--status all"
    )
    parser.add_argument("--limit", type=count, default=_LIMIT, metavar="N", help=f"default {_LIMIT}; 0: all")
    add_as_of(parser)
    add_where(parser)


def add_show(parser: argparse.ArgumentParser) -> None:
    """`show <id>` with a bounded subgraph."""
    from mi.knowledge.thoughts.kinds import EDGE_TYPES

    parser.add_argument("ref", metavar="id", help="its id")
    parser.add_argument("--graph", action="store_true", help="add the thoughts and events around it (JSON)")
    parser.add_argument("--mermaid", action="store_true", help="print what is around it as a Mermaid flowchart")
    parser.add_argument("--depth", type=count, default=1, metavar="N", help="edges from it (default 1)")
    parser.add_argument("--direction", choices=["out", "in", "both"], default="both", help="default: both")
    parser.add_argument("--edge-type", action="append", choices=EDGE_TYPES, default=[], help="follow this type only")
    parser.add_argument("--include-aliases", action="store_true", help="also around the ids that stand for the same")
    parser.add_argument("--include-inactive", action="store_true", help="also by edges that were taken back")
    add_as_of(parser)
    add_where(parser)


def add_retract(parser: argparse.ArgumentParser) -> None:
    """`retract <id>`."""
    parser.add_argument("ref", metavar="id", help="its id")
    parser.add_argument("--rationale", default="", metavar="TEXT", help="why")
    add_where(parser, writes=True)


def add_details(parser: argparse.ArgumentParser, *, confidence: bool = False) -> None:
    """Add the flags for what is stored beside a thought."""
    parser.add_argument("--notes", metavar="TEXT", help="what to know about it")
    parser.add_argument("--visibility", choices=["private", "project", "global"], help="default: that of the store")
    if confidence:
        parser.add_argument("--confidence", metavar="N", type=share, help="how sure it is, 0 to 1 (default 1)")


def read_details(args: Args, *names: str) -> dict[str, Any]:
    """Return those of some flags that were given."""
    return {name: getattr(args, name) for name in names if getattr(args, name) is not None}


def parse_moment(args: Args) -> int | None:
    """Return the time given with --as-of, in milliseconds."""
    return None if args.as_of is None else parse_time("--as-of", args.as_of)


def parse_time(flag: str, said: str) -> int:
    """Return a time that was given, in milliseconds; an error for what is none."""
    from mi.knowledge.thoughts.line_state import milliseconds

    parsed: int | None = milliseconds(said, None)
    if parsed is None:
        raise UsageError("bad-time", flag=flag, value=said)
    return parsed


def build_filter(args: Args) -> "Filter":
    """Return the filter that the flags of a list say."""
    from mi.knowledge.thoughts.store_state import Filter

    status = None if args.status == "all" else args.status
    return Filter(status, tuple(args.types), tuple(getattr(args, "tag", ())), getattr(args, "contains", ""))


def show_list(context: HomeContext, args: Args, kind: Any) -> int:
    """Print the wanted thoughts, newest first, project before global."""
    from mi.knowledge.thoughts.description import listed

    out = Output(context.language)
    thoughts = open_reading(context, out, args.scope, parse_moment(args))
    found = islice(thoughts.find(kind, build_filter(args)), args.limit or None)
    return print_list(context, out, args, [listed(one, thoughts) for one in found])


def print_list(context: HomeContext, out: Output, args: Args, shown: list[dict[str, Any]]) -> int:
    """Print thoughts one per line, or as JSON."""
    if args.json:
        out.json(shown)
    else:
        for fields in shown:
            out.beside(*_line_of(out, fields))
        if not shown:
            out.say("thoughts.none")
    context.note_last()
    return 0


def _line_of(out: Output, fields: dict[str, Any]) -> tuple[str, str]:
    """Return a thought on one line: id and type; beside them what it says, and what is to be known about it."""
    kind = str(fields.get("kind"))
    marks = [out.word(str(fields["status"]))] if fields.get("status", "active") != "active" else []
    if fields.get("valid") is False:
        marks.append(out.text("thoughts.not-valid"))
    if kind == "edge":
        text = f"{fields.get('from_id')} → {fields.get('to_id')}"
    else:
        text = shorten_gist(str(fields.get("title") or fields.get("text") or ""), 100)
    scope = "  " + out.text("settings.from-global") if fields.get("store") == "global" else ""
    note = f"  [{', '.join(marks)}]" if marks else ""
    type_ = pad(out.word(str(fields.get(kind + "_type") or "-")), 12)
    return f"{fields.get(kind + '_id')}  {type_} ", f"{text}{scope}{note}"


def show_one(context: HomeContext, args: Args, kind: Any) -> int:
    """Print one thought, with --graph or --mermaid what is around it."""
    from mi.knowledge.thoughts.description import described

    out = Output(context.language)
    thoughts = open_reading(context, out, args.scope, parse_moment(args))
    thought = require(context, args, thoughts, kind)
    fields = described(thought, thoughts)
    if getattr(args, "graph", False) or getattr(args, "mermaid", False):
        from mi.knowledge.thoughts.graph import GraphReach, around, mermaid

        reach = GraphReach(
            args.depth, args.direction, tuple(args.edge_type), args.include_aliases, args.include_inactive
        )
        graph = around(args.ref, thoughts, reach)
        if args.mermaid:
            out.line(mermaid(graph))
            return 0
        out.json(fields | {"graph": graph.fields()})
    elif args.json:
        out.json(fields)
    else:
        from mi.cli.show import print_fields

        print_fields(out, fields, full=True)
    context.note_last()
    return 0


def require(context: HomeContext, args: Args, thoughts: "CombinedStores", kind: Any) -> "Thought":
    """Return the thought that a command names; an error that says where it is instead."""
    from mi.knowledge.thoughts.kinds import kind_of

    if kind_of(args.ref) != kind:
        raise UsageError("wrong-kind", ref=args.ref, kind=kind)
    found = thoughts.get(args.ref)
    if found is not None:
        return found
    from mi.knowledge.thoughts.editor import not_here

    where, scope = build_thoughts(context).find_store(args.ref), getattr(args, "scope", "effective")
    if args.as_of and (where == scope or (scope == "effective" and where in ("project", "global"))):
        raise NotFound("unknown-then", ref=args.ref, time=args.as_of)
    raise not_here(args.ref, scope, kind, where)


def open_reading(context: HomeContext, out: Output, scope: str, as_of: int | None = None) -> "CombinedStores":
    """Return the stores a command reads; a long catch-up is announced."""
    for store in (build_thoughts(context).own, build_thoughts(context).shared):
        store.progress = Progress(out, "progress.thoughts")
    return build_thoughts(context).read(scope, as_of)


def know_event(context: HomeContext, args: Args, event_id: str) -> bool:
    """Return whether an event is in the logs that a store may cite."""
    progress = Progress(Output(context.language), "progress.indexing")
    logs = [context.home.evidence] if args.scope == "global" else [context.project_home.evidence, context.home.evidence]
    return any(context.evidence_index.find(log, event_id, progress) for log in logs)


def open_editor(context: HomeContext, args: Args) -> "ThoughtEditor":
    """Return where a command that changes thoughts writes: in the person's name."""
    return build_thoughts(context).edit(args.scope)


def describe_stored(context: HomeContext, args: Args, key: str, **fields: str) -> int:
    """Say what a command stored."""
    out = Output(context.language)
    if args.json:
        out.json(fields)
    else:
        out.say(key, **fields)
    return 0
