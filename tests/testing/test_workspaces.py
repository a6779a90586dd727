"""Temporary homes and repositories."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from mi.testing import temporary_home, temporary_repository
from tests.conftest import git


def test_a_home_is_used_by_this_process_and_its_children_and_then_gone(
    mi: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    before = os.environ["MI_HOME"]
    with temporary_home() as home:
        assert os.environ["MI_HOME"] == home.root
        assert mi("init", "--values", "Keep changes small.").returncode == 0
        assert os.path.exists(home.evidence)
    assert os.environ["MI_HOME"] == before
    assert not os.path.exists(home.root)


def test_a_home_leaves_no_variable_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MI_HOME")
    with temporary_home():
        pass
    assert "MI_HOME" not in os.environ


@pytest.mark.parametrize("passing", [True, False])
def test_a_repository_has_one_commit_and_one_test_that_can_be_turned(passing: bool, tmp_path: Path) -> None:
    def check() -> int:
        return subprocess.run(repo.check, shell=True, cwd=repo.path, check=False, capture_output=True).returncode

    with temporary_repository(passing=passing, parent=str(tmp_path)) as repo:
        assert git(Path(repo.path), "rev-list", "--count", "HEAD") == "1"
        assert (check() == 0) is passing
        turn = repo.spoil if passing else repo.mend
        code = Path(repo.path, turn.path)
        code.write_text(code.read_text("utf-8").replace(turn.old, turn.new), "utf-8")
        assert (check() == 0) is not passing
        assert git(Path(repo.path), "status", "--porcelain") == "M calc.py"
    assert list(tmp_path.glob("mi-repository-*")) == []


def test_the_persons_git_configuration_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    config = tmp_path / "gitconfig"
    config.write_text("[commit]\n\tgpgsign = true\n[core]\n\thooksPath = /nowhere\n", "utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    with temporary_repository() as repo:
        assert os.path.isdir(os.path.join(repo.path, ".git"))
