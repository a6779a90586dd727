"""A report as a document that can be written as Markdown or as a page: what is quoted stands apart from our words."""

from collections.abc import Iterable

from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import Redacted, redact
from mi.kernel.text import make_printable


class Said(NamedTuple):
    """Words of somebody else inside a line: shown as they are, never taken as markup."""

    text: str


Span = str | Said
Spans = tuple[Span, ...]


class Paragraph(NamedTuple):
    """One line of text."""

    spans: Spans


class Point(NamedTuple):
    """One point of a list; `is_done` is None where that cannot be said, or is not meant."""

    spans: Spans
    is_done: bool | None = None
    under: tuple[Spans, ...] = ()


class Points(NamedTuple):
    """A list."""

    points: tuple[Point, ...]
    is_checklist: bool = False


class Figures(NamedTuple):
    """A table; an empty head is not shown."""

    head: tuple[str, ...]
    rows: tuple[tuple[Spans, ...], ...]


class Quote(NamedTuple):
    """The person's own words, line by line."""

    text: str


class PatchText(NamedTuple):
    """A difference of files as git writes it."""

    text: str


Part = Paragraph | Points | Figures | Quote | PatchText


class Chapter(NamedTuple):
    """A part of a document under its own heading; one without a title opens the document."""

    title: str
    parts: tuple[Part, ...]


class Paper(NamedTuple):
    """A whole document."""

    title: str
    language: str
    chapters: tuple[Chapter, ...]
    foot: str


def clean(words: str) -> Redacted:
    """Return somebody's words without what drives a terminal and without secrets."""
    return redact(make_printable(words))


def quote(words: str) -> Said:
    """Return somebody's words for a line: cleaned, and on one line."""
    return Said(" ".join(clean(words).split()))


def fill(key: str, language: str, /, **details: Span | int) -> Spans:
    """Return a text of the catalogue with its details in it; those that are quoted stay apart."""
    said = [value for value in details.values() if isinstance(value, Said)]
    places = {name: f"\0{said.index(value)}\0" if isinstance(value, Said) else value for name, value in details.items()}
    pieces = text(key, language, **places).split("\0")
    return tuple(said[int(piece)] if number % 2 else piece for number, piece in enumerate(pieces) if piece)


def list_points(lines: Iterable[Spans]) -> Points:
    """Return lines as a list."""
    return Points(tuple(Point(line) for line in lines))
