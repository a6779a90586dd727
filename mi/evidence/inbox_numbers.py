"""The numbers of what waits: each stays with its question until that is closed, and then rests for a day."""

import time
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from mi.kernel import clock
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.kernel.state import read_state, update_state

_RESTS_S = 24 * 60 * 60


class NumberHolder(Struct, frozen=True, kw_only=True):
    """What has a number; `closed` is when it was first seen to wait no more."""

    number: int
    ids: list[str] = []
    closed: str = ""

    @property
    def rests(self) -> bool:
        """Return whether the number cannot be given to anybody else yet."""
        try:
            return not self.closed or clock.parse(self.closed) > time.time() - _RESTS_S
        except ValueError:
            return False


class InboxNumbers(Struct, frozen=True, kw_only=True):
    """`inbox.json`: who has which number."""

    version: str = "v1"
    held: list[NumberHolder] = []

    def find(self, ids: Iterable[str]) -> int:
        """Return the number of what waits under one of some ids; 0 when it has none."""
        wanted = {*ids}
        return min((one.number for one in self.held if not one.closed and wanted.intersection(one.ids)), default=0)

    def who(self, number: int) -> NumberHolder | None:
        """Return what has a number, or had it within the last day."""
        return next((one for one in self.held if one.number == number), None)


def read_numbers(home: Home, notices: Notices) -> InboxNumbers:
    """Return who has which number."""
    return read_state(home.inbox_numbers, InboxNumbers, notices)


def number_all(home: Home, waiting: Sequence[Sequence[str]], notices: Notices) -> InboxNumbers:
    """Give a number to each thing that waits, told by its ids, and close the numbers of what waits no more."""
    known = read_numbers(home, notices)
    return known if _numbered(known, waiting) == known else _update(home, lambda old: _numbered(old, waiting), notices)


def number_one(home: Home, item_id: str, notices: Notices) -> int:
    """Return the number of one thing that waits, a new one where it has none."""
    return _update(home, lambda old: _with(_resting(old), [item_id]), notices).find([item_id])


def _update(home: Home, change: Callable[[InboxNumbers], InboxNumbers], notices: Notices) -> InboxNumbers:
    return update_state(home.inbox_numbers, InboxNumbers, change, notices, sync=False)


def _numbered(old: InboxNumbers, waiting: Sequence[Sequence[str]]) -> InboxNumbers:
    waits = {one for ids in waiting for one in ids}
    now = clock.now()

    def looked_at(one: NumberHolder) -> NumberHolder:
        # One that was called closed and waits was filed while somebody else took stock: it keeps its number.
        closed = "" if waits.intersection(one.ids) else one.closed or now
        return NumberHolder(number=one.number, ids=one.ids, closed=closed)

    numbers = _resting(InboxNumbers(held=[looked_at(one) for one in old.held]))
    for ids in waiting:
        numbers = _with(numbers, ids)
    return numbers


def _resting(old: InboxNumbers) -> InboxNumbers:
    return InboxNumbers(held=[one for one in old.held if one.rests])


def _with(old: InboxNumbers, ids: Sequence[str]) -> InboxNumbers:
    taken = {one.number for one in old.held}
    number = old.find(ids) or next(free for free in range(1, len(taken) + 2) if free not in taken)
    others = [one for one in old.held if one.number != number]
    return InboxNumbers(
        held=sorted([*others, NumberHolder(number=number, ids=sorted(ids))], key=lambda one: one.number)
    )
