"""When a run may be called done: rows that must all hold, and what is said where one does not."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from mi.kernel.messages import text
from mi.mind.views import Case


class MayClose(NamedTuple):
    """The run may end as done."""

    reason: str
    cited_id: str = ""  # of what the person agreed to, where that is what it rests on


class AskAgent(NamedTuple):
    """A row does not hold: the agent gets one chance to mend it."""

    request: str


class CannotClose(NamedTuple):
    """A row does not hold, and asking again would bring nothing: blocked."""

    reason: str


class ClosingRow(NamedTuple):
    """One condition of `done`."""

    name: str
    holds: Callable[[Case], bool]
    request: Callable[[Case], str]  # what the agent is told, once; '' when it can do nothing about it
    reason: Callable[[Case], str]  # what the person reads when that did not help


def judge_closing(case: Case) -> MayClose | AskAgent | CannotClose:
    """Return whether a decision "done" stands, by what was seen and not by what was said."""
    row = next((row for row in ROWS if not row.holds(case)), None)
    if row is None:
        return _find_ground(case)
    request = "" if case.checks_requested else row.request(case)
    return AskAgent(request) if request else CannotClose(row.reason(case))


def ask_for_check(command: str) -> str:
    """Return the request to run one command as it is; what stands after it in a pipe would hide how it ended."""
    return (
        f"Run `{command}` now, as it is and with nothing after it, and tell me how it ended. "
        "Change nothing in the tests to make it pass."
    )


def _find_ground(case: Case) -> MayClose:
    """Return what a run that may close rests on: the strongest ground that is there."""
    say, strategy = partial(text, language=case.language), case.project.testless_strategy
    if case.verified:
        return MayClose(say("end.verified"))
    if case.removed_as_asked:
        return MayClose(say("end.removed"))
    if strategy is not None and not case.answered:
        return MayClose(say("end.by-strategy", id=strategy.id), strategy.id)
    return MayClose(say("end.answered"))


def _is_shown(case: Case) -> bool:
    return case.verified or case.removed_as_asked or case.answered or case.shown_as_agreed


def ask_to_put_back(case: Case) -> str:
    """Return the request to put the judges of the work back as they were."""
    commands = case.project.check_commands
    run = f", and run `{commands[0]}`" if commands else ""
    ways = "; ".join(case.batch.changed_judges)
    return (
        "Put back what you changed in the tests, their data or what runs them, and take out what looks whether it is "
        f"tested ({ways}): the task does not ask for it. Make the code right, so that it passes them as they were{run}."
    )


def _ask_to_check(case: Case) -> str:
    commands = case.project.check_commands
    return ask_for_check(commands[0]) if commands and case.batch.shows_commands else ""


def _explain_unended(case: Case) -> str:
    return text("end.unended", case.language, errors="; ".join(case.batch.errors[-2:]) or "no terminal event")


def _explain_judges(case: Case) -> str:
    return text("end.judges", case.language, ways="; ".join(case.batch.changed_judges[:3]))


def _explain_unverified(case: Case) -> str:
    return text("end.unverified" if case.batch.shows_commands else "end.cannot-verify", case.language)


RAN = ClosingRow("ran", lambda case: case.ran, lambda case: "", _explain_unended)
UNBENT = ClosingRow("unbent", lambda case: case.unbent, ask_to_put_back, _explain_judges)
VERIFIED = ClosingRow("verified", _is_shown, _ask_to_check, _explain_unverified)
ROWS = (RAN, UNBENT, VERIFIED)  # in the order in which they are asked for
