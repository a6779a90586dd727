"""The whole assessment of a task: spec gate, risk, who looks at it, what must happen, how much to say against it."""

from collections.abc import Sequence

from mi.governance.challenge import Tier, find_tier
from mi.governance.impact import (
    Clarity,
    Facts,
    Orchestration,
    choose_orchestration,
    compute_raw_risk,
    compute_score,
    find_facts,
    find_flags,
    is_high_risk,
    join_flags,
    needs_ack,
)
from mi.governance.review_gate import BATCH, Required, review_gate
from mi.governance.signals import Signals, Size, find_signals
from mi.governance.spec_gate import Gate, assess_spec, find_clarity
from mi.governance.words import list_items, own_words
from mi.kernel.named_tuple import NamedTuple

NOTHING = Facts()


class Assessment(NamedTuple):
    """What the rules say about a task; a blocked one has no score."""

    spec_gate: Gate
    asks: tuple[str, ...]
    raw: int | None
    score: int | None
    high_risk: bool | None
    needs_ack: bool
    orchestration: Orchestration | None
    review: Required | None
    tier: Tier | None
    triggers: tuple[str, ...]
    change_units: int = 0  # as stated, else those that the task lists
    items: tuple[str, ...] = ()  # of the task's own list

    def first_batch(self) -> list[dict[str, object]]:
        """Return what to begin with above five units: the task's own items where it lists as many, else a number."""
        if self.change_units <= BATCH:
            return []
        listed: list[dict[str, object]] = [{"item": item, "units": 1} for item in self.items[:BATCH]]
        return listed if len(self.items) == self.change_units else [{"units": BATCH}]

    @property
    def is_free(self) -> bool:
        """Whether the work may begin without anyone else's word."""
        if self.review is None or self.needs_ack:
            return False
        return self.review.level != "required" and not self.review.needs_person


def assess(
    facts: Facts,
    clarity: Clarity = "clear",
    change_units: int | None = None,
    triggers: tuple[str, ...] = (),
    has_criteria: bool = True,
    full: bool = False,
    items: Sequence[str] = (),
) -> Assessment:
    """Assess what is stated; without a number of change units the review follows the risk alone."""
    triggers = tuple(sorted({*triggers, *_stated(facts, change_units)}))
    gate = assess_spec(clarity, has_criteria)
    units = len(items) if change_units is None else change_units
    if gate.gate == "blocked":
        return Assessment(gate.gate, gate.asks, None, None, None, True, None, None, None, triggers, units, (*items,))
    raw = compute_raw_risk(facts)
    return Assessment(
        spec_gate=gate.gate,
        asks=(),
        raw=raw,
        score=compute_score(raw, clarity),
        high_risk=is_high_risk(facts),
        needs_ack=needs_ack(facts),
        orchestration=choose_orchestration(raw),
        review=review_gate(max(units, 1) if change_units is None else units, raw),
        tier=find_tier(raw, triggers, full),
        triggers=triggers,
        change_units=units,
        items=(*items,),
    )


def _stated(facts: Facts, change_units: int | None) -> set[str]:
    found = {"T1"} if change_units is not None and change_units > BATCH else set()
    return found | ({"T3"} if facts.irreversible else set())


def assess_task(
    task: str,
    stated: Facts = NOTHING,
    clarity: Clarity | None = None,
    change_units: int | None = None,
    found: Signals | None = None,
    has_criteria: bool = True,
) -> Assessment:
    """Assess a task by its words, together with what is stated about it."""
    found = found or find_signals(task, Size(change_units=change_units))
    facts = join_flags(stated, find_facts(find_flags(task)))
    clear, items = clarity or find_clarity(task), list_items(own_words(task))
    return assess(facts, clear, change_units, found.triggers, has_criteria, found.full, items)
