"""What a search found as a person reads it: the gist, and the part that holds the words asked for."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from mi.cli.output import Output, Progress
from mi.kernel.safe_text import make_safe, shorten_gist
from mi.kernel.secrets import Redacted
from mi.kernel.text import ELLIPSIS, fit_one_line
from mi.knowledge.search.words import tokens

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext
    from mi.evidence.reader import Event
    from mi.knowledge.search.documents import Document

_SHOWN, _PASSAGE = 160, 100  # columns of all that is shown, and of a passage beside the gist
_MOST_PLACES = 200  # of the words in one text: enough to choose a passage by
# What names or points, at any depth: it may hold the words by chance and tells nothing.
_POINTERS = ("kind", "event_id", "run_id", "batch_id", "thread_id", "ts", "state", "project_root", "cwd")


def describe_hit(context: "HomeContext", one: "Document", asked: tuple[str, ...], out: Output) -> str:
    """Return the record's own headline, and where that holds none of the words asked for, the text that does."""
    log = context.home.project(one.project_id).evidence if one.project_id else context.home.evidence
    event = context.evidence_index.find(log, one.id, Progress(out, "progress.indexing"))
    if event is None:
        return one.text  # the log is gone, the index still knows it
    headline = _headline(event, out)
    if _held(headline, asked):
        return cut_passage(make_safe(headline), asked, _SHOWN)
    texts = list(_texts(event.fields()))
    best = max(texts, key=lambda text: _held(text, asked), default="")
    if not _held(best, asked):
        return headline or one.text
    part = cut_passage(make_safe(best), asked, _PASSAGE)
    return f"{shorten_gist(headline, _SHOWN - _PASSAGE)} {ELLIPSIS} {part.removeprefix(ELLIPSIS)}" if headline else part


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


def cut_passage(text: Redacted, words: Iterable[str], columns: int) -> Redacted:
    """Return the part of a text in which most of the words stand, on one line."""
    asked = re.compile("|".join(map(re.escape, words)), re.IGNORECASE)
    found = [(one.start(), one[0].lower()) for one in islice(asked.finditer(text), _MOST_PLACES)]
    near = {at: len({word for other, word in found if at <= other < at + columns // 2}) for at, _ in found}
    start = max(near, key=lambda at: near[at], default=0) - columns // 4
    if start <= 0:
        return fit_one_line(text, columns)
    start = text.find(" ", start, start + columns // 4) + 1 or start  # not in the middle of a word
    return Redacted(ELLIPSIS + fit_one_line(Redacted(text[start:]), columns - 1))
