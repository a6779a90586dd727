"""Text as people read it: Chinese and English, terminal width, safe to print."""

import re
from functools import cache

ELLIPSIS = "…"
# Kana, unified ideographs with extensions, hangul, compatibility ideographs: scripts without spaces between words.
_CJK = r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f]"
# C0 and C1 controls, and the marks that reorder text: printed, they would let stored text drive the terminal.
# Halves of surrogate pairs (bytes of a path or command line that were no text) cannot be printed at all.
_CONTROL = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
_ESCAPE_SEQUENCE = "\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-_])"
_BULLET = r"^\s*(?:[-*•·]\s+|\d{1,3}[.)]\s+|\d{1,3}[、．]\s*)"
_CLOSING = "”’」』）)"
_SENTENCE_END = rf"(?<=[。！？])(?![。！？{_CLOSING}])|(?<=[。！？][{_CLOSING}])|(?<=[.!?])(?=\s)"
_ABBREVIATION = r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|Mr|Mrs|Ms|Dr)|(?:\b[A-Za-z]\.)+[A-Za-z])\.$"


@cache
def _pattern(expression: str) -> re.Pattern[str]:
    """Compiled on first use: most commands print plain lines and need none of them."""
    return re.compile(expression)


def has_cjk(text: str) -> bool:
    """Whether any Chinese, Japanese or Korean character is in the text."""
    return not text.isascii() and _pattern(_CJK).search(text) is not None


def printable(text: str) -> str:
    """The text without terminal escape sequences and control characters; newlines and tabs stay."""
    if text.isprintable():
        return text
    without_escapes = _pattern(_ESCAPE_SEQUENCE).sub("", text).replace("\r\n", "\n")
    return _pattern(_CONTROL).sub("\ufffd", without_escapes)


def one_line(text: str, limit: int) -> str:
    """The text on one line of at most `limit` columns."""
    return shorten(printable(" ".join(text[: limit * 4 + 64].split())), limit)


def width(text: str) -> int:
    """Columns the text takes on a terminal."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def shorten(text: str, limit: int) -> str:
    """The text cut to at most `limit` columns, an ellipsis in place of what is missing."""
    if width(text) <= limit:
        return text
    kept = text[:limit]
    while kept and width(kept) > limit - 1:
        kept = kept[:-1]
    return kept + ELLIPSIS


def wrap(text: str, columns: int) -> list[str]:
    """The text as lines of at most `columns` columns, broken between words or Chinese characters; a long word stays."""
    lines, line = [], ""
    for piece in _pattern(rf"\s+|{_CJK}[{_CLOSING}，。、；：！？…]*|(?:(?!{_CJK})\S)+").findall(text):
        if line.strip() and width(line + piece.rstrip()) > columns:
            lines.append(line.rstrip())
            line = piece.lstrip()
        else:
            line += piece
    return [*lines, line.rstrip()]


def pad(text: str, columns: int) -> str:
    """The text filled with spaces to a width."""
    return text + " " * (columns - width(text))


def sentences(text: str) -> list[str]:
    """The sentences and list items of a text, in order, each once; fits English and Chinese."""
    found: dict[str, None] = {}
    for line in text.splitlines():
        for sentence in _split_line(_pattern(_BULLET).sub("", line).strip()):
            if any(char.isalnum() for char in sentence):
                found.setdefault(sentence)
    return list(found)


def _split_line(line: str) -> list[str]:
    parts: list[str] = []
    for part in _pattern(_SENTENCE_END).split(line):
        if parts and _pattern(_ABBREVIATION).search(parts[-1][-40:]):
            parts[-1] += part
        else:
            parts.append(part)
    return [part.strip() for part in parts if part.strip()]


def decode(data: bytes) -> str:
    """Bytes from outside as text; what is not UTF-8 becomes a replacement mark."""
    return data.decode("utf-8", "replace")
