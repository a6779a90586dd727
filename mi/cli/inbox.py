"""`mi inbox`: what waits for you, in all projects."""

from collections.abc import Iterator

import msgspec

from mi.app.home_context import HomeContext
from mi.app.inbox import say_default
from mi.cli.arguments import Args, Group, Parser, add_json
from mi.cli.output import Output, Progress
from mi.evidence.inbox import InboxItem
from mi.evidence.records.questions import HookCall
from mi.kernel.safe_text import make_safe, shorten_gist
from mi.kernel.text import shorten

_SHOWN = 2000  # characters of a question or of what the agent wrote; `mi show qu_…` has it all


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group("mi inbox", "What waits for you, in all projects, newest first.", "mi inbox --json", _list)
    add_json(group.parser)
    dismissed = 'mi inbox dismiss 2 --why "settled by mail"'
    group.add("dismiss", "close without an answer", dismissed, _dismiss, _fill_dismiss, person_only=True)
    return group.parser


def _fill_dismiss(parser: Parser) -> None:
    parser.add_argument("ref", metavar="number", help="its number or id, from `mi inbox`")
    parser.add_argument("--why", default="", metavar="TEXT", help="your reason")
    add_json(parser)


def _list(context: HomeContext, args: Args) -> int:
    from mi.app.inbox import build_inbox

    out = Output(context.language)
    found = [one.item for one in build_inbox(context, Progress(out, "progress.indexing"))]
    if args.json:
        out.json([msgspec.to_builtins(one) | {"waiting": one.waiting} for one in found])
        return 0
    if not found:
        out.say("inbox.empty")
    for place, items in enumerate(_by_project(found)):
        if place:
            out.line()
        out.line(_name_project(out, items[0]))
        for one in items:
            _print_item(out, one)
    _print_queue(context, out)
    return 0


def _print_queue(context: HomeContext, out: Output) -> None:
    from mi.app.queue import describe_queue

    queue = describe_queue(context)
    if any(queue.values()):
        from mi.cli.status import print_queue

        print_queue(out, queue)


def _by_project(found: list[InboxItem]) -> list[list[InboxItem]]:
    """Return the items of each project, the project with the newest one first."""
    groups: dict[tuple[str, str], list[InboxItem]] = {}
    for one in found:
        groups.setdefault((one.project_id, one.main_root or one.project_root), []).append(one)
    return list(groups.values())


def _name_project(out: Output, item: InboxItem) -> str:
    if item.project_root:
        return f"{item.project}  {item.main_root or item.project_root}"
    return item.project_id or make_safe(item.project) or out.text("inbox.no-project")


def _print_item(out: Output, item: InboxItem) -> None:
    often = " " + out.text("inbox.count", count=item.count) if item.count > 1 else ""
    head = f"{item.number or '-':>3}  {out.word(item.kind)}  "
    out.beside(head, shorten(make_safe(item.question.strip()), _SHOWN) + often)
    for option in item.options:
        if option.text:
            out.beside(f"       {option.key}  ", shorten_gist(option.text, 300))
    for key, text in _details(out, item):
        out.beside(f"     {out.text('inbox.' + key)}  ", text)
    out.line(f"     → {name_answer(item, item.number)}")


def _details(out: Output, item: InboxItem) -> Iterator[tuple[str, str]]:
    if item.task:
        yield "task", shorten_gist(item.task, 200)
    if item.branch:
        yield "branch", f"{shorten_gist(item.branch, 100)}  {item.project_root}"
    if item.said and not _is_same(item.said, item.question):
        yield "said", shorten_gist(item.said, _SHOWN)
    if item.would and item.would.answer:
        why = "; ".join(part for part in (item.would.why_asked, " ".join(item.would.cited_ids)) if part)
        yield "would", shorten_gist(item.would.answer, 200) + (f" ({shorten_gist(why, 200)})" if why else "")
    elif item.would and item.would.why_asked:
        yield "why-asked", shorten_gist(item.would.why_asked, 200)
    if item.is_elsewhere:
        yield "asked-by", out.text("inbox.elsewhere", who=item.asked_by, machine=item.machine, run_id=item.run_id)
    if item.waiting:
        call = item.call or HookCall()
        details = {"run_id": item.run_id, "host": call.host, "operation": call.operation, "target": call.target}
        yield "waits", out.text("inbox.waits-" + item.waiting, **details)
    if item.seen:
        yield "seen", out.text("inbox.seen-runs", count=item.seen)
    if item.default:
        yield "default", say_default(item, out.language)


def _is_same(said: str, question: str) -> bool:
    return " ".join(said.split()) == " ".join(question.split())


def name_answer(item: InboxItem, number: int) -> str:
    """Return how to answer an item, by its number if it has one."""
    if not number or not item.answer_with.startswith("mi answer "):
        return item.answer_with
    words = " | ".join(option.key for option in item.options) or item.answer_with.rpartition(" ")[2]
    return f"mi answer {number} {words}"


def _dismiss(context: HomeContext, args: Args) -> int:
    from mi.cli.answer import dismiss

    return dismiss(context, args)
