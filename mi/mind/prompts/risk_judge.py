"""risk_judge: how bad is what a batch did beyond the repository."""

from typing import Any, Literal, get_args

from msgspec import Struct

from mi.governance.commands import classify
from mi.governance.operations import LEVELS, Category, Level, gravest
from mi.mind.prompt import Prompt, Section
from mi.mind.sections import case_sections, transcript_section
from mi.mind.views import BatchView, Case

_INSTRUCTION = """\
The agent's commands raised the risk signals below. Judge them after the fact: the category and severity of the
worst one, whether the person must be asked before work goes on (not when their values clearly allow it), how to
mitigate, and, only if a lasting rule would have prevented it, at most two suggested rules in the person's
voice."""


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
    levels = [_level(signal, case.batch) for signal in case.batch.risk_signals]
    severity: Any = max(levels, key=LEVELS.index, default="medium")
    worst = case.batch.risk_signals[levels.index(severity)].partition(":")[0] if levels else "other"
    category: Any = worst if worst in get_args(Category) else "other"
    return RiskJudgement(
        category=category,
        severity=severity,
        should_ask_user=severity in ("high", "critical"),
        mitigation=[f"look at: {signal}" for signal in case.batch.risk_signals[:3]],
        learn_suggested=[],  # rules never learn by themselves
    )


def _level(signal: str, batch: BatchView) -> Level:
    """Return how grave a signal is; one of an earlier version has only its words."""
    act = gravest(classify(signal.partition(": ")[2]))
    return batch.risk_levels.get(signal) or ("medium" if act.level == "none" else act.level)


risk_judge = Prompt("risk_judge", RiskJudgement, _INSTRUCTION, _sections, _rules)
