"""Finding words in a message: the person's own, not quoted ones; Latin by word, Chinese by part, with a stop list."""

import re
from collections.abc import Iterable
from functools import cache

from mi.kernel.language import compiled, one_of, patterns

_QUOTED = (
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`|\"[^\"\n]{0,400}\"|“[^”\n]{0,400}”|‘[^’\n]{0,400}’"
    r"|«[^»\n]{0,400}»|(?<![\w])'[^'\n]{1,400}'(?!\w)|^[ \t]*>[^\n]*"
)
_CODE = r"(?s)```[\w-]*\n?(.*?)(?:```|\Z)|~~~[\w-]*\n?(.*?)(?:~~~|\Z)|`([^`\n]+)`"
_LONGEST_WORD = 200  # with politeness and particles
_BLANK = r"[^\S\n]"  # of one line: a run of empty lines is not tried from each of them


def own_words(message: str) -> str:
    """Return the message with quoted text and code blanked out: what stands there was not said by the person."""
    quoted = compiled(f"{_QUOTED}|{patterns().quotation}", re.S | re.M)
    return quoted.sub(lambda found: " " * len(found[0]), message)


def find_code_spans(message: str) -> list[str]:
    """Return the texts in code spans and fenced blocks."""
    return [next(part for part in found if part) for found in re.findall(_CODE, message) if any(found)]


def is_said(message: str, words: Iterable[str], stops: Iterable[str] = ()) -> list[str]:
    """Return those of the words that are in the message, outside of the words of the stop list.

    In the order of the table.
    """
    lowered = _without(message.lower(), tuple(stops))
    return [word for word in words if _is_in(lowered, word.lower())]


def _is_in(lowered: str, word: str) -> bool:
    """Compiled only for words whose beginning is there at all: of hundreds in the tables, most texts hold none."""
    if not word.isascii():
        return word in lowered
    return word.partition(" ")[0] in lowered and _pattern(word).search(lowered) is not None


def _without(text: str, stops: tuple[str, ...]) -> str:
    for stop in stops:
        text = text.replace(stop.lower(), " " * len(stop))
    return text


@cache
def _pattern(word: str) -> re.Pattern[str]:
    """Return a Latin word at its boundaries, a blank in it standing for any."""
    escaped = r"\s+".join(re.escape(part) for part in word.split())
    return re.compile(rf"(?<![a-z0-9_]){escaped}(?![a-z0-9_])")


def list_items(message: str) -> list[str]:
    """Return the items that the message lists, by lines or inline as 1) 2) 3); [] without a list."""
    known = patterns()
    opening, closing = one_of(*known.opening_brackets), one_of(*known.closing_brackets)
    mark = one_of(*known.list_marks)
    numbered = rf"\d{{1,3}}[.)]{_BLANK}+|\d{{1,3}}{mark}{_BLANK}*|{opening}\d{{1,3}}{closing}{_BLANK}*"
    lines = compiled(rf"^{_BLANK}*(?:[-*•·]{_BLANK}+|{numbered})(\S.*)", re.M).findall(message)
    if len(lines) > 1:
        return list(lines)
    inline = compiled(rf"(?<![\w.]){opening}?(\d{{1,2}})(?:{closing}|{mark}|\.(?=\s))\s*(?=\S)")
    marks: list[re.Match[str]] = []
    for found in inline.finditer(message):
        if int(found[1]) == len(marks) + 1:
            marks.append(found)
    ends = [*(one.start() for one in marks[1:]), len(message)]
    items = [message[one.end() : end].strip() for one, end in zip(marks, ends, strict=True)] if marks else []
    return items if len(items) > 1 else []


def split_clauses(message: str) -> list[str]:
    """Return the message cut at its marks, each part without them, lower-cased."""
    parts = compiled(one_of(*patterns().clause_marks, *"~…\n") + "+").split(message.lower())
    return [part for part in map(_without_marks, parts) if part]


def is_whole(message: str, words: Iterable[str]) -> bool:
    """Return whether the message says nothing but one of the words, politeness and particles apart."""
    whole = _without_marks(message).lower()
    if len(whole) > _LONGEST_WORD:
        return False
    known = patterns()
    courtesy = rf"^(?:{known.courtesy_before})(?:\s|{one_of(*known.commas)})*|(?:{known.courtesy_after})+$"
    return not {whole, _without_marks(compiled(courtesy).sub("", whole))}.isdisjoint(word.lower() for word in words)


def _without_marks(text: str) -> str:
    known = patterns()
    return text.strip("".join((*known.clause_marks, *known.list_marks, *" \t\r\n~…")))
