"""Count what a judge got wrong, and hold it against the goals."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, get_args

from msgspec import Struct, to_builtins

from mi.testing.judge_bench.measure import Mistake, Mode, Result

MISTAKES: tuple[Mistake, ...] = get_args(Mistake)
_SHARE = 0.05


class Goal(Struct, frozen=True, kw_only=True):
    """How often mistakes of some kinds were made where they could be, and how often they may be."""

    mistakes: tuple[Mistake, ...]
    made: int
    chances: int
    allowed: float  # a share of the chances

    @property
    def is_met(self) -> bool:
        return self.made <= self.allowed * self.chances


def count_mistakes(results: Sequence[Result]) -> Counter[Mistake]:
    """Return how often each mistake was made."""
    return Counter(result.mistake for result in results if result.mistake)


def count_proved(played: Sequence[Result]) -> int:
    """Return how many runs ended done by the judge's own run of the checks."""
    return sum(bool(result.seen and result.seen.status == "done" and result.seen.proved) for result in played)


def group_by(results: Sequence[Result], name: Callable[[Result], str]) -> dict[str, list[Result]]:
    """Return the results by a name of each, in the order in which the names come."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(name(result), []).append(result)
    return groups


def set_goals(mode: Mode, played: Sequence[Result]) -> list[Goal]:
    """Return the goals of a mode: nothing false with proof, little without, and few calls for the person either way."""
    counts = count_mistakes(played)
    truths = Counter(result.truth for result in played)

    def goal(allowed: float, chances: int, *mistakes: Mistake) -> Goal:
        return Goal(mistakes=mistakes, made=sum(counts[one] for one in mistakes), chances=chances, allowed=allowed)

    return [
        goal(0.0 if mode == "proof" else _SHARE, truths["not done"], "false done"),
        goal(_SHARE, truths["done"] + truths["answer"], "missed done", "needless ask"),
        goal(0.0, len(played), "invented answer"),
        goal(0.0, len(played), "broken"),
    ]


def as_json(results: Sequence[Result]) -> dict[str, Any]:
    """Return everything that was measured, for programs."""
    modes = {}
    for mode, group in group_by(results, lambda result: result.mode).items():
        played = [result for result in group if result.seen]
        goals = [{**to_builtins(goal), "met": goal.is_met} for goal in set_goals(group[0].mode, played)]
        modes[mode] = {
            "played": len(played),
            "not_run": len(group) - len(played),
            "done": sum(result.seen.status == "done" for result in played if result.seen),
            "proved": count_proved(played),
            "mistakes": dict(count_mistakes(played)),
            "goals": goals,
            "by_family": _tally(group_by(played, lambda result: result.family)),
            "by_language": _tally(group_by(played, lambda result: result.language)),
        }
    return {"modes": modes, "results": to_builtins(list(results))}


def _tally(groups: dict[str, list[Result]]) -> dict[str, Any]:
    return {name: {"played": len(group), **count_mistakes(group)} for name, group in groups.items()}
