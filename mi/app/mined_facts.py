"""Facts that were mined from agents' work and that nothing confirmed: a person confirms or drops them, as a group."""

import os
from itertools import islice
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.thoughts import build_thoughts

if TYPE_CHECKING:
    from mi.knowledge.thoughts.store_state import Thought

_MOST = 200  # in one group


def list_unconfirmed(context: HomeContext) -> "list[Thought]":
    """Return the mined facts of the project that neither a check nor the person confirmed, the newest first."""
    if not os.path.isdir(context.home.project(context.project.project_id).thoughts):
        return []
    from mi.knowledge.thoughts.kinds import MINED
    from mi.knowledge.thoughts.store_state import Filter
    from mi.knowledge.thoughts.trust import of_thought

    thoughts = build_thoughts(context).read("project")
    found = thoughts.find("claim", Filter(types=("fact", "assumption"), tags=(MINED,)))
    return list(islice((one for one in found if of_thought(one, thoughts) == "hands"), _MOST))


def settle_facts(context: HomeContext, ids: list[str], *, is_true: bool) -> list[str]:
    """Confirm or drop mined facts in the person's name, all of the group without ids; returns which."""
    from mi.kernel.errors import NotFound
    from mi.knowledge.thoughts.editor import create_edge, retract

    waiting = {one.id: one for one in list_unconfirmed(context)}
    if unknown := [one for one in ids if one not in waiting]:
        raise NotFound("no-mined-fact", ref=unknown[0])
    desk = build_thoughts(context).edit("project")
    for name in ids or list(waiting):
        if is_true:
            source = next(str(ref["event_id"]) for ref in waiting[name].raw["source_refs"])
            create_edge(desk, "supports", source, name, lambda event_id: True)
        else:
            retract(desk, name, "claim", "not confirmed")
    return ids or list(waiting)
