"""What a check's own output says against its exit code: to many runners, a run of no tests at all is a success."""

import re

_NOTHING = re.compile(
    r"Ran 0 tests|no tests ran|no tests to run|\[no test files\]|running 0 tests|No tests? (?:files? )?found"
    r"|No tests (?:were )?(?:found|executed)|No test matches|\b0 examples, 0 failures|\b0 runs, 0 assertions"
    r"|^\s*0 passing|^[#ℹ] tests 0\s*$|Executed 0 tests|Tests are skipped|:test NO-SOURCE|\b0 passed \| 0 failed"
    r"|Tests run: 0\b|NO TESTS RAN|^=+ \d+ (?:skipped|deselected)(?:, \d+ \w+)* in [\d.]+s",
    re.IGNORECASE | re.MULTILINE,
)
_SOMETHING = re.compile(
    r"Ran [1-9]\d* tests?|\b[1-9]\d* pass(?:ed|ing)\b|^ok\s+\S+\s+(?:[\d.]+s|\(cached\))\s*(?:coverage.*)?$"
    r"|running [1-9]\d* tests?|\b[1-9]\d* examples?,|\b[1-9]\d* runs?, |^[#ℹ] tests [1-9]|Executed [1-9]\d* tests?"
    r"|Tests run: [1-9]|Tests:\s.*\b[1-9]\d* passed|^OK \([1-9]\d* tests?",
    re.IGNORECASE | re.MULTILINE,
)
_RUNNERS = "pytest|tox|nox|ruff|mypy|flake8|pylint|coverage|nose2"
_NOT_THERE = re.compile(rf": No module named '?(?:{_RUNNERS})'?$", re.MULTILINE)


def ran_nothing(output: str) -> bool:
    """Whether the output says that there was nothing to run, and nothing else in it says that something ran."""
    return bool(_NOTHING.search(output)) and not _SOMETHING.search(output)


def could_not_start(exit_code: int | None, output: str) -> bool:
    """Whether a program was missing: that shows nothing about the work."""
    return exit_code in (126, 127) or (exit_code not in (0, None) and bool(_NOT_THERE.search(output[:1000])))
