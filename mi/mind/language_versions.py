"""Versions of programming languages: which one a value demands, and what is missing in it."""

import re
from functools import cache

from mi.kernel.language import compiled, patterns
from mi.kernel.named_tuple import NamedTuple

Version = tuple[int, int]
_NAMES = {
    "python": "python",
    "node": "node",
    "node.js": "node",
    "go": "go",
    "golang": "go",
    "java": "java",
    "rust": "rust",
}
_NAMED = r"\b(?P<language>python|node(?:\.js)?|golang|go|java|rust)[ -]?v?(?P<major>\d+)(?:\.(?P<minor>\d+))?\b"
_SINCE = {  # the first version that has it
    "python 3.8": r":=|walrus|positional-only",
    "python 3.9": r"removeprefix|removesuffix|zoneinfo|functools\.cache\b|graphlib|\b(?:list|dict|tuple|set)\[\w",
    "python 3.10": r"^match(?:$| [^a-z])|\bmatch(?:/case| ?statement|-case| case)|structural pattern"
    r"|union types? with \||\bint \| \w|parenthesi[sz]ed context|zip\(strict|itertools\.pairwise",
    "python 3.11": r"\btomllib\b|except\*|exception ?groups?|task ?groups?|typing\.Self|\bStrEnum\b",
    "python 3.12": r"\btype statement|itertools\.batched|PEP 695|typing\.override",
    "node 14": r"optional chaining|nullish coalescing",
    "node 16": r"\.at\(|Object\.hasOwn",
    "node 17": r"structuredClone",
    "node 18": r"(?:built-in|global|native) fetch|\bfetch\(|node:test|node --test",
    "node 20": r"toSorted|import\.meta\.dirname",
    "node 22": r"node:sqlite|built-in websocket",
    "go 1.18": r"\bgenerics\b|type parameters?|\bany\b type",
    "go 1.20": r"errors\.Join",
    "go 1.21": r"\bslog\b|\bslices package|\bmaps package|slices\.\w|built-in (?:min|max)",
    "go 1.22": r"range over (?:an )?int",
    "java 10": r"\bvar\b",
    "java 14": r"switch expressions?",
    "java 15": r"text blocks?",
    "java 16": r"\brecords?\b|pattern matching for instanceof",
    "java 17": r"sealed (?:class|interface)",
    "java 21": r"virtual threads?|record patterns?",
    "rust 1.65": r"let[- ]else|\bGATs?\b",
    "rust 1.75": r"async (?:fn )?in traits?|async traits?",
}


class Demand(NamedTuple):
    """A version that code has to run on."""

    language: str
    version: Version


def read_demand(value: str) -> Demand | None:
    """Return the version of a language that a value says code has to run on; None when it says none."""
    found = compiled(_NAMED).search(value)
    if found is None or not compiled(patterns().runs_on).search(value):
        return None
    return Demand(_NAMES[found["language"].lower()], (int(found["major"]), int(found["minor"] or 0)))


def is_missing(text: str, demand: Demand) -> bool:
    """Return whether what a text speaks of does not yet exist in the version."""
    return any(
        since > demand.version for since in _since(demand.language) if _known()[demand.language, since].search(text)
    )


def _since(language: str) -> list[Version]:
    return [version for named, version in _known() if named == language]


@cache
def _known() -> dict[tuple[str, Version], re.Pattern[str]]:
    known = {}
    for name, expression in _SINCE.items():
        language, _, number = name.partition(" ")
        major, _, minor = number.partition(".")
        known[language, (int(major), int(minor or 0))] = re.compile(expression, re.IGNORECASE)
    return known
