"""What counts as a repository."""

from collections.abc import Callable
from pathlib import Path

from mi.kernel.git import find_toplevel


def test_an_empty_folder_called_git_makes_no_repository(tmp_path: Path, repository: Callable[..., Path]) -> None:
    (tmp_path / "plain" / ".git").mkdir(parents=True)
    assert find_toplevel(str(tmp_path / "plain")) != str(tmp_path / "plain")
    repo = repository()
    (repo / "sub" / ".git").mkdir(parents=True)
    assert find_toplevel(str(repo / "sub")) == str(repo)
