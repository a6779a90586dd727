"""Where a replaced thought leads. Chains end; of a cycle, the target of its newest edge stands."""

from collections.abc import Callable
from typing import NamedTuple


class RedirectStep(NamedTuple):
    """The newest standing redirect of an id: where it leads, and its place in the order of edges."""

    to: str
    at: int


Out = Callable[[str], RedirectStep | None]


def head(start: str, out: Out) -> str:
    """The thought that stands for `start`; itself when nothing replaces it."""
    path: list[RedirectStep] = []
    place: dict[str, int] = {}
    at = start
    while at not in place:
        step = out(at)
        if step is None:
            return at
        place[at] = len(path)
        path.append(step)
        at = step.to
    return max(path[place[at] :], key=lambda step: step.at).to


def cycle_through(start: str, out: Out) -> list[str]:
    """The ids of the cycle that `start` is part of; none when it is in no cycle."""
    seen: dict[str, None] = {}
    at = start
    while at not in seen:
        seen[at] = None
        step = out(at)
        if step is None:
            return []
        at = step.to
    return list(seen) if at == start else []
