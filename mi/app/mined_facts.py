"""Facts that were mined from agents' work and that nothing confirmed: a person confirms or drops them, as a group."""

from itertools import islice
from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.thoughts import build_thoughts

if TYPE_CHECKING:
    from mi.knowledge.thoughts.store_state import Thought

MOST = 200  # in one group


def list_unconfirmed(context: HomeContext, project_id: str = "", most: int = MOST) -> "list[Thought]":
    """Return the mined facts of a project that neither a check nor the person confirmed, the newest first.

    Nothing is written, and no store is opened that holds none.
    """
    from mi.knowledge.thoughts.kinds import MINED

    store = build_thoughts(context).open_store(project_id or context.project.project_id)
    if not _mentions(store.files.claims, MINED.encode()):
        return []
    from mi.knowledge.thoughts.store_state import Filter
    from mi.knowledge.thoughts.stores import CombinedStores
    from mi.knowledge.thoughts.trust import find_trust

    thoughts = CombinedStores(store.read(save=False))
    found = thoughts.find("claim", Filter(types=("fact", "assumption"), tags=(MINED,)))
    return list(islice((one for one in found if find_trust(one, thoughts) == "hands"), most))


def _mentions(path: str, word: bytes) -> bool:
    """Return whether a word stands in a file, at the speed of a search: every look at the inbox asks it."""
    try:
        with open(path, "rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as held:
            return held.find(word) >= 0
    except (OSError, ValueError):  # not there, or empty
        return False


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
