"""What a person writes down for the team: a rule, a memory file or a proposal of a card, by what it is."""

import os
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.nexus import build_nexus, record_nexus_event
from mi.kernel.named_tuple import NamedTuple

if TYPE_CHECKING:
    from mi.knowledge.search.team import Kind
    from mi.persona.cards import CardType

_CARDS: "dict[str, CardType]" = {"decision": "heuristic", "pattern": "pattern", "preference": "principle"}
_TITLE = 100  # characters of a card's title


class WrittenDown(NamedTuple):
    """Where a word for the team stands now; a proposal waits for somebody else."""

    name: str
    path: str
    is_proposal: bool = False


def write_down(context: HomeContext, kind: "Kind", text: str, name: str = "", *, force: bool = False) -> WrittenDown:
    """Keep a person's word in the team's files; NotFound where there are none, with the way to make them."""
    if kind in _CARDS:
        return _propose(context, kind, text)
    from mi.kernel.errors import NotFound
    from mi.nexus import memory

    store = build_nexus(context)
    if not os.path.isdir(store.place.folder):
        raise NotFound("no-team-folder", path=store.place.folder)
    if kind == "rule":
        path = memory.add_rule(store, name, text)
        record_nexus_event(context, "rule_add", {"name": os.path.basename(path)})
        return WrittenDown(os.path.basename(path), path)
    category = "empirical" if kind == "fact" else ""
    added = memory.add(store, text, context.config.nexus, name=name, category=category, force=force)
    fields = {"name": added.name, "merged": added.merged, "changed": added.changed}
    record_nexus_event(context, "memory_add", fields)
    return WrittenDown(added.name, added.path)


def _propose(context: HomeContext, kind: "Kind", text: str) -> WrittenDown:
    from mi.app.team import build_persona
    from mi.kernel.secrets import redact_start
    from mi.kernel.text import fit_one_line
    from mi.persona.place import require_persona
    from mi.persona.proposals import propose, record_of

    persona = require_persona(build_persona(context))
    title = fit_one_line(redact_start(text.strip().partition("\n")[0], _TITLE * 4), _TITLE)
    kept = propose(persona, _CARDS[kind], title, text, tags=[kind])
    context.open_project_log().append(record_of(kept))
    return WrittenDown(kept.name, os.path.join(persona.root, kept.path), is_proposal=True)
