"""What becomes of a suggested preference: learned, put before the person, joined to what stands, or dropped. Pure."""

from typing import Literal

from mi.kernel.config.types import Runtime
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import find_secrets
from mi.knowledge.thoughts.kinds import Scope
from mi.learning.candidates import PreferenceCandidate
from mi.learning.same_rule import are_alike
from mi.learning.text_overlap import is_rule, opposes, tightens

Source = Literal["risk_judge", "decide_next", "mine_preferences", "mine_claims", "learn_update"]
_REPEATED = 2  # occurrences that make a global preference more than one answer's fancy


class SuggestedPreference(NamedTuple):
    """A preference that somebody suggests to learn."""

    source: Source
    scope: Scope
    text: str
    rationale: str = ""
    severity: str = ""
    confidence: float = 1.0
    benefit: str = ""
    event_id: str = ""  # the judgement that holds it
    echo: bool = False  # it repeats the agent's words
    carried: bool = False  # the person's own words carry it


class Standing(NamedTuple):
    """A preference or goal that holds."""

    id: str
    text: str
    by_person: bool = False


class SuggestionVerdict(NamedTuple):
    """What to do, and why."""

    do: Literal["learn", "wait", "merge", "count", "drop"]
    why: str
    claim_id: str = ""  # what it is merged into


def weigh(
    proposal: SuggestedPreference,
    candidate: PreferenceCandidate,
    standing: list[Standing],
    runtime: Runtime,
    run_id: str,
) -> SuggestionVerdict:
    """Return the verdict on a proposal whose occurrences are counted; every path has its threshold."""
    why = find_unfit(proposal, runtime)
    if why:
        return SuggestionVerdict("drop", why)
    if candidate.dismissed:
        return SuggestionVerdict("drop", "the person does not want it")
    same = next((one for one in standing if are_alike(one.text, proposal.text)), None)
    if same is not None:
        return SuggestionVerdict("merge", "stands already", same.id)
    if proposal.source == "mine_preferences":
        knobs = runtime.preference_mining
        single = proposal.benefit == "high" and knobs.allow_single_if_high_benefit
        if candidate.count < knobs.min_occurrences and not single:
            return SuggestionVerdict("count", f"seen {candidate.count} of {knobs.min_occurrences} times")
    return _learn_or_wait(proposal, candidate, standing, runtime, run_id)


def find_unfit(proposal: SuggestedPreference, runtime: Runtime) -> str:
    """Why a proposal is dropped whatever else is known; empty when it is worth counting."""
    if not is_rule(proposal.text):
        return "no single rule"
    if find_secrets(proposal.text):
        return "holds a secret"
    if proposal.source != "mine_preferences":
        return ""
    least = runtime.preference_mining.min_confidence
    return f"confidence {proposal.confidence:g} is below {least:g}" if proposal.confidence < least else ""


def _learn_or_wait(
    proposal: SuggestedPreference,
    candidate: PreferenceCandidate,
    standing: list[Standing],
    runtime: Runtime,
    run_id: str,
) -> SuggestionVerdict:
    """Return `wait` with the reason where a suggestion needs the person's word, else `learn`."""
    against = next((one for one in standing if one.by_person and opposes(one.text, proposal.text)), None)
    reasons = {
        "automatic learning is off": not runtime.violation_response.auto_learn or not runtime.thought_db.enabled,
        "it repeats the agent's words": proposal.echo,
        "the person did not say it": not proposal.carried and proposal.source == "mine_preferences",
        "the person did not say it, and it holds nothing back": not proposal.carried and not tightens(proposal.text),
        f"it speaks against {against.id if against else ''}": against is not None,
        "the judgement was unsure": proposal.confidence < runtime.preference_mining.min_confidence,
        "it is of little weight": proposal.severity == "low",
        "it would hold in every project": proposal.scope == "global" and not _shown_and_repeated(candidate, run_id),
    }
    why = next((reason for reason, holds in reasons.items() if holds), "")
    return SuggestionVerdict("wait", why) if why else SuggestionVerdict("learn", "")


def _shown_and_repeated(candidate: PreferenceCandidate, run_id: str) -> bool:
    """Return whether a preference was seen in several runs and has been in the inbox since an earlier one."""
    earlier = any(not one.startswith(f"ev_{run_id}_") for one in candidate.occurrences)
    return bool(candidate.suggestion_id) and earlier and candidate.count >= _REPEATED
