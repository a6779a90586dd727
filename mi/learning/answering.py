"""The person's word about a suggestion: applied as a claim of theirs, or dismissed for good."""

from collections.abc import Callable
from typing import NamedTuple

from mi.evidence.index import EvidenceIndex
from mi.evidence.log import EvidenceWriter
from mi.evidence.reader import read_at, read_back
from mi.evidence.records.table import PAIRS
from mi.evidence.records.thoughts import LearnApplied, LearnSuggested
from mi.kernel.consent import agrees, declines
from mi.kernel.errors import MiError, NotFound
from mi.kernel.language import patterns
from mi.kernel.log_view import Progress
from mi.kernel.notices import Notices
from mi.knowledge.thoughts.kinds import Scope
from mi.knowledge.thoughts.records import Claim
from mi.knowledge.thoughts.store import citing
from mi.learning.candidates import PreferenceCandidates
from mi.learning.knowledge import Knowledge
from mi.learning.same_rule import are_alike
from mi.learning.suggestions import LEARNED, find_standing


class SuggestionPlan(NamedTuple):
    """What applying a suggestion would do: write this claim, or nothing where one stands already."""

    scope: Scope
    claim: Claim | None
    claim_ids: list[str]


def read_wish(word: str) -> bool | None:
    """Return whether an answer to a suggestion means yes or no; None when it means neither."""
    known = patterns()
    return True if agrees(word, known.yes_to_lesson) else False if declines(word, known.no_to_lesson) else None


def find(log: str, index: EvidenceIndex, suggestion_id: str, progress: Progress, notices: Notices) -> LearnSuggested:
    """Return the suggestion that waits in a log; an error for one that is unknown or settled."""
    index.catch_up(log, progress)
    for offset in index.unsettled(log, PAIRS)[0]:
        event = read_at(log, offset)
        record = event.record() if event else None
        if isinstance(record, LearnSuggested) and (record.id or record.event_id) == suggestion_id:
            if record.applied_claim_ids:
                raise MiError("suggestion-settled", id=suggestion_id, claims=" ".join(record.applied_claim_ids))
            return record
    for event in read_back(log, notices):  # only on the way to an error: was it ever there?
        record = event.record() if event.head.kind == "learn_applied" else None
        if isinstance(record, LearnApplied) and record.suggestion_id == suggestion_id:
            raise MiError("suggestion-settled", id=suggestion_id, claims=" ".join(record.applied_claim_ids) or "-")
    raise NotFound("unknown-suggestion", id=suggestion_id)


def plan(knowledge: Knowledge, suggested: LearnSuggested) -> SuggestionPlan:
    """Return what the person's yes would write."""
    scope: Scope = "global" if suggested.scope == "global" else "project"
    same = next((one for one in find_standing(knowledge, suggested.text) if are_alike(one.text, suggested.text)), None)
    if same is not None:
        return SuggestionPlan(scope, None, [same.id])
    claim = knowledge.store(scope).new_claim(suggested.text, [LEARNED], "", "user", notes=suggested.rationale)
    return SuggestionPlan(scope, claim, [claim.claim_id])


def apply(knowledge: Knowledge, suggested: LearnSuggested, open_log: Callable[[], EvidenceWriter]) -> LearnApplied:
    """Write the claim; from now on it is the person's own word."""
    planned = plan(knowledge, suggested)
    record = LearnApplied(suggestion_id=suggested.id, applied_claim_ids=planned.claim_ids)
    event = open_log().append(record, sync=True)
    if planned.claim is not None:
        knowledge.store(planned.scope).add_claims([citing(planned.claim, event.event_id)])
    return event


def dismiss(knowledge: Knowledge, suggested: LearnSuggested, open_log: Callable[[], EvidenceWriter]) -> LearnApplied:
    """Settle it without learning, and do not suggest it again."""
    event = open_log().append(LearnApplied(suggestion_id=suggested.id, decision="dismissed"), sync=True)
    scope: Scope = "global" if suggested.scope == "global" else "project"
    PreferenceCandidates(knowledge.place.preference_candidates, knowledge.notices).dismiss(scope, suggested.text)
    return event
