"""Text as people read it: in any language, terminal width, safe to print."""

from typing import TYPE_CHECKING, cast, overload

from mi.kernel.language import CJK, compiled, one_of, patterns

if TYPE_CHECKING:
    from mi.kernel.secrets import Redacted

ELLIPSIS = "…"
# C0 and C1 controls, and the marks that reorder text: printed, they would let stored text drive the terminal.
# Halves of surrogate pairs (bytes of a path or command line that were no text) cannot be printed at all.
_CONTROL = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
_ESCAPE_SEQUENCE = "\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-_])"


def has_cjk(text: str) -> bool:
    """Return whether any Chinese, Japanese or Korean character is in the text."""
    return not text.isascii() and compiled(f"[{CJK}]").search(text) is not None


@overload
def make_printable(text: "Redacted") -> "Redacted": ...
@overload
def make_printable(text: str) -> str: ...
def make_printable(text: str) -> str:
    """Return the text without terminal escape sequences and control characters; newlines and tabs stay."""
    if text.replace("\n", "").replace("\t", "").isprintable():  # as most texts: nothing is compiled for them
        return text
    without_escapes = compiled(_ESCAPE_SEQUENCE).sub("", text).replace("\r\n", "\n")
    return compiled(_CONTROL).sub("\ufffd", without_escapes)


def show_path(path: str) -> str:
    """Return a path to be read on one line; where a character would not be seen as it is, quoted and spelt out."""
    if path.isprintable() and path == path.strip():
        return path
    return '"' + "".join(map(_spell_out, path)) + '"'


def _spell_out(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    return char if char.isprintable() else char.encode("unicode_escape").decode()


def fit_one_line(text: "Redacted", limit: int) -> "Redacted":
    """Return the text on one line of at most `limit` columns."""
    return shorten(cast("Redacted", make_printable(" ".join(text[: limit * 4 + 64].split()))), limit)


def width(text: str) -> int:
    """Columns the text takes on a terminal."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def shorten(text: "Redacted", limit: int) -> "Redacted":
    """Return the text cut to at most `limit` columns, an ellipsis in place of what is missing."""
    if width(text) <= limit:
        return text
    kept = text[:limit]
    while kept and width(kept) > limit - 1:
        kept = kept[:-1]
    return cast("Redacted", kept + ELLIPSIS)


def shorten_middle(text: "Redacted", limit: int) -> "Redacted":
    """Return the text cut to at most `limit` columns in its middle: the ends of a name tell it from others."""
    if width(text) <= limit:
        return text
    head, tail = (limit - 1) // 2, limit - 1 - (limit - 1) // 2
    first, last = shorten(text, head + 1).removesuffix(ELLIPSIS), text[-tail:]
    while last and width(last) > tail:
        last = last[1:]
    return cast("Redacted", first + ELLIPSIS + last)


def wrap(text: str, columns: int) -> list[str]:
    """Return the text as lines of at most `columns` columns, broken between words or Chinese characters.

    A long word stays.
    """
    lines, line = [], ""
    for piece in compiled(r"\s+|\S+" if text.isascii() else _pieces()).findall(text):
        if line.strip() and width(line + piece.rstrip()) > columns:
            lines.append(line.rstrip())
            line = piece.lstrip()
        else:
            line += piece
    return [*lines, line.rstrip()]


def _pieces() -> str:
    """Return the pattern of what must stay on one line; no line begins with a mark that closes something."""
    known = patterns()
    wide = [mark for mark in (*known.clause_marks, *known.list_marks) if not mark.isascii()]
    marks = (*wide, *known.closing_brackets, *known.closing_quotes, ELLIPSIS)
    return rf"\s+|[{CJK}]{one_of(*marks)}*|[^\s{CJK}]+"


def pad(text: str, columns: int) -> str:
    """Return the text filled with spaces to a width."""
    return text + " " * (columns - width(text))


def split_sentences(text: str) -> list[str]:
    """Return the sentences and list items of a text, in order, each once."""
    found: dict[str, None] = {}
    bullet = rf"^\s*(?:[-*•·]\s+|\d{{1,3}}[.)]\s+|\d{{1,3}}{one_of(*patterns().list_marks)}\s*)"
    for line in text.splitlines():
        for sentence in _split_line(compiled(bullet).sub("", line).strip()):
            if any(char.isalnum() for char in sentence):
                found.setdefault(sentence)
    return list(found)


def split_statements(text: str) -> list[str]:
    """Return the sentences and list items of a text that may be Markdown, without its headings."""
    heading = r"(?m)^ {0,3}(?:#{1,6}(?:[ \t].*)?|\S.*\n {0,3}(?:=+|-{3,}) *)$"
    return split_sentences(compiled(heading, 0).sub("", text))


def _split_line(line: str) -> list[str]:
    parts: list[str] = []
    known = patterns()
    for part in compiled(known.sentence_break).split(line):
        if parts and compiled(known.abbreviation, 0).search(parts[-1][-40:]):
            parts[-1] += part
        else:
            parts.append(part)
    return [part.strip() for part in parts if part.strip()]


def decode(data: bytes) -> str:
    """Bytes from outside as text; what is not UTF-8 becomes a replacement mark."""
    return data.decode("utf-8", "replace")
