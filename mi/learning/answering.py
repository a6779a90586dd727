"""The person's word about a suggestion: applied as a claim of theirs, or dismissed for good."""

from collections.abc import Callable

from mi.evidence.index import EvidenceIndex
from mi.evidence.log import EvidenceWriter
from mi.evidence.reader import read_at
from mi.evidence.records.base import Record
from mi.evidence.records.thoughts import LearnApplied, LearnSuggested
from mi.kernel.consent import agrees, declines
from mi.kernel.errors import MiError, NotFound
from mi.kernel.language import patterns
from mi.kernel.log_view import Progress
from mi.kernel.named_tuple import NamedTuple
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


class ApplyingWish(NamedTuple):
    """What the person says beside their yes: why, and that they mean it although it stands or was settled."""

    rationale: str = ""
    force: bool = False


def read_wish(word: str) -> bool | None:
    """Return whether an answer to a suggestion means yes or no; None when it means neither."""
    known = patterns()
    return True if agrees(word, known.yes_to_lesson) else False if declines(word, known.no_to_lesson) else None


def find(
    log: str, index: EvidenceIndex, suggestion_id: str, progress: Progress, notices: Notices, settled: bool = False
) -> LearnSuggested:
    """Return the suggestion that waits in a log; an error for one that is unknown or, unless wanted, settled."""
    found = [
        _read(log, index.referring(log, kind, suggestion_id, progress)) for kind in ("learn_suggested", "learn_applied")
    ]
    if not isinstance(found[0], LearnSuggested):
        raise NotFound("unknown-suggestion", id=suggestion_id)
    for record in () if settled else found:
        claims = record.applied_claim_ids if isinstance(record, LearnSuggested | LearnApplied) else []
        if claims or isinstance(record, LearnApplied):
            raise MiError("suggestion-settled", id=suggestion_id, claims=" ".join(claims) or "-")
    return found[0]


def _read(log: str, offset: int | None) -> Record | None:
    event = read_at(log, offset) if offset is not None else None
    return event.record() if event else None


def plan(knowledge: Knowledge, suggested: LearnSuggested, wish: ApplyingWish = ApplyingWish()) -> SuggestionPlan:  # noqa: B008
    """Return what the person's yes would write."""
    scope: Scope = "global" if suggested.scope == "global" else "project"
    same = next((one for one in find_standing(knowledge, suggested.text) if are_alike(one.text, suggested.text)), None)
    if same is not None and not wish.force:
        return SuggestionPlan(scope, None, [same.id])
    notes = "\n".join(why for why in (suggested.rationale, wish.rationale) if why)
    claim = knowledge.store(scope).new_claim(suggested.text, [LEARNED], "", "user", notes=notes)
    return SuggestionPlan(scope, claim, [claim.claim_id])


def apply(
    knowledge: Knowledge,
    suggested: LearnSuggested,
    open_log: Callable[[], EvidenceWriter],
    wish: ApplyingWish = ApplyingWish(),  # noqa: B008
) -> LearnApplied:
    """Write the claim; from now on it is the person's own word."""
    planned = plan(knowledge, suggested, wish)
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
