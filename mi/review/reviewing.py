"""Having a change reviewed: who is asked, what is taken over, what is recorded, and when a person must stand in."""

import os
import re
from collections.abc import Callable, Collection, Sequence
from typing import Literal

from mi.evidence.records.governed import CallInput, CallMeta, CallOutput, Review, ReviewFinding
from mi.governance.permissions import permit
from mi.governance.spec_gate import assess_spec
from mi.governance.words import find_code_spans
from mi.kernel import ids
from mi.kernel.config.types import Config
from mi.kernel.errors import Blocked
from mi.kernel.home import Home
from mi.kernel.language import compiled, patterns
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple
from mi.project.change import Weighed
from mi.review.calls import Called, Mode, call_all
from mi.review.payload import build_payload

Verdict = Literal["accept", "revise", "reject", "none"]
_STRICT: tuple[Verdict, ...] = ("none", "accept", "revise", "reject")
Adopted = Literal["full", "partial", "none"]
_PATH = re.compile(
    r"(?<![\w/.-])(?:[\w.-]+/)*[\w-]+\.(?:py|js|ts|tsx|jsx|go|rs|java|rb|c|h|cc|cpp|cs|sh|sql|ya?ml|json|toml|md)\b"
)


class VerifiedReview(NamedTuple):
    """What may be taken over of an answer, and why the rest may not."""

    adopted: Adopted
    findings: tuple[ReviewFinding, ...]
    notes: tuple[str, ...]


class Reviewed(NamedTuple):
    """What came of it; `degraded`: a review was asked for and no reviewer answered."""

    verdict: Verdict
    findings: tuple[ReviewFinding, ...]
    note: str  # how the adoption is marked
    records: tuple[Review, ...]
    degraded: bool

    def instruction(self) -> str:
        """Return the findings as work for the agent."""
        lines = [
            f"- [{finding.severity}] {finding.title}: {finding.detail} → {finding.action}" for finding in self.findings
        ]
        return "A review of your change asks for this before the work goes on:\n" + "\n".join(lines)


class ReviewRequest(NamedTuple):
    """A change to be reviewed, and what bears on it."""

    change: Weighed
    task: str
    root: str
    criteria: Sequence[str] = ()
    constraints: Sequence[str] = ()
    checks_passed: bool | None = None
    language: str = "en"
    mode: Mode = "review"
    clear: bool = True
    known: Sequence[Called] = ()  # calls that were paid for already


def review_change(request: ReviewRequest, config: Config, home: Home, transcripts: str) -> Reviewed:
    """Ask the configured reviewers; what they say, or said before, is verified here before anything is adopted."""
    counted, mode, language = request.change.counted, request.mode, request.language
    if not request.clear and mode != "review":
        raise Blocked("review-unclear", questions=" ".join(assess_spec("unclear").questions(language)))
    given = build_payload(request.task, counted, request.constraints, request.criteria)
    called = list(request.known) or call_all(config.governance.reviewers, config, home, transcripts, given, mode)
    changed = {path for file in counted.files for path in (file.path, file.old_path) if path}
    exists = _exists_in(request.root)
    context = f"{len(given.snippets)} characters of {len(counted.files) - len(given.left_out)} files"
    sent = CallInput(task=given.task, context=context, expected_format="CallOutput")
    verified = [verify(one.output, request.checks_passed, changed, exists) if one.output else None for one in called]
    pairs = list(zip(called, verified, strict=True))
    records = [_record(one, found, sent, mode, language) for one, found in pairs]
    answers = [(one.output.verdict, found) for one, found in pairs if one.output and found]
    if not answers:
        return Reviewed("none", (), text("review.degraded", language), tuple(records), True)
    adopted = [(verdict, found) for verdict, found in answers if found.adopted != "none"]
    verdict: Verdict = max((one for one, _ in adopted), key=_STRICT.index, default="none")
    findings = tuple(finding for _, found in adopted for finding in found.findings)
    if verdict == "revise" and not findings:
        verdict = "accept"  # nothing of what it wanted could be verified
    notes = [annotation(one, found.adopted, language) for one, found in adopted]
    return Reviewed(verdict, findings, " ".join(dict.fromkeys(notes)), tuple(records), False)


def _record(one: Called, found: VerifiedReview | None, sent: CallInput, mode: Mode, language: str) -> Review:
    note = one.error
    if one.output and found:
        note = " ".join([annotation(one.output.verdict, found.adopted, language), *found.notes]).strip()
    meta = CallMeta(
        timeout_ms=one.timeout_s * 1000,
        retries=one.retries,
        adopted=found.adopted if found else "none",
        adoption_notes=note,
    )
    return Review(
        id=ids.make_id("rv"),
        reviewer=one.reviewer,
        mode=mode,
        verdict=one.output.verdict if one.output else "failed",
        adopted=meta.adopted,
        findings=[{"severity": f.severity, "title": f.title} for f in found.findings] if found else [],
        input=sent,
        output=one.output,
        meta=meta,
        mind_transcript_ref=one.transcript_ref,
    )


def list_called(record: Review) -> Called:
    """Return a call as its record tells of it."""
    meta = record.meta or CallMeta()
    error = "" if record.output else meta.adoption_notes
    seconds = meta.timeout_ms // 1000
    return Called(record.reviewer, record.output, meta.retries, seconds, error, record.mind_transcript_ref)


def request_human_review(verdict: str, findings: str = "") -> Review:
    """Return the record of a human review that took the place of an external one."""
    meta = CallMeta(adopted="full" if verdict == "accept" else "none", adoption_notes=findings)
    return Review(
        id=ids.make_id("rv"), reviewer="human", verdict=verdict, adopted=meta.adopted, meta=meta, degraded=True
    )


def _exists_in(root: str) -> Callable[[str], bool]:
    """Return whether a path that a reviewer names is a file of the project; by its end, as people name files."""

    def exists(path: str) -> bool:
        if os.path.exists(os.path.join(root, path)):
            return not os.path.relpath(os.path.join(root, path), root).startswith(os.pardir)
        return False

    return exists


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
        (code for code in find_code_spans(finding.action) if permit("reviewer", "run", code).decision == "DENY"), ""
    )
    if forbidden:
        return "it proposes what is never done"
    return "it would weaken what checks the work" if compiled(patterns().weakens_tests).search(finding.action) else ""


def annotation(verdict: str, adopted: Adopted, language: str = "en") -> str:
    """Return how the adoption is marked in what the person reads; '' when nothing was adopted."""
    if adopted == "none":
        return ""
    passed = verdict == "accept" and adopted == "full"
    return text("review.passed" if passed else "review.partly", language)
