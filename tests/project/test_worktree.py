"""What a batch changed, told apart from what the person had changed before."""

from pathlib import Path

import pytest

from mi.project.worktree import WorktreeWatch
from tests.conftest import git


def test_only_what_changed_since_the_snapshot_counts(repository):
    repo: Path = repository()
    (repo / "mine.txt").write_text("the person's own, not committed\n", "utf-8")
    before = git(repo, "status", "--porcelain")
    with WorktreeWatch(str(repo)) as watch:
        assert watch.step().total.files == []
        (repo / "file.txt").write_text("changed\n", "utf-8")
        (repo / "new.txt").write_text("new\n", "utf-8")
        change = watch.step().total
        assert change.files == ["file.txt", "new.txt"]
        assert "+changed" in change.diff
        assert "2 files changed" in change.stat
        assert not change.incomplete
        (repo / "file.txt").write_text("repo 0\n", "utf-8")
        (repo / "new.txt").unlink()
        assert watch.step().total.files == []
    assert git(repo, "status", "--porcelain") == before


def test_what_git_keeps_for_mi_is_mis_alone(repository, tmp_path: Path):
    repo: Path = repository()
    (repo / "new.txt").write_text("new\n", "utf-8")
    WorktreeWatch(str(repo), str(tmp_path / "kept")).step()
    made = [tmp_path / "kept", *(tmp_path / "kept").rglob("*")]
    assert len(made) > 3
    assert [path for path in made if path.stat().st_mode & 0o077] == []


def test_each_step_tells_what_is_new(repository):
    repo: Path = repository()
    with WorktreeWatch(str(repo)) as watch:
        (repo / "a.txt").write_text("a", "utf-8")
        assert watch.step().latest.files == ["a.txt"]
        (repo / "b.txt").write_text("b", "utf-8")
        step = watch.step()
        assert step.latest.files == ["b.txt"]
        assert step.total.files == ["a.txt", "b.txt"]


def test_the_repository_is_left_alone(repository):
    repo: Path = repository()
    (repo / ".gitignore").write_text("ignored/\n", "utf-8")
    objects = sorted((repo / ".git/objects").rglob("*"))
    index = (repo / ".git/index").read_bytes()
    with WorktreeWatch(str(repo)) as watch:
        (repo / "ignored").mkdir()
        (repo / "ignored/x").write_text("x", "utf-8")
        (repo / "seen.txt").write_text("y", "utf-8")
        assert watch.step().total.files == ["seen.txt"]
    assert sorted((repo / ".git/objects").rglob("*")) == objects
    assert (repo / ".git/index").read_bytes() == index


@pytest.mark.parametrize("in_git", [True, False], ids=["git", "no git"])
def test_the_first_contents_of_a_file_are_known_in_a_folder_of_a_repository(repository, tmp_path, in_git: bool):
    top: Path = repository() if in_git else tmp_path / "plain"
    part = top / "part"
    (part / "tests").mkdir(parents=True)
    (part / "tests/test_a.py").write_text("one\n", "utf-8")
    kept = str(tmp_path / "kept")
    with WorktreeWatch(str(part), kept, lambda path: "test" in path):
        (part / "tests/test_a.py").write_text("two, longer\n", "utf-8")
        (part / "tests/test_b.py").write_text("new\n", "utf-8")
    with WorktreeWatch(str(part), kept, lambda path: "test" in path) as watch:  # as after a kill
        change = watch.step().total
        assert change.files == ["tests/test_a.py", "tests/test_b.py"]
        assert (watch.first_text("tests/test_a.py"), watch.first_text("tests/test_b.py")) == ("one\n", None)
        assert watch.text("tests/test_a.py") == "two, longer\n"
        for diff in (change.diff, watch.text_diff(change.files)):
            assert "-one\n+two, longer" in diff
            assert "--- /dev/null\n+++ b/tests/test_b.py" in diff


def test_a_commit_by_the_agent_is_still_a_change(repository):
    repo: Path = repository()
    with WorktreeWatch(str(repo)) as watch:
        (repo / "file.txt").write_text("committed\n", "utf-8")
        git(repo, "commit", "-qam", "by the agent")
        assert watch.step().total.files == ["file.txt"]


def test_a_repository_without_commits(repository):
    repo: Path = repository(commits=0)
    with WorktreeWatch(str(repo)) as watch:
        (repo / "a.txt").write_text("a", "utf-8")
        assert watch.step().total.files == ["a.txt"]


def test_a_project_inside_a_repository_sees_its_own_changes(repository):
    repo: Path = repository()
    (repo / "sub").mkdir()
    with WorktreeWatch(str(repo / "sub")) as watch:
        (repo / "sub/a.txt").write_text("a", "utf-8")
        (repo / "other.txt").write_text("b", "utf-8")
        assert watch.step().total.files == ["a.txt"]


@pytest.mark.parametrize("broken", [False, True])
def test_outside_git_and_in_a_broken_repository_sizes_and_times_tell(tmp_path: Path, broken: bool):
    folder = tmp_path / "plain"
    folder.mkdir()
    if broken:
        (folder / ".git").write_text("gitdir: nowhere\n", "utf-8")
    (folder / "a.txt").write_text("a", "utf-8")
    with WorktreeWatch(str(folder)) as watch:
        assert watch.step().total.files == []
        (folder / "a.txt").write_text("abc", "utf-8")
        (folder / "b.txt").write_text("b", "utf-8")
        assert watch.step().total.files == ["a.txt", "b.txt"]
