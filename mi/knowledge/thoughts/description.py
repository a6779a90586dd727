"""A thought as it is shown: every stored field, and what is derived from the rest of the store."""

from typing import Any

from mi.knowledge.thoughts.store_state import Thought
from mi.knowledge.thoughts.stores import CombinedStores


def listed(thought: Thought, thoughts: CombinedStores) -> dict[str, Any]:
    """Return the fields for a list.

    What was stored, where, and the status that holds instead of the one that was written.
    """
    fields = thought.raw | {"status": thought.status, "store": thought.scope}
    if thought.kind == "claim":
        fields["valid"] = thought.valid
    if thought.status == "superseded":
        fields["canonical_id"] = thoughts.head(thought.id)
    return fields


def described(thought: Thought, thoughts: CombinedStores) -> dict[str, Any]:
    """Return the fields for a look at one thought: also how far it is trusted, and how it was taken back."""
    from mi.knowledge.thoughts.trust import find_trust

    fields = listed(thought, thoughts)
    if thought.kind != "edge":
        fields["trust"] = find_trust(thought, thoughts)
    retraction = thoughts.retraction(thought)
    if retraction is not None:
        fields["retracted"] = {name: retraction.get(name) for name in ("ts", "rationale", "source_refs", "origin")}
    return fields
