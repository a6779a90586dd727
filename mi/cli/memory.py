"""`mi memory`: searching what MI knows, and its text index."""

import os

from mi.app.home_context import HomeContext
from mi.app.recall import build_recall
from mi.cli.arguments import Args, Group, Parser, add_json
from mi.cli.output import Output, Progress


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group(
        "mi memory",
        "What MI knows, by its words; and the text index it is found with.",
        'mi memory search "release checklist"',
    )
    from mi.cli import governed_memory
    from mi.cli.search import add_search_flags

    search = group.add(
        "search", "search claims, nodes, snapshots and workflows", 'mi memory search "release checklist"', _search
    )
    add_search_flags(search)
    governed_memory.add_to(group)
    index = group.add_group("index", "the text index: derived, safe to delete", "mi memory index status")
    status = index.add("status", "what the index holds", "mi memory index status --json", _status)
    add_json(status)
    rebuild = index.add("rebuild", "delete the index and build it again", "mi memory index rebuild", _rebuild)
    rebuild.set_defaults(names_project=True)  # it is about all projects
    rebuild.add_argument("--no-snapshots", action="store_true", help="pass over the snapshots there are")
    add_json(rebuild)
    return group.parser


def _search(context: HomeContext, args: Args) -> int:
    from mi.cli.search import run
    from mi.knowledge.search.backend import THOUGHTS

    return run(context, args, THOUGHTS)


def _status(context: HomeContext, args: Args) -> int:
    out = Output(context.language)
    status, behind = build_recall(context).index.status()
    path = context.home.memory_index
    sources = len(build_recall(context).list_producers())
    if args.json:
        shown = {
            "backend": build_recall(context).index.name,
            "path": path,
            "exists": os.path.exists(path),
            "bytes": status.bytes,
        }
        counts = {"documents": status.documents, "corrected": status.corrected}
        out.json(shown | counts | {"sources": sources, "behind": behind})
        return 0
    out.say("memory.backend", name=build_recall(context).index.name)
    if os.path.exists(path):
        out.say("memory.file", path=path, size=f"{status.bytes / 1e6:.1f} MB")
    else:
        out.say("memory.no-file", path=path)
    kinds = ", ".join(f"{count} {kind}" for kind, count in status.documents.items())
    out.say("memory.documents", total=sum(status.documents.values()), kinds=f"({kinds})" if kinds else "")
    if status.corrected:
        out.say("memory.corrected", count=status.corrected)
    if behind:
        out.say("memory.behind", count=behind, sources=sources)
    return 0


def _rebuild(context: HomeContext, args: Args) -> int:
    out = Output(context.language)
    without = ["snapshot"] if args.no_snapshots else []
    status = build_recall(context).index.rebuild(without, Progress(out, "progress.memory"))
    build_recall(context).index.close()
    total = sum(status.documents.values())
    if args.json:
        out.json({"backend": build_recall(context).index.name, "documents": status.documents, "total": total})
        return 0
    out.say("memory.rebuilt", total=total)
    return 0
