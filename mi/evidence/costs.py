"""What runs have cost, from their own records; unknown stays unknown."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from mi.evidence.reader import read_at, read_whole
from mi.evidence.records.run import RunEnd, RunStart, RunUsage

if TYPE_CHECKING:
    from mi.evidence.index import EvidenceIndex


class RunCost(NamedTuple):
    """One run: `spent` is all unknown while it has no end."""

    run_id: str
    project_id: str
    day: str
    task: str
    status: str
    spent: RunUsage


class Sum(NamedTuple):
    """What some runs cost together: a figure that one of them does not tell is unknown; `known` sums what is told."""

    name: str
    runs: int
    spent: RunUsage
    known: RunUsage


def run_costs(index: "EvidenceIndex", log: str, project_id: str, progress: Callable[[int, int], None]) -> list[RunCost]:
    """Return every run of a log, the oldest first."""
    found: dict[str, RunCost] = {}
    for offset in index.all_of(log, ("run_start", "run_end"), progress):
        event = read_at(log, offset)
        record = read_whole(log, event).record() if event is not None else None
        if isinstance(record, RunStart):
            known = found.get(record.run_id)
            task = known.task if known else record.task
            found[record.run_id] = RunCost(record.run_id, project_id, record.ts[:10], task, "no end", RunUsage())
        elif isinstance(record, RunEnd) and record.run_id in found:
            found[record.run_id] = found[record.run_id]._replace(status=record.status, spent=record.spent)
    return list(found.values())


def sum_costs(name: str, costs: Iterable[RunCost]) -> Sum:
    """Return the costs of some runs together."""
    spent = [one.spent for one in costs]
    totals: dict[str, float | None] = {}
    known: dict[str, float | None] = {}
    for field in RunUsage.__struct_fields__:
        values = [getattr(one, field) for one in spent]
        told = [value for value in values if value is not None]
        known[field] = sum(told) if told else None
        totals[field] = known[field] if len(told) == len(values) else None
    return Sum(name, len(spent), RunUsage(**totals), RunUsage(**known))  # type: ignore[arg-type]


def group_costs(costs: Iterable[RunCost], by: str) -> list[Sum]:
    """Return sums by `project` or `day`, in the order of the runs."""
    groups: dict[str, list[RunCost]] = {}
    for one in costs:
        groups.setdefault(one.project_id if by == "project" else one.day, []).append(one)
    return [sum_costs(name, members) for name, members in groups.items()]
