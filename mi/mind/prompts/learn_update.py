"""learn_update: what a run suggested to learn, made one with what was learned before."""

from typing import Literal

from msgspec import Struct

from mi.mind.prompt import Prompt, Section
from mi.mind.prompts.mine_claims import CITE, MinedClaims, no_claims
from mi.mind.sections import cited
from mi.mind.views import CitableText

_INSTRUCTION = f"""\
This run suggested several rules to learn. Consolidate them with what was learned before into the smallest set that
says the same, or leave things as they are. {CITE}"""


class Retraction(Struct, frozen=True, kw_only=True):
    scope: Literal["project", "global"]
    claim_id: str
    rationale: str
    confidence: float
    source_event_ids: list[str]


class LearnUpdatePatch(Struct, frozen=True, kw_only=True):
    should_apply: bool
    min_confidence: float
    patch: MinedClaims
    retract: list[Retraction]
    notes: str


class Suggestions(Struct, frozen=True, kw_only=True):
    """What a run suggested to learn, beside what was learned before."""

    suggested: list[CitableText]  # by the events that may be cited
    learned: list[CitableText]
    retractable: list[str] = []  # those of the learned claims that may be replaced or retracted
    runtime: str = ""
    overlay: str = ""


def _sections(given: Suggestions) -> list[Section]:
    return [
        Section("RUNTIME", given.runtime, 0.2),
        Section("PROJECT", given.overlay, 0.2),
        Section("SUGGESTED NOW", cited(given.suggested), 1),
        Section("LEARNED BEFORE", cited(given.learned), 1),
        Section("MAY BE CITED", " ".join(one.id for one in given.suggested), 0.3),
        Section("MAY BE RETRACTED", " ".join(given.retractable), 0.3),
    ]


def _no_update(given: object) -> LearnUpdatePatch:
    return LearnUpdatePatch(
        should_apply=False, min_confidence=1.0, patch=no_claims(given), retract=[], notes="rules mine nothing"
    )


learn_update = Prompt("learn_update", LearnUpdatePatch, _INSTRUCTION, _sections, _no_update)
