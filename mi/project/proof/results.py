"""What a run of a check showed, test by test."""

from collections.abc import Iterable
from typing import Literal

import msgspec

Outcome = Literal["passed", "failed", "skipped"]
Source = Literal["report", "output", "exit_code"]
ProblemKind = Literal[
    "stopped",  # the command did not come to its end
    "could_not_start",
    "not_prepared",  # what makes its copy ready failed
    "no_tests",
    "not_built",
    "missing",  # the runner wrote a report at the base, and none now
    "unfinished",  # the runner began to report and never wrote that it was through
    "changed",  # the report does not carry the mark of its writer
    "unreadable",
    "too_large",
    "blind",  # it stayed green over tests that fail
    "rewritten",  # judges of the work were written to while they judged
    "not_all_run",  # tests were collected and left out, and the runner called that a success
]
Disagreement = Literal["failures_over_zero", "error_over_passes"]
COMMAND = "$ "  # begins the id that stands for a whole command, where no single test is known
_WORST: tuple[Outcome, ...] = ("skipped", "passed", "failed")


class ReportProblem(msgspec.Struct, frozen=True):
    """Why a report cannot be believed; `detail` names the runner, the file or the place in it."""

    kind: ProblemKind
    detail: str = ""


class TestResults(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of each test by its id, which is the same in every copy of a project.

    An id is `<file or package>::<name>`; one that others begin with (`<id>::`) stands for all of them: a file that
    could not be imported, a package that did not compile.
    """

    outcomes: dict[str, Outcome] = {}
    source: Source = "exit_code"
    exit_code: int | None = None
    seconds: float = 0.0
    output_tail: str = ""
    problem: ReportProblem | None = None
    count: int = 0  # how many tests the output says there were, where it does not name them
    ran: list[str] = []  # the marks of test scripts that told of themselves
    from_folder: bool = False  # its folder was on Python's path, as with `python -m`: without, nothing was found
    written: list[str] = []  # judges that were written to while it ran
    flaky: list[str] = []  # failed, and passed when run again by themselves

    @property
    def failed(self) -> list[str]:
        return [test for test, outcome in self.outcomes.items() if outcome == "failed"]

    @property
    def passed(self) -> list[str]:
        return [test for test, outcome in self.outcomes.items() if outcome == "passed"]

    @property
    def disagreement(self) -> Disagreement | None:
        """How the exit code contradicts the tests; None where it does not, or where there is nothing beside it."""
        if self.source == "exit_code" or self.exit_code is None or not self.outcomes:
            return None
        if self.exit_code == 0:
            return "failures_over_zero" if self.failed else None
        return None if self.failed else "error_over_passes"


def found_no_module(results: TestResults) -> bool:
    """Return whether all that was seen are files of Python that could not be imported."""
    files = [test for test in results.outcomes if test.endswith(".py") and "::" not in test]
    return bool(files) and files == results.failed == list(results.outcomes)


def refuse_rewritten(results: TestResults, base: TestResults) -> TestResults:
    """Return the results, or that they say nothing: judges were written to that the base's run left alone."""
    written = [path for path in results.written if path not in base.written]
    if not written or results.problem is not None:
        return results
    return msgspec.structs.replace(results, problem=ReportProblem("rewritten", ", ".join(written[:5])))


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome of a test that ran several times in one command."""
    return max(outcomes, key=_WORST.index)


def settle_flaky(results: TestResults, reruns: Iterable[TestResults]) -> TestResults:
    """Return the results with every failed test that passed in a run by itself as passed, and named flaky."""
    again = [run.outcomes for run in reruns if run.problem is None]
    flaky = [test for test in results.failed if any(run.get(test) == "passed" for run in again)]
    if not flaky:
        return results
    outcomes = results.outcomes | dict.fromkeys(flaky, "passed")
    still_red = "failed" in outcomes.values()
    return msgspec.structs.replace(
        results,
        outcomes=outcomes,
        flaky=[*results.flaky, *flaky],
        exit_code=results.exit_code if still_red or results.disagreement else 0,
    )


def containers(test: str) -> list[str]:
    """Return the ids that stand for all tests of a file, package or group a test belongs to, the nearest first."""
    parts = test.split("::")
    return ["::".join(parts[:end]) for end in range(len(parts) - 1, 0, -1)]
