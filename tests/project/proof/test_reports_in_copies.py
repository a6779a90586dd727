"""Reports of checks that run on a copy, at the project's own path and in a plain copy."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mi.project.proof.copies import close_scratch, make_copy, open_scratch
from mi.project.proof.reports import instrument, read_results
from mi.project.proof.sandbox import Way, find_way, own_environment, run_in_copy
from mi.project.trees import GitTree
from tests.conftest import git
from tests.project.proof.running import BIN, signs, write

TEST = """\
import unittest
from calc import add
class T(unittest.TestCase):
    def test_it(self):
        assert add(1, 1) == 2
"""
SUREFIRE = '<testsuite name="CartTest"><testcase name="adds" classname="CartTest"/></testsuite>'
FILES = {
    "calc.py": "def add(a, b):\n    return a + b\n",
    "test_calc.py": TEST,
    "pom.xml": "<project/>",
    "report": SUREFIRE,
    "Makefile": "test:\n\tpython -m pytest -q\n",
}


@pytest.mark.req("judge.report.same-ids")
@pytest.mark.parametrize("way", [find_way(), "plain"])
def test_a_check_on_a_copy_reports(
    repository: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: Way
) -> None:
    root = write(repository("project"), FILES)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "files")
    # What the person has on these paths already stays there, and our reporters beside it.
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(tmp_path / "user")]))
    monkeypatch.setenv("PATH", f"{BIN}{os.pathsep}{os.environ['PATH']}")
    scratch = open_scratch(str(tmp_path / "scratch"))
    try:
        copy = make_copy(GitTree(str(root), git(root, "rev-parse", "HEAD^{tree}")), scratch)
        for command, tests in (
            ("make test", {"test_calc.py::T::test_it": "+"}),
            ("python -m unittest", {"test_calc.py::T::test_it": "+"}),
            ("mkdir -p target/surefire-reports; cp report target/surefire-reports/TEST-x.xml", {"CartTest::adds": "+"}),
        ):
            instrumented = instrument(command, copy.folder, copy.reports, environ=own_environment())
            ended = run_in_copy(copy, instrumented.command, "", instrumented.env, way=way)
            results = read_results(instrumented, ended.exit_code, ended.output, ended.seconds)
            assert (signs(results), results.source, ended.problem) == (tests, "report", ""), ended.output
    finally:
        close_scratch(scratch)
