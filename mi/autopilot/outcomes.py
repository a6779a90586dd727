"""What can come after a batch: another input for the agent, a question to the person, or the run's end."""

from typing import Literal

from mi.autopilot.steps.protocol import Outcome, SendFirst, Stop
from mi.evidence.records.mind import AutoAnswerOutput, Checks
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple

Status = Literal["done", "blocked", "failed", "interrupted"]
GO_ON = "You were interrupted in the middle of your work. Look at where things stand, and go on with the task."
EXIT: dict[Status, int] = {"done": 0, "failed": 1, "blocked": 3, "interrupted": 130}


class Interrupted(Exception):
    """Somebody wants the run to stop while it waits for a judgement or for the person."""


class EndRun(NamedTuple):
    """Why the loop stops."""

    status: Status
    reason: str


class SendNext(NamedTuple):
    """What the agent gets next."""

    text: str
    is_check: bool = False
    rows: dict[str, int] = {}  # of `done` that it tells the agent about, and how much is open in each
    words: tuple[str, ...] = ()  # what the person said to the run, that it carries


Next = SendNext | EndRun


class AskUser(NamedTuple):
    """Ask the person; the answer goes to the agent, with the checks if any are planned."""

    question: str
    then_checks: str


class AskStrategy(NamedTuple):
    """Ask once per project what counts without tests, then plan again."""

    question: str


def end_blocked(key: str, language: str, /, **details: object) -> EndRun:
    """Return the end of a run that needs the person, with the reason in their language."""
    return EndRun("blocked", text(key, language, **details))


def follow_step(outcome: Outcome) -> Next | None:
    """Return what a room's step wants as what comes next; None when nothing stands in the way."""
    match outcome:
        case SendFirst(said):
            return SendNext(said)
        case Stop(reason):
            return EndRun("blocked", reason)
    return None


def arbitrate(
    answer: AutoAnswerOutput | None, checks: Checks | None, has_strategy: bool
) -> AskUser | AskStrategy | SendNext | None:
    """Return what comes before decide_next, in a fixed order; None when nothing does.

    A question for the person, a missing strategy, then an answer and checks, sent together.
    """
    check_input = checks.hands_check_input if checks and checks.should_run_checks else ""
    if answer and answer.needs_user_input:
        return AskUser(answer.ask_user_question, check_input)
    if checks and checks.needs_testless_strategy and not has_strategy:
        return AskStrategy(checks.testless_strategy_question)
    # An answer that cites nothing is invented: it was turned into a question before it came here.
    reply = answer.hands_answer_input if answer and answer.should_answer else ""
    if reply or check_input:
        return SendNext("\n\n".join(part for part in (reply, check_input) if part), bool(check_input))
    return None
