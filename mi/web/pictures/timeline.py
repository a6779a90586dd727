"""The batches of a run as a picture: how long each took, what it changed, how its check ended, whether it asked."""

import math
from collections.abc import Sequence
from functools import partial

from markupsafe import Markup

from mi.app.run_timeline import TimelineBatch
from mi.kernel.messages import text
from mi.web.plain_words import say_span

_STEP = 44  # from one batch to the next
_BASE = 72  # below the bars; under it stand the signs and the number
_HEIGHT = 126
_MOST_FILES = 5  # dots


def draw_timeline(batches: Sequence[TimelineBatch], language: str) -> Markup:
    """Return batches side by side, the first on the left; each is a link to its words."""
    if not batches:
        return Markup("")
    longest = max((one.seconds or 0 for one in batches), default=0)
    drawn = Markup("").join(_draw(one, number, longest, language) for number, one in enumerate(batches))
    width = len(batches) * _STEP
    return Markup(
        '<svg class="timeline" viewBox="0 0 {} {}" width="{}" height="{}" role="group" aria-label="{}">'
        '<path class="ground" d="M0 {}H{}"/>{}</svg>'
    ).format(width, _HEIGHT, width * 1.5, _HEIGHT * 1.5, text("web.run-picture", language), _BASE, width, drawn)


def _draw(batch: TimelineBatch, number: int, longest: float, language: str) -> Markup:
    left, middle = number * _STEP, number * _STEP + _STEP / 2
    parts = [_draw_bar(batch, middle, longest), *_draw_files(batch, middle), *_draw_signs(batch, middle)]
    label = Markup('<text x="{:g}" y="{}">{}</text>').format(middle, _HEIGHT - 5, batch.batch_id)
    return Markup(
        '<a href="#{}" aria-label="{}"><title>{}</title>'
        '<rect class="touch" x="{:g}" y="0" width="{}" height="{}"/>{}{}</a>'
    ).format(batch.batch_id, *[_describe(batch, language)] * 2, left, _STEP, _HEIGHT, Markup("").join(parts), label)


def _draw_bar(batch: TimelineBatch, middle: float, longest: float) -> Markup:
    """Return how long the agent worked; by its root, or one long batch would hide all others."""
    share = math.sqrt((batch.seconds or 0) / longest) if longest else 0
    height = 8 + 52 * share
    kind = "works" if batch.end is None else batch.end.outcome
    return Markup('<rect class="bar-{}" x="{:g}" y="{:.4g}" width="20" height="{:.4g}" rx="3"/>').format(
        kind, middle - 10, _BASE - height, height
    )


def _draw_files(batch: TimelineBatch, middle: float) -> list[Markup]:
    dot = Markup('<circle class="file-dot" cx="{:g}" cy="{:g}" r="1.8"/>')
    count = min(len(batch.changed), _MOST_FILES) if _has_changed(batch) else 0
    return [dot.format(middle + (at - (count - 1) / 2) * 6, _BASE + 9) for at in range(count)]


def _draw_signs(batch: TimelineBatch, middle: float) -> list[Markup]:
    """Return how its check ended, and whether it asked: told by form and by colour."""
    sign = Markup('<text class="{}" x="{:g}" y="{}">{}</text>')
    check = {True: ("good", "✓"), False: ("bad", "✗"), None: ("unknown", "·")}[batch.check]
    signs = [check] + ([("warn", "?")] if batch.asked else [])
    return [
        sign.format(kind, middle + (at - (len(signs) - 1) / 2) * 14, _BASE + 29, drawn)
        for at, (kind, drawn) in enumerate(signs)
    ]


def _has_changed(batch: TimelineBatch) -> bool:
    return bool(batch.end and batch.end.seen.get("changed_now", True))


def _describe(batch: TimelineBatch, language: str) -> str:
    say = partial(text, language=language)
    seconds = "–" if batch.seconds is None else say_span(batch.seconds, language)
    check = {True: "passed", False: "failed", None: "none"}[batch.check]
    told = [say("web.run-batch", batch=batch.batch_id), seconds, say(f"web.run-check-{check}")]
    if _has_changed(batch) and batch.changed:
        told.append(say("web.run-files", count=len(batch.changed)))
    return ", ".join([*told, *([say("web.run-asked")] if batch.asked else [])])
