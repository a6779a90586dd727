"""What a run may still spend: checked in one place before each batch and held during it, raised by the person."""

import time
from collections.abc import Iterable
from typing import get_args, get_type_hints

import msgspec

from mi.autopilot.state import RunState
from mi.evidence.records.base import Record
from mi.evidence.records.questions import AskedLimit, Question
from mi.evidence.records.run import Limit, LimitRaised, RunStart, RunUsage
from mi.kernel import clock
from mi.kernel.config.types import RunLimits
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple

LIMITS: tuple[str, ...] = get_args(get_type_hints(AskedLimit)["name"])


class Room(NamedTuple):
    """What is left for the next batch; None is no limit."""

    seconds: float | None
    tokens: int | None


def hold(configured: RunLimits, state: RunState) -> RunLimits:
    """Return what holds for a run: as configured, but for what the person said of this run."""
    return msgspec.structs.replace(configured, **state.own_limits)


def find_reached(configured: RunLimits, state: RunState) -> AskedLimit | None:
    """Return the limit that forbids another batch; an unknown figure reaches no limit."""
    limits = hold(configured, state)
    used = {
        "batches": state.number,
        "minutes": _minutes(state),
        "tokens": count_tokens(state.spent),
        "cost_usd": state.spent.cost_usd,
    }
    for name, amount in used.items():
        limit = getattr(limits, name)
        if limit is not None and amount is not None and amount >= limit:
            return _asked(name, limit)
    return None


def find_stopping(configured: RunLimits, state: RunState, reason: str) -> AskedLimit | None:
    """Return the limit at which an agent was stopped in the midst of its work; None when it was none."""
    name = {"wall": "minutes", "limit: tokens": "tokens"}.get(reason, "")
    limit = getattr(hold(configured, state), name) if name else None
    return None if limit is None else _asked(name, limit)


def still_holds(configured: RunLimits, state: RunState, reached: AskedLimit) -> bool:
    """Return whether a limit that was reached has not been raised since."""
    limit = getattr(hold(configured, state), reached.name)
    return limit is not None and limit <= reached.value


def remaining(configured: RunLimits, state: RunState) -> Room:
    """Return what the next batch may use."""
    limits = hold(configured, state)
    seconds = None if limits.minutes is None else max(1.0, (limits.minutes - _minutes(state)) * 60)
    tokens = None if limits.tokens is None else max(0, limits.tokens - (count_tokens(state.spent) or 0))
    return Room(seconds, tokens)


def name_limit(limit: AskedLimit, language: str = "en") -> str:
    """Return a limit as people read it."""
    return text(f"limit.{limit.name}", language, amount=show_amount(limit.value))


def show_amount(value: float) -> str:
    """Return a number without needless digits."""
    return f"{value:.12g}"


def measure_work(records: Iterable[Record]) -> float:
    """Return the seconds in which a run was at work, from its events: not those between its processes.

    Nor those in which it waited for an answer or for the vendor's limit to end.
    """
    worked, since, waits = 0.0, 0.0, True
    for record in records:
        now = clock.parse(record.ts)
        if not waits and not isinstance(record, RunStart):
            worked += max(0.0, now - since)
        since = now
        waits = isinstance(record, Question) or (isinstance(record, Limit) and bool(record.detail))
    return worked


def find_own_limits(records: Iterable[Record]) -> dict[str, float | None]:
    """Return the limits that the person set for a run, from its events."""
    own: dict[str, float | None] = {}
    for record in records:
        if isinstance(record, RunStart):
            own |= {name: limit for name, limit in record.limits.items() if name in LIMITS}
        elif isinstance(record, LimitRaised):
            own[record.name] = record.to
    return own


def _asked(name: str, value: float) -> AskedLimit:
    return msgspec.convert({"name": name, "value": value}, AskedLimit)


def _minutes(state: RunState) -> float:
    return (time.monotonic() - state.started) / 60


def count_tokens(spent: RunUsage) -> int | None:
    """Return all tokens of a bill; None where they are unknown."""
    if spent.input_tokens is None or spent.output_tokens is None:
        return None
    return spent.input_tokens + spent.output_tokens
