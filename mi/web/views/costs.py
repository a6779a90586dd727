"""Costs: what runs have cost, by day, project and model; unknown is shown as unknown."""

import os
from datetime import date, timedelta

from markupsafe import Markup

from mi.app.costs import build_costs, find_root
from mi.evidence.costs import Sum, group_costs, sum_costs
from mi.evidence.records.run import RunUsage
from mi.kernel import clock
from mi.kernel.errors import UsageError
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple
from mi.web.pictures.bars import Bar, draw_columns, draw_row
from mi.web.plain_words import say_span
from mi.web.view import PageRequest, PageView

GROUPS = ("day", "project", "model")
MEASURES = ("money", "tokens", "time")
SPANS = ("30", "90", "365", "all")  # days
_MOST_ROWS = 400  # more days or projects than this are summed in the total alone


class CostRow(NamedTuple):
    """What the runs of one day, project or model cost together."""

    name: str
    runs: int
    money: str
    tokens: str
    time: str
    bar: Markup


class CostsModel(NamedTuple):
    """What runs cost, and how it is looked at."""

    rows: list[CostRow]
    left_out: int
    total: CostRow
    picture: Markup | None
    first: str  # day of the picture
    last: str
    measure: str
    has_unknown: bool  # in the picture
    chosen: dict[str, str]
    groups: list[tuple[str, str]]
    measures: list[tuple[str, str]]
    spans: list[tuple[str, str]]
    projects: list[tuple[str, str]]


def _show(request: PageRequest) -> CostsModel:
    by, measure = _choose(request, "by", GROUPS), _choose(request, "of", MEASURES)
    span, project = _choose(request, "days", SPANS), request.query.get("project", "")
    context, language = request.context, request.language
    known = context.home.project_ids()
    costs = build_costs(context, [one for one in known if project in ("", one)], lambda done, total: None)
    costs = [one for one in costs if one.day >= _find_first_day(span)]
    names = {one: os.path.basename(find_root(context, one)) or one for one in known}
    sums = _sort(group_costs(costs, by), by, measure)
    most = max((measure_known(one, measure) or 0 for one in sums), default=0)
    called = names | {"": text("run.unknown", language)}
    shown = [one._replace(name=called.get(one.name, one.name)) for one in sums[:_MOST_ROWS]]
    days = _fill_days(sums, _find_first_day(span)) if by == "day" and sums else []
    words = text(f"cost.{measure}", language)
    picture = draw_columns([_make_bar(one, measure, language) for one in days], words)
    return CostsModel(
        [_make_row(one, measure, most, language) for one in shown],
        len(sums) - len(shown),
        _make_row(sum_costs("", costs), measure, 0, language),
        picture if days else None,
        days[0].name if days else "",
        days[-1].name if days else "",
        words,
        any(_measure(one.spent, measure) is None for one in days),
        {"by": by, "of": measure, "days": span, "project": project},
        [(one, text(f"cost.head-{one}", language)) for one in GROUPS],
        [(one, text(f"cost.{one}", language)) for one in MEASURES],
        [(one, _say_span(one, language)) for one in SPANS],
        [("", text("web.all-projects", language)), *sorted(names.items(), key=lambda one: one[1])],
    )


def _sort(sums: list[Sum], by: str, measure: str) -> list[Sum]:
    """Return the latest day first, else what cost most first."""
    if by == "day":
        return sorted(sums, key=lambda one: one.name, reverse=True)
    return sorted(sums, key=lambda one: measure_known(one, measure) or 0, reverse=True)


def _say_span(span: str, language: str) -> str:
    return text("web.span-all", language) if span == "all" else text("web.span-days", language, count=span)


def _choose(request: PageRequest, name: str, known: tuple[str, ...]) -> str:
    """Return what the address says of one choice, else the first; UsageError for anything else."""
    chosen = request.query.get(name, "") or known[0]
    if chosen not in known:
        raise UsageError("no-such-choice", name=name, value=repr(chosen), known=", ".join(known), hint="mi cost")
    return chosen


def _find_first_day(span: str) -> str:
    today = date.fromisoformat(clock.now()[:10])
    return "" if span == "all" else (today - timedelta(days=int(span) - 1)).isoformat()


def _fill_days(sums: list[Sum], begin: str) -> list[Sum]:
    """Return every day from one, or the first with a run, until today, those without a run too; the oldest first."""
    by_day = {one.name: one for one in sums}
    try:
        first, last = date.fromisoformat(begin or min(by_day)), date.fromisoformat(max(*by_day, clock.now()[:10]))
    except ValueError:  # a record without a time
        return sorted(sums)
    days = [(first + timedelta(days=number)).isoformat() for number in range((last - first).days + 1)]
    return [by_day.get(day) or Sum(day, 0, _NOTHING, _NOTHING) for day in days[-_MOST_ROWS:]]


_NOTHING = RunUsage(input_tokens=0, output_tokens=0, cost_usd=0.0, seconds=0.0, calls=0)


def measure_known(one: Sum, measure: str) -> float | None:
    """Return how much is known of what some runs cost; None where none of them tells."""
    return _measure(one.known, measure)


def _measure(spent: RunUsage, measure: str) -> float | None:
    if measure == "money":
        return spent.cost_usd
    if measure == "time":
        return spent.seconds
    both = (spent.input_tokens, spent.output_tokens)
    return None if None in both else sum(one or 0 for one in both)


def _make_row(one: Sum, measure: str, most: float, language: str) -> CostRow:
    money, tokens, time = (_say_figure(one, each, language) for each in MEASURES)
    bar = Bar(one.name, measure_known(one, measure), _measure(one.spent, measure) is None)
    return CostRow(one.name, one.runs, money, tokens, time, draw_row(bar, most))


def _make_bar(one: Sum, measure: str, language: str) -> Bar:
    said = _say_figure(one, measure, language)
    return Bar(f"{one.name}: {said}", measure_known(one, measure), _measure(one.spent, measure) is None)


def _say_figure(one: Sum, measure: str, language: str) -> str:
    """Return a figure in words: all of it, at least what is known, or that it is unknown."""
    known = _measure(one.known, measure)
    if known is None:
        return text("run.unknown", language)
    shown = {"money": f"${known:,.2f}" if known >= 1 else f"${known:.4f}", "time": say_span(known, language)}
    said = shown.get(measure, f"{known:,.0f}")
    return said if _measure(one.spent, measure) is not None else text("web.at-least", language, figure=said)


VIEW = PageView(_show, "runs")
