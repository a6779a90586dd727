"""Hide secrets in lines that come one by one: a private key, or a name on one line and its value on the next."""

import re

from mi.kernel.language import compiled
from mi.kernel.secrets import Redacted, find_secrets, redact

_KEPT = 300  # characters of an earlier line that may name what the next one holds
_HIDDEN = Redacted("[redacted:private-key]")
_BEGIN = r"-----? ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-----?|Private-Lines: \d"
_END = r"-----? ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-----?|Private-MAC:"
_AFTER_BEGIN = r"[\s\"'`,+\\nr\d]{0,20}(?:[A-Za-z0-9+/]{16,}.*)?"  # else it is spoken of
_STRING_ENDS, _MARGINS = " \t\r\"'`,+", "\"'`>|:#*"  # of strings in code, diffs and listings
_HEADER = r"^\W{0,40}(?:[A-Z][A-Za-z-]{3,20}: |$)"
# What ends so may name what the next line holds: a block of YAML, an element of XML, an entry of netrc.
_NAMES_NEXT = r"(?:[:=,(>\\]|[|>][+-]?)\s{0,8}$|^\s{0,40}(?:machine|default|login|account)\b"


class LineRedactor:
    """Hides the secrets of one stream of lines."""

    def __init__(self) -> None:
        self._in_key = False
        self._margin = 0  # words before the key on each of its lines: a time, a line number
        self._before: list[str] = []  # the latest lines, as long as they may name what comes

    def hide(self, line: str) -> Redacted:
        """Return the line as it may be shown."""
        if self._in_key:
            if end := _search(_END, line):
                self._in_key = False
                return Redacted(_HIDDEN + self._hide_after(line[end.end() :]))
            if self._is_of_key(line):
                return _HIDDEN
            self._in_key = _search(_HEADER, line) is not None
        return self._hide_after(line)

    def _hide_after(self, line: str) -> Redacted:
        begins = "PRIVATE KEY" in line or "Private-Lines" in line
        last = [*compiled(rf"{_BEGIN}|{_END}", 0).finditer(line)][-1:] if begins else []
        for one in last:
            self._in_key = bool(_search(_BEGIN, one[0]) and compiled(_AFTER_BEGIN, 0).fullmatch(line, one.end()))
            self._margin = len(f"{line[: one.start()]}-".split()) - 1
        before = "".join(f"{one}\n" for one in self._before)
        names_next = bool(_search(_NAMES_NEXT, line[-_KEPT:]))
        self._before = [*self._before[-1:], line[-_KEPT:]] if names_next else []
        return _redact_after(before, line)

    def _is_of_key(self, line: str) -> bool:
        """Return whether a line ends in base64: a long run of it, or where the first line had the key."""
        words = line.rstrip(_STRING_ENDS).removesuffix("\\n").removesuffix("\\r").split()
        word = words[-1].lstrip(_MARGINS) if words else ""
        is_base64 = compiled(r"[A-Za-z0-9+/]{4,}+={0,2}", 0).fullmatch(word) is not None
        return is_base64 and (len(word) >= 40 or len(words) - 1 == self._margin)


def _search(pattern: str, line: str) -> re.Match[str] | None:
    return compiled(pattern, 0).search(line)


def _redact_after(before: str, line: str) -> Redacted:
    """Return a line without the secrets that the lines before it tell."""
    found = find_secrets(before + line) if before else []
    for kind, start, end in reversed(found):
        if end > len(before):
            line = f"{line[: max(start - len(before), 0)]}[redacted:{kind}]{line[end - len(before) :]}"
    return redact(line)
