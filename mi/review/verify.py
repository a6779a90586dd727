"""Nothing a reviewer says is taken over unverified: by the criteria, the local facts, and what must not be done."""

import re
from collections.abc import Callable, Collection
from typing import Literal, NamedTuple

from mi.evidence.records.governed import CallOutput, ReviewFinding
from mi.governance.permissions import permit
from mi.governance.words import code_spans
from mi.kernel.language import compiled, patterns
from mi.kernel.messages import text

Adopted = Literal["full", "partial", "none"]
_PATH = re.compile(
    r"(?<![\w/.-])(?:[\w.-]+/)*[\w-]+\.(?:py|js|ts|tsx|jsx|go|rs|java|rb|c|h|cc|cpp|cs|sh|sql|ya?ml|json|toml|md)\b"
)


class VerifiedReview(NamedTuple):
    """What may be taken over of an answer, and why the rest may not."""

    adopted: Adopted
    findings: tuple[ReviewFinding, ...]
    notes: tuple[str, ...]


def verify(
    output: CallOutput, checks_passed: bool | None, changed: Collection[str], exists: Callable[[str], bool]
) -> VerifiedReview:
    """`checks_passed`: whether the acceptance criterion was seen to hold; None when nothing showed it."""
    kept, notes = list[ReviewFinding](), list[str]()
    for finding in output.findings:
        reason = _unfit(finding, changed, exists)
        if reason:
            notes.append(f"{finding.title}: {reason}")
        else:
            kept.append(finding)
    if output.verdict == "accept" and checks_passed is False:
        notes.append("accepted, but the acceptance check failed here")
        return VerifiedReview("none", tuple(kept), tuple(notes))
    adopted: Adopted = "full" if not notes else "partial" if kept or output.verdict == "accept" else "none"
    return VerifiedReview(adopted, tuple(kept), tuple(notes))


def _unfit(finding: ReviewFinding, changed: Collection[str], exists: Callable[[str], bool]) -> str:
    said = f"{finding.title} {finding.detail}"
    unknown = [path for path in _PATH.findall(said) if path not in changed and not exists(path)]
    if unknown:
        return f"{unknown[0]} is not in the project"
    forbidden = next(
        (code for code in code_spans(finding.action) if permit("reviewer", "run", code).decision == "DENY"), ""
    )
    if forbidden:
        return "it proposes what is never done"
    return "it would weaken what checks the work" if compiled(patterns().weakens_tests).search(finding.action) else ""


def annotation(verdict: str, adopted: Adopted, language: str = "en") -> str:
    """How the adoption is marked in what the person reads; '' when nothing was adopted."""
    if adopted == "none":
        return ""
    passed = verdict == "accept" and adopted == "full"
    return text("review.passed" if passed else "review.partly", language)
