"""The stores a command looks at, together: the project's first, then the global one."""

from collections.abc import Iterator
from typing import Any

from mi.knowledge.status import RedirectStep, head
from mi.knowledge.thoughts.kinds import Kind
from mi.knowledge.thoughts.store_state import Direction, Filter, Reading, Thought


class CombinedStores:
    """One or more stores at one moment; what an earlier one says about an id goes before what a later one says."""

    def __init__(self, *readings: Reading) -> None:
        self.readings = readings

    def get(self, thought_id: str) -> Thought | None:
        """Return a thought by its id, from the first store that holds it."""
        for place, reading in enumerate(self.readings):
            found = reading.get(thought_id)
            if found is not None:
                return self._seen_from(place, found)
        return None

    def find(self, kind: Kind, wanted: Filter = Filter()) -> Iterator[Thought]:  # noqa: B008
        """Yield the wanted thoughts: store by store, in each the newest first."""
        for place, reading in enumerate(self.readings):
            for one in reading.find(kind, wanted):
                if any(earlier.get(one.id) for earlier in self.readings[:place]):
                    continue
                thought = self._seen_from(place, one)
                if wanted.status in (None, thought.status):
                    yield thought

    def edges(
        self, of: str, direction: Direction = "both", types: tuple[str, ...] = (), retracted: bool = False
    ) -> Iterator[Thought]:
        """Yield the standing edges at an id, of every store, and with `retracted` those that were taken back."""
        for reading in self.readings:
            yield from reading.edges(of, direction, types, retracted)

    def edges_at(self, from_id: str | None, to_id: str | None, wanted: Filter) -> Iterator[Thought]:
        """Yield the wanted edges that begin or end at given ids, store by store."""
        for reading in self.readings:
            yield from reading.edges_at(from_id, to_id, wanted)

    def head(self, thought_id: str) -> str:
        """Return the thought that stands for an id."""
        return head(thought_id, self._out)

    def retraction(self, thought: Thought) -> dict[str, Any] | None:
        """Return the line that took a thought back."""
        for reading in self.readings:
            if reading.view is thought.view:
                return reading.retraction(thought)
        return None

    def _out(self, thought_id: str) -> RedirectStep | None:
        """Return the redirect of the first store that has one; a project's goes before, so it counts as the newer."""
        for place, reading in enumerate(self.readings):
            step = reading.out(thought_id)
            if step is not None:
                return RedirectStep(step.to, step.at - (place << 60))
        return None

    def _seen_from(self, place: int, thought: Thought) -> Thought:
        """Return the thought as a project sees it: it may replace a global one for itself."""
        if thought.status == "active" and thought.kind != "edge":
            for earlier in self.readings[:place]:
                step = earlier.out(thought.id)
                if step is not None and head(thought.id, earlier.out) != thought.id:
                    return thought._replace(status="superseded")
        return thought
