"""A report as one page: nothing is loaded, nothing runs, and what is quoted is text."""

from html import escape

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

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light dark; --ink: #1c1e21; --paper: #fff; --soft: #f2f3f5; --line: #d5d8dc; --dim: #5c6370;
  --came: #116329; --came-on: #e6f6ea; --went: #a40e26; --went-on: #fdebec; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e6eb; --paper: #17191c; --soft: #22252a; --line: #3a3f47;
  --dim: #9aa3b0; --came: #7ee2a0; --came-on: #12301d; --went: #ff9aa5; --went-on: #3a171c; } }
* { box-sizing: border-box; }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif;
  color: var(--ink); background: var(--paper); overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; } h2 { margin-top: 2rem; font-size: 1.15rem; }
blockquote { margin: 0; padding: .5rem 1rem; border-inline-start: .25rem solid var(--line); white-space: pre-wrap; }
code, pre { font: .875em/1.45 ui-monospace, monospace; } code { background: var(--soft); padding: .1em .3em; }
pre { background: var(--soft); padding: .75rem; overflow-x: auto; white-space: pre-wrap; }
pre span { display: block; min-height: 1.45em; }
.came { color: var(--came); background: var(--came-on); } .went { color: var(--went); background: var(--went-on); }
.place { color: var(--dim); }
table { border-collapse: collapse; } th, td { text-align: start; padding: .25rem .9rem .25rem 0; vertical-align: top;
  border-bottom: 1px solid var(--line); }
ul { padding-inline-start: 1.3rem; } .checklist { list-style: none; padding-inline-start: 0; }
footer { margin-top: 3rem; color: var(--dim); font-size: .875rem; }
@media print { :root { color-scheme: light; --ink: #000; --paper: #fff; --soft: #fff; --dim: #333; --came: #000;
  --went: #000; --came-on: #fff; --went-on: #fff; } body { margin: 0; max-width: none; }
  pre { border: 1px solid var(--line); } h2, tr { break-after: avoid; } tr, li { break-inside: avoid; } }
"""


def write_html(paper: Paper) -> str:
    """Return a document as one self-contained page."""
    chapters = "\n".join(map(_write_chapter, paper.chapters))
    title = escape(paper.title)
    return f"""<!DOCTYPE html>
<html lang="{paper.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
<h1>{title}</h1>
{chapters}
</main>
<footer>{escape(paper.foot)}</footer>
</body>
</html>
"""


def _write_chapter(chapter: Chapter) -> str:
    heading = f"<h2>{escape(chapter.title)}</h2>\n" if chapter.title else ""
    return f"<section>\n{heading}" + "\n".join(map(_write_part, chapter.parts)) + "\n</section>"


def _write_part(part: Part) -> str:
    match part:
        case Paragraph():
            return f"<p>{_write_spans(part.spans)}</p>"
        case Points():
            points = "\n".join(_write_point(point, part.is_checklist) for point in part.points)
            return f'<ul class="checklist">\n{points}\n</ul>' if part.is_checklist else f"<ul>\n{points}\n</ul>"
        case Figures():
            return _write_figures(part)
        case Quote():
            return f"<blockquote>{escape(part.text)}</blockquote>"
        case PatchText():
            return f"<pre>{''.join(map(_write_patch_line, part.text.splitlines()))}</pre>"


def _write_point(point: Point, is_checklist: bool) -> str:
    box = ("· " if point.is_done is None else "☑ " if point.is_done else "☐ ") if is_checklist else ""
    under = "".join(f"<li>{_write_spans(spans)}</li>" for spans in point.under)
    return f"<li>{box}{_write_spans(point.spans)}{f'<ul>{under}</ul>' if under else ''}</li>"


def _write_figures(figures: Figures) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in figures.head)
    rows = ["".join(f"<td>{_write_spans(cell)}</td>" for cell in row) for row in figures.rows]
    lines = [head, *rows] if head else rows
    return "<table>\n" + "\n".join(f"<tr>{line}</tr>" for line in lines) + "\n</table>"


def _write_spans(spans: Spans) -> str:
    return "".join(f"<code>{escape(span.text)}</code>" if isinstance(span, Said) else escape(span) for span in spans)


def _write_patch_line(line: str) -> str:
    kind = "place" if line.startswith(("diff ", "index ", "---", "+++", "@@")) else ""
    kind = kind or ("came" if line.startswith("+") else "went" if line.startswith("-") else "")
    return f'<span class="{kind}">{escape(line)}</span>' if kind else f"<span>{escape(line)}</span>"
