"""`mi runs`: all runs of all projects, and `mi runs watch`: those that go on, live."""

import re
import time
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Group, Parser, add_cd, add_count, add_json
from mi.cli.output import Output, Progress, measure_terminal
from mi.kernel.errors import NotFound, UsageError
from mi.kernel.safe_text import make_safe, shorten_gist
from mi.kernel.text import pad, shorten_middle, width

if TYPE_CHECKING:
    from mi.evidence.runs import RunEntry, RunWish

_SHOWN = 20
_STATES = ("queued", "running", "waiting", "done", "blocked", "failed", "interrupted")
_UNITS = {"m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_LEAST_TASK = 24  # columns that a task needs beside the rest of its line


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group(
        "mi runs", "All runs of all projects, the latest first.", "mi runs --state blocked --since 2d", _list_runs
    )
    _fill_list(group.parser)
    group.add("watch", "the runs that go on, live, until Ctrl-C", "mi runs watch", _watch, _fill_watch)
    says = "remove work trees whose work is merged or kept"
    group.add("clean", says, "mi runs clean --dry-run", _clean, _fill_clean, person_only=True)
    return group.parser


def _fill_list(built: Parser) -> None:
    built.add_argument(
        "--state",
        dest="states",
        action="append",
        choices=_STATES,
        default=[],
        help="only those that stand so; may be repeated",
    )
    built.add_argument("--since", metavar="TIME", default="", help="only those heard of since: 2h, 3d, 1w or a date")
    built.add_argument("--project", metavar="PATH|ID", default="", help="only those of one project")
    built.add_argument("--all", dest="everything", action="store_true", help=f"not only the latest {_SHOWN}")
    built.add_argument("--hub", action="store_true", help="those that members of the hub share, and those of its queue")
    add_count(built, f"at most N, the latest (default {_SHOWN})")
    add_cd(built)
    add_json(built)


def _fill_watch(built: Parser) -> None:
    built.add_argument("--project", metavar="PATH|ID", default="", help="only those of one project")
    add_cd(built)
    add_json(built)


def _list_runs(context: HomeContext, args: Args) -> int:
    from mi.app.runs import build_runs

    if args.hub:
        return _list_shared(context, args)
    out = Output(context.language)
    found = build_runs(context, _read_wish(context, args), Progress(out, "progress.indexing"))
    if args.json:
        out.json({"runs": found.runs, "total": found.total})
        return 0
    for entry in found.runs:
        _print(out, entry)
    if not found.runs:
        out.say("runs.none-such" if args.states or args.since or args.project else "runs.none")
    elif found.total > len(found.runs):
        out.say("runs.more", count=found.total - len(found.runs))
    return 0


def _list_shared(context: HomeContext, args: Args) -> int:
    from mi.app.hub_runs import list_shared_runs
    from mi.cli.arguments import ALL

    out = Output(context.language)
    found = list_shared_runs(context, ALL if args.everything else _SHOWN if args.count is None else args.count)
    if args.json:
        out.json({"runs": [one._asdict() for one in found]})
        return 0
    for one in found:
        head = f"{pad(out.word(one.status), 11)} {one.ts[:16].replace('T', ' ')}  {one.member}  {one.project}  "
        out.beside(make_safe(head), shorten_gist(make_safe(one.task), 100) + f"  {make_safe(one.run_id)}")
    if not found:
        out.say("runs.none-shared")
    return 0


def _read_wish(context: HomeContext, args: Args) -> "RunWish":
    from mi.evidence.runs import RunWish

    most = -1 if args.everything else _SHOWN if args.count is None else args.count
    return RunWish(tuple(args.states), _read_since(args.since), find_project_id(context, args.project), most)


def _read_since(said: str) -> str:
    """Return the moment that `--since` means, as records have it."""
    from mi.kernel import clock

    if not said:
        return ""
    age = re.fullmatch(r"(\d{1,6})([mhdw])", said)
    try:
        moment = time.time() - int(age[1]) * _UNITS[age[2]] if age else clock.parse(said)
    except (ValueError, OverflowError):
        raise UsageError("bad-since", value=said) from None
    return clock.format_ms(int(moment * 1000))


def find_project_id(context: HomeContext, named: str) -> str:
    """Return the project that a path, a folder's name or an id means; '' for no wish."""
    import os

    if not named or named in context.home.project_ids():
        return named
    known = context.known_projects.roots
    place = os.path.realpath(os.path.expanduser(named))
    if os.path.isdir(place) and ("/" in named or named == "."):
        return context.at(place).project.project_id
    found = {one.project_id for root, one in known.items() if os.path.basename(root) == named}
    if len(found) != 1:
        raise NotFound("unknown-project", value=named, known=", ".join(sorted(known)) or "-")
    return found.pop()


def _print(out: Output, entry: "RunEntry") -> None:
    head = f"{pad(out.text('run.' + entry.status), 11)} {entry.run_id}  {entry.ts[:16].replace('T', ' ')}"
    cells = "  ".join(part for part in (head, _figures(out, entry), _place(entry)) if part)
    room = (measure_terminal() or 240) - width(cells) - 2
    if room < _LEAST_TASK:
        out.line(cells)
        out.line(f"{' ' * 12}{shorten_gist(entry.task, 80)}")
    else:
        out.line(f"{cells}  {shorten_gist(entry.task, min(room, 80))}".rstrip())
    if entry.question:
        question = shorten_gist(entry.question, 120)
        out.line(f"{' ' * 12}{out.text('runs.waits', question=question, id=entry.question_id)}")
    elif entry.not_before and entry.status in ("queued", "blocked"):
        reason = shorten_gist(entry.reason, 80)
        out.line(f"{' ' * 12}{out.text('runs.not-before', time=entry.not_before, reason=reason)}")


def _figures(out: Output, entry: "RunEntry") -> str:
    """Return marks, batches, cost and time, as far as they are known."""
    held = [name for name in ("proved", "verified", "claimed", "ran") if getattr(entry.marks, name)]
    parts = [out.text("mark." + held[0])] if held else []
    if entry.batches:
        parts.append(out.text("runs.batches", count=entry.batches))
    if entry.spent.cost_usd is not None:
        parts.append(f"${entry.spent.cost_usd:.4f}")
    if entry.spent.seconds is not None:
        parts.append(f"{entry.spent.seconds:,.0f} s")
    return " · ".join(parts)


def _place(entry: "RunEntry") -> str:
    """Return who works where."""
    place = shorten_gist(entry.project or entry.project_id, 24) + (
        f" {shorten_middle(make_safe(entry.branch), 40)}" if entry.branch else ""
    )
    return f"{entry.agent} {place}".strip()


def _watch(context: HomeContext, args: Args) -> int:
    from mi.cli.runs_watch import watch_runs

    return watch_runs(context, find_project_id(context, args.project), args.json)


def _fill_clean(built: Parser) -> None:
    from mi.cli.runs_clean import fill_parser

    fill_parser(built)


def _clean(context: HomeContext, args: Args) -> int:
    from mi.cli.runs_clean import clean

    return clean(context, args)
