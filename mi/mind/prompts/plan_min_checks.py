"""plan_min_checks: the least that must be run before the work can be believed."""

from functools import partial

from mi.evidence.records.mind import Checks
from mi.kernel.messages import text
from mi.mind.closing import ask_for_check
from mi.mind.prompt import Prompt, Section
from mi.mind.sections import case_sections
from mi.mind.views import Case, SeenCommand

_INSTRUCTION = """\
Plan the least checking that would show whether the work is right: first the project's own tests, build or lint
commands that the agent can run, new smoke tests only if the values want them. should_run_checks is false when a
check after the last change already passed, or nothing changed. If the project has no tests and nothing says
what counts instead, set needs_testless_strategy and phrase one question to the person. hands_check_input is one
instruction to the agent that names the exact commands."""


def _sections(case: Case) -> list[Section]:
    return [*case_sections(case), Section("A CHECK MUST SHOW NOW", case.check_intent, 0.3)]


def _rules(case: Case) -> Checks:
    batch, project, say = case.batch, case.project, partial(text, language=case.language)
    if case.check_intent and project.check_commands:
        named = case.check_intent in project.check_commands
        command = case.check_intent if named else project.check_commands[0]
        return _run_first(command, also="" if named else f"What matters: {case.check_intent}")
    if case.check_intent:
        return _without_tests(case)
    if case.verified or not case.moved:
        return Checks(notes=say("end.verified" if case.verified else "plan.unchanged"))
    if case.removed_as_asked:
        return Checks(notes=say("end.removed"))
    if not case.unbent:
        return Checks(notes=say("plan.judges"))
    if case.nothing_to_run and not batch.failed_checks:
        return Checks(notes=say("end.nothing-to-run"))
    if batch.failed_checks or case.checks_requested:
        return Checks(notes=say("plan.failed" if batch.failed_checks else "plan.asked"))
    if project.check_commands:
        commands = batch.uncovered or project.check_commands[:1]
        return _run_first(*commands, also=" ".join(map(_not_counted, batch.commands)))
    return _without_tests(case)


def _not_counted(seen: SeenCommand) -> str:
    """Return why a check that was run does not count; '' for any other command."""
    if seen.could_not_start:
        return f"`{seen.command}` could not run here (exit code {seen.exit_code}): its program is missing."
    return f"`{seen.command}` left tests out." if seen.partial and seen.passed else ""


def _run_first(*commands: str, also: str = "") -> Checks:
    request = ask_for_check(commands[0])
    if len(commands) > 1:
        named = ", ".join(f"`{command}`" for command in commands)
        request = (
            f"Run each of these now, as a command of its own and with nothing after it: {named}. Tell me how each "
            "ended. Change nothing in the tests to make them pass."
        )
    return Checks(
        should_run_checks=True,
        check_goals=[f"`{command}` ends with exit code 0 after the last change" for command in commands],
        commands_hints=list(commands),
        hands_check_input=" ".join([request, *also.split()]),
    )


def _without_tests(case: Case) -> Checks:
    found = text("plan.no-tests", case.language)
    if case.project.testless_strategy:
        strategy = case.project.testless_strategy.text
        if named := case.project.agreed_commands:
            return _run_first(named[0])
        request = f"Show that the work is right in the way agreed for this project: {strategy}"
        return Checks(should_run_checks=True, check_goals=[strategy], hands_check_input=request, notes=found)
    question = text("ask.strategy", case.language)
    return Checks(needs_testless_strategy=True, testless_strategy_question=question, notes=found)


plan_min_checks = Prompt("plan_min_checks", Checks, _INSTRUCTION, _sections, _rules)
