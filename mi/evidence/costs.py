"""What runs have cost, from their own records; unknown stays unknown."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from mi.evidence.former import find_end
from mi.evidence.reader import read_at, read_whole
from mi.evidence.records.run import RunEnd, RunLearned, RunStart, RunUsage
from mi.kernel import jsonl
from mi.kernel.named_tuple import NamedTuple

if TYPE_CHECKING:
    from mi.evidence.index import EvidenceIndex


NONE: Mapping[str, RunUsage] = MappingProxyType({})
_LEAST = 1e-6  # less than this is rounding


class RunCost(NamedTuple):
    """One run: `spent` is all unknown while it has no end."""

    run_id: str
    project_id: str
    day: str
    task: str
    status: str
    spent: RunUsage
    branch: str = ""  # of the work tree that it had of its own
    models: Mapping[str, RunUsage] = NONE  # what of `spent` is told to be a model's


class Sum(NamedTuple):
    """What some runs cost together: a figure that one of them does not tell is unknown; `known` sums what is told."""

    name: str
    runs: int
    spent: RunUsage
    known: RunUsage


def run_costs(index: "EvidenceIndex", log: str, project_id: str, progress: Callable[[int, int], None]) -> list[RunCost]:
    """Return every run of a log, the oldest first."""
    places = index.all_of(log, ("run_start", "run_end", "run_learned"), progress)
    before = places[0] if places else jsonl.measure_size(log)
    former = [one for one in index.all_of(log, ("hands_input", "decide_next"), progress) if one < before]
    found = _list_former(log, former, project_id)
    for offset in places:
        event = read_at(log, offset)
        record = read_whole(log, event).record() if event is not None else None
        if isinstance(record, RunStart):
            known = found.get(record.run_id)
            task = known.task if known else record.task
            found[record.run_id] = RunCost(
                record.run_id, project_id, record.ts[:10], task, "no end", RunUsage(), record.branch
            )
        elif isinstance(record, RunEnd) and record.run_id in found:
            known = found[record.run_id]
            found[record.run_id] = known._replace(status=record.status, spent=record.spent, models=record.models)
        elif isinstance(record, RunLearned) and record.run_id in found:
            known = found[record.run_id]
            found[record.run_id] = known._replace(spent=known.spent.plus(record.spent))
    return list(found.values())


def _list_former(log: str, offsets: list[int], project_id: str) -> dict[str, RunCost]:
    """Return the runs of the earlier tool, which come before all others; what they cost was not recorded."""
    found: dict[str, RunCost] = {}
    for event in filter(None, (read_at(log, offset) for offset in offsets)):
        run_id, end = event.head.run_id, find_end(event)
        if event.head.kind == "hands_input" and run_id not in found:
            task = str(event.fields().get("input", ""))
            found[run_id] = RunCost(run_id, project_id, event.head.ts[:10], task, "no end", RunUsage())
        elif end is not None and run_id in found:
            found[run_id] = found[run_id]._replace(status=end.status)
    return found


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
    """Return sums by `project`, `day` or `model` ('': not told), in the order of the runs."""
    groups: dict[str, list[RunCost]] = {}
    if by == "model":
        for model, part in _split_by_model(costs):
            groups.setdefault(model, []).append(part)
        return [sum_costs(name, members) for name, members in groups.items()]
    for one in costs:
        groups.setdefault(one.project_id if by == "project" else one.day, []).append(one)
    return [sum_costs(name, members) for name, members in groups.items()]


def _split_by_model(costs: Iterable[RunCost]) -> Iterator[tuple[str, RunCost]]:
    """Yield what each run spent by a model, and what is left of which nobody tells the model."""
    for one in costs:
        rest = one.spent
        for model, spent in one.models.items():
            yield model, one._replace(spent=spent)
            rest = rest.plus(spent, -1)
        left = (getattr(rest, name) for name in RunUsage.__struct_fields__)
        if not one.models or any(value is None or value > _LEAST for value in left):
            yield "", one._replace(spent=rest)
