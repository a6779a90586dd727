"""Why, in a model's words: the least that explains a target, chosen among claims that were really there."""

from collections.abc import Callable

import msgspec

from mi.evidence.records.thoughts import WhyTrace
from mi.kernel.config.types import WhyTraceConfig as Knobs
from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.thoughts.context import ThoughtFinder
from mi.knowledge.thoughts.graph import label
from mi.knowledge.thoughts.kinds import RAW
from mi.knowledge.thoughts.records import Edge
from mi.knowledge.thoughts.store import ThoughtStore, citing
from mi.knowledge.thoughts.stores import CombinedStores
from mi.knowledge.thoughts.trust import find_trust
from mi.learning.mind_calls import Judge
from mi.learning.why import Why
from mi.mind.mind import Judgement
from mi.mind.prompts.why_trace import WhyAnswer, WhyCase, why_trace
from mi.mind.views import CitableText

Append = Callable[[WhyTrace], WhyTrace]


class Reach(NamedTuple):
    """Where candidates are looked for, and where edges are kept."""

    thoughts: CombinedStores
    search: ThoughtFinder
    store: ThoughtStore


def trace(why: Why, said: str, judge: Judge, reach: Reach, knobs: Knobs, append: Append) -> WhyTrace:
    """Ask why, record the answer, then the edges that cite it; without a model the recorded ids are the answer.

    `said` is what the target says.
    """
    candidates = _candidates(why, said, reach, knobs.top_k)
    given = WhyCase(
        target=CitableText(id=why.target.id, text=said),
        as_of_ts=why.as_of_ts,
        candidates=candidates,
        recorded_ids=[one.id for one in why.grounds if one.role != "in_view"],
    )
    judgement = judge.ask(why_trace, given)
    if judgement.value is None or judgement.by == "rules":
        state = "error" if judgement.state == "error" else "skipped"
        return append(msgspec.structs.replace(why.record(), state=state, mind_transcript_ref=judgement.transcript_ref))
    record, edges = _answered(why, candidates, judgement.value, judgement, reach, knobs)
    stored = append(record)
    reach.store.add_edges([citing(edge, stored.event_id) for edge in edges])
    return stored


def _answered(
    why: Why,
    candidates: list[CitableText],
    answer: WhyAnswer,
    judgement: Judgement[WhyAnswer],
    reach: Reach,
    knobs: Knobs,
) -> tuple[WhyTrace, list[Edge]]:
    allowed = [candidate.id for candidate in candidates]
    chosen = [one for one in dict.fromkeys(answer.chosen_claim_ids) if one in allowed]
    record = WhyTrace(
        state="ok",
        mind_transcript_ref=judgement.transcript_ref,
        target=why.target,
        as_of_ts=why.as_of_ts,
        query=why.query,
        candidate_claim_ids=allowed,
        output=msgspec.to_builtins(answer),
        dropped_ids=[one for one in answer.chosen_claim_ids if one not in allowed],
    )
    sure = answer.status == "ok" and answer.confidence >= knobs.min_write_confidence
    if not (knobs.write_edges and sure and why.target.target_type == "evidence_event"):
        return record, []
    there = {edge.to_id for edge in reach.store.read().edges(why.target.id, "out", ("depends_on",))}
    new = [reach.store.new_edge("depends_on", why.target.id, one, "", "mind") for one in chosen if one not in there]
    return msgspec.structs.replace(record, written_edge_ids=[edge.edge_id for edge in new]), new


def _candidates(why: Why, said: str, reach: Reach, top_k: int) -> list[CitableText]:
    """Return what was recorded first, then what the target's words bring to mind.

    Nothing that was unknown at the time.
    """
    found: dict[str, CitableText] = {}
    for one in [*why.candidate_claim_ids, *reach.search(f"{why.query} {said}", top_k * 3)]:
        claim = reach.thoughts.get(one) if one.startswith("cl_") and one != why.target.id else None
        if claim is None or len(found) >= top_k or RAW in (claim.raw.get("tags") or ()):
            continue
        if one in why.candidate_claim_ids or (claim.stands and find_trust(claim, reach.thoughts) != "hands"):
            found[one] = CitableText(id=one, text=label(claim))
    return list(found.values())
