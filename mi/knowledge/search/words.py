"""Text as search tokens: English by stems, Chinese, Japanese and Korean by pairs of characters, nothing by syntax."""

import re
from functools import cache
from typing import NamedTuple

MAX_QUERY_TOKENS = 24
_QUERY_CHARS = 8000  # of a long task, its beginning says what it is about
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
_EMOJI = "\u2600-\u27bf\U0001f300-\U0001faff"
# C++ and C# are words; everything else that is neither letter nor digit separates.
_ASCII_TOKEN = re.compile(r"[A-Za-z0-9]+(?:\+\+|#(?![A-Za-z0-9]))?")
_INNER_CAPITAL = re.compile(r"[A-Z](?<=[A-Za-z0-9].)")  # looking back: few letters are capitals
_ASCII_WORDS = bytes(ord(chr(code).lower()) if chr(code).isalnum() else 32 for code in range(128)) + bytes(128)
_CAMEL = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+(?![a-z])")

# Said in every question, telling nothing of what is asked; dropped from queries only.
_STOP_WORDS = """a about am an and any are as at be been but by can could did do does for from had has have he her hers
    him his how i if in into is it its me my not of on or our she should so some than that the their them then there
    these they this to us was we were what when where which who whom whose why will with would you your"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
# Forms that no suffix rule joins: the first word of each group stands for all.
_IRREGULAR = """become became|begin began begun|break broke broken|bring brought|build built|buy bought|catch caught
    |choose chose chosen|come came|deal dealt|draw drew drawn|drive drove driven|eat ate eaten|fall fell fallen
    |feel felt|fight fought|find found|fly flew flown|forget forgot forgotten|freeze froze frozen|get got gotten
    |give gave given|go went gone|grow grew grown|hang hung|hear heard|hide hid hidden|hold held|keep kept
    |know knew known|lead led|learn learnt|leave left|lend lent|light lit|lose lost|make made|mean meant|meet met
    |pay paid|ride rode ridden|ring rang rung|rise rose risen|run ran|say said|see saw seen|seek sought|sell sold
    |send sent|shake shook shaken|shoot shot|show shown|sing sang sung|sink sank sunk|sit sat|sleep slept
    |speak spoke spoken|spend spent|stand stood|steal stole stolen|stick stuck|strike struck|swim swam swum
    |take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown|understand understood
    |wake woke woken|wear wore worn|win won|write wrote written|child children|man men|woman women|person people
    |foot feet|tooth teeth|mouse mice|wife wives|index indices|good better best|bad worse worst|mother mom mum
    |father dad"""
_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTHS = _MONTH_NAMES.split()


class QueryTokens(NamedTuple):
    """A query as it was asked, and the tokens that are searched for."""

    raw: str
    tokens: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(self.tokens)


def tokens(text: str, asked: bool = False) -> list[str]:
    """The tokens of a text, in order: as they are indexed, or as they are asked for."""
    found = _ascii_tokens(text) if text.isascii() else _any_tokens(text, asked)
    base = _base_forms()
    return found if base.keys().isdisjoint(found) else [base.get(token, token) for token in found]


def compact(query: str, limit: int = MAX_QUERY_TOKENS) -> QueryTokens:
    """A question or task as at most `limit` distinct tokens: stop words dropped, what is said often kept first."""
    found = tokens(query[:_QUERY_CHARS], asked=True)
    telling = [token for token in found if token not in STOP_WORDS and (len(token) > 1 or not token.isascii())]
    counts: dict[str, int] = {}
    for token in telling or found:
        counts[token] = counts.get(token, 0) + 1
    kept = set(sorted(counts, key=lambda token: -counts[token])[:limit])
    return QueryTokens(query, tuple(token for token in counts if token in kept))


def day_words(ts: str) -> str:
    """The date of a timestamp as people write it: `2026-11-16` also as `16 november 2026`."""
    year, month, day = ts[:4], ts[5:7], ts[8:10]
    if not (year.isdigit() and month.isdigit() and day.isdigit() and 1 <= int(month) <= 12):
        return ""
    return f"{year} {month} {day} {int(day)} {_MONTHS[int(month) - 1]}"


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
    return re.compile(
        rf"(?P<cjk>[{_CJK}]+)|(?P<emoji>[{_EMOJI}])|(?P<word>(?:(?![{_CJK}])[^\W_])+(?:\+\+|#(?![^\W_]))?)"
    )


@cache
def _base_forms() -> dict[str, str]:
    groups = [group.split() for group in _IRREGULAR.split("|")]
    return {form: group[0] for group in groups for form in group[1:]}
