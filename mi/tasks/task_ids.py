"""Stable names for tasks: derived from their words on first sight, then kept by matching."""

from collections import deque
from collections.abc import Sequence

from msgspec import Struct

from mi.kernel.named_tuple import NamedTuple

_ALIKE = 0.6  # of the words: a title that a person reworded is still the same task
_COMPARED = 500  # characters of a title


class KnownTask(Struct, frozen=True, kw_only=True):
    """A task as it was last seen."""

    id: str
    title: str
    parent: str = ""
    checked: bool = False
    proposed_by: str = ""  # the session that proposed it; "" when a person wrote it, or changed it since


class TaskSighting(NamedTuple):
    """A task as it stands in the file now; `parent` is its place in the list."""

    title: str
    parent: int | None
    checked: bool


def match(known: Sequence[KnownTask], seen: Sequence[TaskSighting]) -> list[KnownTask]:
    """Return the tasks of now with the ids of then.

    Same words first, then reworded ones between the same neighbours.
    """
    free = {one.id for one in known}
    waiting: dict[tuple[str, str | None], deque[KnownTask]] = {}
    for task in known:
        for parent in (task.parent, None):
            waiting.setdefault((task.title, parent), deque()).append(task)
    found: list[KnownTask | None] = [None] * len(seen)
    for same_parent in (True, False):
        for at, one in enumerate(seen):
            if found[at] is None:
                parent = _parent_id(found, one) if same_parent else None
                found[at] = _take(waiting.get((one.title, parent), deque()), free)
    _match_reworded(known, free, found, seen)
    return _named(found, seen, {one.id for one in known})


def _parent_id(found: list[KnownTask | None], one: TaskSighting) -> str:
    parent = found[one.parent] if one.parent is not None else None
    return parent.id if parent else ""


def _take(waiting: deque[KnownTask], free: set[str]) -> KnownTask | None:
    """Return the first that nobody took; those taken under another key are dropped, so that each is met once."""
    while waiting:
        if (one := waiting.popleft()).id in free:
            free.remove(one.id)
            return one
    return None


def _match_reworded(
    known: Sequence[KnownTask], free: set[str], found: list[KnownTask | None], seen: Sequence[TaskSighting]
) -> None:
    """Give an id that nobody took to a task with the same neighbour that says nearly the same."""
    places = {one.id: at for at, one in enumerate(known)}
    for at, one in enumerate(seen):
        if found[at] is not None:
            continue
        before = found[at - 1] if at else None
        after = found[at + 1] if at + 1 < len(seen) else None
        follower = places[before.id] + 1 if before else 0
        precursor = places[after.id] - 1 if after else len(known) - 1
        for place in sorted({follower, precursor}):
            if not 0 <= place < len(known) or known[place].id not in free:
                continue
            between = follower == precursor and len(known) == len(seen)
            if between or _alike(known[place].title, one.title):
                found[at] = known[place]
                free.remove(known[place].id)
                break


def _alike(former: str, title: str) -> bool:
    from difflib import SequenceMatcher

    return SequenceMatcher(None, former[:_COMPARED], title[:_COMPARED]).ratio() >= _ALIKE


def _named(found: list[KnownTask | None], seen: Sequence[TaskSighting], taken: set[str]) -> list[KnownTask]:
    named: list[KnownTask] = []
    numbers: dict[str, int] = {}
    for old, one in zip(found, seen, strict=True):
        parent = named[one.parent] if one.parent is not None else None
        task_id = old.id if old else _new_id(parent.title if parent else "", one.title, taken, numbers)
        taken.add(task_id)
        ours = old.proposed_by if old and old.title == one.title and not one.checked else ""
        parent_id = parent.id if parent else ""
        named.append(
            KnownTask(id=task_id, title=one.title, parent=parent_id, checked=one.checked, proposed_by=ours),
        )
    return named


def _new_id(parent: str, title: str, taken: set[str], numbers: dict[str, int]) -> str:
    """Return an id from the words; of several with the same words, the further ones are numbered."""
    from mi.kernel.digest import hash_sha256

    words = f"{parent}\0{title}".encode("utf-8", "surrogateescape")
    base = "tk_" + hash_sha256(words)[:8]
    task_id = base
    while task_id in taken:
        numbers[base] = numbers.get(base, 1) + 1
        task_id = f"{base}-{numbers[base]}"
    return task_id
