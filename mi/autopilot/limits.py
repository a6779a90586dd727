"""What a run may still spend; checked in one place before each batch, and held during it."""

import time
from typing import NamedTuple

from mi.autopilot.state import RunState
from mi.kernel.config.types import RunLimits


class Room(NamedTuple):
    """What is left for the next batch; None is no limit."""

    seconds: float | None
    tokens: int | None


def reached(limits: RunLimits, state: RunState) -> str | None:
    """Return the limit that forbids another batch, as people read it; an unknown figure reaches no limit."""
    tokens = _tokens(state)
    if state.number >= limits.batches:
        return f"{limits.batches} batches"
    if limits.minutes is not None and _minutes(state) >= limits.minutes:
        return f"{limits.minutes:g} minutes"
    if limits.tokens is not None and tokens is not None and tokens >= limits.tokens:
        return f"{limits.tokens} tokens"
    cost = state.spent.cost_usd
    if limits.cost_usd is not None and cost is not None and cost >= limits.cost_usd:
        return f"{limits.cost_usd:g} USD"
    return None


def remaining(limits: RunLimits, state: RunState) -> Room:
    """Return what the next batch may use."""
    seconds = None if limits.minutes is None else max(1.0, (limits.minutes - _minutes(state)) * 60)
    tokens = None if limits.tokens is None else max(0, limits.tokens - (_tokens(state) or 0))
    return Room(seconds, tokens)


def named(limits: RunLimits, reason: str) -> str:
    """Return the limit at which an agent was stopped, as people read it."""
    if reason == "wall" and limits.minutes is not None:
        return f"{limits.minutes:g} minutes"
    return f"{limits.tokens} tokens" if reason == "limit: tokens" else reason


def _minutes(state: RunState) -> float:
    return (time.monotonic() - state.started) / 60


def _tokens(state: RunState) -> int | None:
    spent = state.spent
    if spent.input_tokens is None or spent.output_tokens is None:
        return None
    return spent.input_tokens + spent.output_tokens
