"""Recall: what is remembered and bears on a question, best first; what must always be known comes with it."""

import time
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from mi.contract.fact_status import Truth
from mi.contract.memories import FACT, KEY, PATTERN, TYPES, MemoryType, Tier, TruthState, split_text, type_of
from mi.contract.session import ContractSession
from mi.evidence.records.base import Json
from mi.evidence.records.governed import MemoryVerify
from mi.kernel import clock
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import redact
from mi.kernel.text import ELLIPSIS
from mi.knowledge.search.backend import Hit, Query
from mi.knowledge.search.documents import Document
from mi.knowledge.search.team import (
    ON_MATCH,
    TEAM,
    TEAMMATE,
    Reach,
    find_kind,
    find_salience,
    is_always_known,
    tell_author,
)
from mi.knowledge.search.words import compact
from mi.knowledge.thoughts.kinds import RAW, Kind
from mi.knowledge.thoughts.kinds import TEAM as TEAM_TAG
from mi.knowledge.thoughts.store_state import Thought
from mi.knowledge.thoughts.stores import CombinedStores

if TYPE_CHECKING:
    from mi.contract.fact_recheck import SeenFact

_CANDIDATES = 4  # per result: enough to let tier and truth change the order
_SPARE = 5  # results made ready beyond those asked for: what is seen only then may change the order once more
_SHOWN_CHARS = 2000
_TIERS: dict[Tier, float] = {"always": 1.0, "contextual": 0.7, "opportunistic": 0.5}
_OWN: tuple[Kind, ...] = ("claim", "node")
_TEAM_TYPES: dict[str, MemoryType] = {"rule": "constraint", "preference": "constraint", "decision": "decision"}
_OWN_KINDS = {"fact": "fact", "constraint": "rule", "decision": "decision"}
_TEAMMATES = 0.8  # as much as a truth counts of whose word it is: below the person's own, above what was mined
_TRUTHS: dict[TruthState, float] = {"verified": 1.0, "asserted": 0.9, "tentative": 0.75, "stale": 0.5}


class Recalled(Struct, frozen=True, kw_only=True):
    """One memory as it is recalled."""

    id: str
    type: MemoryType
    tier: Tier
    truth: TruthState
    score: float
    summary: str
    detail: str = ""
    key: str = ""
    notes: str = ""
    ts: str = ""
    scope: str = "project"
    evidence_age_s: int | None = None
    stale_why: str = ""
    event_ids: list[str] = []
    kind: str = "note"
    reach: Reach = "mine"


class RecallAnswer(Struct, frozen=True, kw_only=True):
    """The answer to a recall: matches by rank, then what is always recalled; what had no room is counted."""

    results: list[Recalled]
    left_out: int = 0


class RecallFilter(NamedTuple):
    """Which knowledge is wanted: of one kind, of one reach; "" for all."""

    kind: str = ""
    reach: str = ""

    @property
    def sources(self) -> tuple[str, ...]:
        return _OWN if self.reach == "mine" else (*_OWN, *TEAM)  # own words can be for the team, too

    @property
    def is_narrow(self) -> bool:
        """Return whether much of what matches may not be wanted."""
        return bool(self.kind) or self.reach == "team"

    def takes(self, one: Recalled) -> bool:
        return self.kind in ("", one.kind) and self.reach in ("", one.reach)


ALL = RecallFilter()


def query(session: ContractSession, text: str, limit: int, wanted: RecallFilter = ALL) -> RecallAnswer:
    """Return what is known about a question, whatever characters it holds: what binds, then matches by rank."""
    thoughts = session.place.read_thoughts()
    return _with_always(session, thoughts, find_matches(session, thoughts, text, limit, wanted), wanted)


def catch_up(session: ContractSession) -> None:
    """Take in what was written since, so that no recall has to."""
    session.truths.generation()
    session.place.read_thoughts()
    session.place.search(Query((), _OWN, session.place.project_id, limit=0))


def find_matches(
    session: ContractSession, thoughts: CombinedStores, text: str, limit: int, wanted: RecallFilter = ALL
) -> list[Recalled]:
    """Return the memories that match a question, by rank."""
    asked = compact(text)
    hits: list[Hit] = []
    if asked.tokens:
        most = limit * _CANDIDATES * (4 if wanted.is_narrow else 1)
        hits = session.place.search(
            Query(asked.tokens, wanted.sources, session.place.project_id, limit=most, now=time.time(), text=text)
        )
    hits = _drop_doubles(hits)
    team = _show_all_team(session, [hit for hit in hits if hit.document.kind in TEAM], limit, wanted)
    likely = _likely(session, [hit for hit in hits if hit.document.kind not in TEAM])
    likely = likely if wanted.is_narrow else likely[: limit + _SPARE]
    found = show_hit(session, (thought for one in likely if (thought := thoughts.get(one.document.id))))
    scores = {hit.document.id: hit.score for hit in likely}
    ranked = [replace(one, score=_score(scores[one.id], one.tier, one.truth)) for one in found]
    ranked = sorted(filter(wanted.takes, [*ranked, *team]), key=lambda one: (one.score, one.ts), reverse=True)
    return ranked[:limit]


def _drop_doubles(hits: list[Hit]) -> list[Hit]:
    """Return the hits without words that a file of the team holds, too, or that came from two homes of a member."""
    files = [hit.document.text for hit in hits if hit.document.kind in TEAM and hit.document.kind != TEAMMATE]
    shared, told = ("claim", "node", TEAMMATE), set[tuple[str, str]]()

    def is_told(one: Document) -> bool:
        said = one.text.strip()
        if any(said in text for text in files) or (one.title, said) in told:
            return True
        if one.kind == TEAMMATE:
            told.add((one.title, said))
        return False

    return [hit for hit in hits if hit.document.kind not in shared or not is_told(hit.document)]


def _show_all_team(session: ContractSession, hits: list[Hit], limit: int, wanted: RecallFilter = ALL) -> list[Recalled]:
    """Return what a team wrote down and has a place among the first, by rank; only these are made ready to be shown."""
    team = session.place.team
    bound = team.find_binding(hit.document for hit in hits) if team is not None else frozenset()
    ranked = [
        (_score_team(hit.document, hit.score, binds=hit.document.id in bound), hit.document)
        for hit in hits
        if wanted.kind in ("", find_kind(hit.document))
    ]
    ranked.sort(key=lambda one: (one[0], one[1].ts), reverse=True)
    return [replace(show_team(one, binds=one.id in bound), score=score) for score, one in ranked[:limit]]


def _score_team(document: Document, score: float, *, binds: bool) -> float:
    if document.kind == TEAMMATE:
        tier: Tier = "opportunistic" if find_kind(document) == "note" else "contextual"
        return float(f"{score * _TIERS[tier] * _TEAMMATES:.6g}")
    must_read = is_always_known(document) or find_salience(document) >= ON_MATCH
    return _score(score, "always" if binds and must_read else "contextual", "asserted" if binds else "tentative")


def show_team(document: Document, *, binds: bool) -> Recalled:
    """Return what a team wrote down as it is recalled: a rule where it binds, else somebody's words."""
    kind, said = find_kind(document), _safe(tell_author(document))
    named = document.title if document.kind != TEAMMATE else ""  # of a teammate's word it is who said it
    return Recalled(
        id=document.id,
        type=_TEAM_TYPES.get(kind, "note"),
        tier="always" if binds and is_always_known(document) else "contextual",
        truth="asserted" if binds else "tentative",
        score=0.0,
        summary=_safe(named) or _cut(said),
        detail=_cut(said),
        ts=document.ts,
        kind=kind,
        reach="team",
    )


def _likely(session: ContractSession, hits: list[Hit]) -> list[Hit]:
    """Return the matches by rank, as far as their documents tell: who said it shows only in the thought itself."""
    stale = {one.id for one in session.truths.of(hit.document.id for hit in hits).values() if one.stale}

    def rank(hit: Hit) -> tuple[float, str]:
        tags = hit.document.tags
        stored = TYPES[type_of(tags[0] if tags else "", tags)]
        truth: TruthState = "stale" if hit.document.id in stale else stored.truth
        return _score(hit.score, stored.tier, truth), hit.document.ts

    return sorted(hits, key=rank, reverse=True)


def _score(match: float, tier: Tier, truth: TruthState) -> float:
    return float(f"{match * _TIERS[tier] * _TRUTHS[truth]:.6g}")


def recall_recent(session: ContractSession, count: int) -> RecallAnswer:
    """Return what was remembered last, newest first."""
    thoughts = session.place.read_thoughts()
    latest = [one for kind in _OWN for one in _newest(thoughts, kind, count)]
    found = show_hit(session, latest)
    if session.place.team is not None:
        found += _show_all_team(session, [Hit(one, 0.0) for one in session.place.team.list_newest(count)], count)
    found.sort(key=lambda one: one.ts, reverse=True)
    return _with_always(session, thoughts, found[:count], ALL)


def _newest(thoughts: CombinedStores, kind: Kind, count: int) -> Iterator[Thought]:
    for reading in thoughts.readings:
        yield from islice(reading.find(kind), count)


def _with_always(
    session: ContractSession, thoughts: CombinedStores, found: list[Recalled], wanted: RecallFilter
) -> RecallAnswer:
    """Return what binds first, then what was found, then the facts that always hold, as long as there is room."""
    from mi.contract.always_recalled import LEAST_TOKENS, TOKEN_BUDGET, count_tokens, shorten

    shelf = session.shelf(thoughts)
    always = [one for one in shelf.memories if wanted.takes(one)]
    matched = {one.id: one for one in found}
    room = TOKEN_BUDGET
    taken: list[Recalled] = []
    for kept in always:
        memory = matched.get(kept.id, kept)
        fits = next((form for form in (memory, shorten(memory)) if count_tokens(form) <= room), None)
        if fits is None and memory.id not in matched:
            continue
        taken.append(fits or memory)
        room -= count_tokens(taken[-1])
        if room < LEAST_TOKENS:
            break
    there = {one.id for one in taken}
    binding = [one for one in taken if one.type != "fact"]
    facts = [one for one in taken if one.type == "fact" and one.id not in matched]
    rest = [one for one in found if one.id not in {one.id for one in binding}]
    left = sum(one.tier == "always" and one.id not in there for one in found)
    total = len(always) + shelf.total - len(shelf.memories) if wanted == ALL else len(always)
    results = recheck(session, [*binding, *rest, *facts])
    return RecallAnswer(results=results, left_out=max(0, total - len(taken) - left))


def recheck(session: ContractSession, found: list[Recalled]) -> list[Recalled]:
    """Return the same with the facts as they stand now; what turned out otherwise than the log tells is recorded."""
    facts = [one.id for one in found if one.type == "fact" and one.truth != "tentative"]
    if not facts:
        return found
    seen = session.fact_recheck.look(session.truths.of(facts).values(), session.checker)
    news: list[Json] = [
        {"id": name, "stale": bool(one.broken), "why": one.broken} for name, one in seen.items() if one.news
    ]
    if news:
        session.append(MemoryVerify(results=news))
    return [_as_seen(one, seen[one.id]) if one.id in seen else one for one in found]


def _as_seen(one: Recalled, seen: "SeenFact") -> Recalled:
    truth: TruthState = "stale" if seen.broken else "tentative" if seen.unknown else "verified"
    why = f"unchecked since {seen.truth.checked}" if seen.unknown else _safe(seen.broken)
    score = one.score if truth == one.truth else float(f"{one.score / _TRUTHS[one.truth] * _TRUTHS[truth]:.6g}")
    return replace(one, truth=truth, stale_why=why, score=score)


def show_hit(session: ContractSession, thoughts: Iterable[Thought]) -> list[Recalled]:
    """Return the thoughts that stand, as memories without a score; a stale fact is shown as stale."""
    standing = [(thought, raw) for thought in thoughts if thought.stands and (raw := thought.raw)]
    truths = session.truths.of(one.id for one, raw in standing if FACT in (raw.get("tags") or ()))
    now = time.time()
    found = []
    for thought, raw in standing:
        tags = [tag for tag in raw.get("tags") or [] if isinstance(tag, str)]
        if RAW not in tags:
            found.append(_recalled(thought, raw, tags, truths.get(thought.id), now))
    return found


def _recalled(thought: Thought, raw: dict[str, Any], tags: list[str], truth: Truth | None, now: float) -> Recalled:
    type_ = type_of(thought.type, tags)
    summary, detail = _parts(thought, raw, tags)
    if type_ == "fact" and raw.get("origin") == "hands" and _speaks_for_person(summary, detail):
        type_ = "claim"  # written before such words were refused
    stored = TYPES[type_]
    state: TruthState = stored.truth
    if type_ == "fact":
        state = "tentative" if truth is None else "stale" if truth.stale else "verified"
    elif state == "tentative" and raw.get("origin") == "user":
        state = "asserted"
    refs = [str(ref.get("event_id")) for ref in raw.get("source_refs") or [] if isinstance(ref, dict)]
    return Recalled(
        id=thought.id,
        type=type_,
        tier=stored.tier,
        truth=state,
        score=0.0,
        summary=summary,
        detail=detail,
        key=_safe(next((tag.removeprefix(KEY) for tag in tags if tag.startswith(KEY)), "")),
        notes=_safe(str(raw.get("notes") or "")),
        ts=str(raw.get("asserted_ts") or ""),
        scope=thought.scope,
        evidence_age_s=_age(truth, now),
        stale_why=_safe(truth.why) if truth and truth.stale else "",
        event_ids=[ref for ref in refs if ref],
        kind=_kind_of(thought, type_, tags),
        reach="team" if TEAM_TAG in tags else "mine",
    )


def _kind_of(thought: Thought, type_: MemoryType, tags: list[str]) -> str:
    if type_ in _OWN_KINDS or PATTERN in tags:
        return _OWN_KINDS.get(type_, PATTERN)
    return thought.type if thought.type in ("preference", "fact") else "note"


def _parts(thought: Thought, raw: dict[str, Any], tags: list[str]) -> tuple[str, str]:
    text = str(raw.get("text") or "")
    if thought.kind == "node":
        return _safe(str(raw.get("title") or "")), _cut(_safe(text))
    safe = _safe(text)  # as a whole: a secret may lie across the two
    summary, detail = split_text(safe, tags if safe == text else ())
    return _cut(summary), _cut(detail)


@lru_cache(maxsize=1024)
def _speaks_for_person(summary: str, detail: str) -> bool:
    from mi.contract.persons_word import find_persons_word

    return bool(find_persons_word(summary, detail))


@lru_cache(maxsize=8192)  # what is always recalled is recalled again and again
def _safe(text: str) -> str:
    return redact(text) if text else ""


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 1] + ELLIPSIS


def _age(truth: Truth | None, now: float) -> int | None:
    try:
        return max(0, int(now - clock.parse(truth.checked))) if truth else None
    except ValueError:
        return None
