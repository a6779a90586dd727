"""A model's proposal for the values' claims, held against what was said, what stands and what may be cited."""

from collections.abc import Iterator, Sequence

from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import find_secrets
from mi.knowledge.thoughts.kinds import REDIRECTS, TESTLESS, EdgeType, Origin
from mi.knowledge.thoughts.kinds import VALUES as BASE
from mi.knowledge.thoughts.line_state import milliseconds
from mi.knowledge.thoughts.records import Claim
from mi.knowledge.thoughts.store import ThoughtStore
from mi.mind.language import says_what_counts
from mi.mind.prompts.mine_claims import MinedClaim, MinedEdge
from mi.mind.prompts.values_claim_patch import ValuesClaimPatch

_RESERVED = ("mi:", "values:")  # tags that mean something to MI: no model hands them out
_LONGEST = 600  # characters of one value; more is no single thought


class ValuesPatch(NamedTuple):
    """What becomes of the values' claims."""

    kept: list[Claim]
    new: list[Claim]
    retracted: list[Claim]
    replaced: Sequence[Claim] = ()
    edges: Sequence[tuple[EdgeType, str, str]] = ()
    notes: Sequence[str] = ()  # what was proposed and not done, and why


def check_patch(
    answer: ValuesClaimPatch, standing: list[Claim], store: ThoughtStore, event_id: str, said: Sequence[str]
) -> ValuesPatch | None:
    """Return the part of a proposal that may be done; None when it would leave the person without a value."""
    notes: list[str] = []
    known = {claim.claim_id: claim.claim_id for claim in standing}
    by_text = {claim.text: claim.claim_id for claim in standing}
    new: list[Claim] = []
    for one in answer.claims:
        problem = _problem(one, event_id)
        if problem:
            notes.append(f"{one.local_id}: {problem}")
        elif one.text in by_text:
            known[one.local_id] = by_text[one.text]
        else:
            claim = _claim(one, store, event_id, said)
            known[one.local_id] = by_text[one.text] = claim.claim_id
            new.append(claim)
    edges = list(_edges(answer.edges, known, event_id, notes))
    wanted = {known[one] for one in (claim.local_id for claim in answer.claims) if one in known}
    gone = _retractions(answer.retract_claim_ids, standing, wanted, notes)
    replaced = {from_id for _, from_id, _ in edges}
    kept = [claim for claim in standing if claim.claim_id not in gone | replaced]
    if not kept and all(claim.claim_id in replaced for claim in new):
        return None
    retracted = [claim for claim in standing if claim.claim_id in gone - replaced]
    return ValuesPatch(kept, new, retracted, [one for one in standing if one.claim_id in replaced], edges, notes)


def _problem(one: MinedClaim, event_id: str) -> str:
    """Why a proposed claim is void; nothing when it is not."""
    if not one.source_event_ids or any(cited != event_id for cited in one.source_event_ids):
        return "cites what it may not"
    if one.claim_type not in ("preference", "goal"):
        return f"a {one.claim_type} is no value"
    if not one.text.strip() or len(one.text) > _LONGEST:
        return "is no single thought"
    return "holds a secret" if find_secrets(one.text) else ""


def value_tags(text: str) -> list[str]:
    """Return the tags of a value; one that says what counts without tests is the strategy for projects without."""
    return [BASE, TESTLESS] if says_what_counts(text) else [BASE]


def _claim(one: MinedClaim, store: ThoughtStore, event_id: str, said: Sequence[str]) -> Claim:
    origin: Origin = "user" if one.text in said else "mind"  # the person's very words, or a model's for them
    tags = [tag for tag in one.tags if tag.strip() and not tag.startswith(_RESERVED)]
    return store.new_claim(
        one.text,
        [*value_tags(one.text), *dict.fromkeys(tags)],
        event_id,
        origin,
        claim_type=one.claim_type,
        confidence=min(1.0, max(0.0, one.confidence)),
        valid_from=_time(one.valid_from),
        valid_to=_time(one.valid_to),
    )


def _time(value: str | None) -> str | None:
    return value if milliseconds(value, None) is not None else None


def _edges(
    proposed: Sequence[MinedEdge], known: dict[str, str], event_id: str, notes: list[str]
) -> Iterator[tuple[EdgeType, str, str]]:
    """Redirects between claims that are there; each claim is replaced once, and never in a circle."""
    out: dict[str, str] = {}
    for one in proposed:
        from_id, to_id = known.get(one.from_claim_id), known.get(one.to_claim_id)
        cites = bool(one.source_event_ids) and all(cited == event_id for cited in one.source_event_ids)
        if one.edge_type not in REDIRECTS or not cites or not from_id or not to_id:
            notes.append(f"{one.edge_type} {one.from_claim_id} → {one.to_claim_id}: not between values, or uncited")
        elif from_id in out or _leads_to(to_id, from_id, out):
            notes.append(f"{one.edge_type} {one.from_claim_id} → {one.to_claim_id}: replaced already")
        else:
            out[from_id] = to_id
            yield one.edge_type, from_id, to_id


def _leads_to(start: str, goal: str, out: dict[str, str]) -> bool:
    at: str | None = start
    while at is not None and at != goal:
        at = out.get(at)
    return at == goal


def _retractions(proposed: Sequence[str], standing: list[Claim], wanted: set[str], notes: list[str]) -> set[str]:
    allowed = {claim.claim_id for claim in standing}
    for one in proposed:
        if one not in allowed:
            notes.append(f"{one}: not among the values that stand")
        elif one in wanted:
            notes.append(f"{one}: proposed as a value and for retraction at once")
    return (allowed & set(proposed)) - wanted
