"""Pictures along the time: how long each value held, and how often MI would have said what the person said."""

import time
from collections.abc import Sequence

from mi.kernel import clock
from mi.kernel.named_tuple import NamedTuple
from mi.learning.autonomy import TopicAgreement

_WIDE = 640
_LEAST = 4  # the width of what can be seen
_ROWS = 30
_TALL = 120
_PERIODS = 24
_DAY = 86_400
_STEPS = (1, 7, 30, 91, 365, 3650)  # days of a period


class Lifetime(NamedTuple):
    """A value, and from when until when it held; `end` is empty while it does."""

    id: str
    text: str
    scope: str
    start: str
    end: str = ""


class LifetimeBar(NamedTuple):
    """A value as it is drawn."""

    life: Lifetime
    x: int
    width: int


class LifetimePicture(NamedTuple):
    """Values over time: bars, the moment that is looked at, and how many are left out."""

    width: int
    bars: list[LifetimeBar]
    at: int | None
    first: str
    last: str
    left_out: int


class AgreementBar(NamedTuple):
    """The answers of one period: heights from the ground up."""

    x: int
    width: int
    agreed: int
    differed: int
    silent: int
    day: str
    counts: TopicAgreement


class AgreementPicture(NamedTuple):
    """Agreement over time."""

    width: int
    height: int
    bars: list[AgreementBar]
    days: int  # of a period
    most: int


def draw_lifetimes(lives: Sequence[Lifetime], now: str, as_of: str = "") -> LifetimePicture | None:
    """Return each value as a bar, the latest first; None when there is none."""
    shown = sorted(lives, key=lambda one: one.start, reverse=True)[:_ROWS]
    if not shown:
        return None
    start, end = min(_read(one.start) for one in shown), _read(now)
    scale = _WIDE / max(end - start, 1.0)
    bars = []
    for one in shown:
        x = int((_read(one.start) - start) * scale)
        width = int((_read(one.end or now) - start) * scale) - x
        bars.append(LifetimeBar(one, min(x, _WIDE - _LEAST), max(width, _LEAST)))
    at = min(max(int((_read(as_of) - start) * scale), 0), _WIDE) if as_of else None
    first = min(one.start for one in shown)
    return LifetimePicture(_WIDE, bars, at, first, now, len(lives) - len(shown))


def draw_agreement(counts: Sequence[TopicAgreement]) -> AgreementPicture | None:
    """Return the answers by period, as long a period as the picture needs; None without an answer."""
    moments = sorted((_read(one.since), one) for one in counts)
    if not moments:
        return None
    first, last = moments[0][0] // _DAY, moments[-1][0] // _DAY
    days = next((step for step in _STEPS if (last - first) // step < _PERIODS), _STEPS[-1])
    periods: dict[int, TopicAgreement] = {}
    for moment, one in moments:
        number = int((moment // _DAY - first) // days)
        former = periods.get(number, TopicAgreement(""))
        sums = (former.asked + one.asked, former.guessed + one.guessed, former.agreed + one.agreed)
        periods[number] = TopicAgreement("", *sums, former.alone + one.alone)
    most = max(1, *(one.asked for one in periods.values()))
    step = _WIDE // _PERIODS
    bars = [_make_bar(number, one, step, most, first + number * days) for number, one in sorted(periods.items())]
    return AgreementPicture(_WIDE, _TALL, bars, days, most)


def _make_bar(number: int, one: TopicAgreement, step: int, most: int, day: float) -> AgreementBar:
    heights = [round(count * _TALL / most) for count in (one.agreed, one.guessed, one.asked)]
    agreed, differed, silent = heights[0], heights[1] - heights[0], heights[2] - heights[1]
    name = time.strftime("%Y-%m-%d", time.gmtime(day * _DAY))
    return AgreementBar(number * step, step - 4, agreed, differed, silent, name, one)


def _read(stamp: str) -> float:
    try:
        return clock.parse(stamp)
    except ValueError:
        return 0.0
