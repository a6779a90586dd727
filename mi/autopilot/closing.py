"""When a run may be called done: text alone never closes it."""

from typing import NamedTuple

from mi.mind.language import is_inquiry
from mi.mind.prompts.plan_min_checks import put_back_request
from mi.mind.views import Case


class Closed(NamedTuple):
    """The run may end as done."""

    why: str


class CheckFirst(NamedTuple):
    """Done was said without proof: ask for a check, once."""

    instruction: str


class CannotClose(NamedTuple):
    """Done was said again without proof: blocked, with the reason."""

    why: str


def may_close(case: Case, check_instruction: str) -> Closed | CheckFirst | CannotClose:
    """Whether a decision "done" stands, by what was seen and not by what was said."""
    batch = case.batch
    if batch.weakened_tests:
        put_back = put_back_request(batch.weakened_tests, case.project.check_commands)
        return _unproved(case, put_back, f"tests were weakened: {'; '.join(batch.weakened_tests[:3])}")
    if batch.marks.verified:
        return Closed("a check after the last change passed")
    if not batch.changed_files and is_inquiry(batch.task) and batch.last_message.strip():
        return Closed("nothing changed and the answer was the task")
    strategy = case.project.testless_strategy
    if strategy and case.checks_requested and not batch.failed_checks:
        return Closed(f"shown in the way agreed for this project ({strategy.id})")
    if not batch.shows_commands:
        return CannotClose("cannot verify: this agent shows no command results")
    return _unproved(case, check_instruction, "no check was seen to pass after the last change")


def _unproved(case: Case, check_instruction: str, why: str) -> CheckFirst | CannotClose:
    if check_instruction and not case.checks_requested:
        return CheckFirst(check_instruction)
    return CannotClose(why)
