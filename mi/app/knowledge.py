"""All that a home knows, searched at once and narrowed: thoughts of the person and what their teams wrote down."""

import os
import time
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.recall import build_recall
from mi.app.thoughts import build_thoughts
from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.search.backend import Query
from mi.knowledge.search.documents import Document
from mi.knowledge.search.team import (
    CARD,
    CONTEXT,
    CYCLE,
    DECISION,
    MEMORY,
    PRINCIPLE,
    RULE,
    TEAMMATE,
    TOLD_BY,
    Kind,
    find_kind,
    find_reach,
)
from mi.knowledge.search.words import compact
from mi.knowledge.thoughts.kinds import MINED
from mi.knowledge.thoughts.trust import find_trust

if TYPE_CHECKING:
    from mi.contract.fact_status import Truth
    from mi.knowledge.thoughts.store_state import Thought
    from mi.knowledge.thoughts.stores import CombinedStores

# Which Documents are meant by the words that people use for them.
GROUPS: dict[str, tuple[str, ...]] = {
    "claim": ("claim",),
    "decision": ("node", DECISION, CYCLE),
    "card": (CARD, PRINCIPLE),
    "memory_file": (MEMORY, CONTEXT),
    "rule": (RULE,),
    "workflow": ("workflow",),
    "teammate": (TEAMMATE,),
}
TRUSTS = ("user", "mind", "import", "hands")
_MOST = 300  # matches that are looked through when they are narrowed further


class KnowledgeWish(NamedTuple):
    """What is wanted; '' is all."""

    words: str = ""
    group: str = ""
    reach: str = ""
    trust: str = ""
    since: str = ""  # a timestamp
    project_id: str = ""
    corrected: bool = False  # also what was taken back or replaced


class KnowledgeEntry(NamedTuple):
    """Something that is known, and how it stands."""

    document: Document
    kind: Kind
    reach: str
    trust: str = ""  # whose word it is at the least; '' of what is no thought
    corrected_by: str = ""
    stale_why: str = ""  # why its evidence no longer holds
    is_over: bool = False  # it held until a moment that has passed
    contradicts: tuple[str, ...] = ()
    is_unconfirmed: bool = False  # mined from an agent's work, and nobody said that it holds


class FoundKnowledge(NamedTuple):
    """One page of what was found."""

    entries: list[KnowledgeEntry]
    has_more: bool


def find_knowledge(context: HomeContext, wish: KnowledgeWish, skip: int, most: int) -> FoundKnowledge:
    """Return what is wanted: the best matches of the words first, without words the newest."""
    narrows = bool(wish.reach or wish.trust or wish.since)
    wanted = _MOST if narrows else skip + most + 1
    found = [(one, by) for one, by in _search(context, wish, wanted) if _fits(one, wish)]
    describe = _Describer(context)
    if not wish.trust:
        shown = describe.describe(found[skip : skip + most])
        return FoundKnowledge(shown, len(found) > skip + most)
    trusted = [one for one in describe.describe(found) if one.trust == wish.trust]
    return FoundKnowledge(trusted[skip : skip + most], len(trusted) > skip + most)


def _search(context: HomeContext, wish: KnowledgeWish, limit: int) -> list[tuple[Document, str]]:
    kinds = GROUPS[wish.group] if wish.group else tuple(kind for kinds in GROUPS.values() for kind in kinds)
    place = wish.project_id or None
    tokens = compact(wish.words).tokens
    query = Query(tokens, kinds, place, place is not None, limit=limit, corrected=wish.corrected, text=wish.words)
    index = build_recall(context).index
    hits = index.search(query) if tokens else [] if wish.words.strip() else index.newest(query)
    return [(hit.document, hit.corrected_by) for hit in hits]


def _fits(one: Document, wish: KnowledgeWish) -> bool:
    return wish.reach in ("", find_reach(one)) and (not wish.since or one.ts >= wish.since)


class _Describer:
    """Looks at the stores of the projects that something belongs to, each once."""

    def __init__(self, context: HomeContext) -> None:
        self._context = context
        self._read = cache(build_thoughts(context).read_project)

    def describe(self, found: Iterable[tuple[Document, str]]) -> list[KnowledgeEntry]:
        listed = list(found)
        stale = self._find_stale([one for one, _ in listed if one.kind == "claim"])
        return [self._describe(one, by, stale.get(one.id)) for one, by in listed]

    def _find_stale(self, documents: list[Document]) -> "dict[str, Truth]":
        """Return the facts among them whose evidence no longer holds."""
        from mi.contract.fact_status import Truths

        stale: dict[str, Truth] = {}
        for project_id in {one.project_id for one in documents if one.project_id}:
            place = self._context.home.project(project_id)
            if not os.path.isdir(place.contract):
                continue  # nobody wrote a fact with evidence
            truths = Truths(place.evidence, os.path.join(place.contract, "facts.sqlite"))
            stale |= {name: one for name, one in truths.of(one.id for one in documents).items() if one.stale}
            truths.close()
        return stale

    def _describe(self, one: Document, by: str, truth: "Truth | None") -> KnowledgeEntry:
        reach, is_over = find_reach(one), one.valid_to is not None and one.valid_to <= time.time()
        if one.kind not in ("claim", "node"):
            return KnowledgeEntry(one, find_kind(one), reach, "", by, "", is_over)
        known = self._read(one.project_id)
        thought = known.get(one.id)
        trust = find_trust(thought, known) if thought else "import"
        return KnowledgeEntry(
            one,
            next((kind for tag, kind in TOLD_BY.items() if tag in one.tags), "note"),
            reach,
            trust,
            by,
            truth.why or "-" if truth else "",
            is_over,
            _find_contradicting(thought, known) if thought else (),
            MINED in one.tags and trust == "hands",
        )


def _find_contradicting(thought: "Thought", known: "CombinedStores") -> tuple[str, ...]:
    """Return the thoughts that stand and say otherwise."""
    edges = known.edges(thought.id, "both", ("contradicts",))
    others = {edge.to_id if edge.from_id == thought.id else edge.from_id for edge in edges}
    return tuple(one for one in sorted(others) if (found := known.get(one)) and found.stands)
