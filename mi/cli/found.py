"""A record of the evidence that a search found, as a person reads it: its gist, or the words that were asked for."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mi.cli.output import Output, Progress, safe
from mi.kernel.text import ELLIPSIS
from mi.memory.words import tokens

if TYPE_CHECKING:
    from mi.app import App
    from mi.evidence.reader import Event
    from mi.memory.documents import Document

_BEFORE = 40  # characters shown in front of a word that was asked for
_AROUND = 4096  # looked at around it: a secret that is cut in the middle is no longer recognised
# What names or points, at any depth: it may hold the words by chance and tells nothing.
_POINTERS = ("kind", "event_id", "run_id", "batch_id", "thread_id", "ts", "state", "project_root", "cwd")


def telling_text(app: "App", one: "Document", asked: tuple[str, ...], out: Output) -> str:
    """The record's own headline, and where that holds none of the words asked for, the text that does."""
    log = app.home.project(one.project_id).evidence if one.project_id else app.home.evidence
    event = app.evidence_index.find(log, one.id, Progress(out, "progress.indexing"))
    if event is None:
        return one.text  # the log is gone, the index still knows it
    headline = _headline(event, out)
    if _held(headline, asked):
        return headline
    texts = list(_texts(event.fields()))
    best = max(texts, key=lambda text: _held(text, asked), default="")
    if not _held(best, asked):
        return headline or one.text
    return f"{headline} {_around(best, asked)}".strip()


def _headline(event: "Event", out: Output) -> str:
    record = event.record()
    return record.headline(out.word).strip() if record else ""


def _held(text: str, asked: tuple[str, ...]) -> int:
    return len({*tokens(text)} & {*asked})


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name not in _POINTERS and not name.endswith(("_ref", "_refs", "_path", "_sha256")):
                yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _around(text: str, asked: tuple[str, ...]) -> str:
    """The text from a little before the first of the words, marked as a part of more."""
    start = max(_first(text, asked) - _AROUND, 0)
    shown = " ".join(safe(text[start : start + 2 * _AROUND]).split())
    at = _first(shown, asked) - _BEFORE
    space = shown.find(" ", at, at + _BEFORE) if at > 0 else -1
    return f"{ELLIPSIS} {shown[space + 1 if space >= 0 else max(at, 0) :]}"


def _first(text: str, asked: tuple[str, ...]) -> int:
    places = [at for word in asked if (at := text.lower().find(word)) >= 0]
    return min(places, default=0)
