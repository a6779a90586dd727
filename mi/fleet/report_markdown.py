"""A report as Markdown: what is quoted is code, so that it forms no markup, calls nobody and closes no issue."""

import re

from mi.fleet.report_document import (
    Chapter,
    Figures,
    Paper,
    Paragraph,
    Part,
    PatchText,
    Point,
    Points,
    Quote,
    Said,
    Spans,
)

_MARKUP = re.compile(r"([\\`*_\[\]<>#|~$&])")
_TICKS = re.compile("`+")


def write_markdown(paper: Paper, is_request: bool = False) -> str:
    """Return a document as Markdown; a pull request's text begins with its title as a plain line."""
    title = paper.title if is_request else "# " + _MARKUP.sub(r"\\\1", paper.title)
    foot = [f"---\n{paper.foot}"] if paper.foot else []
    return "\n\n".join([title, *(_write_chapter(one) for one in paper.chapters), *foot]) + "\n"


def _write_chapter(chapter: Chapter) -> str:
    heading = [f"## {chapter.title}"] if chapter.title else []
    return "\n\n".join([*heading, *map(_write_part, chapter.parts)])


def _write_part(part: Part) -> str:
    match part:
        case Paragraph():
            return _write_spans(part.spans)
        case Points():
            return "\n".join(_write_point(point, part.is_checklist) for point in part.points)
        case Figures():
            return _write_figures(part)
        case Quote():
            return "\n".join(f"> {line}".rstrip() for line in part.text.replace("<", "\\<").splitlines())
        case PatchText():
            return _write_patch(part.text)


def _write_point(point: Point, is_checklist: bool) -> str:
    box = f"[{'x' if point.is_done else ' '}] " if is_checklist and point.is_done is not None else ""
    under = [f"  - {_write_spans(spans)}" for spans in point.under]
    return "\n".join([f"- {box}{_write_spans(point.spans)}", *under])


def _write_figures(figures: Figures) -> str:
    columns = max((len(row) for row in (figures.head, *figures.rows)), default=0)
    head = figures.head or ("",) * columns
    rows = [" | ".join(_write_spans(cell).replace("|", r"\|") for cell in row) for row in figures.rows]
    return "\n".join(f"| {line} |" for line in (" | ".join(head), " | ".join(["---"] * columns), *rows))


def _write_spans(spans: Spans) -> str:
    return "".join(_write_code(span.text) if isinstance(span, Said) else span for span in spans)


def _write_code(words: str) -> str:
    """Return words as a code span, whose ticks are more than any that they hold."""
    if not words.strip():
        return ""
    ticks = "`" * (1 + _count_ticks(words))
    beside = " " if words[0] == "`" or words[-1] == "`" else ""
    return f"{ticks}{beside}{words}{beside}{ticks}"


def _write_patch(words: str) -> str:
    fence = "`" * max(3, 1 + _count_ticks(words))
    return f"{fence}diff\n{words}\n{fence}"


def _count_ticks(words: str) -> int:
    return max(map(len, _TICKS.findall(words)), default=0)
