"""Reading what a person says to "raise the limit by how much?"."""

import math

from mi.evidence.records.questions import AskedLimit
from mi.kernel.amounts import Amount, is_only, read_amounts
from mi.kernel.consent import agrees, refuses
from mi.kernel.language import compiled, patterns
from mi.kernel.named_tuple import NamedTuple

_UNIT = {"batches": "batches", "minutes": "minutes", "tokens": "tokens", "cost_usd": "usd"}
_MINUTES = {"seconds": 1 / 60, "minutes": 1.0, "hours": 60.0}
_WHOLE = ("batches", "tokens")


class Raise(NamedTuple):
    """The limit from now on; None is no limit."""

    to: float | None


class Refusal(NamedTuple):
    """The limit stays as it is."""


def read_wish(said: str, reached: AskedLimit) -> Raise | Refusal | None:
    """Return what an answer means; None where it may mean something else."""
    known = patterns()
    if compiled(known.unlimited).fullmatch(said.strip(" .!" + "".join(known.full_stops))):
        return Raise(None)
    amounts, rest = read_amounts(said, reached.name)
    refused, asks = refuses(said), any(mark in said for mark in ("?", *known.question_marks))
    if refused and not amounts:
        return Refusal()
    if refused or asks or any(letter.isdigit() for letter in rest):
        return None
    return _add_up(amounts, said, rest, reached) if amounts else _read_yes(said, reached)


def _read_yes(said: str, reached: AskedLimit) -> Raise | None:
    """Return twice the limit for a yes without an amount."""
    known = patterns()
    go_on = "|".join(sorted(known.go_on, key=len, reverse=True))
    again = said.strip() and is_only(said, known.as_much_again, known.beside_number, go_on)
    return Raise(reached.value * 2) if again or agrees(said) else None


def _add_up(amounts: list[Amount], said: str, rest: str, reached: AskedLimit) -> Raise | Refusal | None:
    known = patterns()
    if len(amounts) == 1 and not amounts[0].unit and is_only(rest, known.beside_number):
        amounts = [amounts[0]._replace(unit=_UNIT[reached.name])]
    factors = _MINUTES if reached.name == "minutes" else {_UNIT[reached.name]: 1.0}
    units = [amount.unit for amount in amounts]
    if len(set(units)) < len(units) or not factors.keys() >= set(units):
        return None
    wanted = sum(amount.value * factors[amount.unit] for amount in amounts)
    if wanted == 0:
        return Refusal()
    to = wanted if compiled(known.in_total).search(said) else reached.value + wanted
    if to <= reached.value:
        return None
    return Raise(float(math.ceil(to)) if reached.name in _WHOLE else to)
