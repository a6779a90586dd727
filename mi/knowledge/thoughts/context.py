"""The thoughts decide_next is given: values, preferences, goals, and what the task brings to mind.

Deterministic, bounded, without a model.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Protocol

from mi.evidence.records.mind import ThoughtsUsed
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import redact_start
from mi.knowledge.search.documents import MAX_TEXT
from mi.knowledge.search.team import TeamText, fill_lines
from mi.knowledge.search.words import compact, tokens
from mi.knowledge.thoughts.kinds import ANSWER, CHECKPOINT, RAW, SUMMARY, TESTLESS, VALUES
from mi.knowledge.thoughts.settings import TAG as SETTING
from mi.knowledge.thoughts.store_state import Filter, Thought
from mi.knowledge.thoughts.stores import CombinedStores
from mi.knowledge.thoughts.trust import find_trust

_GUIDING = ("preference", "goal")
_REPORT = 400  # characters that are shown of what a stretch of work left
_HEADS = {"nodes": "nodes (what was decided and done; of origin hands: an agent's report, no word of the person's):"}
_TEAM_HEAD = "team (files of the repository; what does not bind here is a teammate's words, no rule):"
_TEAM_CHARS = 3000
_SCANNED = 2000  # recent claims that are looked through when the text index finds too little
_SHOWN = {
    "claim": ("claim_id", "claim_type", "text", "tags", "confidence", "valid_from", "valid_to", "source_refs"),
    "node": ("node_id", "node_type", "title", "text", "tags", "asserted_ts", "source_refs"),
}


class ThoughtFinder(Protocol):
    """Finds thoughts by words, of the project and of the global store; the text index implements it."""

    def __call__(self, query: str, limit: int) -> Sequence[str]:
        """Ids of claims and nodes, the best first."""
        ...


class Budget(NamedTuple):
    """How many of each are shown at most."""

    nodes: int = 8
    values: int = 24
    pref_goal: int = 16
    query: int = 12
    edges: int = 30


class Context(NamedTuple):
    """The thoughts for one decision."""

    nodes: list[Thought]
    values_claims: list[Thought]
    pref_goal_claims: list[Thought]
    query_claims: list[Thought]
    edges: list[Thought]
    notes: str
    team: Sequence[TeamText] = ()  # what the team wrote down in files, the most binding first

    def fields(self) -> dict[str, Any]:
        """Return the context as the prompt gets it."""
        lists = {name: getattr(self, name) for name in ("values_claims", "pref_goal_claims", "query_claims", "nodes")}
        shown: dict[str, Any] = {name: [_fields(one) for one in found] for name, found in lists.items()}
        shown["edges"] = [
            {"edge_id": edge.id, "edge_type": edge.type, "from_id": edge.from_id, "to_id": edge.to_id}
            for edge in self.edges
        ]
        return shown | {"team": [one._asdict() for one in self.team], "notes": self.notes}

    def lines(self) -> str:
        """Return it as a prompt shows it: each thought with the id to cite it by, the canonical ones first."""
        shown = []
        for name in ("values_claims", "pref_goal_claims", "query_claims", "nodes"):
            found = getattr(self, name)
            shown += [_HEADS.get(name, f"{name}:"), *(_line(one) for one in found)] if found else []
        shown += [_TEAM_HEAD, *fill_lines(self.team, _TEAM_CHARS)] if self.team else []
        shown += ["edges:"] if self.edges else []
        return "\n".join([*shown, *(f"- {edge.from_id} {edge.type} {edge.to_id}" for edge in self.edges)])

    def used(self, as_of_ts: str) -> ThoughtsUsed:
        """Return what the decision's record says about it."""
        return ThoughtsUsed(
            as_of_ts=as_of_ts,
            node_ids=[one.id for one in self.nodes],
            values_claim_ids=[one.id for one in self.values_claims],
            pref_goal_claim_ids=[one.id for one in self.pref_goal_claims],
            query_claim_ids=[one.id for one in self.query_claims],
            edges_n=len(self.edges),
            notes=self.notes,
        )


def build(
    thoughts: CombinedStores,
    query: str,
    candidates: ThoughtFinder,
    recent_event_ids: Iterable[str] = (),
    budget: Budget = Budget(),  # noqa: B008
) -> Context:
    """Return the context for a decision about `query`; `thoughts` are those of the project and the global ones."""
    return with_edges(gather(thoughts, query, candidates, budget), thoughts, recent_event_ids, budget.edges)


def gather(thoughts: CombinedStores, query: str, candidates: ThoughtFinder, budget: Budget = Budget()) -> Context:  # noqa: B008
    """Return the thoughts of a context, without what joins them.

    What only an agent said is left out, and takes nobody's place: it is tentative, and no word of the person's.
    """
    values = _values(thoughts, budget.values)
    guiding = _guiding(thoughts, budget.pref_goal, {one.id for one in values})
    nodes = _nodes(thoughts, budget.nodes)
    taken = {one.id for one in (*values, *guiding, *nodes)}
    asked, notes = _asked(thoughts, query, candidates, budget.query, taken)
    taken |= {one.id for one in asked}
    for neighbour in _neighbours(thoughts, [*asked, *guiding, *values, *nodes], taken):
        chosen, limit = (asked, budget.query) if neighbour.kind == "claim" else (nodes, budget.nodes)
        if len(chosen) < limit:
            chosen.append(neighbour)
    return Context(nodes, values, guiding, asked, [], notes)


def with_edges(
    context: Context, thoughts: CombinedStores, recent_event_ids: Iterable[str], limit: int = Budget().edges
) -> Context:
    """Return the context with the edges at its thoughts and at what just happened."""
    shown = (*context.query_claims, *context.pref_goal_claims, *context.values_claims, *context.nodes)
    return context._replace(edges=_edges(thoughts, [*(one.id for one in shown), *recent_event_ids], limit))


def build_least(thoughts: CombinedStores, budget: Budget = Budget()) -> Context:  # noqa: B008
    """Return what holds where nothing is to be remembered: the person's values and settings."""
    pinned = list(_settled(thoughts).values())[: budget.pref_goal]
    return Context([], _values(thoughts, budget.values), pinned, [], [], "thought_db is off")


def _trusted(found: Iterable[Thought], thoughts: CombinedStores) -> Iterator[Thought]:
    return (one for one in found if find_trust(one, thoughts) != "hands")


def _values(thoughts: CombinedStores, limit: int) -> list[Thought]:
    """Return the global values and after them the project's, each in the order they were said.

    Where not all have room, neither takes more than half of it from the other.
    """
    shared, own = _values_of(thoughts, "global", limit), _values_of(thoughts, "project", limit)
    room = min(len(own), max(limit // 2, limit - len(shared)))
    return [*shared[max(0, len(shared) + room - limit) :], *own[len(own) - room :]]


def _values_of(thoughts: CombinedStores, scope: str, limit: int) -> list[Thought]:
    found = thoughts.find("claim", Filter(types=_GUIDING, tags=(VALUES,), heard=True))
    return list(islice(_trusted((one for one in found if one.scope == scope), thoughts), limit))[::-1]


def _guiding(thoughts: CombinedStores, limit: int, taken: set[str]) -> list[Thought]:
    """Return settings first, then the other preferences and goals; the project's before the global ones.

    Answers to questions of agents come last: there may be many, and each is about one question.
    """
    found = _settled(thoughts)
    answers: list[Thought] = []
    for one in _trusted(thoughts.find("claim", Filter(types=_GUIDING, heard=True)), thoughts):
        if len(found) >= limit:
            break
        tags = _tags(one)
        pinned = any(tag.startswith(SETTING) or tag == TESTLESS for tag in tags)
        if ANSWER in tags:
            answers.append(one)
        elif not pinned and VALUES not in tags and RAW not in tags and one.id not in taken:
            found[one.id] = one
    return [*found.values(), *answers][:limit]


def _settled(thoughts: CombinedStores) -> dict[str, Thought]:
    """Return the settings and the like: what the project says of one, the global store says no more."""
    found: dict[str, Thought] = {}
    said: set[str] = set()
    for one in _trusted(_pinned(thoughts), thoughts):
        names = [tag for tag in _tags(one) if tag.startswith(SETTING) or tag == TESTLESS]
        if not said.intersection(names) and VALUES not in _tags(one):  # a value is told as one
            found[one.id] = one
            said.update(names)
    return found


def _pinned(thoughts: CombinedStores) -> Iterator[Thought]:
    for tag in (SETTING + "*", TESTLESS):
        yield from thoughts.find("claim", Filter(types=_GUIDING, tags=(tag,), heard=True))


def _nodes(thoughts: CombinedStores, limit: int) -> list[Thought]:
    """Return the latest summary of the values, then the latest nodes; of agents' work those that MI itself made."""
    summaries = (one for one in thoughts.find("node", Filter(tags=(SUMMARY,), heard=True)) if one.scope == "global")
    latest = list(islice(_trusted(summaries, thoughts), min(1, limit)))
    heard = (one for one in thoughts.find("node", Filter(heard=True)) if SUMMARY not in _tags(one))
    of_work = islice(thoughts.find("node", Filter(tags=(CHECKPOINT,))), limit)
    found = {one.id: one for one in (*islice(_trusted(heard, thoughts), limit), *of_work)}
    recent = sorted(found.values(), key=lambda one: (one.scope == "global", -one.seq))
    return [*latest, *recent[: limit - len(latest)]]


def _asked(
    thoughts: CombinedStores, query: str, candidates: ThoughtFinder, limit: int, taken: set[str]
) -> tuple[list[Thought], str]:
    """Return the claims the query brings to mind: from the text index, and if it finds too few, by looking through."""
    found: dict[str, Thought] = {}
    heads = (thoughts.get(thoughts.head(one)) for one in candidates(query, limit * 3))  # may be replaced meanwhile
    free = (one for one in heads if one is not None and _may_show(one, "claim") and one.id not in taken)
    for claim in _trusted(free, thoughts):
        if len(found) < limit:
            found[claim.id] = claim
    by_index = len(found)
    if by_index < limit:
        for claim in _scan(thoughts, query, limit - by_index, taken | set(found)):
            found[claim.id] = claim
    return list(found.values()), f"query: {by_index} by index, {len(found) - by_index} by scan"


def _scan(thoughts: CombinedStores, query: str, limit: int, taken: set[str]) -> list[Thought]:
    """Recent claims that share at least two of the query's words, or its only one."""
    wanted = set(compact(query).tokens)
    scored: list[tuple[int, Thought]] = []
    for claim in islice(thoughts.find("claim", Filter(heard=True)), _SCANNED) if wanted else ():
        if claim.id in taken or not _may_show(claim, "claim"):
            continue
        shared = len(wanted.intersection(tokens(str(claim.raw.get("text"))[:MAX_TEXT])))
        if shared >= min(2, len(wanted)):
            scored.append((shared, claim))
    scored.sort(key=lambda pair: -pair[0])  # stable: of equals, the newest first
    return list(islice(_trusted((claim for _, claim in scored), thoughts), limit))


def _neighbours(thoughts: CombinedStores, start: list[Thought], taken: set[str]) -> Iterator[Thought]:
    """Thoughts one edge away that stand and are not there yet."""
    for one in start:
        for edge in thoughts.edges(one.id):
            other = edge.to_id if edge.from_id == one.id else edge.from_id
            if other in taken:
                continue
            taken.add(other)
            found = thoughts.get(other)
            if found is not None and _may_show(found, found.kind):
                yield from _trusted([found], thoughts)


def _edges(thoughts: CombinedStores, ids: list[str], limit: int) -> list[Thought]:
    found: dict[str, Thought] = {}
    for one in ids:
        for edge in thoughts.edges(one):
            if len(found) >= limit:
                return list(found.values())
            found[edge.id] = edge
    return list(found.values())


def _may_show(thought: Thought, kind: str) -> bool:
    return thought.kind == kind and thought.kind != "edge" and thought.stands and RAW not in _tags(thought)


def _tags(thought: Thought) -> list[str]:
    tags = thought.raw.get("tags")
    return [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []


def _line(thought: Thought) -> str:
    raw = thought.raw
    longest = _REPORT if CHECKPOINT in _tags(thought) else MAX_TEXT
    said = " ".join(redact_start(str(raw.get("text") or raw.get("title") or ""), longest).split())
    report = (
        thought.kind == "claim" and raw.get("origin") == "hands"
    )  # shown only where a check or the person confirmed it
    seen = " ".join(str(ref.get("event_id")) for ref in raw.get("source_refs") or []) if report else ""
    how = f"hands, tentative; seen in {seen}" if report else raw.get("origin") or "import"
    return f"- [{thought.id}] ({thought.type}, {how}) {said}"


def _fields(thought: Thought) -> dict[str, Any]:
    raw = thought.raw
    shown = {name: raw[name] for name in _SHOWN[thought.kind] if raw.get(name) not in (None, "", [])}
    return shown | {"scope": thought.scope, "origin": raw.get("origin") or "import"}
