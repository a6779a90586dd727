"""Tests that were weakened are noticed in real diffs, honest changes are not."""

from pathlib import Path

import pytest

from mi.autopilot.weakening import weakened_tests
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
        pytest.param(
            BEFORE.replace("assert calc.add(1, 2) == 3", "calc.add(1, 2)"),
            ["tests/test_calc.py: assertions removed"],
            id="no assert",
        ),
        pytest.param(BEFORE + "\n\ndef test_mul():\n    assert calc.mul(2, 2) == 4\n", [], id="test added"),
        pytest.param(BEFORE.replace("== 3", "== 3, 'sum'"), [], id="message added"),
        pytest.param(BEFORE.replace("test_add", "test_addition"), [], id="renamed"),
    ],
)
def test_weakened(repository, after: str | None, found: list[str]):
    assert weakened_tests(diff_of(repository(), after)) == found


def test_changes_outside_tests_do_not_count(repository):
    repo = repository()
    (repo / "file.txt").write_text("assert removed\n", "utf-8")
    assert weakened_tests(git(repo, "diff", "-U0")) == []
