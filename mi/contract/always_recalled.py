"""What is always recalled: values, the team's rules, constraints, salient cards, facts; kept while none changes."""

import os
import time
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mi.contract.memories import CONSTRAINT, FACT
from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.search.team import MOST_BINDING
from mi.knowledge.thoughts.kinds import VALUES
from mi.knowledge.thoughts.store_state import Filter
from mi.knowledge.thoughts.stores import CombinedStores

if TYPE_CHECKING:
    from mi.contract.recall import Recalled
    from mi.contract.session import ContractSession
    from mi.knowledge.search.documents import Document

TOKEN_BUDGET = 1500  # for what is always recalled
LEAST_TOKENS = 12  # of a memory, for what surrounds its text
_AT_ONCE = 16
_FRESH_S = 60  # how old an age may be that is shown
_VALUES = ("preference", VALUES)
_ALWAYS = (("preference", CONSTRAINT), ("fact", FACT))
Stamp = tuple[int, ...]


class Shelf(NamedTuple):
    """As many as could have room, and how many there are."""

    stamp: Stamp
    memories: tuple["Recalled", ...]
    total: int


def stamp_of(session: "ContractSession", thoughts: CombinedStores, shelf: Shelf | None = None) -> Stamp:
    """Return what changes whenever the shelf could.

    Claims, what replaces them, what became of their evidence, their age, the files of the team.
    """
    sizes = [_size(path) for reading in thoughts.readings for path in reading.view.paths_of("claim", "edge")]
    shown = [one.id for one in shelf.memories if one.reach == "team"] if shelf else []
    team = session.place.team.stamp(shown) if session.place.team is not None else 0
    return *sizes, team, session.truths.generation(), int(time.time()) // _FRESH_S


def fill_shelf(session: "ContractSession", thoughts: CombinedStores, stamp: Stamp) -> Shelf:
    """Return the shelf anew; more than has room is not looked at."""
    room, memories = TOKEN_BUDGET, list["Recalled"]()
    team = session.place.team.list_binding() if session.place.team is not None else []
    unseen = session.place.team.unseen if session.place.team is not None else 0
    if unseen:
        session.place.notices.add("team-unseen", session.place.root, count=unseen, most=MOST_BINDING)
    count = _count(thoughts) + len(team) + unseen
    for one in _in_order(session, thoughts, team):
        if room < 0:
            break
        if one.tier != "always":  # an agent's fact that speaks for a person
            count -= 1
            continue
        memories.append(one)
        room -= count_tokens(shorten(one))
    return Shelf(stamp, tuple(memories), count)


def _count(thoughts: CombinedStores) -> int:
    return sum(reading.how_many("claim", *one) for reading in thoughts.readings for one in (_VALUES, *_ALWAYS))


def _in_order(session: "ContractSession", thoughts: CombinedStores, team: "list[Document]") -> Iterator["Recalled"]:
    """Yield what binds first: values, rules and principles, constraints, the most salient cards; then facts."""
    from mi.contract.recall import show_team
    from mi.knowledge.search.team import CARD

    for one in _shown(session, thoughts, *_VALUES):
        yield replace(one, type="constraint", tier="always", truth="asserted", kind="preference")
    yield from (show_team(one, binds=True) for one in team if one.kind != CARD)
    yield from _shown(session, thoughts, *_ALWAYS[0])
    yield from (show_team(one, binds=True) for one in team if one.kind == CARD)
    yield from _shown(session, thoughts, *_ALWAYS[1])


def _shown(session: "ContractSession", thoughts: CombinedStores, type_: str, tag: str) -> Iterator["Recalled"]:
    from mi.contract.recall import show_hit

    waiting = thoughts.find("claim", Filter(types=(type_,), tags=(tag,)))
    while some := list(islice(waiting, _AT_ONCE)):
        yield from show_hit(session, some)


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
