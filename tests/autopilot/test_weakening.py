"""Tests that were weakened are noticed in real diffs, honest changes are not."""

from pathlib import Path

import pytest

from mi.autopilot.check_weakening import weakened_checks
from mi.autopilot.weakening import is_asked_for, split, weakened_tests
from tests.conftest import git

BEFORE = """import calc


def test_add():
    assert calc.add(1, 2) == 3


def test_sub():
    assert calc.sub(2, 1) == 1
"""


def diff_of(repo: Path, after: str | None) -> str:
    (repo / "tests").mkdir()
    (repo / "tests/test_calc.py").write_text(BEFORE, "utf-8")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "tests")
    if after is None:
        (repo / "tests/test_calc.py").unlink()
    else:
        (repo / "tests/test_calc.py").write_text(after, "utf-8")
    return git(repo, "diff", "-U0")


@pytest.mark.parametrize(
    ("after", "found"),
    [
        pytest.param(None, ["tests/test_calc.py: file deleted"], id="file deleted"),
        pytest.param(
            BEFORE.partition("\n\n\ndef test_sub")[0] + "\n",
            ["tests/test_calc.py: test_sub deleted"],
            id="test deleted",
        ),
        pytest.param(
            BEFORE.replace("def test_add", "@pytest.mark.skip\ndef test_add"),
            ["tests/test_calc.py: skipped"],
            id="skipped",
        ),
        pytest.param(
            BEFORE.replace("assert calc.add(1, 2) == 3", "assert True"),
            ["tests/test_calc.py: an assertion that cannot fail"],
            id="emptied",
        ),
        *(
            pytest.param(BEFORE.replace("    assert calc.add", f"    {added}assert calc.add"), [how], id=added.strip())
            for added, how in (
                ("return\n    ", "tests/test_calc.py: returns before its end"),
                ("if False: ", "tests/test_calc.py: an assertion that cannot fail"),
                ("pytest.importorskip('x')\n    ", "tests/test_calc.py: skipped"),
                ("raise unittest.SkipTest('x')\n    ", "tests/test_calc.py: skipped"),
            )
        ),
        pytest.param("pytestmark = pytest.mark.skip\n" + BEFORE, ["tests/test_calc.py: skipped"], id="all skipped"),
        pytest.param(
            BEFORE.replace("    assert calc.add(1, 2) == 3", "    assert calc.add(1, 2) == 3 or True"),
            ["tests/test_calc.py: an assertion that cannot fail"],
            id="or True",
        ),
        pytest.param(
            BEFORE.replace(
                "    assert calc.add(1, 2) == 3",
                "    try:\n        assert calc.add(1, 2) == 3\n    except AssertionError:\n        pass",
            ),
            ["tests/test_calc.py: a failure is swallowed"],
            id="swallowed",
        ),
        pytest.param(
            BEFORE.replace("assert calc.add(1, 2) == 3", "calc.add(1, 2)"),
            ["tests/test_calc.py: assertions removed"],
            id="no assert",
        ),
        pytest.param(
            BEFORE.replace("import calc", "import os\n\nos._exit(0)\nimport calc"),
            ["tests/test_calc.py: ends before its tests"],
            id="quits",
        ),
        pytest.param(
            # a line that looks like the header of another file does not lead away from this one
            "++ b/calc.py\n" + BEFORE.replace("assert calc.sub(2, 1) == 1", "pass"),
            ["tests/test_calc.py: assertions removed"],
            id="false header",
        ),
        pytest.param(BEFORE + "\n\ndef test_mul():\n    assert calc.mul(2, 2) == 4\n", [], id="test added"),
        pytest.param(BEFORE.replace("== 3", "== 3, 'sum'"), [], id="message added"),
        pytest.param(BEFORE.replace("test_add", "test_addition"), [], id="renamed"),
    ],
)
def test_weakened(repository, after: str | None, found: list[str]):
    assert weakened_tests(split(diff_of(repository(), after))) == found


@pytest.mark.parametrize("name", ["tests/test_购物车.py", 'tests/test_"quoted".py', "tests/test_with space.py"])
def test_a_name_that_git_quotes_hides_nothing(repository, name: str):
    repo = repository()
    (repo / "tests").mkdir()
    (repo / name).write_text(BEFORE, "utf-8")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "tests")
    (repo / name).write_text("", "utf-8")
    assert any(way.startswith(f"{name}: ") for way in weakened_tests(split(git(repo, "diff", "-U0"))))
    (repo / name).unlink()
    assert weakened_tests(split(git(repo, "diff", "-U0"))) == [f"{name}: file deleted"]


def test_changes_outside_tests_do_not_count(repository):
    repo = repository()
    (repo / "file.txt").write_text("assert removed\n", "utf-8")
    assert weakened_tests(split(git(repo, "diff", "-U0"))) == []


MAKE = ".PHONY: test\nPY = python3\n\ntest: lint\n\t$(PY) -m pytest -q\n\nlint:\n\truff check .\n"
PACKAGE = '{"scripts": {"test": "jest --ci", "start": "node ."}}'
INI = "[pytest]\naddopts = -q\ntestpaths = tests\n"
PYPROJECT = '[tool.pytest.ini_options]\naddopts = "-q"\n'
TOX = "[testenv]\ncommands =\n    pytest -q\n"
CONFTEST = "import pytest\n\n\n@pytest.fixture\ndef one():\n    return 1\n"


@pytest.mark.parametrize(
    ("path", "before", "after", "how"),
    [
        ("Makefile", MAKE, MAKE.replace("$(PY) -m pytest -q", "true"), "make test runs something else"),
        ("Makefile", "test:\n\tpytest\n", "test:\n\ttrue\n", "make test runs something else"),
        ("Makefile", "test:\n\tpytest\n", "test:\n", "make test runs nothing whose failure counts"),
        ("Makefile", "test:\n\tpytest\n", "all:\n\ttrue\n", "make test runs nothing whose failure counts"),
        ("Makefile", MAKE, MAKE.replace("-m pytest -q", "-m pytest -q || true"), "make test runs something else"),
        ("Makefile", "test:\n\tpytest\n", "test:\n\t-pytest\n", "make test runs nothing whose failure counts"),
        ("Makefile", "test:\n\tpytest\n", "test:\n\tpytest; exit 0\n", "make test runs nothing whose failure counts"),
        ("Makefile", MAKE, MAKE.replace("-m pytest -q", "-m pytest -q -k add"), "make test leaves tests out"),
        ("Makefile", MAKE, MAKE.replace("PY = python3", "PY = echo"), "make test runs something else"),
        ("Makefile", MAKE, MAKE + "MAKEFLAGS += -i\n", "make's own settings was changed"),
        ("Makefile", MAKE, MAKE.replace("-q", "-q --strict-markers"), ""),
        ("Makefile", MAKE, MAKE + "\nrelease:\n\ttrue\n", ""),
        ("Makefile", "test:\n\tpython -m unittest\n", "test:\n\tpython -m pytest -q\n", ""),
        ("Makefile", "test:\n\tpytest\n", "test:\n\tpytest\n\truff check .\n", ""),
        ("GNUmakefile", None, "test:\n\ttrue\n", "takes the place of the Makefile that was there"),
        (
            "package.json",
            PACKAGE,
            PACKAGE.replace("jest --ci", "exit 0"),
            "script test runs nothing whose failure counts",
        ),
        ("package.json", PACKAGE, PACKAGE.replace("jest --ci", "echo ok"), "script test runs something else"),
        ("package.json", PACKAGE, PACKAGE.replace("--ci", "--ci --passWithNoTests"), "script test leaves tests out"),
        ("package.json", PACKAGE, PACKAGE.replace("jest --ci", "vitest run"), ""),
        ("package.json", PACKAGE, PACKAGE.replace("node .", "node index.js"), ""),
        (
            "pytest.ini",
            INI,
            INI.replace("-q", "-q --deselect tests/test_a.py::test_x"),
            "pytest addopts leaves tests out",
        ),
        ("pytest.ini", INI, INI.replace("= tests", "= tests/easy"), "pytest testpaths was changed"),
        ("pytest.ini", INI, INI.replace("-q", "-q -ra"), ""),
        ("pyproject.toml", PYPROJECT, PYPROJECT.replace("-q", "-q -m 'not slow'"), "pytest addopts leaves tests out"),
        ("pyproject.toml", PYPROJECT, PYPROJECT + 'python_files = "none_*.py"\n', "pytest python_files was changed"),
        ("pyproject.toml", "", PYPROJECT + 'testpaths = ["tests"]\n', ""),
        (
            "setup.cfg",
            "[tool:pytest]\n",
            "[tool:pytest]\naddopts = --ignore=tests\n",
            "pytest addopts leaves tests out",
        ),
        ("tox.ini", TOX, TOX.replace("pytest -q", "true"), "tox testenv runs something else"),
        ("conftest.py", CONFTEST, CONFTEST + "collect_ignore = ['test_a.py']\n", "hooks into the result of the tests"),
        (
            "tests/conftest.py",
            None,
            "def pytest_runtest_makereport(item, call):\n    pass\n",
            "hooks into the result of the tests",
        ),
        ("conftest.py", CONFTEST, CONFTEST.replace("return 1", "return 2"), ""),
        ("jest.config.js", "module.exports = {}\n", "module.exports = {testMatch: ['x']}\n", "leaves tests out"),
        ("unittest.py", None, "print('OK')\n", "takes the place of the test runner"),
        ("unittest_helpers.py", None, "X = 1\n", ""),
    ],
)
def test_a_check_that_was_changed(repository, path: str, before: str | None, after: str, how: str):
    repo = repository()
    first = {"Makefile": "test:\n\tpytest\n"} if path == "GNUmakefile" else {}
    first |= {path: before} if before is not None else {}
    for name, text in first.items():
        (repo / name).parent.mkdir(exist_ok=True)
        (repo / name).write_text(text, "utf-8")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "first", "--allow-empty")
    (repo / path).parent.mkdir(exist_ok=True)
    (repo / path).write_text(after, "utf-8")
    git(repo, "add", "-A")
    diffs = split(git(repo, "diff", "--cached", "-U0"))
    found = weakened_checks([path], diffs, first.get, {path: after}.get)
    assert found == ([f"{path}: {how}"] if how else [])


@pytest.mark.parametrize(
    ("task", "way", "asked"),
    [
        ("Remove the obsolete test_sub from tests/test_calc.py", "tests/test_calc.py: test_sub deleted", True),
        ("delete tests/test_calc.py", "tests/test_calc.py: file deleted", True),
        ("Please drop test_calc.py, nobody needs it", "tests/test_calc.py: file deleted", True),
        ("remove test_a, test_b and test_c", "tests/test_calc.py: test_a, test_b deleted", True),
        ("skip the flaky test in tests/test_calc.py", "tests/test_calc.py: skipped", True),
        ("删除过时的测试 test_sub", "tests/test_calc.py: test_sub deleted", True),
        ("去掉 tests/test_calc.py", "tests/test_calc.py: file deleted", True),
        ("remove test_sub", "tests/test_calc.py: test_add, test_sub deleted", False),
        ("remove dead code so that test_calc passes", "tests/test_calc.py: file deleted", False),
        ("Remove the debug prints. tests/test_calc.py must stay green.", "tests/test_calc.py: file deleted", False),
        ("do not delete test_calc.py", "tests/test_calc.py: file deleted", False),
        ("不要删除 test_calc.py", "tests/test_calc.py: file deleted", False),
        ("remove test_calculator.py", "tests/test_calc.py: file deleted", False),
        ("fix test_calc.py", "tests/test_calc.py: file deleted", False),
        ("change the Makefile so that it uses tox", "Makefile: make test runs something else", True),
        ("change the Makefile so that it uses tox", "Makefile: make test runs nothing whose failure counts", False),
        ("change the Makefile so that it uses tox", "Makefile: make test leaves tests out", False),
        ("deselect the slow tests in pytest.ini", "pytest.ini: pytest addopts leaves tests out", True),
        ("fix the failing test", "pytest.ini: pytest addopts leaves tests out", False),
    ],
)
def test_what_the_task_asks_for_in_so_many_words_is_no_weakening(task: str, way: str, asked: bool):
    assert is_asked_for(way, task) is asked


def test_a_new_test_takes_nothing_away(tmp_path: Path) -> None:
    new = "import pytest\n\n\n@pytest.mark.skipif(True, reason='x')\ndef test_new():\n    assert True\n    return\n"
    lines = "".join(f"+{line}\n" for line in new.splitlines())
    file = "tests/test_new.py"
    diff = f"diff --git a/{file} b/{file}\n--- /dev/null\n+++ b/{file}\n@@ -0,0 +1,7 @@\n{lines}"
    assert weakened_tests(split(diff)) == []
    assert weakened_tests(split(diff.replace("    return\n", "os._exit(0)\n"))) != []
