"""decide_next: go on, ask, or stop; and whether the work is done."""

from typing import Literal

from msgspec import Struct

from mi.kernel.messages import text
from mi.kernel.secrets import redact_start
from mi.mind.closing import AskAgent, AskPerson, CannotClose, MayClose, judge_closing
from mi.mind.prompt import Prompt, Section
from mi.mind.prompts.risk_judge import LearnSuggestion
from mi.mind.sections import case_sections
from mi.mind.views import Case, JudgedPart

Action = Literal["send_to_hands", "ask_user", "stop"]
Status = Literal["done", "not_done", "blocked"]
_INSTRUCTION = """\
Decide the next move. status done only if a check after the last change passed (mark: verified), or what the
person agreed counts without tests was shown, or nothing had to change and the answer itself was the task; the
agent's word alone is never enough. send_to_hands: give one clear next instruction, no step-by-step reporting.
ask_user: only for what the person alone can decide. A WORKFLOW that is followed says what usually comes next; it is
context, not an order. stop with blocked: say in notes what is missing. When the person just answered, carry that out.
thought_db_context is canonical: where any other text, also an older wording of the values, says otherwise, it holds;
in it values_claims go before pref_goal_claims, and these before query_claims. Cite in cited_ids the ids your decision
rests on. In parts name every part of the TASK: its state, and for one that is done the ids of the evidence; with an
open part the status is not done."""


class ChosenStrategy(Struct, frozen=True, kw_only=True):
    strategy: str
    rationale: str


class OverlayUpdate(Struct, frozen=True, kw_only=True):
    set_testless_strategy: ChosenStrategy | None


class NextMove(Struct, frozen=True, kw_only=True):
    next_action: Literal["send_to_hands", "ask_user", "stop"]
    status: Literal["done", "not_done", "blocked"]
    confidence: float
    next_hands_input: str
    ask_user_question: str
    cited_ids: list[str]
    parts: list[JudgedPart]
    learn_suggested: list[LearnSuggestion]
    update_project_overlay: OverlayUpdate
    notes: str


def _sections(case: Case) -> list[Section]:
    risk = f"{case.risk.severity} {case.risk.category}; {'; '.join(case.risk.mitigation)}" if case.risk else ""
    return [
        *case_sections(case),
        Section("RISK AS JUDGED", risk, 0.3),
        Section("THE PERSON JUST ANSWERED", case.person_said, 1),
    ]


def _rules(case: Case) -> NextMove:
    if case.person_said:
        return _send(case.person_said)
    going_on = _next_of_workflow(case)
    if going_on and case.ran and case.unbent and not case.removed_as_asked and not case.batch.failed_checks:
        return _send(going_on)
    return _close(case)


def _close(case: Case) -> NextMove:
    """Return the move that the rows of `done` lead to."""
    match judge_closing(case):
        case MayClose(reason, cited_id):
            return _stop("done", reason, cited=cited_id)
        case AskAgent(request):
            return _send(request)
        case AskPerson(question):
            return _ask(question)
        case CannotClose(reason):
            return _stop("blocked", reason)


def _next_of_workflow(case: Case) -> str:
    """Return the request to go on with the workflow that is followed.

    Empty when the last such request brought nothing.
    """
    followed = case.workflow
    if followed is None or followed.next_step is None or followed.stalled:
        return ""
    return f"Go on with {followed.workflow.name!r}. The next step: {followed.next_step.text}"


def _move(
    action: Action, status: Status, sent: str = "", asked: str = "", notes: str = "", cited: str = ""
) -> NextMove:
    return NextMove(
        next_action=action,
        status=status,
        confidence=0.6,
        next_hands_input=sent,
        ask_user_question=asked,
        cited_ids=[cited] if cited else [],
        parts=[],
        learn_suggested=[],
        update_project_overlay=OverlayUpdate(set_testless_strategy=None),
        notes=notes,
    )


def _stop(status: Status, notes: str, cited: str = "") -> NextMove:
    return _move("stop", status, notes=notes, cited=cited)


def _send(instruction: str) -> NextMove:
    return _move("send_to_hands", "not_done", sent=instruction)


def _ask(question: str) -> NextMove:
    return _move("ask_user", "not_done", asked=question)


def undecided(case: Case, error: str) -> NextMove:
    """Return the move when no judgement could be had: the person's word, or none."""
    if case.person.ask_when_uncertain:
        return _ask(text("ask.judge-failed", case.language, error=error, said=_said(case)))
    return _stop("blocked", text("end.judge-failed", case.language, error=error))


def _said(case: Case) -> str:
    return redact_start(case.batch.last_message, 300)


decide_next = Prompt("decide_next", NextMove, _INSTRUCTION, _sections, _rules)
