"""decide_next: go on, ask, or stop; and whether the work is done."""

from typing import Literal

from mi.mind.answers import NextMove, OverlayUpdate
from mi.mind.language import is_inquiry, says_done
from mi.mind.prompt import Prompt
from mi.mind.prompts.parts import case_sections
from mi.mind.prompts.plan_min_checks import check_request, put_back_request
from mi.mind.views import Case

Action = Literal["send_to_hands", "ask_user", "stop"]
Status = Literal["done", "not_done", "blocked"]
_INSTRUCTION = """\
Decide the next move. status done only if a check after the last change passed (mark: verified), or what the
person agreed counts without tests was shown, or nothing had to change and the answer itself was the task; the
agent's word alone is never enough. send_to_hands: give one clear next instruction, no step-by-step reporting.
ask_user: only for what the person alone can decide. stop with blocked: say in notes what is missing. Cite in
cited_ids the ids your decision rests on."""


def _rules(case: Case) -> NextMove:
    batch = case.batch
    if not batch.ended:
        return _stop(
            "blocked", f"the agent did not end its turn: {'; '.join(batch.errors[-2:]) or 'no terminal event'}"
        )
    if batch.weakened_tests and case.checks_requested:
        return _stop("blocked", f"tests were weakened: {'; '.join(batch.weakened_tests[:3])}")
    if batch.weakened_tests:
        return _send(put_back_request(batch.weakened_tests, case.project.check_commands))
    if batch.failed_checks:
        return _send(_about_failure(case))
    if batch.marks.verified:
        return _stop("done", "a check after the last change passed")
    if not batch.changed_files:
        return _without_change(case)
    if case.project.testless_strategy and case.checks_requested:
        return _stop("done", "shown in the way agreed for this project", cited=case.project.testless_strategy.id)
    if case.checks_requested:
        return _stop("blocked", _why_unverified(case))
    if case.project.check_commands:
        return _send(check_request(case.project.check_commands[0]))
    return _stop("blocked", _why_unverified(case))


def _about_failure(case: Case) -> str:
    failed = case.batch.failed_checks[-1]
    return (
        f"`{failed.command}` ended with exit code {failed.exit_code}. Find the cause, fix it in the code, "
        f"not in the tests, and run it again. The task is still: {case.batch.task}"
    )


def _without_change(case: Case) -> NextMove:
    batch = case.batch
    if is_inquiry(batch.task) and batch.last_message.strip():
        return _stop("done", "nothing had to change; the answer was the task")
    if says_done(batch.last_message):
        return _stop("blocked", "the agent says it is done, but nothing changed")
    if case.person.ask_when_uncertain:
        return _ask(
            f"The agent stopped without changing anything. How should it go on? It said: {batch.last_message[:300]}"
        )
    return _send(f"Go on with the task: {batch.task}")


def _why_unverified(case: Case) -> str:
    if not case.batch.shows_commands:
        return "cannot verify: this agent shows no command results"
    return "no check was seen to pass after the last change"


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


decide_next = Prompt("decide_next", NextMove, _INSTRUCTION, case_sections, _rules)
