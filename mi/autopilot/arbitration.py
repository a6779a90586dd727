"""What to do before deciding: a fixed order, no model."""

from typing import NamedTuple

from mi.evidence.records.mind import AutoAnswerOutput, Checks


class AskUser(NamedTuple):
    """Ask the person; the answer goes to the agent, with the checks if any are planned."""

    question: str
    then_checks: str


class AskStrategy(NamedTuple):
    """Ask once per project what counts without tests, then plan again."""

    question: str


class Send(NamedTuple):
    """Send an answer, checks, or both in one batch."""

    text: str
    is_check: bool


class Decide(NamedTuple):
    """Nothing comes first: decide_next has the word."""


PreAction = AskUser | AskStrategy | Send | Decide


def arbitrate(answer: AutoAnswerOutput | None, checks: Checks | None, has_strategy: bool) -> PreAction:
    """The first that applies: a question for the person, a missing strategy, an answer or checks to send."""
    check_input = checks.hands_check_input if checks and checks.should_run_checks else ""
    if answer and answer.needs_user_input:
        return AskUser(answer.ask_user_question, check_input)
    if checks and checks.needs_testless_strategy and not has_strategy:
        return AskStrategy(checks.testless_strategy_question)
    # An answer that cites nothing is invented: it was turned into a question before it came here.
    reply = answer.hands_answer_input if answer and answer.should_answer else ""
    if reply or check_input:
        return Send("\n\n".join(part for part in (reply, check_input) if part), bool(check_input))
    return Decide()
