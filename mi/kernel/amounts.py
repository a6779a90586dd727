"""How much a person wants, in any language: `20 more batches`, `+1.5h`, `$5`, `100k tokens`."""

import re
from collections.abc import Iterator
from functools import cache

from mi.kernel.language import compiled, one_of, patterns
from mi.kernel.named_tuple import NamedTuple

_MOST = 1e12  # more is a slip of the finger


class Amount(NamedTuple):
    """A number with its unit; '' where it stands alone."""

    value: float
    unit: str = ""


class ReadAmounts(NamedTuple):
    """The amounts of a text, and what else it says."""

    amounts: list[Amount]
    rest: str


def read_amounts(text: str, expected: str = "") -> ReadAmounts:
    """Return the amounts of a text; `expected` is the unit that an `m` stands for when it may be one."""
    found = [(match, _measure(match, expected)) for match in compiled(_amount()).finditer(text)]
    kept = [(match, amount) for match, amount in found if 0 <= amount.value <= _MOST]
    rest = text
    for match, _ in reversed(kept):
        rest = rest[: match.start()] + " " + rest[match.end() :]
    return ReadAmounts([amount for _, amount in kept], rest)


def is_only(text: str, *expressions: str) -> bool:
    """Return whether a text says nothing but this; marks between words say nothing."""
    words = "|".join(filter(None, expressions))
    return not compiled(rf"[^\w\s$%+-]|\+|{_alone(words)}").sub(" ", text).strip()


def read_numerals(word: str, numerals: str) -> int:
    """Return a number below a hundred that is written in numerals, those for one to ten."""
    digits, ten = numerals[:9], numerals[9]
    if ten not in word:
        return digits.find(word) + 1 if len(word) == 1 else 0
    tens, _, ones = word.partition(ten)
    return (digits.find(tens) + 1 if tens else 1) * 10 + (digits.find(ones) + 1 if ones else 0)


@cache
def _amount() -> str:
    known = patterns()
    digits, numerals = r"\d[\d,]*(?:\.\d+)?|\.\d+", f"{one_of(known.numerals)}+"
    number = rf"(?P<digits>{digits})|(?P<numerals>{numerals})|{_named('n', known.numbers)}"
    between = rf"(?:\s*{_alone(known.before_unit)})*"
    return (
        rf"(?<![a-z\d.-])(?P<money>\$\s*)?(?:{number})(?:\s*{_named('s', known.scales)})?{between}"
        rf"(?:\s*(?P<half>{_alone(known.and_a_half)}))?{between}(?:\s*{_named('u', known.units)})?"
    )


def _named(prefix: str, words: dict[str, str]) -> str:
    """Return the expression for any of some words; the group that is found tells which."""
    groups = (f"(?P<{prefix}{place}>{_alone(words[name])})" for place, name in enumerate(words))
    return f"(?:{'|'.join(groups)})"


def _alone(words: str) -> str:
    """Return the expression for words that are no part of a longer one; where no blank parts words, anywhere."""
    return rf"(?<![a-z])(?:{words})(?![a-z])" if words else "(?!)"


def _measure(match: re.Match[str], expected: str) -> Amount:
    known, groups = patterns(), match.groupdict()
    unit = next(_found("u", known.units, groups), "")
    scale = next(_found("s", known.scales, groups), "1")
    if expected == "minutes" and not unit and _scale_text(groups) == "m":
        unit, scale = "minutes", "1"
    if groups["digits"]:
        number = float(groups["digits"].replace(",", ""))
    elif groups["numerals"]:
        number = float(read_numerals(groups["numerals"], known.numerals)) or -1
    else:
        number = float(next(_found("n", known.numbers, groups)))
    if groups["half"]:
        number += 0.5
    return Amount(number * float(scale), unit or ("usd" if groups["money"] else ""))


def _found(prefix: str, words: dict[str, str], groups: dict[str, str | None]) -> Iterator[str]:
    return (name for place, name in enumerate(words) if groups[f"{prefix}{place}"] is not None)


def _scale_text(groups: dict[str, str | None]) -> str:
    return next((text.lower() for name, text in groups.items() if name[0] == "s" and text), "")
