"""Speed levels: what may be left out when time is short, and what never."""

import re
from collections.abc import Sequence

from mi.governance.words import own_words
from mi.kernel.language import compiled, one_of, patterns
from mi.kernel.messages import text

URGENT = (1, 3)
_COMBINED = r"(?i)(?<![a-z0-9])s[0-4](?:\s*\+\s*s[0-4])+(?![a-z0-9])|(?<![a-z0-9])s[0-4]\s*[-–~]\s*s[0-4](?![a-z0-9])"
_SINGLE = r"(?i)s([0-4])"
_LEFT_OUT = {1: "alternatives", 2: "comments", 3: "reasoning", 4: "minor"}


def find_asked_levels(message: str) -> tuple[int, ...]:
    """Return the levels that the person names: S2, S1+S2, S1-S4, or in words; () when none. An S3 bucket is none."""
    own, known = own_words(message), patterns()
    found: set[int] = set()
    for match in re.finditer(_COMBINED, own):
        numbers = [int(number) for number in re.findall(_SINGLE, match[0])]
        found |= set(numbers) if "+" in match[0] else set(range(min(numbers), max(numbers) + 1))
    found |= {int(named[named.lastindex or 0]) for named in compiled(known.speed_level).finditer(own)}
    marks = [mark for mark in known.clause_marks if mark != ":"]
    # At the start of a clause, before what is asked for: `S2 fix the typo`; S3 is also a place to keep files in.
    leading = compiled(rf"s([0-4])[ \t]+(?!{known.storage})\S")
    for clause in compiled(rf"{one_of(*marks, chr(10))}+|:(?!//)").split(own.lower()):
        bare = compiled(known.speed_filler).sub(" ", clause).strip()
        only = re.fullmatch(_SINGLE, bare) or leading.match(clause.strip())
        if only:
            found.add(int(only[1]))
    return tuple(sorted(found))


def choose_speed(message: str, urgent: bool, preferred: Sequence[int] = ()) -> tuple[int, ...]:
    """Return the levels to apply: what is asked for exactly, else urgency's own with what the person prefers.

    () is normal.
    """
    asked = find_asked_levels(message)
    if asked:
        return tuple(level for level in asked if level)
    return tuple(sorted({*URGENT, *preferred})) if urgent else ()


def describe_action(levels: tuple[int, ...], irreversible: bool) -> tuple[int, ...]:
    """Return the levels that hold for one action: an irreversible one leaves speed mode."""
    return () if irreversible else levels


def render_marker(levels: tuple[int, ...], language: str = "en") -> str:
    """Return what is appended to an answer in speed mode; '' at normal speed."""
    return text("speed.marker", language) if levels else ""


def give_guidance(levels: tuple[int, ...], language: str = "en") -> list[str]:
    """Return what the levels ask of an answer."""
    return [text("speed." + _LEFT_OUT[level], language) for level in levels]
