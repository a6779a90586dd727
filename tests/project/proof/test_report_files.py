"""Report files as runners write them, broken ones, and what only an output tells."""

import hashlib
import json
import os
from pathlib import Path

import pytest

from mi.project.proof.reports import instrument, read_results
from mi.project.proof.results import TestResults
from tests.project.proof.running import run_check, signs, write

SUREFIRE = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="shop.CartTest" tests="4" errors="1" skipped="1" failures="1">
  <properties><property name="java.version" value="17"/></properties>
  <testcase name="adds" classname="shop.CartTest" time="0.01"/>
  <testcase name="removes" classname="shop.CartTest" time="0.01">
    <failure message="expected: &lt;1&gt;" type="AssertionFailedError"><![CDATA[at shop.CartTest]]></failure>
  </testcase>
  <testcase name="breaks" classname="shop.CartTest"><error type="NullPointerException"/></testcase>
  <testcase name="later" classname="shop.CartTest"><skipped message="not yet"/><system-out>x</system-out></testcase>
</testsuite>
"""
SUREFIRE_SIGNS = {
    "shop.CartTest::adds": "+",
    "shop.CartTest::removes": "-",
    "shop.CartTest::breaks": "-",
    "shop.CartTest::later": "s",
}
PHPUNIT = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites><testsuite name="tests" tests="2"><testsuite name="CartTest" file="{root}/tests/CartTest.php" tests="2">
  <testcase name="testAdds" file="{root}/tests/CartTest.php" line="5" class="CartTest" classname="CartTest" time="0.1"/>
  <testcase name="testRed" file="{root}/tests/CartTest.php" line="9" class="CartTest" classname="CartTest">
    <failure type="ExpectationFailedException">no</failure></testcase>
</testsuite></testsuite></testsuites>
"""
RSPEC = {
    "version": "3.12.0",
    "examples": [
        {
            "description": "adds",
            "full_description": "Cart adds",
            "status": "passed",
            "file_path": "./spec/cart_spec.rb",
        },
        {
            "description": "adds",
            "full_description": "Cart adds",
            "status": "failed",
            "file_path": "./spec/cart_spec.rb",
        },
        {"full_description": "Cart later", "status": "pending", "file_path": "./spec/cart_spec.rb", "line_number": 9},
    ],
    "summary": {"example_count": 3, "failure_count": 1},
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path / "project", {"README": ""})


def read(project: Path, files: dict[str, str | bytes], exit_code: int | None = 1, output: str = "") -> TestResults:
    """Results of a check that left these files: `reports/x` stands in MI's own folder, others in the project."""
    instrumented = instrument("the check", str(project), str(project.parent / "scratch"), environ={})
    for name, content in files.items():
        own = name.startswith("reports/")
        path = Path(instrumented.reports, name.removeprefix("reports/")) if own else project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_results(instrumented, exit_code, output)


PLACES = (
    "target/surefire-reports/TEST-shop.CartTest.xml",
    "module/target/failsafe-reports/TEST-shop.CartTest.xml",
    "app/build/test-results/test/TEST-shop.CartTest.xml",
)


@pytest.mark.req("judge.report.runners")
@pytest.mark.parametrize("place", PLACES)
def test_maven_and_gradle_leave_reports_in_their_folders(project: Path, place: str) -> None:
    write(project, {"pom.xml": "<project/>", "report": SUREFIRE})
    results = run_check(f"mkdir -p {os.path.dirname(place)} && cp report {place}; exit 1", project)
    assert (signs(results), results.source, results.exit_code) == (SUREFIRE_SIGNS, "report", 1)


@pytest.mark.parametrize(("output", "tests"), [("", {"$ echo": "+"}), ("> Task :app:test UP-TO-DATE", SUREFIRE_SIGNS)])
def test_a_report_of_an_earlier_run_counts_only_where_the_tool_says_so(
    project: Path, output: str, tests: dict[str, str]
) -> None:
    write(project, {"settings.gradle": "", PLACES[2]: SUREFIRE})
    os.utime(project / PLACES[2], (1, 1))
    command = f"echo {output!r}".removesuffix(" ''")
    assert signs(run_check(command, project)) == tests


@pytest.mark.req("judge.report.runners")
def test_phpunit_and_rspec_report_to_the_file_they_are_told(project: Path) -> None:
    files = {
        "reports/root": "/where/the/copy/is/seen",
        "reports/phpunit.xml": PHPUNIT.format(root="/where/the/copy/is/seen"),
        "reports/rspec.json": json.dumps(RSPEC),
    }
    results = read(project, files)
    assert signs(results) == {
        "tests/CartTest.php::testAdds": "+",
        "tests/CartTest.php::testRed": "-",
        "spec/cart_spec.rb::Cart adds": "+",
        "spec/cart_spec.rb::Cart adds #2": "-",
        "spec/cart_spec.rb::Cart later": "s",
    }


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("vendor/bin/phpunit --testdox", "--log-junit"),
        ("cd build && ctest -j2", "--output-junit"),
        ("bun test", "--reporter-outfile"),
        ("bun run build", ""),
        ("phpunit | tee log", ""),
        ("phpunit > log", ""),
        ("make test", ""),
    ],
)
def test_words_are_added_only_where_they_reach_the_runner(project: Path, command: str, word: str) -> None:
    told = instrument(command, str(project), str(project.parent / "scratch"), environ={}).command.splitlines()[-1]
    assert told.startswith(command)
    assert (word in told) if word else (told == command)


def test_variables_that_are_set_already_are_kept(project: Path) -> None:
    given = {
        "PYTHONPATH": "src",
        "NODE_OPTIONS": "--max-old-space-size=900",
        "GOFLAGS": "-mod=vendor",
        "SPEC_OPTS": "-w",
    }
    env = instrument("make", str(project), str(project.parent / "scratch"), environ=given).env
    assert all(value in env[name] for name, value in given.items())


def test_a_scratch_folder_with_a_blank_in_its_name_breaks_nothing(project: Path, tmp_path: Path) -> None:
    write(project, {"test_it.py": "def test_it():\n    pass\n"})
    moved = project.rename(tmp_path / "a project")
    assert signs(run_check("pytest -q", moved)) == {"test_it.py::test_it": "+"}


def test_a_runner_that_cargo_was_given_is_left_to_it(project: Path) -> None:
    write(project, {".cargo/config.toml": '[target.x86_64-unknown-linux-gnu]\nrunner = "qemu"\n'})
    env = instrument("cargo test", str(project), str(project.parent / "scratch"), environ={}).env
    assert not any(name.endswith("_RUNNER") for name in env)


LAUGHS = "<!DOCTYPE x [<!ENTITY a 'ha'>" + "".join(
    f"<!ENTITY {chr(98 + at)} '{f'&{chr(97 + at)};' * 10}'>" for at in range(9)
)


@pytest.mark.req("judge.report.broken")
@pytest.mark.parametrize(
    ("name", "content", "kind", "detail"),
    [
        ("reports/a.xml", "", "unreadable", "a.xml: it is empty"),
        ("reports/a.xml", "not at all", "unreadable", "a.xml: no XML"),
        ("reports/a.xml", SUREFIRE[:300], "unreadable", "a.xml: no XML"),
        ("reports/a.xml", "<html><body/></html>", "unreadable", "no report of tests"),
        ("reports/a.xml", f"{LAUGHS}]><testsuite>&j;</testsuite>", "unreadable", "declares a document type"),
        ("reports/a.xml", b'<?xml version="1.0" encoding="no-such"?><testsuite/>', "unreadable", "no XML"),
        ("reports/a.xml", b"\xff\xfe\x00\x01<testsuite/>", "unreadable", "no XML"),
        ("reports/a.xml", "<testsuites/>", "no_tests", ""),
        ("reports/rspec.json", "{", "unreadable", "no report of rspec"),
        ("reports/rspec.json", '{"examples": 3}', "unreadable", "no report of rspec"),
        ("reports/rspec.json", '{"examples": []}', "no_tests", ""),
        ("reports/x.jsonl", "hello", "unreadable", "no lines of a reporter"),
        ("reports/x.jsonl", '{"id": "a", "outcome": "passed"}\n', "unreadable", "no lines of a reporter"),
        ("reports/x.jsonl", '{"runner": "jest"}\n', "unfinished", "jest"),
        ("reports/x.jsonl", b'{"runner": "jest"}\n{"id": "a", "outcome": "pas', "unreadable", "no lines of a reporter"),
        ("reports/x.jsonl", '{"runner": "jest"}\n{"tests": 0}\n{"end": "abc"}\n', "changed", "jest"),
        ("reports/a.xml", b"<testsuite>" + b" " * (50 << 20), "too_large", "32 MB"),
    ],
)
def test_a_broken_report_is_told_in_one_line(
    project: Path, name: str, content: str | bytes, kind: str, detail: str
) -> None:
    problem = read(project, {name: content}).problem
    assert problem is not None
    assert problem.kind == kind
    assert detail in problem.detail
    assert "\n" not in problem.detail


def sealed(key: str, *rows: dict[str, object]) -> str:
    body = "".join(json.dumps(row) + "\n" for row in rows)
    return body + json.dumps({"end": hashlib.sha256(f"{key}\n{body}".encode()).hexdigest()}) + "\n"


@pytest.mark.req("judge.report.forged")
@pytest.mark.parametrize(
    ("facts", "problem"),
    [
        ({"tests": 1, "exit": 0}, None),
        ({"tests": 2, "exit": 0}, "changed"),
        ({"tests": 1, "exit": 0, "failed": 1}, "changed"),
        ({"tests": 1, "exit": 0, "not_run": 3}, "not_all_run"),
        ({"tests": 1, "exit": 2}, "unfinished"),
    ],
)
def test_what_a_runner_says_of_itself_must_fit_its_rows(
    project: Path, facts: dict[str, object], problem: str | None
) -> None:
    instrumented = instrument("pytest", str(project), str(project.parent / "scratch"), environ={})
    text = sealed(instrumented.key, {"runner": "pytest"}, {"id": "t.py::a", "outcome": "passed"}, facts)
    Path(instrumented.reports, "pytest-1.jsonl").write_text(text, "utf-8")
    found = read_results(instrumented, 0, "").problem
    assert (found.kind if found else None) == problem


OUTPUTS = {
    "cargo": (
        "test a::b ... ok\ntest a::c ... FAILED\ntest a::d ... ignored\n",
        {"a::b": "+", "a::c": "-", "a::d": "s"},
        0,
    ),
    "go -v": ("--- PASS: TestA (0.00s)\n    --- FAIL: TestB/c (0.01s)\n", {"TestA": "+", "TestB/c": "-"}, 0),
    "pytest -v": ("t.py::a PASSED [ 50%]\nt.py::b[x y] FAILED [100%]\n", {"t.py::a": "+", "t.py::b[x y]": "-"}, 0),
    "pytest": ("FAILED t.py::b - assert 1\n==== 1 failed, 3 passed in 0.12s ====\n", {"t.py::b": "-"}, 4),
    "unittest": ("FAIL: test_a (t.T)\nRan 4 tests in 0.001s\n", {"test_a (t.T)": "-"}, 4),
    "tap": ("ok 1 - adds\nnot ok 2 - breaks\nok 3 - later # SKIP\n", {"adds": "+", "breaks": "-", "later": "s"}, 0),
    "jest": ("Tests:       1 failed, 2 passed, 3 total\n", None, 3),
    "mocha": ("  5 passing (3ms)\n  1 failing\n", None, 6),
    "maven": ("[INFO] Tests run: 7, Failures: 0, Errors: 0, Skipped: 0\n", None, 7),
    "phpunit": ("OK (3 tests, 8 assertions)\n", None, 3),
    "rspec": ("12 examples, 0 failures\n", None, 12),
    "dotnet": ("Passed!  - Failed:     0, Passed:     9, Skipped:     0, Total:     9, Duration: 1 s\n", None, 9),
}


@pytest.mark.req("judge.report.weaker")
@pytest.mark.parametrize("name", OUTPUTS)
def test_without_a_report_the_output_tells_what_it_can(project: Path, name: str) -> None:
    output, tests, count = OUTPUTS[name]
    results = read(project, {}, exit_code=1, output="".join(f"\x1b[1m{line}\x1b[0m\n" for line in output.splitlines()))
    assert (results.source, results.count) == ("output", count)
    assert signs(results) == (tests or {"$ the check": "-"})


def test_a_check_that_was_stopped_is_told(project: Path) -> None:
    results = read(project, {}, exit_code=None, output="line\n" * 100)
    assert results.problem is not None
    assert results.problem.kind == "stopped"
    assert len(results.output_tail.splitlines()) == 20


def test_a_folder_that_is_gone_is_no_traceback(project: Path) -> None:
    instrumented = instrument("true", str(project), str(project.parent / "scratch"), environ={})
    gone = instrumented._replace(folder=str(project / "gone"), reports=str(project / "gone"))
    assert read_results(gone, 0, "").source == "exit_code"


def test_the_report_of_a_script_that_runs_nothing_known_is_its_exit_code(project: Path) -> None:
    write(project, {"check.sh": "echo 2 passed\n"})
    assert signs(run_check("sh check.sh", project)) == {"$ sh check.sh": "+"}


@pytest.mark.req("judge.report.agreement")
def test_a_target_that_had_nothing_to_do_ran_no_tests(tmp_path: Path) -> None:
    project = write(tmp_path / "project", {"Makefile": "test:\n\tsh run.sh\n", "run.sh": "exit 0\n"})
    assert run_check("make test", project).problem is None
    (project / "test").write_text("", "utf-8")
    results = run_check("make test", project)
    assert results.problem is not None
    assert (results.problem.kind, results.exit_code) == ("no_tests", 0)
