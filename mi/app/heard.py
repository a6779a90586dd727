"""Searching memory for a Mind: what only an agent said is left out, and takes nobody's place."""

from functools import cache
from typing import TYPE_CHECKING

from mi.memory.backend import Hit, Query

if TYPE_CHECKING:
    from mi.app import App
    from mi.thoughtdb.effective import Effective

_WIDER = (1, 4, 16, 64)  # times as many hits: enough of them may be an agent's


def search_heard(app: "App", query: Query) -> list[Hit]:
    """As memory's search, without claims and nodes that are tentative, of whichever project they are."""
    from mi.thoughtdb.trust import of_thought

    @cache
    def thoughts(project_id: str) -> "Effective":
        return app.thoughts_of(project_id)

    def heard(hit: Hit) -> bool:
        if hit.document.kind not in ("claim", "node"):
            return True
        known = thoughts(hit.document.project_id)
        thought = known.get(hit.document.id)
        return thought is not None and of_thought(thought, known) != "hands"

    found: list[Hit] = []
    for times in _WIDER:
        limit = query.limit * times
        hits = app.memory.search(query._replace(limit=limit))
        found = [hit for hit in hits if heard(hit)]
        if len(found) >= query.limit or len(hits) < limit:
            break
    return found[: query.limit]
