"""Suggested preferences: recorded, learned where that may be, else waiting in the inbox for the person's word."""

from collections.abc import Iterator

import msgspec

from mi.evidence.records.base import Json, Record
from mi.evidence.records.mind import DecideNext, RiskEvent
from mi.evidence.records.thoughts import LearnApplied, LearnSuggested
from mi.kernel import ids
from mi.kernel.secrets import redact
from mi.knowledge.thoughts.kinds import RAW, Origin
from mi.knowledge.thoughts.records import Claim
from mi.knowledge.thoughts.store import citing
from mi.knowledge.thoughts.store_state import Filter, Thought
from mi.knowledge.thoughts.stores import CombinedStores
from mi.knowledge.thoughts.trust import find_trust
from mi.learning.candidates import PreferenceCandidate, PreferenceCandidates
from mi.learning.knowledge import Knowledge
from mi.learning.segments import Hand, Segment, SegmentEvent, SegmentFile
from mi.learning.suggestion_policy import Source, Standing, SuggestedPreference, SuggestionVerdict, find_unfit, weigh
from mi.learning.text_overlap import echoes, is_said_by_person, retells, supported_by_user_text
from mi.mind.prompts.risk_judge import LearnSuggestion

LEARNED = "mi:learned"
_GUIDING = ("preference", "goal")
_LOOKED_AT = 300  # standing preferences that a new one is compared with, beside what the text index finds


class Learner:
    """Takes suggestions in: counts, weighs and records each, and writes what may be learned."""

    def __init__(self, knowledge: Knowledge, file: SegmentFile | None, run_id: str) -> None:
        self.knowledge = knowledge
        self.run_id = run_id
        self.candidates = PreferenceCandidates(knowledge.place.preference_candidates, knowledge.notices)
        self._file = file

    def from_judgements(self, hand: Hand, segment: Segment) -> None:
        """Take up what risk_judge and decide_next suggested in the stretch and was not taken up yet."""
        taken = {record.source_event_id for record in segment.records if isinstance(record, LearnSuggested)}
        taken |= {one.event_id for one in self._suggested()}
        for record, proposals in _suggested_in(segment):
            if record.event_id not in taken:
                self._note_seen(record.event_id)
                for proposal in proposals:
                    self.take(hand, proposal)

    def take(self, hand: Hand, proposal: SuggestedPreference) -> tuple[SuggestionVerdict, str]:
        """Deal with one proposal; returns the verdict and the suggestion's id, if it became one."""
        why = find_unfit(proposal, self.knowledge.runtime)
        if why:  # not even counted: what is dropped twice is no habit, and what holds a secret is kept nowhere
            return SuggestionVerdict("drop", why), ""
        proposal = proposal._replace(rationale=redact(proposal.rationale))
        _, candidate = self.candidates.see(proposal.scope, proposal.text, self.run_id, proposal.event_id)
        verdict = weigh(proposal, candidate, self._standing(proposal.text), self.knowledge.runtime, self.run_id)
        if verdict.do in ("drop", "count"):
            return verdict, ""
        if candidate.suggestion_id and verdict.do == "wait":  # it waits already: the inbox holds it once
            return verdict, candidate.suggestion_id
        if candidate.suggestion_id and verdict.do == "learn":
            self._apply_waiting(hand, proposal, candidate)
            return verdict, candidate.suggestion_id
        return verdict, self._suggest(hand, proposal, verdict, candidate.count)

    def ask_back(self, hand: Hand, rule: str, event_id: str) -> None:
        """Put a learned rule before the person that an update retired and nothing else says."""
        retired = SuggestedPreference("learn_update", "project", rule, event_id=event_id)
        self._suggest(hand, retired, SuggestionVerdict("wait", "it was learned, is retired, and no other rule says it"))

    def _suggest(self, hand: Hand, proposal: SuggestedPreference, verdict: SuggestionVerdict, count: int = 0) -> str:
        claim = self._claim(proposal, "mind") if verdict.do == "learn" else None
        applied = [claim.claim_id] if claim else [verdict.claim_id] if verdict.claim_id else []
        record = LearnSuggested(
            id=ids.make_id("ls"),
            scope=proposal.scope,
            text=proposal.text,
            severity=proposal.severity,
            rationale=proposal.rationale,
            source=proposal.source,
            source_event_id=proposal.event_id,
            note=verdict.why,
            count=count,
            applied_claim_ids=applied,
        )
        stored = hand.append(record)
        if claim is not None:
            self.knowledge.store(proposal.scope).add_claims([citing(claim, stored.event_id)])
        elif applied:  # what stands already is not said again, but that it was seen again is kept
            self.knowledge.own.link("mentions", stored.event_id, verdict.claim_id, stored.event_id, "mind")
        else:
            self.candidates.waits(proposal.scope, proposal.text, record.id)
        if applied:  # what waits for the person is not brought together with what was learned
            self._note(SegmentEvent(event_id=stored.event_id, kind="learn_suggested", text=stored.text))
        return record.id

    def _apply_waiting(self, hand: Hand, proposal: SuggestedPreference, candidate: PreferenceCandidate) -> None:
        claim = self._claim(proposal, "mind")
        record = LearnApplied(
            suggestion_id=candidate.suggestion_id, applied_claim_ids=[claim.claim_id], decision="repeated"
        )
        event = hand.append(record)
        self.knowledge.store(proposal.scope).add_claims([citing(claim, event.event_id)])

    def _claim(self, proposal: SuggestedPreference, origin: Origin) -> Claim:
        return self.knowledge.store(proposal.scope).new_claim(
            proposal.text, [LEARNED], "", origin, confidence=proposal.confidence, notes=proposal.rationale
        )

    def _standing(self, text: str) -> list[Standing]:
        return find_standing(self.knowledge, text)

    def _suggested(self) -> list[SegmentEvent]:
        return self._file.state.suggested if self._file else []

    def _note_seen(self, event_id: str) -> None:
        """Written before its proposals are: after a kill one may be lost, none is taken up twice."""
        self._note(SegmentEvent(event_id=event_id, kind="judged"))

    def _note(self, event: SegmentEvent) -> None:
        if self._file is not None:
            state = self._file.state
            self._file.save(msgspec.structs.replace(state, suggested=[*state.suggested, event]))


def find_standing(knowledge: Knowledge, text: str) -> list[Standing]:
    """Return the preferences and goals that hold and may say the same as a text, or the opposite."""
    thoughts = knowledge.thoughts()
    found: dict[str, Thought] = {}
    for one in knowledge.search(text, 30):
        claim = thoughts.get(thoughts.head(one))
        if claim is not None and claim.stands and claim.type in _GUIDING:
            found[claim.id] = claim
    for place, claim in enumerate(thoughts.find("claim", Filter(types=_GUIDING, heard=True))):
        if place >= _LOOKED_AT:
            break
        found[claim.id] = claim
    return list(_as_standing(found, thoughts))


def _as_standing(found: dict[str, Thought], thoughts: CombinedStores) -> Iterator[Standing]:
    for claim in found.values():
        raw, trust = claim.raw, find_trust(claim, thoughts)
        if RAW not in (raw.get("tags") or []) and trust != "hands":  # what only an agent said stands for nothing
            yield Standing(claim.id, str(raw.get("text") or ""), trust == "user")


def _suggested_in(segment: Segment) -> Iterator[tuple[Record, list[SuggestedPreference]]]:
    for record in segment.records:
        if isinstance(record, RiskEvent) and record.risk.learn_suggested:
            yield record, list(_proposals(record, "risk_judge", 1.0, record.risk.learn_suggested, segment))
        elif isinstance(record, DecideNext) and record.decision.get("learn_suggested"):
            suggested = record.decision["learn_suggested"]
            yield record, list(_proposals(record, "decide_next", record.confidence, suggested, segment))


def _proposals(
    record: Record, source: Source, confidence: float, suggested: list[Json], segment: Segment
) -> Iterator[SuggestedPreference]:
    for raw in suggested:
        try:
            one = msgspec.convert(raw, LearnSuggestion)
        except msgspec.ValidationError:
            continue
        yield SuggestedPreference(
            source,
            one.scope,
            one.text.strip(),
            rationale=one.rationale,
            severity=one.severity,
            confidence=confidence,
            event_id=record.event_id,
            echo=echoes(one.text, segment) or retells(one.text, segment),
            carried=supported_by_user_text(one.text, is_said_by_person(segment)),
        )
