"""What is always recalled: constraints and facts, the newest first, made ready once for as long as none changes."""

import os
import time
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from mi.contract.memories import CONSTRAINT, FACT
from mi.knowledge.thoughts.store_state import Filter, Thought
from mi.knowledge.thoughts.stores import CombinedStores

if TYPE_CHECKING:
    from mi.contract.recall import Recalled
    from mi.contract.session import ContractSession

TOKEN_BUDGET = 1500  # for what is always recalled
LEAST_TOKENS = 12  # of a memory, for what surrounds its text
_AT_ONCE = 32
_FRESH_S = 60  # how old an age may be that is shown
_ALWAYS = (("preference", CONSTRAINT), ("fact", FACT))
Stamp = tuple[int, ...]


class Shelf(NamedTuple):
    """As many as could have room, and how many there are."""

    stamp: Stamp
    memories: tuple["Recalled", ...]
    total: int


def stamp_of(session: "ContractSession", thoughts: CombinedStores) -> Stamp:
    """Return what changes whenever the shelf could.

    Claims, what replaces them, what became of their evidence, their age.
    """
    sizes = [_size(path) for reading in thoughts.readings for path in reading.view.paths_of("claim", "edge")]
    return *sizes, session.truths.generation(), int(time.time()) // _FRESH_S


def fill_shelf(session: "ContractSession", thoughts: CombinedStores, stamp: Stamp) -> Shelf:
    """Return the shelf anew; more than has room is not looked at."""
    from mi.contract.recall import show_hit

    room, memories, others = TOKEN_BUDGET, list["Recalled"](), 0
    waiting = _always(thoughts)
    while room >= 0 and (some := list(islice(waiting, _AT_ONCE))):
        for one in show_hit(session, some):
            if one.tier != "always":  # an agent's fact that speaks for a person
                others += 1
                continue
            memories.append(one)
            room -= count_tokens(shorten(one))
    count = sum(reading.how_many("claim", *one) for reading in thoughts.readings for one in _ALWAYS)
    return Shelf(stamp, tuple(memories), count - others)


def _always(thoughts: CombinedStores) -> Iterator[Thought]:
    for type_, tag in _ALWAYS:
        yield from thoughts.find("claim", Filter(types=(type_,), tags=(tag,)))


def shorten(one: "Recalled") -> "Recalled":
    """Return a memory by its summary alone: rather said in short than left out."""
    return replace(one, detail="", notes="")


def count_tokens(one: "Recalled") -> int:
    """About how many tokens a memory costs whoever reads it."""
    text = one.summary + one.detail + one.notes
    plain = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    return LEAST_TOKENS + plain // 4 + (len(text) - plain)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
