"""Whether a Mind hears what was found: not what only an agent said, of whichever project it is."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from mi.knowledge.search.backend import Hit

if TYPE_CHECKING:
    from mi.app import App
    from mi.knowledge.thoughts.stores import CombinedStores


def trusted_only(app: "App") -> Callable[[Hit], bool]:
    """Tells of a hit whether it is more than tentative; each store is read as it is when first asked."""
    from mi.knowledge.thoughts.trust import of_thought

    @cache
    def thoughts(project_id: str) -> "CombinedStores":
        return app.thoughts_of(project_id)

    def is_heard(hit: Hit) -> bool:
        if hit.document.kind not in ("claim", "node"):
            return True
        known = thoughts(hit.document.project_id)
        thought = known.get(hit.document.id)
        return thought is not None and of_thought(thought, known) != "hands"

    return is_heard
