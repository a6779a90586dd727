"""Why MI did something, from what was recorded: the thoughts an event cites, and what a claim comes from."""

from collections.abc import Iterator
from typing import Any

from mi.evidence.records.table import SHOWN_IN
from mi.evidence.records.thoughts import WhyTarget, WhyTrace
from mi.kernel import clock
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import redact_start
from mi.knowledge.thoughts.graph import label
from mi.knowledge.thoughts.kinds import RESTS_ON
from mi.knowledge.thoughts.line_state import milliseconds
from mi.knowledge.thoughts.store_state import Thought
from mi.knowledge.thoughts.stores import CombinedStores

DECISIONS = SHOWN_IN["why"]
CITED = ("cited_ids", "chosen_claim_ids", "applied_claim_ids")
_ID_PREFIXES = ("cl_", "nd_", "ev_", "wf_")


class Ground(NamedTuple):
    """Something an answer rests on, and in which way."""

    role: str  # cited, depends_on, in_view, source, supports, replaced_by, used_by …
    id: str
    status: str = ""
    text: str = ""


class Why(NamedTuple):
    """A deterministic answer."""

    target: WhyTarget
    as_of_ts: str
    query: str
    grounds: list[Ground]
    output: dict[str, Any]
    candidate_claim_ids: list[str]

    def record(self) -> WhyTrace:
        """Return the record for the evidence: a Mind was not asked."""
        return WhyTrace(
            state="skipped",
            target=self.target,
            as_of_ts=self.as_of_ts,
            query=self.query,
            candidate_claim_ids=self.candidate_claim_ids,
            output=self.output,
        )


def explain_event(
    event: dict[str, Any], thoughts: CombinedStores, as_of_ts: str, top_k: int, language: str = "en"
) -> Why:
    """Return which thoughts a recorded event cites, depends on, or had in view."""
    own = str(event.get("event_id", ""))
    thought_ids = (pair for pair in list_ids(event) if not pair[1].startswith("wf_"))
    recorded = dict.fromkeys(pair for pair in thought_ids if pair[1] != own)
    cited = [one for name, one in recorded if name in CITED]
    depends = [edge.to_id for edge in thoughts.edges(own, "out", RESTS_ON)]
    in_view = [one for name, one in recorded if name not in CITED]
    grounds = find_grounds(thoughts, {"cited": cited, "depends_on": depends, "in_view": in_view})
    known = [one for one in grounds if one.id.startswith("cl_") and one.status]
    chosen = [one.id for one in known if one.role in ("cited", "depends_on")]
    target = WhyTarget(target_type="evidence_event", id=own)
    candidates = [one.id for one in grounds if one.id.startswith("cl_")]
    return _answer(target, as_of_ts, str(event.get("kind", "")), grounds, chosen, candidates[:top_k], language)


def explain_claim(claim: Thought, thoughts: CombinedStores, as_of_ts: str, top_k: int, language: str = "en") -> Why:
    """Return where a claim comes from, what it rests on, what became of it, and what was decided by it."""
    refs = claim.raw.get("source_refs") or []
    sources = [str(ref["event_id"]) for ref in refs if isinstance(ref, dict) and ref.get("event_id")]
    roles: dict[str, list[str]] = {"source": sources, "depends_on": [], "supports": [], "contradicts": []}
    roles |= {"replaces": [], "replaced_by": [], "used_by": []}
    for edge in thoughts.edges(claim.id):
        outward = edge.from_id == claim.id
        role = {
            **dict.fromkeys(RESTS_ON, "depends_on" if outward else "used_by"),
            **dict.fromkeys(("supersedes", "same_as"), "replaced_by" if outward else "replaces"),
            "supports": "used_by" if outward else "supports",
            "contradicts": "contradicts",
        }.get(edge.type)
        if role:
            roles[role].append(edge.to_id if outward else edge.from_id)
    retraction = thoughts.retraction(claim)
    if retraction is not None:
        roles["retracted_by"] = [str(ref.get("event_id")) for ref in retraction.get("source_refs") or []]
    grounds = find_grounds(thoughts, roles)
    chosen = [one.id for one in grounds if one.role in ("depends_on", "supports") and one.id.startswith("cl_")]
    target = WhyTarget(target_type="claim", id=claim.id)
    candidates = [one.id for one in grounds if one.id.startswith("cl_")][:top_k]
    return _answer(target, as_of_ts, label(claim), grounds, chosen, candidates, language)


def find_moment(event: dict[str, Any], as_of: int | None) -> tuple[int | None, str]:
    """Return the time an answer about an event is for: the one asked for, else the event's own."""
    if as_of is not None:
        return as_of, clock.format_ms(as_of)
    view = event.get("thought_db")
    stamp = (view.get("as_of_ts") if isinstance(view, dict) else "") or event.get("ts") or ""
    own: int | None = milliseconds(str(stamp), None)
    return own, str(stamp) if own is not None else clock.now()


def quote_event(event: dict[str, Any]) -> str:
    """Return what a recorded event says, for whoever is asked about it."""
    names = ("notes", "status", "next_action", "ask_user_question", "next_hands_input", "task", "text", "question")
    inner = [event.get(name) for name in ("decision", "auto_answer", "checks", "risk", "output")]
    shown: dict[str, str] = {}
    for part in (event, *(one for one in inner if isinstance(one, dict))):
        for name in (*names, "hands_answer_input", "category", "severity"):
            if isinstance(part.get(name), str) and part[name]:
                shown.setdefault(name, redact_start(part[name], 600))
    told = "; ".join(f"{name}: {value}" for name, value in shown.items())
    return f"{event.get('kind', 'event')} — {told}" if told else str(event.get("kind", "event"))


def choose_claims(record: WhyTrace) -> list[str]:
    """Return the claims an answer rests on, without those that were invented."""
    found = (record.output or {}).get("chosen_claim_ids") or []
    return [one for one in dict.fromkeys(found) if one not in record.dropped_ids]


def _answer(
    target: WhyTarget,
    as_of_ts: str,
    query: str,
    grounds: list[Ground],
    chosen: list[str],
    candidates: list[str],
    language: str,
) -> Why:
    settled = bool(chosen) or any(one.role in ("source", "cited", "depends_on") for one in grounds)
    key = "why.rests-on" if settled else "why.only-in-view" if grounds else "why.nothing"
    firm = [one for one in grounds if one.role != "in_view"]
    named = " · ".join(f"{one.role} {one.id}" for one in (firm or grounds)[:6])
    output = {
        "status": "ok" if settled else "insufficient",
        "confidence": 1.0 if settled else 0.0,
        "chosen_claim_ids": list(dict.fromkeys(chosen)),
        "explanation": text(key, language, id=target.id, count=len(grounds), named=named),
        "notes": "from recorded ids, no model asked",
    }
    return Why(target, as_of_ts, query, grounds, output, list(dict.fromkeys(candidates)))


def find_grounds(thoughts: CombinedStores, roles: dict[str, list[str]]) -> list[Ground]:
    """Return each id once, with its first role; thoughts as they were at the time."""
    found: dict[str, Ground] = {}
    for role, ids in roles.items():
        for one in ids:
            if one in found:
                continue
            thought = thoughts.get(one)
            if thought is not None:
                found[one] = Ground(role, one, thought.status, label(thought))
            else:
                found[one] = Ground(role, one)
    return list(found.values())


def list_ids(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield every id in a record with the name of the field that holds it."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from list_ids(one, key)
    elif isinstance(value, list):
        for one in value:
            yield from list_ids(one, name)
    elif isinstance(value, str) and value.startswith(_ID_PREFIXES) and len(value) < 200 and " " not in value:
        yield name, value
