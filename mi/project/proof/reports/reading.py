"""Reading what a command with MI's reporter showed: reports first, then its output, then its exit code alone."""

import os
import re
from collections.abc import Iterable, Iterator

import msgspec

from mi.project.checks.folder import text_of
from mi.project.checks.outcome import could_not_start, ran_nothing
from mi.project.proof.reports.instrument import Instrumented
from mi.project.proof.reports.junit import NoReport, read_junit
from mi.project.proof.reports.output import (
    find_build_error,
    find_unbuilt_packages,
    read_doc_tests,
    read_output,
)
from mi.project.proof.reports.sealed_lines import read_sealed
from mi.project.proof.results import COMMAND, Outcome, ReportProblem, Source, TestResults, worst

_MOST_MB = 32
_TAIL_LINES, _TAIL_CHARACTERS = 20, 2000
_NOT_RUN_AGAIN = re.compile(r"^> Task \S+ (?:UP-TO-DATE|FROM-CACHE)$", re.MULTILINE)  # by Gradle: nothing had changed
_INTERRUPTED = (2, 3)  # what pytest ends with where it was interrupted or broke

Outcomes = dict[str, Outcome]


class _Example(msgspec.Struct):
    full_description: str = ""
    file_path: str = ""
    status: str = "failed"


class _RspecReport(msgspec.Struct):
    examples: list[_Example]


class _Found:
    """What the reports of one command say together."""

    def __init__(self) -> None:
        self.outcomes: Outcomes = {}
        self.problem: ReportProblem | None = None
        self.any = False

    def add(self, outcomes: Outcomes, problem: ReportProblem | None = None) -> None:
        self.any = True
        self.problem = self.problem or problem
        for test, outcome in outcomes.items():
            self.outcomes[test] = worst([self.outcomes.get(test, outcome), outcome])


def read_results(instrumented: Instrumented, exit_code: int | None, output: str, seconds: float = 0.0) -> TestResults:
    """Return what the command showed; `exit_code` is None where it was stopped."""
    found = _read_reports(instrumented, exit_code, output)
    source: Source = "report"
    outcomes, count, problem = found.outcomes, 0, found.problem
    if not found.any:
        outcomes, count = read_output(output)
        source = "output" if outcomes or count else "exit_code"
        if not outcomes:
            outcomes = {COMMAND + instrumented.told: "passed" if exit_code == 0 else "failed"}
    if instrumented.only is not None:
        outcomes = _narrow(outcomes, instrumented.only)
    return TestResults(
        outcomes=outcomes,
        source=source,
        exit_code=exit_code,
        seconds=seconds,
        output_tail=_tail(output),
        count=count,
        ran=_read_marks(instrumented.reports),
        problem=_find_stop(exit_code, output, found) or problem or _find_nothing(outcomes, exit_code, output),
    )


def _read_reports(instrumented: Instrumented, exit_code: int | None, output: str) -> _Found:
    found = _Found()
    runners = set()
    for path in _files(instrumented.reports, with_old=bool(_NOT_RUN_AGAIN.search(output))):
        try:
            runners.add(_read_report(path, instrumented, found))
        except NoReport as error:
            found.add({}, ReportProblem("unreadable", f"{os.path.basename(path)}: {error}"))
        except _TooLarge:
            found.add({}, ReportProblem("too_large", f"{_MOST_MB} MB"))
    if "go" in runners and exit_code:
        places = _go_folders(instrumented.folder, find_unbuilt_packages(output))
        found.add(dict.fromkeys(places, "failed"))
    if "rust" in runners:
        found.add(read_doc_tests(output))
    return found


def _files(folder: str, with_old: bool) -> Iterator[str]:
    """Yield the reports; pytest's own only where our plugin was not found, those of earlier runs where they hold."""
    names = _names(folder)
    watched = any(name.startswith("pytest-") for name in names)
    for name in names:
        spare = (watched and name == "pytest.xml") or (name.startswith("old-") and not with_old)
        if name.endswith((".jsonl", ".xml", ".json")) and not spare:
            yield os.path.join(folder, name)


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _read_marks(folder: str) -> list[str]:
    """Return the marks of test scripts that told that they were run."""
    return sorted(name.removeprefix("ran-") for name in _names(folder) if name.startswith("ran-"))


class _TooLarge(Exception):
    """A report is larger than one reads."""


def _read_report(path: str, instrumented: Instrumented, found: _Found) -> str:
    """Add what one report says, and return the runner that wrote it."""
    try:
        if os.path.getsize(path) > _MOST_MB << 20:
            raise _TooLarge
        with open(path, "rb") as file:
            data = file.read(_MOST_MB << 20)
    except OSError as error:
        raise NoReport(error.strerror or str(error)) from None
    if not data.strip():
        raise NoReport("it is empty")
    if path.endswith(".xml"):
        found.add(read_junit(data, text_of(instrumented.reports, "root")))
        return "junit"
    if path.endswith(".json"):
        found.add(_read_rspec(data))
        return "rspec"
    sealed = read_sealed(data, instrumented.key)
    problem = sealed.problem
    if problem is None and sealed.runner == "pytest" and sealed.exit_code in _INTERRUPTED:
        problem = ReportProblem("unfinished", "pytest")
    found.add(sealed.outcomes, problem)
    return sealed.runner


def _read_rspec(data: bytes) -> Outcomes:
    try:
        report = msgspec.json.decode(data, type=_RspecReport)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise NoReport(f"no report of rspec: {error}") from None
    words: Outcomes = {"passed": "passed", "pending": "skipped"}
    outcomes: Outcomes = {}
    for example in report.examples:
        test = f"{example.file_path.removeprefix('./')}::{example.full_description}"
        several = sum(known.partition(" #")[0] == test for known in outcomes) if test in outcomes else 0
        outcomes[f"{test} #{several + 1}" if several else test] = words.get(example.status, "failed")
    return outcomes


def _go_folders(folder: str, packages: Iterable[str]) -> list[str]:
    """Return the folders of Go packages, as the ids of their tests begin, from their import paths."""
    module = re.search(r"^module\s+(\S+)", text_of(folder, "go.mod"), re.MULTILINE)
    name = module[1].strip('"') if module else ""
    return ["." if package == name else package.removeprefix(f"{name}/") for package in packages]


def _narrow(outcomes: Outcomes, only: frozenset[str]) -> Outcomes:
    """Return the outcomes of the tests that were asked for, and of what stands for some of them."""
    wanted = {test: outcome for test, outcome in outcomes.items() if test in only or test.startswith(COMMAND)}
    groups = {
        test: outcome
        for test, outcome in outcomes.items()
        if outcome == "failed" and any(one.startswith(f"{test}::") for one in only)
    }
    return wanted | groups


def _find_stop(exit_code: int | None, output: str, found: _Found) -> ReportProblem | None:
    if exit_code is None:
        return ReportProblem("stopped")
    if not found.any and could_not_start(exit_code, output):
        return ReportProblem("could_not_start", _tail(output).rpartition("\n")[2][:200])
    return None


def _find_nothing(outcomes: Outcomes, exit_code: int | None, output: str) -> ReportProblem | None:
    """Return the problem of a run that showed no test at all, or where nothing could be built."""
    nameless = all(test.startswith(COMMAND) for test in outcomes)
    if nameless and exit_code and (error := find_build_error(output)):
        return ReportProblem("not_built", error)
    ran_none = nameless and exit_code == 0 and ran_nothing(output)
    return ReportProblem("no_tests") if ran_none or not outcomes else None


def _tail(output: str) -> str:
    return "\n".join(output.rstrip().splitlines()[-_TAIL_LINES:])[-_TAIL_CHARACTERS:]
