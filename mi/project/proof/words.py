"""The reasons of a verdict in words, for the agent that is to act on them and for the person who reads the summary."""

from collections.abc import Sequence

from mi.kernel.language import DEFAULT
from mi.kernel.messages import NestedText, text
from mi.project.proof.verdict import ProofReason

_SHOWN = 5  # tests that are named


def tell_agent(reason: ProofReason, language: str = DEFAULT) -> str:
    """Return a reason as the agent is told: what is wrong, and what to do about it."""
    return _tell("proof.agent-", reason, language)


def tell_person(reason: ProofReason, language: str = DEFAULT) -> str:
    """Return a reason as it stands in a summary."""
    return _tell("proof.person-", reason, language)


def _tell(key: str, reason: ProofReason, language: str) -> str:
    problem = NestedText(f"proof.problem-{reason.problem}", detail=reason.detail) if reason.problem else ""
    detail = NestedText(f"proof.source-{reason.detail}") if reason.kind == "weaker" else reason.detail
    tests = _name_some(reason.tests, language)
    return text(key + reason.kind, language, tests=tests, detail=detail, problem=problem)


def _name_some(tests: Sequence[str], language: str) -> str:
    if not tests:
        return text("proof.none", language)
    named = ", ".join(tests[:_SHOWN])
    return named if len(tests) <= _SHOWN else text("proof.more", language, tests=named, count=len(tests) - _SHOWN)
