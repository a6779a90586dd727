"""The person's verdict on a proposal for a card, by whichever door it comes."""

from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.members import build_member, check_reviewer
from mi.kernel.named_tuple import NamedTuple

if TYPE_CHECKING:
    from mi.persona.proposals import ProposalFile, Verdict


class ReviewedProposal(NamedTuple):
    """A proposal as it was decided, the card that came of it ('' is none), and the event that says so."""

    decided: "ProposalFile"
    card_id: str
    event_id: str


def review_proposal(
    context: HomeContext, name: str, verdict: "Verdict", reason: str, by: str = "", member: str = "", into: str = ""
) -> ReviewedProposal:
    """Decide on a proposal as whoever sits here, and record it."""
    from mi.evidence.records.governed import Proposal as Recorded
    from mi.persona.boot import read_core
    from mi.persona.members import read_roles
    from mi.persona.proposals import review

    persona = build_member(context, member)
    members = read_roles(read_core(persona)["core/boot.md"])
    reviewer = check_reviewer(context, persona, by)
    decided, card_id = review(persona, name, verdict, reviewer, reason, members, into)
    about = decided.proposal
    record = Recorded(path=decided.path, card_type=about.proposed_card_type, title=about.title, status=about.status)
    return ReviewedProposal(decided, card_id, context.open_project_log().append(record).event_id)
