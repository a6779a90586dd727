"""Stable names for tasks: derived from their words on first sight, then kept by matching."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

_ALIKE = 0.6  # of the words: a title that a person reworded is still the same task


class KnownTask(Struct, frozen=True, kw_only=True):
    """A task as it was last seen."""

    id: str
    title: str
    parent: str = ""
    checked: bool = False
    proposed_by: str = ""  # the session that proposed it; "" when a person wrote it, or changed it since


class Seen(NamedTuple):
    """A task as it stands in the file now; `parent` is its place in the list."""

    title: str
    parent: int | None
    checked: bool


def match(known: Sequence[KnownTask], seen: Sequence[Seen]) -> list[KnownTask]:
    """The tasks of now with the ids of then: same words first, then reworded ones between the same neighbours."""
    free = list(known)
    found: list[KnownTask | None] = [None] * len(seen)
    for same_parent in (True, False):
        for at, one in enumerate(seen):
            if found[at] is None:
                found[at] = _take(free, one, _parent_id(found, one) if same_parent else None)
    for at, one in enumerate(seen):
        if found[at] is None:
            found[at] = _reworded(known, free, found, seen, at, one)
    return _named(found, seen, {one.id for one in known})


def _parent_id(found: list[KnownTask | None], one: Seen) -> str:
    parent = found[one.parent] if one.parent is not None else None
    return parent.id if parent else ""


def _take(free: list[KnownTask], one: Seen, parent: str | None) -> KnownTask | None:
    for other in free:
        if other.title == one.title and (parent is None or other.parent == parent):
            free.remove(other)
            return other
    return None


def _reworded(
    known: Sequence[KnownTask],
    free: list[KnownTask],
    found: list[KnownTask | None],
    seen: Sequence[Seen],
    at: int,
    one: Seen,
) -> KnownTask | None:
    """A known task nobody else took, with the same neighbour before or after, that says nearly the same."""
    from difflib import SequenceMatcher

    order = [other.id for other in known]
    before = found[at - 1] if at else None
    after = found[at + 1] if at + 1 < len(seen) else None
    for other in free:
        place = order.index(other.id)
        follows = (order[place - 1] if place else None) == (before.id if before else None)
        precedes = (order[place + 1] if place + 1 < len(order) else None) == (after.id if after else None)
        alike = SequenceMatcher(None, other.title, one.title).ratio() >= _ALIKE
        if (alike and (follows or precedes)) or (follows and precedes and len(known) == len(seen)):
            free.remove(other)
            return other
    return None


def _named(found: list[KnownTask | None], seen: Sequence[Seen], taken: set[str]) -> list[KnownTask]:
    named: list[KnownTask] = []
    for old, one in zip(found, seen, strict=True):
        parent = named[one.parent] if one.parent is not None else None
        task_id = old.id if old else _new_id(parent.title if parent else "", one.title, taken)
        taken.add(task_id)
        ours = old.proposed_by if old and old.title == one.title and not one.checked else ""
        parent_id = parent.id if parent else ""
        named.append(
            KnownTask(id=task_id, title=one.title, parent=parent_id, checked=one.checked, proposed_by=ours),
        )
    return named


def _new_id(parent: str, title: str, taken: set[str]) -> str:
    from mi.kernel.digest import sha256_hex

    words = f"{parent}\0{title}".encode("utf-8", "surrogateescape")
    base = "tk_" + sha256_hex(words)[:8]
    number, task_id = 1, base
    while task_id in taken:
        number += 1
        task_id = f"{base}-{number}"
    return task_id
