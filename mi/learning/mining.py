"""Mining a complete stretch: preferences of the person, counted over runs, and claims with what carries them."""

import msgspec

from mi.evidence.records.run import BatchEnd
from mi.evidence.records.thoughts import ClaimMining, PreferenceMining, PreferenceSolidified
from mi.kernel.secrets import find_secrets
from mi.knowledge.thoughts.kinds import BINDING, MINED, Origin
from mi.knowledge.thoughts.line_state import milliseconds
from mi.knowledge.thoughts.records import Claim
from mi.knowledge.thoughts.store import citing
from mi.knowledge.thoughts.store_state import Filter
from mi.learning.checkpoint import MindQuestion
from mi.learning.knowledge import Knowledge
from mi.learning.same_rule import are_alike
from mi.learning.segments import Hand, Segment, SegmentFile
from mi.learning.suggestion_policy import SuggestedPreference
from mi.learning.suggestions import Learner, find_standing
from mi.learning.text_overlap import is_rule, is_said_by_person, names_only, own_tags, supported_by_user_text
from mi.mind.mind import Judgement
from mi.mind.prompts.checkpoint_decide import CheckpointDecision
from mi.mind.prompts.mine_claims import MinedClaim, MinedClaims, MinedEdge, mine_claims
from mi.mind.prompts.mine_preferences import MinedPreference, MinedPreferences, mine_preferences

_LOOKED_AT = 500  # standing claims that a new one is compared with, beside what the text index finds


class PreferenceMiner:
    """Asks for preferences at a checkpoint and lets each ripen until it was seen often enough."""

    def __init__(self, learner: Learner, file: SegmentFile) -> None:
        self._learner = learner
        self._file = file
        self._knobs = learner.knowledge.runtime.preference_mining

    @property
    def _left(self) -> int:
        return self._knobs.max_suggestions - self._file.state.considered

    def is_wanted(self, decision: CheckpointDecision) -> bool:
        return decision.should_mine_preferences

    def ask(self, segment: Segment) -> MindQuestion | None:
        return (mine_preferences, self._learner.knowledge.to_mine(segment)) if self._left > 0 else None

    def learn(self, hand: Hand, segment: Segment, judgement: Judgement[MinedPreferences]) -> None:
        answer = judgement.value
        record = PreferenceMining(
            state=judgement.state,
            mind_transcript_ref=judgement.transcript_ref,
            segment_id=segment.segment_id,
            output=msgspec.to_builtins(answer) if answer else None,
        )
        event = hand.append(record)
        for one in answer.suggestions[: self._left] if answer else ():
            self._file.save(msgspec.structs.replace(self._file.state, considered=self._file.state.considered + 1))
            self._consider(hand, segment, one, event.event_id)

    def _consider(self, hand: Hand, segment: Segment, one: MinedPreference, event_id: str) -> None:
        proposal = SuggestedPreference(
            "mine_preferences",
            one.scope,
            one.text.strip(),
            rationale=one.rationale,
            confidence=one.confidence,
            benefit=one.benefit,
            event_id=event_id,
            carried=supported_by_user_text(one.text, is_said_by_person(segment)),
        )
        verdict, suggestion_id = self._learner.take(hand, proposal)
        if verdict.do in ("learn", "wait"):
            name, candidate = self._learner.candidates.find(one.scope, proposal.text)
            count, text = candidate.count, proposal.text
            hand.append(PreferenceSolidified(signature=name, count=count, text=text, suggestion_id=suggestion_id))


class ClaimMiner:
    """Asks for claims at a checkpoint; writes the few that are sure, new, and carried by what they cite."""

    def __init__(self, learner: Learner) -> None:
        self._learner = learner

    def is_wanted(self, decision: CheckpointDecision) -> bool:
        return True

    def ask(self, segment: Segment) -> MindQuestion | None:
        return mine_claims, self._learner.knowledge.to_mine(segment)

    def learn(self, hand: Hand, segment: Segment, judgement: Judgement[MinedClaims]) -> None:
        if judgement.by != "rules" or judgement.state != "ok":  # the rules mine none, which is no news
            keep_claims(self._learner, hand, segment, judgement)


def mine(learner: Learner, hand: Hand, segment: Segment) -> ClaimMining:
    """Mine a stretch for claims, whatever is in it; returns the record of it."""
    judgement = hand.judge(mine_claims, learner.knowledge.to_mine(segment))
    return keep_claims(learner, hand, segment, judgement)


def keep_claims(learner: Learner, hand: Hand, segment: Segment, judgement: Judgement[MinedClaims]) -> ClaimMining:
    """Write the claims of an answer that may be kept; returns the record of it."""
    knowledge = learner.knowledge
    answer = judgement.value
    chosen = _Choice(knowledge, segment)
    if answer is not None:
        chosen.choose(answer)
    record = ClaimMining(
        state=judgement.state,
        mind_transcript_ref=judgement.transcript_ref,
        segment_id=segment.segment_id,
        output=msgspec.to_builtins(answer) if answer else None,
        applied_claim_ids=[claim.claim_id for claim in chosen.claims],
        merged_claim_ids=list(dict.fromkeys(chosen.merged)),
        dropped=chosen.notes,
    )
    event = hand.append(record)
    knowledge.own.add_claims([citing(claim, *chosen.cited[claim.claim_id], event.event_id) for claim in chosen.claims])
    knowledge.own.add_edges(
        citing(
            knowledge.own.new_edge(one.edge_type, start, end, "", "mind"),
            *dict.fromkeys([*one.source_event_ids, event.event_id]),
        )
        for one, start, end in chosen.edges
    )
    for claim_id in record.merged_claim_ids:  # seen again, by an agent perhaps: that confirms nothing
        knowledge.own.link("mentions", event.event_id, claim_id, event.event_id, "mind")
    for check, claim_id in chosen.checked:
        knowledge.own.link("supports", check, claim_id, event.event_id, "mind")
    for one in chosen.for_everywhere:
        wide = SuggestedPreference("mine_claims", "global", one.text.strip(), one.notes, confidence=one.confidence)
        learner.take(hand, wide._replace(event_id=event.event_id, carried=True))
    return event


class _Choice:
    """What of a model's answer is written: checked against the stretch, the store and the knobs."""

    def __init__(self, knowledge: Knowledge, segment: Segment) -> None:
        self._knowledge = knowledge
        self._knobs = knowledge.runtime.thought_db
        self._segment = segment
        self._person = {one.id: one.text for one in segment.person_said()}
        self._allowed = {event.id for event in segment.events} | set(self._person)
        self._known: dict[str, str] = {}  # a model's name for a claim → the claim's id
        self.claims: list[Claim] = []
        self.merged: list[str] = []
        self.cited: dict[str, list[str]] = {}  # by claim, the events that the model named for it
        self.for_everywhere: list[MinedClaim] = []  # preferences that would hold in every project: the person decides
        self.checked: list[tuple[str, str]] = []  # a batch whose check confirms a claim
        self.edges: list[tuple[MinedEdge, str, str]] = []
        self.notes: list[str] = []

    def choose(self, answer: MinedClaims) -> None:
        for claim in answer.claims:
            why = self._problem(claim) or self._add(claim)
            if why:
                self.notes.append(f"{claim.local_id}: {why}")
        for edge in answer.edges:
            self._add_edge(edge)

    def _problem(self, one: MinedClaim) -> str:
        """Why a proposed claim is void; empty when it is not."""
        if one.confidence < self._knobs.min_confidence:
            return f"confidence {one.confidence:g} is below {self._knobs.min_confidence:g}"
        if not one.source_event_ids or not set(one.source_event_ids) <= self._allowed:
            return "cites what is not in the stretch"
        if not is_rule(one.text):
            return "no single thought"
        if find_secrets(one.text + one.notes):
            return "holds a secret"
        if one.claim_type in ("preference", "goal") and self._origin(one) == "hands":
            return "no words of the person carry it"
        return ""

    def _add(self, one: MinedClaim) -> str:
        same = self._same(one)
        if same:
            self._known[one.local_id] = same
            self.merged += [same] if same not in {claim.claim_id for claim in self.claims} else []
            return f"stands already as {same}"
        if one.scope == "global" and one.claim_type in ("preference", "goal"):
            self.for_everywhere.append(one)
            return "would hold in every project: suggested"
        if len(self.claims) >= self._knobs.max_claims_per_checkpoint:
            return f"more than {self._knobs.max_claims_per_checkpoint} claims"
        origin = self._origin(one)
        claim = self._knowledge.own.new_claim(  # of the project: one stretch of work is no ground for every project
            one.text.strip(),
            [MINED, *own_tags(one.tags)],
            "",
            origin,
            claim_type=one.claim_type,
            confidence=min(1.0, one.confidence),
            valid_from=_time(one.valid_from),
            valid_to=_time(one.valid_to),
            notes=one.notes,
        )
        self._known[one.local_id] = claim.claim_id
        self.claims.append(claim)
        self.cited[claim.claim_id] = list(dict.fromkeys(one.source_event_ids))
        check = self._check_of(one) if origin == "hands" else ""
        self.checked += [(check, claim.claim_id)] if check else []
        return "kept for this project only" if one.scope == "global" else ""

    def _origin(self, one: MinedClaim) -> Origin:
        """Return the origin, never more trusted than what is cited: the person's words, else the agent's."""
        cited = set(one.source_event_ids)
        by_person = cited <= set(self._person) and supported_by_user_text(
            one.text, "\n".join(self._person[name] for name in cited)
        )
        return "mind" if by_person else "hands"

    def _check_of(self, one: MinedClaim) -> str:
        """Return the batch in which a check was seen to pass after the last change.

        Of which the fact says just that.
        """
        for record in self._segment.records:
            if isinstance(record, BatchEnd) and one.claim_type == "fact":
                for seen in record.seen.get("commands", []):
                    passed = seen.get("is_check") and seen.get("after_last_change") and seen.get("exit_code") == 0
                    if passed and names_only(one.text, str(seen.get("command"))):
                        return record.event_id
        return ""

    def _same(self, one: MinedClaim) -> str:
        """Return a claim of the same kind that says the same already."""
        new = next((claim.claim_id for claim in self.claims if are_alike(claim.text, one.text)), "")
        if new or one.claim_type in ("preference", "goal"):
            return new or next(
                (it.id for it in find_standing(self._knowledge, one.text) if are_alike(it.text, one.text)), ""
            )
        thoughts = self._knowledge.thoughts()
        found = [thoughts.get(thoughts.head(name)) for name in self._knowledge.search(one.text, 30)]
        recent = thoughts.find("claim", Filter(types=("fact", "assumption")))
        found += [claim for _, claim in zip(range(_LOOKED_AT), recent, strict=False)]
        return next((it.id for it in found if it and it.stands and are_alike(str(it.raw.get("text")), one.text)), "")

    def _add_edge(self, edge: MinedEdge) -> None:
        """Write edges between what is new and what was there; none replaces or carries another's claim."""
        start, end = (self._known.get(one, one) for one in (edge.from_claim_id, edge.to_claim_id))
        own = {claim.claim_id for claim in self.claims}
        thoughts = self._knowledge.thoughts()
        there = all(one in own or thoughts.get(one) is not None for one in (start, end))
        cites = bool(edge.source_event_ids) and set(edge.source_event_ids) <= self._allowed
        sure = edge.confidence >= self._knobs.min_confidence
        binds = edge.edge_type in BINDING and start not in own
        if there and cites and sure and not binds and start != end and {start, end} & own:
            self.edges.append((edge, start, end))
        else:
            self.notes.append(f"{edge.edge_type} {edge.from_claim_id} → {edge.to_claim_id}: void")


def _time(value: str | None) -> str | None:
    return value if milliseconds(value, None) is not None else None
