"""plan_min_checks: the least that must be run before the work can be believed."""

import re
from functools import partial

from mi.evidence.records.mind import Checks
from mi.kernel.language import patterns
from mi.kernel.messages import text
from mi.mind.prompt import Prompt, Section
from mi.mind.sections import case_sections
from mi.mind.views import Case

_INSTRUCTION = """\
Plan the least checking that would show whether the work is right: first the project's own tests, build or lint
commands that the agent can run, new smoke tests only if the values want them. should_run_checks is false when a
check after the last change already passed, or nothing changed. If the project has no tests and nothing says
what counts instead, set needs_testless_strategy and phrase one question to the person. hands_check_input is one
instruction to the agent that names the exact commands."""

# A text that begins like this is a command, not a sentence.
_COMMAND = re.compile(
    r"(?:\./|[\w./-]+\.(?:sh|py|js|rb|pl)\b|(?:python[\d.]*|node|npm|npx|pnpm|yarn|bun|deno|make|just|go|cargo|ruby|rake"
    r"|php|java|bash|sh|docker|terraform|helm|shellcheck|yamllint|markdownlint|mkdocs|hugo|latexmk|pdflatex|jq|tsc|uv"
    r"|poetry|dotnet|mvn|gradle|ctest|cmake|bats|ansible-\w+)\s)"
)


def _sections(case: Case) -> list[Section]:
    return [*case_sections(case), Section("A CHECK MUST SHOW NOW", case.check_intent, 0.3)]


def _rules(case: Case) -> Checks:
    batch, project, say = case.batch, case.project, partial(text, language=case.language)
    if case.check_intent and project.check_commands:
        named = case.check_intent in project.check_commands
        command = case.check_intent if named else project.check_commands[0]
        return _run_first(command, "" if named else f"What matters: {case.check_intent}")
    if case.check_intent:
        return _without_tests(case)
    if batch.marks.verified or not batch.changed_files:
        return Checks(notes=say("end.verified" if batch.marks.verified else "plan.unchanged"))
    if batch.removed_as_asked and set(batch.changed_files) <= set(batch.removed_as_asked):
        return Checks(notes=say("end.removed"))
    if batch.weakened_tests:
        return Checks(notes=say("plan.weakened"))
    if batch.failed_checks or case.checks_requested:
        return Checks(notes=say("plan.failed" if batch.failed_checks else "plan.asked"))
    if project.check_commands:
        return _run_first(project.check_commands[0])
    return _without_tests(case)


def _run_first(command: str, also: str = "") -> Checks:
    return Checks(
        should_run_checks=True,
        check_goals=[f"`{command}` ends with exit code 0 after the last change"],
        commands_hints=[command],
        hands_check_input=" ".join(filter(None, [check_request(command), also])),
    )


def _without_tests(case: Case) -> Checks:
    found = text("plan.no-tests", case.language)
    if case.project.testless_strategy:
        strategy = case.project.testless_strategy.text
        if named := agreed_commands(strategy):
            return _run_first(named[0])
        request = f"Show that the work is right in the way agreed for this project: {strategy}"
        return Checks(should_run_checks=True, check_goals=[strategy], hands_check_input=request, notes=found)
    question = text("ask.strategy", case.language)
    return Checks(needs_testless_strategy=True, testless_strategy_question=question, notes=found)


def agreed_commands(strategy: str) -> list[str]:
    """The commands that the person said count: those in backquotes, or the whole of what they said."""
    named = re.findall(r"`([^`]+)`", strategy)
    whole = strategy.strip()
    is_command = _COMMAND.match(whole) and len(whole.split()) <= 8 and not whole.endswith(patterns().full_stops)
    return named or ([whole] if is_command else [])


def shows_enough(case: Case) -> bool:
    """Whether what was agreed can count by the agent's word: a command that was named must be seen to succeed."""
    strategy = case.project.testless_strategy
    return strategy is not None and not (case.batch.shows_commands and agreed_commands(strategy.text))


def check_request(command: str) -> str:
    """The request to run one command as it is; what stands after it in a pipe would hide how it ended."""
    return (
        f"Run `{command}` now, as it is and with nothing after it, and tell me how it ended. "
        "Change nothing in the tests to make it pass."
    )


def put_back_request(weakened: list[str], commands: list[str]) -> str:
    """The request to take back what was done to the tests, and to prove the code by them."""
    run = f", and run `{commands[0]}`" if commands else ""
    gone = ", ".join(weakened)
    return f"Put back what you took out of the tests ({gone}), make the code pass them instead{run}."


plan_min_checks = Prompt("plan_min_checks", Checks, _INSTRUCTION, _sections, _rules)
