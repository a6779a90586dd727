"""Bars as SVG: how much of something there was, and how much of it is unknown."""

from collections.abc import Sequence

from markupsafe import Markup

from mi.kernel.named_tuple import NamedTuple

_HEIGHT = 100  # of the picture; it is stretched to the room there is
_ROOM = 92  # of it for the highest bar: above it stands what is unknown
_LEAST = 1.5  # so that little is not taken for nothing
_UNKNOWN = 6  # how high the part is drawn of which nobody knows how much it is
_STEP, _WIDE = 10, 7  # from one column to the next, and how wide it is


class Bar(NamedTuple):
    """One bar: how much is known (None: nothing), whether there is more, and the words for it."""

    title: str
    known: float | None
    has_unknown: bool = False


def draw_columns(bars: Sequence[Bar], title: str) -> Markup:
    """Return bars that stand side by side, such as those of days."""
    most = max((bar.known or 0 for bar in bars), default=0)
    drawn = Markup("").join(_draw_column(bar, number, most) for number, bar in enumerate(bars))
    box = f"0 0 {max(len(bars), 1) * _STEP} {_HEIGHT}"
    return Markup(
        '<svg class="columns" viewBox="{}" preserveAspectRatio="none" role="img" aria-label="{}">'
        '<path class="ground" d="M0 {}H{}"/>{}</svg>'
    ).format(box, title, _HEIGHT, max(len(bars), 1) * _STEP, drawn)


def _draw_column(bar: Bar, number: int, most: float) -> Markup:
    left = number * _STEP + (_STEP - _WIDE) / 2
    height = max(bar.known / most * _ROOM, _LEAST) if bar.known and most else 0.0
    known = _draw_part("known", left, _HEIGHT - height, _WIDE, height) if height else Markup("")
    unknown = Markup("")
    if bar.has_unknown:
        unknown = _draw_part("unknown", left, _HEIGHT - height - _UNKNOWN, _WIDE, _UNKNOWN)
    return Markup("<g><title>{}</title>{}{}</g>").format(bar.title, known, unknown)


def draw_row(bar: Bar, most: float) -> Markup:
    """Return one bar that lies in a row of a table; the words stand in the row itself."""
    wide = max(bar.known / most * _ROOM, _LEAST) if bar.known and most else 0.0
    known = _draw_part("known", 0, 0, wide, 10) if wide else Markup("")
    unknown = _draw_part("unknown", wide, 0, _UNKNOWN, 10) if bar.has_unknown else Markup("")
    return Markup(
        '<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">{}{}</svg>'
    ).format(known, unknown)


def _draw_part(kind: str, left: float, top: float, width: float, height: float) -> Markup:
    return Markup('<rect class="{}" x="{:.4g}" y="{:.4g}" width="{:.4g}" height="{:.4g}"/>').format(
        kind, left, top, width, height
    )
