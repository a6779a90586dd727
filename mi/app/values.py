"""The person's values, and where those of a scope are kept."""

from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.thoughts import build_thoughts
from mi.kernel.named_tuple import NamedTuple

if TYPE_CHECKING:
    from mi.knowledge.thoughts.store import ThoughtStore


class ValuesPlace(NamedTuple):
    """A store of values, and the log that tells of them."""

    store: "ThoughtStore"
    log: str


def open_values(context: HomeContext, scope: str) -> ValuesPlace:
    """Return where values of a scope are written; a project is known from then on."""
    if scope != "project":
        return ValuesPlace(build_thoughts(context).shared, context.home.evidence)
    context.use_project()
    return ValuesPlace(build_thoughts(context).own, context.project_home.evidence)
