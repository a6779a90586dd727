"""`mi cost`: what runs have cost, in tokens, time and money."""

from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_cd, add_count, add_json, command
from mi.cli.output import Output, Progress, measure_terminal
from mi.kernel.safe_text import shorten_gist
from mi.kernel.text import pad, width

if TYPE_CHECKING:
    from mi.evidence.records.run import RunUsage

_SHOWN = 20
_LEAST_ABOUT = 24  # columns that a task needs beside its figures


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    built = command("mi cost", "What runs have cost; unknown is shown as unknown.", "mi cost --by day", _run)
    built.add_argument(
        "--by", choices=["run", "project", "day", "model"], default="run", help="one line for each (default: run)"
    )
    built.add_argument("--all-projects", action="store_true", help="also the runs of other projects")
    add_count(built, f"at most N lines, the latest (default {_SHOWN})")
    add_cd(built)
    add_json(built)
    return built


def _run(context: HomeContext, args: Args) -> int:
    from mi.app.costs import build_costs, find_root
    from mi.evidence.costs import group_costs, sum_costs

    out = Output(context.language)
    everywhere = args.all_projects or args.by == "project"
    projects = context.home.project_ids() if everywhere else [context.project.project_id]
    costs = build_costs(context, projects, Progress(out, "progress.indexing"))
    if args.by == "run":
        rows = [(one.run_id, one.day, one.status, one.spent, one.task) for one in costs]
        branches = {one.run_id: one.branch for one in costs}
    else:
        branches = {}
        rows = [
            (one.name, "", str(one.runs), one.spent, find_root(context, one.name))
            for one in group_costs(costs, args.by)
        ]
    total = sum_costs("total", costs)
    if args.json:
        chosen = rows if args.count is None else rows[-args.count :] if args.count else []
        shown = [_as_json(args.by, row, branches) for row in chosen]
        out.json(
            {"by": args.by, "rows": shown, "total": {"runs": total.runs, "spent": total.spent, "known": total.known}}
        )
        return 0
    if not rows:
        out.say("cost.none")
        return 0
    columns = (out.text("cost.tokens"), out.text("cost.money"), out.text("cost.time"))
    _line(out, out.text("cost.head-" + args.by), columns, "")
    limit = _SHOWN if args.count is None else args.count
    for name, _, status, spent, about in rows[-limit:] if limit else []:
        label = f"{name}  {_status(out, status)}" if args.by == "run" else name or out.text("run.unknown")
        _line(out, label, _figures(out, spent), about)
    _line(out, out.text("cost.total", runs=total.runs), _figures(out, total.spent), "")
    _say_known(out, _figures(out, total.spent), _figures(out, total.known))
    return 0


def _say_known(out: Output, spent: tuple[str, str, str], known: tuple[str, str, str]) -> None:
    """Say, of figures that some runs do not tell, what the others told."""
    tokens, *others = known
    named = (f"{tokens} {out.text('cost.tokens')}", *others)
    partly = [name for name, whole, told in zip(named, spent, known, strict=True) if told != whole]
    if partly:
        out.say("cost.known", figures=", ".join(partly))


def _status(out: Output, status: str) -> str:
    ended = ("done", "blocked", "failed", "interrupted")
    return out.text("run." + status) if status in ended else out.text("cost.no-end")


def _figures(out: Output, spent: "RunUsage") -> tuple[str, str, str]:
    unknown = out.text("run.unknown")
    both = (spent.input_tokens, spent.output_tokens)
    tokens = unknown if None in both else f"{sum(one or 0 for one in both):,}"
    money = unknown if spent.cost_usd is None else f"${spent.cost_usd:.4f}"
    seconds = unknown if spent.seconds is None else f"{spent.seconds:,.0f} s"
    return tokens, money, seconds


def _line(out: Output, label: str, figures: tuple[str, str, str], about: str) -> None:
    tokens, money, seconds = figures
    cells = f"{pad(label, 42)} {_right(tokens, 12)} {_right(money, 10)} {_right(seconds, 9)}"
    room = (measure_terminal() or 200) - width(cells) - 2
    if about and room < _LEAST_ABOUT:  # below its figures
        out.line(cells)
        out.line(f"  {shorten_gist(about, 60)}")
    else:
        out.line(f"{cells}  {shorten_gist(about, min(room, 60))}".rstrip())


def _right(text: str, columns: int) -> str:
    return " " * (columns - width(text)) + text


def _as_json(by: str, row: tuple[Any, ...], branches: dict[str, str]) -> dict[str, Any]:
    name, day, status, spent, about = row
    if by == "run":
        own = {"branch": branches[name]} if branches[name] else {}
        return {"run_id": name, "day": day, "status": status, "task": about, "spent": spent} | own
    return {by: name, "runs": int(status), "spent": spent} | ({"root": about} if by == "project" else {})
