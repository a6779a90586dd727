"""Finding words in a message: the person's own, not quoted ones; Latin by word, Chinese by part, with a stop list."""

import re
from collections.abc import Iterable
from functools import cache

_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`|\"[^\"\n]{0,400}\"|“[^”\n]{0,400}”|‘[^’\n]{0,400}’|「[^」\n]{0,400}」"
    r"|『[^』\n]{0,400}』|《[^》\n]{0,400}》|«[^»\n]{0,400}»|(?<![\w])'[^'\n]{1,400}'(?!\w)|^[ \t]*>[^\n]*",
    re.S | re.M,
)
_CODE = re.compile(r"```[\w-]*\n?(.*?)(?:```|\Z)|~~~[\w-]*\n?(.*?)(?:~~~|\Z)|`([^`\n]+)`", re.S)
_LONGEST_WORD = 200  # with politeness and particles
_BLANK = r"[^\S\n]"  # of one line: a run of empty lines is not tried from each of them
_LIST_LINE = re.compile(
    rf"^{_BLANK}*(?:[-*•·]{_BLANK}+|\d{{1,3}}[.)]{_BLANK}+|\d{{1,3}}[、．]{_BLANK}*|[（(]\d{{1,3}}[)）]{_BLANK}*)\S",
    re.M,
)
_INLINE_ITEM = re.compile(r"(?<![\w.])[（(]?(\d{1,2})(?:[)）、]|\.(?=\s))\s*(?=\S)")
_END_MARKS = " \t\r\n.,;:!?~…。，；：！？、"


def own_words(message: str) -> str:
    """The message with quoted text and code blanked out: what stands there was not said by the person."""
    return _QUOTED.sub(lambda found: " " * len(found[0]), message)


def code_spans(message: str) -> list[str]:
    """The texts in code spans and fenced blocks."""
    return [next(part for part in found if part) for found in _CODE.findall(message) if any(found)]


def said(message: str, words: Iterable[str], stops: Iterable[str] = ()) -> list[str]:
    """Those of the words that are in the message, outside of the words of the stop list; in the order of the table."""
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
    """A Latin word at its boundaries, a blank in it standing for any."""
    escaped = r"\s+".join(re.escape(part) for part in word.split())
    return re.compile(rf"(?<![a-z0-9_]){escaped}(?![a-z0-9_])")


def listed_items(message: str) -> int:
    """How many items the message lists, by lines or inline as 1) 2) 3); 0 without a list."""
    lines = len(_LIST_LINE.findall(message))
    if lines > 1:
        return lines
    expected = 1
    for found in _INLINE_ITEM.finditer(message):
        if int(found[1]) == expected:
            expected += 1
    return expected - 1 if expected > 2 else 0


def clauses(message: str) -> list[str]:
    """The message cut at its marks, each part without them, lower-cased."""
    parts = re.split(r"[,.;:!?~…\n。，；：！？]+", message.lower())
    return [part.strip(_END_MARKS) for part in parts if part.strip(_END_MARKS)]


def is_whole(message: str, words: Iterable[str]) -> bool:
    """Whether the message says nothing but one of the words, politeness and particles apart."""
    rest = message.strip(_END_MARKS).lower()
    if len(rest) > _LONGEST_WORD:
        return False
    rest = re.sub(r"^(?:ok|okay|好的?|那|please|请)[\s,，]*|(?:\s+please|吧|了|啦|啊|哦)+$", "", rest).strip(_END_MARKS)
    return rest in {word.lower() for word in words} or message.strip(_END_MARKS).lower() in {
        word.lower() for word in words
    }
