"""`mi search`: everything in the home by its words. `mi memory search` is the same without the evidence."""

from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.app.recall import build_recall
from mi.cli.arguments import ALL, Args, Parser, add_cd, add_json, command, count
from mi.cli.output import Output, Progress
from mi.kernel.errors import UsageError
from mi.kernel.safe_text import make_safe, shorten_gist
from mi.kernel.text import pad
from mi.knowledge.search.backend import EVIDENCE, THOUGHTS

if TYPE_CHECKING:
    from mi.knowledge.search.backend import Hit

_LIMIT = 10
_SHOWN_TEXT = 160


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    built = command(
        "mi search",
        "Find anything by its words: claims, nodes, snapshots, workflows and evidence.",
        'mi search "why did we drop the cache"',
        lambda context, args: run(context, args, (*THOUGHTS, *EVIDENCE)),
    )
    add_search_flags(built)
    return built


def add_search_flags(parser: Any) -> None:
    """Add the flags that both searches take."""
    parser.add_argument("words", nargs="+", help="words, in any order; nothing in them is syntax")
    parser.add_argument(
        "--limit", metavar="N", type=count, default=_LIMIT, help=f"at most N (default {_LIMIT}; 0: all)"
    )
    parser.add_argument("--kind", metavar="KIND", action="append", help="only this kind; may be given again")
    parser.add_argument("--all-projects", action="store_true", help="also what belongs to other projects")
    parser.add_argument("--corrected", action="store_true", help="also what was taken back or replaced, marked")
    add_cd(parser)
    add_json(parser)


def run(context: HomeContext, args: Args, kinds: tuple[str, ...]) -> int:
    """Search the given kinds and print what was found."""
    from mi.knowledge.search.backend import Query
    from mi.knowledge.search.words import compact

    out = Output(context.language)
    asked = compact(" ".join(args.words))
    if not asked.tokens:
        raise UsageError("no-search-words", query=asked.raw)
    query = Query(
        tokens=asked.tokens,
        kinds=_chosen_kinds(args.kind, kinds),
        project_id=context.project.project_id,
        only_project=not args.all_projects,
        limit=args.limit or ALL,
        corrected=args.corrected,
        text=asked.raw,
    )
    hits = build_recall(context).index.search(query, Progress(out, "progress.memory"))
    build_recall(context).index.close()
    if args.json:
        shown = {"query": asked.raw, "tokens": asked.tokens, "project_id": query.project_id}
        out.json(shown | {"hits": [_as_json(hit) for hit in hits]})
        return 0
    for hit in hits:
        _print(context, out, hit, (*args.words, *asked.tokens))
    if not hits:
        out.say("search.nothing", tokens=asked.text)
    return 0


def _chosen_kinds(wanted: list[str] | None, kinds: tuple[str, ...]) -> tuple[str, ...]:
    unknown = [kind for kind in wanted or () if kind not in kinds]
    if unknown:
        raise UsageError("unknown-kind", kind=unknown[0], known=", ".join(kinds))
    return tuple(wanted) if wanted else kinds


def _print(context: HomeContext, out: Output, hit: "Hit", asked: tuple[str, ...]) -> None:
    from mi.cli.search_results import cut_passage, describe_hit

    one = hit.document
    if one.kind == "evidence":
        kind = (*one.tags, one.kind)[0]
        text = shorten_gist(describe_hit(context, one, asked, out), _SHOWN_TEXT)
    else:
        kind, text = (
            one.kind,
            cut_passage(make_safe(f"{one.title}: {one.text}" if one.title else one.text), asked, _SHOWN_TEXT),
        )
    place = "" if one.project_id == context.project.project_id else (one.project_id or out.word("global")) + "  "
    note = ""
    if hit.corrected_by:
        retracted = hit.corrected_by == "retracted"
        note = " " + (out.text("search.retracted") if retracted else out.text("search.corrected", by=hit.corrected_by))
    head = f"{one.ts[:16].replace('T', ' '):<16}  {pad(out.word(kind), 14)} "
    out.beside(head, f"{place}{text}{note}  {one.id}")


def _as_json(hit: "Hit") -> dict[str, Any]:
    one = hit.document
    return {
        "id": one.id,
        "kind": one.kind,
        "project_id": one.project_id,
        "title": one.title,
        "text": one.text,
        "ts": one.ts,
        "tags": one.tags,
        "event_ids": one.event_ids,
        "score": hit.score,
        "corrected_by": hit.corrected_by,
    }
