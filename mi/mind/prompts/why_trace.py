"""why_trace: the least that explains why something was done or is believed."""

from typing import Literal

from msgspec import Struct

from mi.mind.prompt import Prompt, Section
from mi.mind.sections import cited
from mi.mind.views import CitableText

_INSTRUCTION = """\
Explain why the target came about. Choose the smallest set of candidate claims that supports it, by id, and explain
in two or three sentences. If the candidates do not carry an explanation, say insufficient and choose none."""


class WhyAnswer(Struct, frozen=True, kw_only=True):
    status: Literal["ok", "insufficient"]
    confidence: float
    chosen_claim_ids: list[str]
    explanation: str
    notes: str


class WhyCase(Struct, frozen=True, kw_only=True):
    """Something to explain, what could explain it, and which of that was recorded as used at the time."""

    target: CitableText
    as_of_ts: str
    candidates: list[CitableText]
    recorded_ids: list[str] = []


def _sections(given: WhyCase) -> list[Section]:
    return [
        Section("TARGET", f"[{given.target.id}] {given.target.text}", 2),
        Section("AS OF", given.as_of_ts, 0.1),
        Section("CANDIDATE CLAIMS", cited(given.candidates), 4),
    ]


def _rules(given: WhyCase) -> WhyAnswer:
    """Return what was recorded as used as the reason; guess nothing beyond it."""
    used = [said for said in given.candidates if said.id in given.recorded_ids]
    return WhyAnswer(
        status="ok" if used else "insufficient",
        confidence=0.9 if used else 0.0,
        chosen_claim_ids=[said.id for said in used],
        explanation=" ".join(said.text for said in used),
        notes="from what was recorded at the time",
    )


why_trace = Prompt("why_trace", WhyAnswer, _INSTRUCTION, _sections, _rules)
