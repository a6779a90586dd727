"""How far a thought can be trusted: where it came from, and never more than what it rests on."""

from collections.abc import Iterable

from mi.knowledge.thoughts.kinds import RESTS_ON, Origin
from mi.knowledge.thoughts.store_state import Thought
from mi.knowledge.thoughts.stores import CombinedStores

_ORDER: tuple[Origin, ...] = ("hands", "import", "mind", "user")  # the least trusted first
_BOUND = 200  # thoughts looked at for one answer


def find_least_trusted(origins: Iterable[str]) -> Origin:
    """Return the least trusted of some origins; nothing at all is no more than an import."""
    ranks = [_ORDER.index(one) if one in _ORDER else 0 for one in origins]
    return _ORDER[min(ranks)] if ranks else "import"


def find_trust(thought: Thought, thoughts: CombinedStores) -> Origin:
    """Return the trust of a stored thought: the least of its own origin and of all it is derived from or depends on.

    What only an agent said is tentative until the person, or an event such as a passed check, supports it.
    """
    origins: list[str] = []
    waiting, seen = [thought], {thought.id}
    while waiting and len(seen) < _BOUND:
        one = waiting.pop()
        origins.append(_confirmed(one, thoughts) or str(one.raw.get("origin") or "import"))
        for edge in thoughts.edges(one.id, "out", RESTS_ON):
            if edge.to_id not in seen and (found := thoughts.get(edge.to_id)) is not None:
                seen.add(edge.to_id)
                waiting.append(found)
    return find_least_trusted(origins)


def _confirmed(thought: Thought, thoughts: CombinedStores) -> str:
    """Return who confirmed an agent's word: the person, or MI by an event it saw; no other claim can."""
    if thought.raw.get("origin") != "hands":
        return ""
    found = [(str(edge.raw.get("origin")), edge.from_id) for edge in thoughts.edges(thought.id, "in", ("supports",))]
    if any(origin == "user" for origin, _ in found):
        return "user"
    return "mind" if any(origin == "mind" and start.startswith("ev_") for origin, start in found) else ""
