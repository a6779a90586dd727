"""risk_judge: how bad is what a batch did beyond the repository."""

from typing import Any, Literal

from msgspec import Struct

from mi.mind.prompt import Prompt, Section
from mi.mind.sections import case_sections, transcript_section
from mi.mind.views import Case

_INSTRUCTION = """\
The agent's commands raised the risk signals below. Judge them after the fact: the category and severity of the
worst one, whether the person must be asked before work goes on (not when their values clearly allow it), how to
mitigate, and, only if a lasting rule would have prevented it, at most two suggested rules in the person's
voice."""

# Marker prefix (before the colon of a signal) → how bad it is when nobody allowed it, worst first.
_SEVERITY: dict[str, Any] = {
    "publish": "critical",
    "push": "high",
    "delete": "high",
    "privilege": "high",
    "privacy": "high",
    "cost": "medium",
    "install": "medium",
    "network": "low",
}


class LearnSuggestion(Struct, frozen=True, kw_only=True):
    scope: Literal["project", "global"]
    severity: Literal["low", "medium", "high", "critical"]
    text: str
    rationale: str


class RiskJudgement(Struct, frozen=True, kw_only=True):
    category: Literal["network", "install", "push", "publish", "delete", "privilege", "privacy", "cost", "other"]
    severity: Literal["low", "medium", "high", "critical"]
    should_ask_user: bool
    mitigation: list[str]
    learn_suggested: list[LearnSuggestion]


def _sections(case: Case) -> list[Section]:
    return [*case_sections(case), transcript_section(case.batch)]


def _rules(case: Case) -> RiskJudgement:
    found = [name for name in _SEVERITY if any(signal.startswith(name) for signal in case.batch.risk_signals)]
    category: Any = found[0] if found else "other"
    severity = _SEVERITY.get(category, "medium")
    return RiskJudgement(
        category=category,
        severity=severity,
        should_ask_user=severity in ("high", "critical"),
        mitigation=[f"look at: {signal}" for signal in case.batch.risk_signals[:3]],
        learn_suggested=[],  # rules never learn by themselves
    )


risk_judge = Prompt("risk_judge", RiskJudgement, _INSTRUCTION, _sections, _rules)
