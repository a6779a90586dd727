"""Reports of pytest and unittest, through whatever command reaches them, and attempts to forge them."""

import shutil
from pathlib import Path

import pytest

from mi.project.proof.results import TestResults
from mi.project.proof.verdict import judge_proof
from tests.project.proof.running import run_check, signs, start_check, write

PROJECT = {
    "calc.py": "def add(a, b):\n    return a + b\n",
    "tests/__init__.py": "",
    "tests/test_calc.py": """\
import unittest
import pytest
from calc import add

@pytest.mark.parametrize("n", [1, 2])
def test_add(n):
    assert add(n, n) == 2 * n

def test_red():
    assert add(1, 1) == 3

@pytest.mark.skip
def test_skipped():
    pass

@pytest.mark.xfail
def test_expected():
    assert add(1, 1) == 3

class Plain(unittest.TestCase):
    def test_plain(self):
        self.assertEqual(add(1, 1), 2)

    def test_parts(self):
        for n in range(2):
            with self.subTest(n=n):
                self.assertEqual(n, 0)
""",
    "tests/test_torn.py": "import not_there\n",
    "Makefile": "test:\n\tpython -m pytest -q\nown-path:\n\tPYTHONPATH=. pytest -q\nplain:\n\tpython -m unittest\n",
}
PYTEST = {
    "tests/test_torn.py": "-",
    "tests/test_calc.py::test_add[1]": "+",
    "tests/test_calc.py::test_add[2]": "+",
    "tests/test_calc.py::test_red": "-",
    "tests/test_calc.py::test_skipped": "s",
    "tests/test_calc.py::test_expected": "s",
    "tests/test_calc.py::Plain::test_plain": "+",
    "tests/test_calc.py::Plain::test_parts": "-",
}
UNITTEST = {
    "tests/test_torn.py": "-",
    "tests/test_calc.py::Plain::test_plain": "+",
    "tests/test_calc.py::Plain::test_parts": "-",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path / "project", PROJECT)


@pytest.mark.req("judge.report.runners")
@pytest.mark.parametrize(
    "command", ["pytest", "make test", "make own-path", "pytest -n 2 -q", "sh -c 'cd tests; pytest ..'"]
)
def test_pytest_reports_each_test_however_it_is_reached(project: Path, command: str) -> None:
    results = run_check(command, project)
    assert signs(results) == PYTEST
    assert (results.source, results.problem, results.disagreement) == ("report", None, None)


@pytest.mark.req("judge.report.runners")
@pytest.mark.parametrize("command", ["python -m unittest", "make plain", "python -m unittest discover -v"])
def test_unittest_reports_each_test(project: Path, command: str) -> None:
    results = run_check(command, project)
    assert signs(results) == UNITTEST
    assert (results.source, results.problem, results.disagreement) == ("report", None, None)


def test_a_wanted_test_of_a_file_that_unittest_cannot_import_is_red(tmp_path: Path) -> None:
    """New tests on the code of the base often import what is not there yet."""
    lines = "import unittest\nfrom calc import sub\nclass T(unittest.TestCase):\n    def test_sub(self): sub()\n"
    (tmp_path / "test_calc.py").write_text(lines)
    (tmp_path / "calc.py").write_text("")
    results = run_check("python -m unittest", tmp_path, ["test_calc.py::T::test_sub"])
    assert (results.failed, results.exit_code) == (["test_calc.py"], 1)


def test_unittest_reports_beside_a_sitecustomize_of_the_project(tmp_path: Path) -> None:
    project = write(
        tmp_path / "project",
        {
            "own/sitecustomize.py": "import builtins\nbuiltins.customized = True\n",
            "test_own.py": "import unittest\nclass T(unittest.TestCase):\n"
            "    def test_it(self):\n        self.assertTrue(customized)\n",
        },
    )
    results = run_check("python -m unittest", project, env={"PYTHONPATH": str(project / "own")})
    assert signs(results) == {"test_own.py::T::test_it": "+"}


@pytest.mark.req("judge.report.same-ids")
def test_ids_are_the_same_in_a_copy_elsewhere(project: Path, tmp_path: Path) -> None:
    copy = tmp_path / "far" / "away" / "copy"
    shutil.copytree(project, copy)
    assert run_check("pytest -q", project).outcomes.keys() == run_check("pytest -q", copy).outcomes.keys()


def test_suites_of_one_command_are_told_apart_by_their_folder(tmp_path: Path) -> None:
    test = "def test_it():\n    assert True\n"
    project = write(
        tmp_path / "project",
        {"a/pytest.ini": "[pytest]", "a/test_it.py": test, "b/pytest.ini": "[pytest]", "b/test_it.py": test},
    )
    results = run_check("(cd a && pytest -q) && (cd b && pytest -q)", project)
    assert signs(results) == {"a/test_it.py::test_it": "+", "b/test_it.py::test_it": "+"}


INNER = """\
import subprocess, sys
def test_outer(tmp_path):
    (tmp_path / "test_in.py").write_text("def test_in(): assert 0")
    assert subprocess.run([sys.executable, "-m", "pytest", str(tmp_path)]).returncode == 1
"""


def test_runs_inside_of_a_test_are_not_reported(tmp_path: Path) -> None:
    results = run_check("pytest -q", write(tmp_path / "project", {"test_outer.py": INNER}))
    assert signs(results) == {"test_outer.py::test_outer": "+"}


@pytest.mark.req("judge.report.select")
@pytest.mark.parametrize(
    ("command", "test"),
    [
        ("make test", "tests/test_calc.py::test_add[2]"),
        ("pytest -n 2", "tests/test_calc.py::test_add[2]"),
        ("make plain", "tests/test_calc.py::Plain::test_plain"),
    ],
)
def test_some_tests_are_run_by_themselves(project: Path, command: str, test: str) -> None:
    (project / "tests" / "test_torn.py").unlink()
    results = run_check(command, project, only=[test])
    assert signs(results) == {test: "+"}
    assert results.exit_code == 0


def test_a_new_test_file_that_cannot_be_imported_counts_as_failed(project: Path) -> None:
    assert signs(run_check("pytest", project, only=["tests/test_torn.py::test_new"])) == {"tests/test_torn.py": "-"}


TWO_TESTS = (
    "import product\ndef test_one():\n    assert product.one() == 1\ndef test_two():\n    assert product.two() == 2\n"
)
HONEST = "def one():\n    return 1\ndef two():\n    return 2\n"
# Each stands for the product, whose function `one` is wrong; SCRATCH is where the reports are.
ATTACKS = {
    "leaves with exit code 0": """
import os
def one():
    os._exit(0)
""",
    "sets the exit code at the end": """
import atexit, os
atexit.register(lambda: os._exit(0))
def one():
    return 0
""",
    "prints a summary and leaves": """
import os
def one():
    os.write(1, b"== 2 passed in 0.01s ==\\n")
    os._exit(0)
""",
    "ends the session with success": """
import sys
def one():
    sys.modules["pytest"].exit("done", returncode=0)
""",
    "writes a report of its own": """
import glob, json, os
def one():
    rows = [{"runner": "pytest"}]
    rows += [{"id": "test_it.py::test_" + name, "outcome": "passed"} for name in ("one", "two")]
    rows += [{"tests": 2, "exit": 0}, {"end": "x"}]
    for folder in glob.glob("SCRATCH/*"):
        for old in glob.glob(folder + "/*.jsonl"):
            os.unlink(old)
        with open(folder + "/pytest-1-abcd.jsonl", "w") as file:
            file.writelines(json.dumps(row) + chr(10) for row in rows)
    os._exit(0)
""",
    "changes the report": """
import atexit, glob, os
def change():
    for old in glob.glob("SCRATCH/*/*.jsonl"):
        text = open(old).read().replace('failed"', 'passed"')
        open(old, "w").write(text)
    os._exit(0)
atexit.register(change)
def one():
    return 0
""",
    "turns failures into passes and stops": """
import sys
from _pytest import reports
made = reports.TestReport.from_item_and_call.__func__
def make(cls, item, call):
    call.excinfo = None
    return made(cls, item, call)
def one():
    reports.TestReport.from_item_and_call = classmethod(make)
    sys.modules["pytest"].exit("done", returncode=0)
""",
    "takes the reporter out": """
import gc
def one():
    for thing in gc.get_objects():
        if type(thing).__name__ == "_PytestWatcher":
            type(thing).pytest_unconfigure = lambda self: None
    return 0
""",
}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> TestResults:
    """What the honest product shows."""
    project = tmp_path_factory.mktemp("honest") / "project"
    return run_check("pytest -q", write(project, {"test_it.py": TWO_TESTS, "product.py": HONEST}))


@pytest.mark.req("judge.report.forged")
@pytest.mark.parametrize("name", ATTACKS)
def test_code_that_forges_its_result_proves_nothing(tmp_path: Path, base: TestResults, name: str) -> None:
    assert judge_proof(base, base).proved is True
    attack = ATTACKS[name].replace("SCRATCH", str(tmp_path / "project.scratch")) + "def two():\n    return 2\n"
    final = run_check("pytest -q", write(tmp_path / "project", {"test_it.py": TWO_TESTS, "product.py": attack}))
    assert judge_proof(base, final).proved is False, final


LEAVES = (
    "import unittest, os\nclass T(unittest.TestCase):\n    def test_a(self): pass\n    def test_b(self): os._exit(0)\n"
)


@pytest.mark.req("judge.report.forged")
def test_a_suite_of_unittest_that_is_left_early_is_not_finished(tmp_path: Path) -> None:
    results = run_check("python -m unittest", write(tmp_path / "project", {"test_it.py": LEAVES}))
    assert results.exit_code == 0
    assert results.problem is not None
    assert (results.problem.kind, results.problem.detail) == ("unfinished", "unittest")


def test_a_check_that_hides_failures_contradicts_its_report(project: Path) -> None:
    results = run_check("pytest -q || true", project)
    assert results.disagreement == "failures_over_zero"


def test_an_error_beside_green_tests_is_seen(tmp_path: Path) -> None:
    project = write(tmp_path / "project", {"test_it.py": "def test_it():\n    pass\n"})
    assert run_check("pytest -q && exit 3", project).disagreement == "error_over_passes"


def test_a_suite_without_tests_is_told(tmp_path: Path) -> None:
    project = write(tmp_path / "project", {"README": ""})
    for command in ("pytest -q", "python -m unittest"):
        results = run_check(command, project)
        assert results.problem is not None
        assert results.problem.kind == "no_tests"


def test_a_command_without_a_runner_is_told_by_its_exit_code(tmp_path: Path) -> None:
    project = write(tmp_path / "project", {"README": ""})
    green, red = run_check("true", project), run_check("false", project)
    assert (green.source, signs(green)) == ("exit_code", {"$ true": "+"})
    assert signs(red) == {"$ false": "-"}
    missing = run_check("not-a-program --here", project)
    assert missing.problem is not None
    assert missing.problem.kind == "could_not_start"
    assert "not-a-program" in missing.problem.detail


def test_output_is_kept_as_the_runner_wrote_it(project: Path) -> None:
    results, _, output = start_check("pytest -q", project)
    assert "2 failed, 4 passed, 1 skipped" in output
    assert "2 failed, 4 passed, 1 skipped" in results.output_tail


@pytest.mark.req("judge.report.select")
def test_files_without_wanted_tests_are_not_even_imported(tmp_path: Path) -> None:
    write(
        tmp_path / "project",
        {
            "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef one():\n    return 1\n",
            "tests/test_a.py": "def test_a(one):\n    assert one == 1\n\n\ndef test_b():\n    assert 0\n",
            "tests/test_slow.py": "open('was-imported', 'w').close()\n\n\ndef test_slow():\n    pass\n",
        },
    )
    results = run_check("pytest", tmp_path / "project", only=["tests/test_a.py::test_a"])
    assert (signs(results), results.exit_code) == ({"tests/test_a.py::test_a": "+"}, 0)
    assert not (tmp_path / "project/was-imported").exists()
