"""learn_update: at a run's end, what it taught is brought together with what was learned before. One call at most."""

from collections.abc import Iterator

import msgspec

from mi.evidence.records.thoughts import LearnUpdate
from mi.kernel.secrets import find_secrets
from mi.knowledge.thoughts.kinds import REDIRECTS
from mi.knowledge.thoughts.records import Claim, Edge
from mi.knowledge.thoughts.store import citing
from mi.learning.segments import Hand, Segment, SegmentEvent, SegmentFile
from mi.learning.suggestion_policy import SuggestedPreference
from mi.learning.suggestions import LEARNED, Learner, find_standing
from mi.learning.text_overlap import are_alike, is_rule, own_tags, supported_by_user_text
from mi.mind.prompts.learn_update import LearnUpdatePatch as Update
from mi.mind.prompts.learn_update import Suggestions, learn_update
from mi.mind.prompts.mine_claims import MinedClaim
from mi.mind.views import CitableText


class Consolidation:
    """Runs when a run has suggested enough and enough was learned; touches what was learned in the project, no more."""

    def __init__(self, learner: Learner, file: SegmentFile) -> None:
        self._learner = learner
        self._file = file
        self._knobs = learner.knowledge.runtime.violation_response.learn_update

    def __call__(self, hand: Hand, segment: Segment) -> None:
        suggested = [one for one in self._file.state.suggested if one.kind == "learn_suggested"]
        learned = self._learner.knowledge.own.active(LEARNED)
        if not self._wanted(suggested, learned):
            return
        given = Suggestions(
            suggested=[CitableText(id=one.event_id, text=one.text) for one in suggested],
            learned=[CitableText(id=one.claim_id, text=one.text) for one in learned],
            retractable=list(_lessons(learned)),
            runtime=msgspec.json.encode(self._knobs).decode(),
            overlay=self._learner.knowledge.overlay_text(),
        )
        judgement = hand.judge(learn_update, given)
        patch = _Patch(self._learner, suggested, learned)
        answer = judgement.value
        if answer is not None and answer.should_apply:
            patch.choose(answer)
        record = LearnUpdate(
            state=judgement.state,
            mind_transcript_ref=judgement.transcript_ref,
            output=msgspec.to_builtins(answer) if answer else None,
            applied=patch.applied(),
        )
        hand.append(record)
        patch.write()
        for one in patch.for_everywhere:
            proposal = SuggestedPreference(
                "learn_update", "global", one.text.strip(), one.notes, confidence=one.confidence
            )
            self._learner.take(hand, proposal._replace(event_id=suggested[-1].event_id))

    def _wanted(self, suggested: list[SegmentEvent], learned: list[Claim]) -> bool:
        runtime = self._learner.knowledge.runtime
        on = self._knobs.enabled and runtime.violation_response.auto_learn and runtime.thought_db.enabled
        enough = len(suggested) >= self._knobs.min_new_suggestions_per_run
        return on and enough and len(learned) >= self._knobs.min_active_learned_claims


def _lessons(learned: list[Claim]) -> Iterator[str]:
    """Return the learned claims that a model may replace: what the person accepted is their own word from then on."""
    return (one.claim_id for one in learned if one.origin != "user")


class _Patch:
    """What of a model's answer is done: cited from this run, sure enough, within the bounds, on learned claims only."""

    def __init__(self, learner: Learner, suggested: list[SegmentEvent], learned: list[Claim]) -> None:
        self._knowledge = learner.knowledge
        self._store = learner.knowledge.own
        self._knobs = learner.knowledge.runtime.violation_response.learn_update
        self._sure = self._knobs.min_confidence
        self._allowed = {one.event_id for one in suggested}
        self._ground = "\n".join([*(one.text for one in suggested), *(one.text for one in learned)])
        self._learned = {one.claim_id for one in learned}
        self._lessons = set(_lessons(learned))
        self._known = {one.claim_id: one.claim_id for one in learned}  # a model's name → the claim's id
        self.claims: list[tuple[Claim, list[str]]] = []
        self.edges: list[tuple[Edge, list[str]]] = []
        self.retracted: list[tuple[str, str, list[str]]] = []
        self.for_everywhere: list[MinedClaim] = []
        self.notes: list[str] = []

    def choose(self, answer: Update) -> None:
        self._sure = max(self._sure, answer.min_confidence)  # a model may be stricter than the knob, never laxer
        for claim in answer.patch.claims:
            why = self._problem(claim) or self._add(claim)
            if why:
                self.notes.append(f"{claim.local_id}: {why}")
        self.edges = list(self._edges(answer))
        for gone in answer.retract:
            cites = self._cites(gone.source_event_ids)
            sure = gone.confidence >= self._sure
            if gone.claim_id in self._lessons and cites and sure and len(self.retracted) < self._knobs.max_retracts:
                self.retracted.append((gone.claim_id, gone.rationale, gone.source_event_ids))
            else:
                self.notes.append(f"{gone.claim_id}: not retracted")

    def applied(self) -> dict[str, list[str]]:
        """Return what was done, for the record."""
        return {
            "claim_ids": [claim.claim_id for claim, _ in self.claims],
            "edge_ids": [edge.edge_id for edge, _ in self.edges],
            "retracted": [claim_id for claim_id, _, _ in self.retracted],
            "dropped": self.notes,
        }

    def write(self) -> None:
        """Append it all; each line cites the suggestions of this run that it rests on."""
        self._store.add_claims([citing(claim, *cited) for claim, cited in self.claims])
        self._store.add_edges([citing(edge, *cited) for edge, cited in self.edges])
        for claim_id, rationale, cited in self.retracted:
            self._store.retract([claim_id], rationale, *cited, origin="mind")

    def _cites(self, event_ids: list[str]) -> bool:
        return bool(event_ids) and set(event_ids) <= self._allowed

    def _problem(self, one: MinedClaim) -> str:
        if one.confidence < self._sure:
            return f"confidence {one.confidence:g} is below {self._sure:g}"
        if not self._cites(one.source_event_ids):
            return "cites what it may not"
        if one.claim_type not in ("preference", "goal"):
            return f"a {one.claim_type} is nothing to go by"
        if not is_rule(one.text) or find_secrets(one.text + one.notes):
            return "no single rule, or holds a secret"
        return "" if supported_by_user_text(one.text, self._ground) else "says more than what it rests on"

    def _add(self, one: MinedClaim) -> str:
        same = next((it.id for it in find_standing(self._knowledge, one.text) if are_alike(it.text, one.text)), "")
        if same:
            self._known[one.local_id] = same
            return f"stands already as {same}"
        if one.scope == "global":
            self.for_everywhere.append(one)
            return "would hold in every project: suggested"
        if len(self.claims) >= self._knobs.max_claims:
            return f"more than {self._knobs.max_claims} claims"
        claim = self._store.new_claim(
            one.text.strip(),
            [LEARNED, *own_tags(one.tags)],
            "",
            "mind",
            claim_type=one.claim_type,
            confidence=min(1.0, one.confidence),
            notes=one.notes,
        )
        self._known[one.local_id] = claim.claim_id
        self.claims.append((claim, one.source_event_ids))
        return ""

    def _edges(self, answer: Update) -> Iterator[tuple[Edge, list[str]]]:
        """Redirects from what was learned before: never from what the person said, each claim once."""
        replaced: set[str] = set()
        new = {claim.claim_id for claim, _ in self.claims}
        for edge in answer.patch.edges:
            start, end = self._known.get(edge.from_claim_id, ""), self._known.get(edge.to_claim_id, "")
            fits = edge.edge_type in REDIRECTS and edge.confidence >= self._sure
            cites = self._cites(edge.source_event_ids)
            if (
                fits
                and cites
                and start in self._lessons
                and end in self._learned | new
                and start not in replaced | {end}
            ):
                replaced.add(start)
                yield self._store.new_edge(edge.edge_type, start, end, "", "mind"), edge.source_event_ids
            else:
                self.notes.append(f"{edge.edge_type} {edge.from_claim_id} → {edge.to_claim_id}: void")
