"""When a run may be called done: text alone never closes it."""

from functools import partial
from typing import NamedTuple

from mi.kernel.messages import text
from mi.mind.language import is_inquiry
from mi.mind.prompts.plan_min_checks import put_back_request, shows_enough
from mi.mind.views import Case


class MayClose(NamedTuple):
    """The run may end as done."""

    why: str


class CheckFirst(NamedTuple):
    """Done was said without proof: ask for a check, once."""

    instruction: str


class CannotClose(NamedTuple):
    """Done was said again without proof: blocked, with the reason."""

    why: str


def may_close(case: Case, check_instruction: str) -> MayClose | CheckFirst | CannotClose:
    """Whether a decision "done" stands, by what was seen and not by what was said."""
    batch, say = case.batch, partial(text, language=case.language)
    if batch.weakened_tests:
        put_back = put_back_request(batch.weakened_tests, case.project.check_commands)
        return _unproved(case, put_back, say("end.weakened", ways="; ".join(batch.weakened_tests[:3])))
    if batch.marks.verified:
        return MayClose(say("end.verified"))
    if batch.removed_as_asked and set(batch.changed_files) <= set(batch.removed_as_asked):
        return MayClose(say("end.removed"))
    if not batch.changed_files and is_inquiry(batch.task) and batch.last_message.strip():
        return MayClose(say("end.answered"))
    strategy = case.project.testless_strategy
    if strategy and case.checks_requested and not batch.failed_checks and shows_enough(case):
        return MayClose(say("end.by-strategy", id=strategy.id))
    if not batch.shows_commands:
        return CannotClose(say("end.cannot-verify"))
    return _unproved(case, check_instruction, say("end.unverified"))


def _unproved(case: Case, check_instruction: str, why: str) -> CheckFirst | CannotClose:
    if check_instruction and not case.checks_requested:
        return CheckFirst(check_instruction)
    return CannotClose(why)
