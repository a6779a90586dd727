"""values_claim_patch: the person's values as claims, beside those that stand."""

from msgspec import Struct

from mi.mind.prompt import Prompt, Section
from mi.mind.prompts.mine_claims import CITE, MinedClaim, MinedEdge
from mi.mind.sections import cited
from mi.mind.views import CitableText

_INSTRUCTION = f"""\
Turn the person's values into global preference and goal claims, one thought each, in their language and words. Keep
existing claims that still say the same; retract those that the new text no longer says. {CITE}"""


class ValuesClaimPatch(Struct, frozen=True, kw_only=True):
    claims: list[MinedClaim]
    edges: list[MinedEdge]
    retract_claim_ids: list[str]
    notes: str


class ValuesToPatch(Struct, frozen=True, kw_only=True):
    """New values beside the claims that stand."""

    values_text: str
    summary: list[str]
    procedure: str = ""  # how the person decides
    standing: list[CitableText]
    event_ids: list[str]


def _sections(given: ValuesToPatch) -> list[Section]:
    return [
        Section("VALUES TEXT", given.values_text, 2),
        Section("SUMMARY", "\n".join(given.summary), 1),
        Section("DECISION PROCEDURE", given.procedure, 1),
        Section("STANDING CLAIMS", cited(given.standing), 2),
        Section("EVENTS", "\n".join(given.event_ids), 0.2),
    ]


def _no_patch(given: object) -> ValuesClaimPatch:
    return ValuesClaimPatch(claims=[], edges=[], retract_claim_ids=[], notes="rules mine nothing")


values_claim_patch = Prompt("values_claim_patch", ValuesClaimPatch, _INSTRUCTION, _sections, _no_patch)
