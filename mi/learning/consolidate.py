"""learn_update: at a run's end, what it taught is brought together with what was learned before. One call at most."""

from collections.abc import Iterator

import msgspec

from mi.evidence.records.thoughts import LearnUpdate
from mi.kernel.secrets import find_secrets
from mi.knowledge.thoughts.kinds import REDIRECTS
from mi.knowledge.thoughts.records import Claim, Edge
from mi.knowledge.thoughts.store import citing
from mi.learning.same_rule import are_alike, states
from mi.learning.segments import Hand, Segment, SegmentEvent, SegmentFile
from mi.learning.suggestion_policy import Standing, SuggestedPreference
from mi.learning.suggestions import LEARNED, Learner, find_standing
from mi.learning.text_overlap import is_rule, own_tags, supported_by_user_text
from mi.mind.prompts.learn_update import LearnUpdatePatch as Update
from mi.mind.prompts.learn_update import Retraction, Suggestions, learn_update
from mi.mind.prompts.mine_claims import MinedClaim, MinedEdge
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
            overlay=self._learner.knowledge.overlay_text(self._learner.run_id),
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
        event = hand.append(record)
        patch.write()
        for rule in patch.unstated:
            self._learner.ask_back(hand, rule, event.event_id)
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
    """What a model's answer comes to: done as a whole, or not at all where one part of it may not be.

    Each part is cited from this run, sure enough, within the bounds, and touches learned claims only.
    """

    def __init__(self, learner: Learner, suggested: list[SegmentEvent], learned: list[Claim]) -> None:
        self._knowledge = learner.knowledge
        self._store = learner.knowledge.own
        self._knobs = learner.knowledge.runtime.violation_response.learn_update
        self._sure = self._knobs.min_confidence
        self._allowed = {one.event_id for one in suggested}
        self._ground = "\n".join([*(one.text for one in suggested), *(one.text for one in learned)])
        self._texts = {one.claim_id: one.text for one in learned}
        self._lessons = set(_lessons(learned))
        self._known = {one.claim_id: one.claim_id for one in learned}  # a model's name → the claim's id
        self._gone: set[str] = set()  # what the answer replaces or takes back
        self.claims: list[tuple[Claim, list[str]]] = []
        self.edges: list[tuple[Edge, list[str]]] = []
        self.retracted: list[tuple[str, str, list[str]]] = []
        self.for_everywhere: list[MinedClaim] = []
        self.unstated: list[str] = []  # rules that nothing says any more when it is done
        self.notes: list[str] = []

    def choose(self, answer: Update) -> None:
        self._sure = max(self._sure, answer.min_confidence)  # a model may be stricter than the knob, never laxer
        self._gone = {one.from_claim_id for one in answer.patch.edges} | {one.claim_id for one in answer.retract}
        why = [f"{claim.local_id}: {why}" for claim in answer.patch.claims if (why := self._take(claim))]
        why += [f"{_tell(edge)}: void" for edge in answer.patch.edges if not self._redirect(edge)]
        why += [f"{gone.claim_id}: not retracted" for gone in answer.retract if not self._retract(gone)]
        if len(self.claims) > self._knobs.max_claims or len(self.retracted) > self._knobs.max_retracts:
            why.append(f"more than {self._knobs.max_claims} claims or {self._knobs.max_retracts} retractions")
        if why:
            self.claims, self.edges, self.retracted, self.for_everywhere = [], [], [], []
            self.notes = [*why, "a part of it is void: nothing of it is done"]
        self.unstated = [rule for rule in self._retired() if not self._is_stated(rule)]

    def applied(self) -> dict[str, list[str]]:
        """Return what was done, for the record."""
        return {
            "claim_ids": [claim.claim_id for claim, _ in self.claims],
            "edge_ids": [edge.edge_id for edge, _ in self.edges],
            "retracted": [claim_id for claim_id, _, _ in self.retracted],
            "unstated": self.unstated,
            "dropped": self.notes,
        }

    def write(self) -> None:
        """Append it all, what is new before what is gone; each line cites the suggestions of this run it rests on."""
        self._store.add_claims([citing(claim, *cited) for claim, cited in self.claims])
        self._store.add_edges([citing(edge, *cited) for edge, cited in self.edges])
        for claim_id, rationale, cited in self.retracted:
            self._store.retract([claim_id], rationale, *cited, origin="mind")

    def _retired(self) -> list[str]:
        gone = [*(edge.from_id for edge, _ in self.edges), *(claim_id for claim_id, _, _ in self.retracted)]
        return [self._texts[claim_id] for claim_id in gone]

    def _is_stated(self, rule: str) -> bool:
        new = [claim.text for claim, _ in self.claims]
        return any(states(text, rule) for text in [*new, *(one.text for one in self._left(rule))])

    def _left(self, text: str) -> list[Standing]:
        """Return what stands near a text and still does when the answer is done."""
        return [one for one in find_standing(self._knowledge, text) if one.id not in self._gone]

    def _cites(self, event_ids: list[str], confidence: float) -> bool:
        return bool(event_ids) and set(event_ids) <= self._allowed and confidence >= self._sure

    def _take(self, one: MinedClaim) -> str:
        """Take up a claim, unless it stands already; why it is void, empty when it is not."""
        if one.confidence < self._sure:
            return f"confidence {one.confidence:g} is below {self._sure:g}"
        if not self._cites(one.source_event_ids, one.confidence):
            return "cites what it may not"
        if one.claim_type not in ("preference", "goal"):
            return f"a {one.claim_type} is nothing to go by"
        if not is_rule(one.text) or find_secrets(one.text + one.notes):
            return "no single rule, or holds a secret"
        if not supported_by_user_text(one.text, self._ground):
            return "says more than what it rests on"
        same = next((it.id for it in self._left(one.text) if are_alike(it.text, one.text)), "")
        if same:
            self._known[one.local_id] = same
            self.notes.append(f"{one.local_id}: stands already as {same}")
        elif one.scope == "global":
            self.for_everywhere.append(one)
            self.notes.append(f"{one.local_id}: would hold in every project: suggested")
        else:
            self._add(one)
        return ""

    def _add(self, one: MinedClaim) -> None:
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

    def _redirect(self, edge: MinedEdge) -> bool:
        """Let a learned claim give way to one that stays; each once, and never what the person said."""
        start, end = edge.from_claim_id, self._known.get(edge.to_claim_id, "")
        fits = edge.edge_type in REDIRECTS and start in self._lessons and end and end not in self._gone
        if not fits or any(start == one.from_id for one, _ in self.edges):
            return False
        if not self._cites(edge.source_event_ids, edge.confidence):
            return False
        self.edges.append((self._store.new_edge(edge.edge_type, start, end, "", "mind"), edge.source_event_ids))
        return True

    def _retract(self, gone: Retraction) -> bool:
        if gone.claim_id not in self._lessons or not self._cites(gone.source_event_ids, gone.confidence):
            return False
        if not any(gone.claim_id == one.from_id for one, _ in self.edges):  # what gives way is gone already
            self.retracted.append((gone.claim_id, gone.rationale, gone.source_event_ids))
        return True


def _tell(edge: MinedEdge) -> str:
    return f"{edge.edge_type} {edge.from_claim_id} → {edge.to_claim_id}"
