"""Recall: what is remembered and bears on a question, best first; what must always be known comes with it."""

import time
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mi.contract.fact_status import Truth
from mi.contract.memories import FACT, KEY, TYPES, MemoryType, Tier, TruthState, type_of
from mi.contract.session import ContractSession
from mi.kernel import clock
from mi.kernel.secrets import redact
from mi.kernel.text import ELLIPSIS
from mi.knowledge.search.backend import Hit, Query
from mi.knowledge.search.words import compact
from mi.knowledge.thoughts.kinds import RAW
from mi.knowledge.thoughts.store_state import Thought
from mi.knowledge.thoughts.stores import CombinedStores

_CANDIDATES = 4  # per result: enough to let tier and truth change the order
_SPARE = 5  # results made ready beyond those asked for: what is seen only then may change the order once more
_SHOWN_CHARS = 2000
_TIERS: dict[Tier, float] = {"always": 1.0, "contextual": 0.7, "opportunistic": 0.5}
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


class RecallAnswer(Struct, frozen=True, kw_only=True):
    """The answer to a recall: matches by rank, then what is always recalled; what had no room is counted."""

    results: list[Recalled]
    left_out: int = 0


def query(session: ContractSession, text: str, limit: int) -> RecallAnswer:
    """Return what is remembered about a question, whatever characters it holds."""
    asked = compact(text)
    thoughts = session.place.read_thoughts()
    hits: list[Hit] = []
    if asked.tokens:
        project_id, most = session.place.project_id, limit * _CANDIDATES
        wanted = Query(asked.tokens, ("claim", "node"), project_id, limit=most, now=time.time())
        hits = session.place.search(wanted)
    likely = _likely(session, hits)[: limit + _SPARE]
    found = show_hit(session, (thought for one in likely if (thought := thoughts.get(one.document.id))))
    scores = {hit.document.id: hit.score for hit in likely}
    ranked = [replace(one, score=_score(scores[one.id], one.tier, one.truth)) for one in found]
    ranked.sort(key=lambda one: (one.score, one.ts), reverse=True)
    return _with_always(session, thoughts, ranked[:limit])


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
    latest = [one for kind in ("claim", "node") for one in _newest(thoughts, kind, count)]
    found = show_hit(session, latest)
    found.sort(key=lambda one: one.ts, reverse=True)
    return _with_always(session, thoughts, found[:count])


def _newest(thoughts: CombinedStores, kind: Any, count: int) -> Iterator[Thought]:
    for reading in thoughts.readings:
        yield from islice(reading.find(kind), count)


def _with_always(session: ContractSession, thoughts: CombinedStores, found: list[Recalled]) -> RecallAnswer:
    """Add what must always be known, as long as there is room for it."""
    from mi.contract.always_recalled import LEAST_TOKENS, TOKEN_BUDGET, count_tokens, shorten

    shelf = session.shelf(thoughts)
    there = {one.id for one in found}
    room = TOKEN_BUDGET - sum(count_tokens(one) for one in found if one.tier == "always")
    added: list[Recalled] = []
    for memory in shelf.memories:
        if room < LEAST_TOKENS:
            break
        if memory.id in there:
            continue
        fits = next((form for form in (memory, shorten(memory)) if count_tokens(form) <= room), None)
        if fits is not None:
            room -= count_tokens(fits)
            added.append(fits)
    returned = sum(one.tier == "always" for one in (*found, *added))
    return RecallAnswer(results=[*found, *added], left_out=max(0, shelf.total - returned))


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
    summary, detail = _parts(thought, raw)
    if type_ == "fact" and raw.get("origin") == "hands" and _speaks_for_person(summary, detail):
        type_ = "claim"  # written before such words were refused
    stored = TYPES[type_]
    state: TruthState = stored.truth
    if type_ == "fact":
        state = "tentative" if truth is None else "stale" if truth.stale else "verified"
    elif type_ == "claim" and raw.get("origin") == "user":
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
    )


def _parts(thought: Thought, raw: dict[str, Any]) -> tuple[str, str]:
    text = str(raw.get("text") or "")
    if thought.kind == "node":
        return _safe(str(raw.get("title") or "")), _cut(_safe(text))
    summary, _, detail = _safe(text).partition("\n\n")
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
