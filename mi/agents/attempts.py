"""Several attempts at one batch, after failures that passed, as one result."""

from collections.abc import Sequence

import msgspec

from mi.agents.events import AgentUsage, Command, Denied, Event, FileChange, ToolCall
from mi.agents.protocol import BatchResult, Observed, Observer

_WORK = (Command, FileChange, ToolCall)


class Numbered(Observer):
    """Passes on what is seen of one attempt; ids begin anew in each, so that they are told apart by its number."""

    def __init__(self, watcher: Observer, attempt: int) -> None:
        self._watcher = watcher
        self._attempt = attempt

    def line(self, stream: str, text: str) -> None:
        self._watcher.line(stream, text)

    def event(self, event: Event) -> None:
        self._watcher.event(_numbered(event, self._attempt))


def join_attempts(results: Sequence[BatchResult]) -> BatchResult:
    """Return one result: how the last attempt ended, and everything that was seen in any of them."""
    last = results[-1]
    if len(results) == 1:
        return last
    return msgspec.structs.replace(
        last,
        last_message=next((one.last_message for one in reversed(results) if one.last_message), ""),
        usage=_add_usage([one.usage for one in results]),
        events=tuple(_numbered(event, number) for number, one in enumerate(results) for event in one.events),
        events_left_out=sum(one.events_left_out for one in results),
        observed=_join_observed([one.observed for one in results]),
        questions=tuple(question for one in results for question in one.questions),
        seconds=sum(one.seconds for one in results),
        lines=sum(one.lines for one in results),
        shown=tuple(dict.fromkeys(command for one in results for command in one.shown)),
        risk=next((one.risk for one in results if one.risk), ""),
    )


def did_something(result: BatchResult) -> bool:
    """Return whether the agent began to work before it failed."""
    return bool(result.last_message) or any(isinstance(event, _WORK) for event in result.events)


def _numbered(event: Event, attempt: int) -> Event:
    if attempt and isinstance(event, Command | ToolCall | Denied):
        return msgspec.structs.replace(event, id=f"{attempt}:{event.id}")
    return event


def _add_usage(used: list[AgentUsage]) -> AgentUsage:
    """Return the sum of what is known: an attempt that failed tells nothing, or its part in the next total."""

    def add(name: str) -> int | None:
        known = [value for one in used if (value := getattr(one, name)) is not None]
        return sum(known) if known else None

    costs = [one.cost_usd for one in used if one.cost_usd is not None]
    return AgentUsage(
        input_tokens=add("input_tokens"),
        cached_input_tokens=add("cached_input_tokens"),
        output_tokens=add("output_tokens"),
        cost_usd=sum(costs) if costs else None,
        model=next((one.model for one in reversed(used) if one.model), ""),
    )


def _join_observed(seen: list[Observed]) -> Observed:
    def add(name: str) -> dict[str, int]:
        counts: dict[str, int] = {}
        for one in seen:
            for key, count in getattr(one, name).items():
                counts[key] = counts.get(key, 0) + count
        return counts

    return Observed(
        event_type_counts=add("event_type_counts"),
        item_type_counts=add("item_type_counts"),
        file_paths=tuple(dict.fromkeys(path for one in seen for path in one.file_paths)),
        errors=tuple(error for one in seen for error in one.errors),
    )
