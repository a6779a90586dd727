"""What the output of a check tells of its tests: lines that name one, and sums at the end; weaker than a report."""

import re

from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import redact_start
from mi.project.proof.results import Outcome, worst


class OutputResults(NamedTuple):
    """The tests that an output names, and how many it says there were."""

    outcomes: dict[str, Outcome]
    counted: int


_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_WORDS: dict[str, Outcome] = {
    "ok": "passed",
    "pass": "passed",
    "passed": "passed",
    "---pass": "passed",
    "ignored": "skipped",
    "skip": "skipped",
    "skipped": "skipped",
    "xfail": "skipped",
    "xpass": "passed",
    "***not run (disabled)": "skipped",
    "***skipped": "skipped",
}
# Each has the groups `test` and `word`; what is not in _WORDS is a failure.
_NAMING = tuple(
    re.compile(pattern, re.MULTILINE | re.IGNORECASE)
    for pattern in (
        r"^test (?P<test>[\w:]\S*(?: - .*?)?)(?: - should panic)? \.\.\. (?P<word>ok|failed|ignored)\b",  # cargo
        r"^(?P<test>[\w./-]+\.py::\S.*?) (?P<word>passed|failed|error|skipped|xfail|xpass)\b",  # pytest -v
        r"^(?P<word>passed|failed|error|xfail|xpass) (?P<test>[\w./-]+\.py(?:::\S+)?)(?: - .*)?$",  # its summary
        r"^(?P<test>\w+ \([\w.]+\))(?:\n.*)? \.\.\. (?P<word>ok|fail|error|skipped|expected failure)\b",  # unittest -v
        r"^(?P<word>fail|error): (?P<test>\w+ \([\w.]+\))(?: .*)?$",
        r"^ *--- (?P<word>pass|fail|skip): (?P<test>\S+) \(",  # go test -v, or its failures
        r"^ *\d+/\d+ Test +#\d+: (?P<test>\S+) \.+ *(?P<word>passed|\*\*\*[\w ()]+?) +[\d.]+ sec",  # ctest
        r"^ *(?P<word>ok|not ok) \d+ (?:- )?(?P<test>[^#\n]+?)(?: # .*)?$",  # TAP
    )
)
# What is not there by a name: the sums of runners. All groups are numbers.
_SUMS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^Ran (\d+) tests? in ",
        r"^=+ (?:(\d+) failed)?,? ?(?:(\d+) passed)?\b.* in [\d.]+s.*=+$",
        r"^Tests: +(?:(\d+) failed, )?(?:\d+ (?:skipped|todo), )*(?:(\d+) passed, )?\d+ total",
        r"^ +Tests +(?:(\d+) failed \| )?(?:(\d+) passed)?.*\(\d+\)$",
        r"^ +(\d+) passing \(",
        r"^ +(\d+) failing$",
        r"^(?:#|ℹ) tests (\d+)$",
        r"^Tests run: (\d+), Failures: \d+, Errors: \d+, Skipped: \d+$",
        r"^\[(?:INFO|ERROR|WARNING)\] Tests run: (\d+), Failures: \d+, Errors: \d+, Skipped: \d+$",
        r"^(\d+) examples?, \d+ failures?",
        r"^OK \((\d+) tests?, \d+ assertions?\)",
        r"^Tests: (\d+), Assertions: \d+",
        r"^(\d+) tests?, \d+ failures?",
        r"^(?:Passed|Failed)! +- Failed: +\d+, Passed: +\d+, Skipped: +\d+, Total: +(\d+)",
    )
)
_BUILD = re.compile(
    r"^(?:error(?:\[E\d+\])?: (?!(?:doc)?test failed|\d+ targets? failed).*|FAIL\s+\S+ \[(?:build|setup) failed\]"
    r"|.*: error: .*|\[ERROR\] COMPILATION ERROR.*)$",
    re.MULTILINE,
)
_DOC_TESTS = re.compile(r"^ +Doc-tests (\S+)\n(.*?)(?=^ +(?:Doc-tests|Running) |\Z)", re.MULTILINE | re.DOTALL)
_DOC_TEST = re.compile(r"^test (\S+ - .*?) ?\(line \d+\).*? \.\.\. (ok|FAILED|ignored)\b", re.MULTILINE)
_GO_BUILD = re.compile(
    r'(?:^|")FAIL(?:\s|\\t)++([^\s"]+) \[(?:build|setup) failed\]', re.MULTILINE
)  # also inside of JSON


def read_output(output: str) -> OutputResults:
    """Return what an output tells of tests."""
    plain = _COLOUR.sub("", output)
    outcomes: dict[str, Outcome] = {}
    for pattern in _NAMING:
        for found in pattern.finditer(plain):
            test = found["test"].strip()
            outcome = _outcome(found["word"], found.group(0))
            outcomes[test] = worst([outcomes.get(test, outcome), outcome])
    sums = [
        int(number) for pattern in _SUMS for found in pattern.finditer(plain) for number in found.groups() if number
    ]
    return OutputResults(outcomes, sum(sums))


def read_doc_tests(output: str) -> dict[str, Outcome]:
    """Return the tests in Rust's documentation, which no binary runs; by their order where one item has several."""
    outcomes: dict[str, Outcome] = {}
    for section in _DOC_TESTS.finditer(_COLOUR.sub("", output)):
        for found in sorted(_DOC_TEST.finditer(section[2]), key=lambda found: _line(found[0])):
            test = f"{section[1]} doc::{found[1].strip()}"
            several = sum(known.partition(" #")[0] == test for known in outcomes)
            outcomes[f"{test} #{several + 1}" if several else test] = _outcome(found[2], "")
    return outcomes


def find_unbuilt_packages(output: str) -> list[str]:
    """Return the import paths of Go packages that could not be built."""
    return list(dict.fromkeys(_GO_BUILD.findall(_COLOUR.sub("", output))))


def find_build_error(output: str) -> str:
    """Return the first line that says that something did not compile; or empty."""
    found = _BUILD.search(_COLOUR.sub("", output))
    return redact_start(found[0].strip(), 200) if found else ""


def _outcome(word: str, line: str) -> Outcome:
    if "# SKIP" in line.upper() or "# TODO" in line.upper():
        return "skipped"
    return _WORDS.get(word.strip().lower(), "failed")


def _line(text: str) -> int:
    found = re.search(r"\(line (\d+)\)", text)
    return int(found[1]) if found else 0
