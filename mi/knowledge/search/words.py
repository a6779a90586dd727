"""Text as search tokens: English by stems, Chinese, Japanese and Korean by pairs of characters, nothing by syntax."""

import re
from functools import cache

from mi.kernel.language import CJK, patterns
from mi.kernel.named_tuple import NamedTuple

MAX_QUERY_TOKENS = 24
_QUERY_CHARS = 8000  # of a long task, its beginning says what it is about
_EMOJI = "\u2600-\u27bf\U0001f300-\U0001faff"
# C++ and C# are words; everything else that is neither letter nor digit separates.
_ASCII_TOKEN = re.compile(r"[A-Za-z0-9]+(?:\+\+|#(?![A-Za-z0-9]))?")
_INNER_CAPITAL = re.compile(r"[A-Z](?<=[A-Za-z0-9].)")  # looking back: few letters are capitals
_ASCII_WORDS = bytes(ord(chr(code).lower()) if chr(code).isalnum() else 32 for code in range(128)) + bytes(128)
_CAMEL = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+(?![a-z])")


class QueryTokens(NamedTuple):
    """A query as it was asked, and the tokens that are searched for."""

    raw: str
    tokens: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(self.tokens)


def tokens(text: str, asked: bool = False) -> list[str]:
    """Return the tokens of a text, in order: as they are indexed, or as they are asked for."""
    found = _ascii_tokens(text) if text.isascii() else _any_tokens(text, asked)
    base = _base_forms()
    return found if base.keys().isdisjoint(found) else [base.get(token, token) for token in found]


def compact(query: str, limit: int = MAX_QUERY_TOKENS) -> QueryTokens:
    """Return a question or task as at most `limit` distinct tokens.

    Stop words dropped, what is said often kept first.
    """
    found = tokens(query[:_QUERY_CHARS], asked=True)
    stops = stop_words()
    telling = [token for token in found if token not in stops and (len(token) > 1 or not token.isascii())]
    counts: dict[str, int] = {}
    for token in telling or found:
        counts[token] = counts.get(token, 0) + 1
    kept = set(sorted(counts, key=lambda token: -counts[token])[:limit])
    return QueryTokens(query, tuple(token for token in counts if token in kept))


def day_words(ts: str) -> str:
    """Return the date of a timestamp as people write it: `2026-11-16` also as `16 november 2026`."""
    year, month, day = ts[:4], ts[5:7], ts[8:10]
    if not (year.isdigit() and month.isdigit() and day.isdigit() and 1 <= int(month) <= 12):
        return ""
    named = " ".join(patterns().months[int(month) - 1 :: 12])
    return f"{year} {month} {day} {int(day)} {named}"


def _ascii_tokens(text: str) -> list[str]:
    if "+" not in text and "#" not in text and not _INNER_CAPITAL.search(text):  # most texts
        return text.encode().translate(_ASCII_WORDS).decode().split()
    found: list[str] = []
    for word in _ASCII_TOKEN.findall(text):
        lower = word.lower()
        found.append(lower)
        if lower != word and not word.isupper() and word[1:] != lower[1:]:  # EvidenceWriter: also evidence, writer
            found += [part.lower() for part in _CAMEL.findall(word)]
    return found


def _any_tokens(text: str, asked: bool) -> list[str]:
    from unicodedata import normalize

    found: list[str] = []
    for match in _any_pattern().finditer(normalize("NFKC", text)):
        word = match[0]
        if match.lastgroup == "cjk":
            found += _pairs(word, asked)
        elif word.isascii():
            found += _ascii_tokens(word)
        else:
            found.append(word.lower())
    return found


def _pairs(run: str, asked: bool) -> list[str]:
    """Pairs of characters. The last one is also indexed alone, so that asking for one character by prefix finds it."""
    last = 1 if asked and len(run) > 1 else 0
    return [run[at : at + 2] for at in range(len(run) - last)]


@cache
def _any_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?P<cjk>[{CJK}]+)|(?P<emoji>[{_EMOJI}])|(?P<word>(?:(?![{CJK}])[^\W_])+(?:\+\+|#(?![^\W_]))?)")


@cache
def stop_words() -> frozenset[str]:
    """Return the words that are dropped from queries: said in every question, telling nothing of what is asked."""
    return frozenset(patterns().stop_words)


@cache
def _base_forms() -> dict[str, str]:
    groups = [group.split() for group in patterns().irregular_forms]
    return {form: group[0] for group in groups for form in group[1:]}
