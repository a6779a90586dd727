import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from mi.kernel import git
from tests.conftest import git as run_git


def script(folder: Path, name: str, content: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{content}\n", "utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_the_work_tree_is_found_from_below_and_through_links(repository, tmp_path):
    repo = repository()
    (repo / "a/b").mkdir(parents=True)
    (tmp_path / "link").symlink_to(repo / "a")
    assert git.find_toplevel(str(repo / "a/b")) == str(repo)
    assert git.find_toplevel(str(tmp_path / "link")) == str(repo)
    assert git.find_toplevel(str(tmp_path)) is None


def test_an_empty_folder_named_git_is_no_repository(repository):
    """Sandboxes of agents leave such folders behind, also above projects; git itself passes them over."""
    repo = repository()
    (repo / "a/b/.git").mkdir(parents=True)
    assert git.find_toplevel(str(repo / "a/b")) == str(repo)
    worktree = repo.parent / "worktree"
    run_git(repo, "worktree", "add", "-q", str(worktree))
    assert git.find_toplevel(str(worktree)) == str(worktree)
    assert git.observe(str(worktree)).incomplete == ()


def test_names_are_shown_as_people_wrote_them(repository):
    repo = repository()
    (repo / "购物车.py").write_text("x = 1\n", "utf-8")
    assert git.observe(str(repo)).status == "?? 购物车.py"


def test_observation_shows_head_status_and_diffs(repository):
    repo = repository(commits=2)
    (repo / "file.txt").write_text("changed\n", "utf-8")
    (repo / "staged.txt").write_text("new\n", "utf-8")
    run_git(repo, "add", "staged.txt")
    (repo / "未跟踪.txt").write_text("new\n", "utf-8")
    seen = git.observe(str(repo))
    assert seen.is_repo
    assert seen.root == str(repo)
    assert seen.head == run_git(repo, "rev-parse", "HEAD")
    assert {line[:2] for line in seen.status.splitlines()} == {" M", "A ", "??"}
    assert "file.txt" in seen.diff_stat
    assert "staged.txt" in seen.cached_stat
    assert seen.incomplete == ()


def test_a_repository_without_a_commit_is_seen_completely(repository):
    repo = repository(commits=0)
    seen = git.observe(str(repo))
    assert (seen.is_repo, seen.head, seen.incomplete) == (True, "", ())


@pytest.mark.req("mi.obs.no-git")
def test_outside_a_repository_and_without_git(tmp_path, repository, monkeypatch):
    assert git.observe(str(tmp_path)) == git.Observation(False, "", "", "", "", "", ())
    repo = repository()
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert git.run(str(repo), "status") == git.GitOutput(None, "", False)
    seen = git.observe(str(repo))
    assert (seen.is_repo, seen.root, seen.status) == (True, str(repo), "")
    assert seen.incomplete == ("head", "status", "diff_stat", "cached_stat")


@pytest.mark.req("mi.obs.repo-huge")
def test_a_broken_repository_is_not_taken_for_a_clean_one(repository):
    repo = repository()
    (repo / "file.txt").write_text("changed\n", "utf-8")
    (repo / ".git/index").write_bytes(b"not an index")
    seen = git.observe(str(repo))
    assert seen.head == run_git(repo, "rev-parse", "HEAD")
    assert seen.status == ""
    assert set(seen.incomplete) == {"status", "diff_stat", "cached_stat"}
    (repo / ".git/HEAD").write_bytes(b"\xff\x00")
    assert set(git.observe(str(repo)).incomplete) == {"head", "status", "diff_stat", "cached_stat"}


@pytest.mark.req("mi.obs.repo-huge")
def test_a_stray_git_file_breaks_nothing(tmp_path):
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd/.git").write_text("not a gitdir line", "utf-8")
    seen = git.observe(str(tmp_path / "odd"))
    assert (seen.is_repo, seen.status) == (True, "")
    assert "status" in seen.incomplete


@pytest.mark.req("mi.obs.repo-bounded", "mi.obs.repo-huge")
def test_output_is_taken_up_to_a_bound_and_said_to_be_cut(repository):
    repo = repository()
    for number in range(300):
        (repo / f"{'long name ' * 10}{number}").write_bytes(b"")
    answer = git.run(str(repo), "status", "--porcelain", max_bytes=1000)
    assert (answer.code, len(answer.output), answer.cut) == (0, 1000, True)
    assert git.run(str(repo), "status", "--porcelain").cut is False


@pytest.mark.req("mi.obs.repo-bounded")
def test_a_git_that_does_not_answer_is_stopped_with_all_it_started(repository, tmp_path, monkeypatch):
    repo = repository()
    script(tmp_path / "bin", "git", f'sleep 600 & echo $! > "{tmp_path}/child"; wait')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    answer = git.run(str(repo), "status", timeout_s=0.3)
    assert (answer.code, answer.cut) == (None, False)
    child = int((tmp_path / "child").read_text("utf-8"))
    assert _is_gone(child)


def _is_gone(pid: int) -> bool:
    """Whether a process ended; one that nobody has collected yet counts as ended."""
    for _ in range(100_000):
        try:
            if Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] == "Z":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
    return False


@pytest.mark.req("mi.obs.repo-submodules")
def test_submodules_do_not_disturb(repository):
    inner, outer = repository("inner"), repository("outer")
    run_git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "sub")
    run_git(outer, "commit", "-q", "-m", "with submodule")
    (outer / "sub/file.txt").write_text("changed inside\n", "utf-8")
    (outer / "file.txt").write_text("changed outside\n", "utf-8")
    seen = git.observe(str(outer))
    assert seen.status == " M file.txt"
    assert seen.incomplete == ()
    assert git.find_toplevel(str(outer / "sub")) == str(outer / "sub")
    assert git.observe(str(outer / "sub")).status == " M file.txt"


def test_looking_runs_nothing_that_the_repository_configures(repository, tmp_path):
    repo = repository()
    ran = tmp_path / "ran"
    evil = script(tmp_path / "evil", "evil", f'echo "$@" >> "{ran}"; cat')
    (repo / ".gitattributes").write_text("*.txt filter=evil diff=evil\n*.md filter=two=parts\n", "utf-8")
    (repo / "page.md").write_text("one\n", "utf-8")
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "attributes")
    for key in (
        *("core.fsmonitor", "core.pager", "diff.external", "diff.evil.textconv", "diff.evil.command"),
        *("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "filter.two=parts.clean"),
    ):
        run_git(repo, "config", key, str(evil))
    run_git(repo, "config", "filter.evil.required", "true")
    script(repo / ".git/hooks", "post-index-change", str(evil))
    (repo / "file.txt").write_text("repo 9\n", "utf-8")  # of the same size: git has to look inside
    (repo / "page.md").write_text("two\n", "utf-8")
    seen = git.observe(str(repo))
    assert not ran.exists()
    assert (seen.status, seen.incomplete) == (" M file.txt\n M page.md", ())


def test_the_trap_of_the_test_above_does_snap(repository, tmp_path):
    """Plain git would run the filter: else the test above proves nothing."""
    repo = repository()
    evil = script(tmp_path / "evil", "evil", f'touch "{tmp_path / "ran"}"; cat')
    (repo / ".gitattributes").write_text("*.txt filter=evil\n", "utf-8")
    run_git(repo, "config", "filter.evil.clean", str(evil))
    (repo / "file.txt").write_text("repo 9\n", "utf-8")
    run_git(repo, "status")
    assert (tmp_path / "ran").exists()


def test_the_persons_own_filters_stay(repository, tmp_path, monkeypatch):
    repo = repository()
    script(tmp_path / "own", "upper", "tr a-z A-Z")
    (tmp_path / "gitconfig").write_text(f'[filter "up"]\n\tclean = {tmp_path}/own/upper\n', "utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    (repo / ".gitattributes").write_text("*.up filter=up\n", "utf-8")
    (repo / "x.up").write_text("text\n", "utf-8")
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "filtered")
    (repo / "x.up").write_text("TEXT\n", "utf-8")
    assert git.observe(str(repo)).status == ""


def test_a_hook_of_another_repository_does_not_turn_the_question(repository, monkeypatch):
    repo, other = repository("repo"), repository("other")
    (other / "file.txt").write_text("changed\n", "utf-8")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git/index"))
    seen = git.observe(str(repo))
    monkeypatch.undo()
    assert (seen.head, seen.status) == (run_git(repo, "rev-parse", "HEAD"), "")


@pytest.mark.parametrize("settings", [{"core.worktree": "../other"}, {"core.bare": "true"}])
def test_settings_of_the_repository_do_not_turn_the_question(repository, settings):
    repo, other = repository("repo"), repository("other")
    (repo / "sub").mkdir()
    (repo / "sub/file.txt").write_text("new\n", "utf-8")
    (other / "other.txt").write_text("new\n", "utf-8")
    for key, value in settings.items():
        run_git(repo, "config", key, value)
    seen = git.observe(str(repo / "sub"))
    assert (seen.status, seen.incomplete) == ("?? sub/", ())


def test_settings_from_the_environment_stay(repository, monkeypatch):
    repo = repository()
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "mi.probe")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "theirs")
    assert git.run(str(repo), "config", "mi.probe").output == "theirs\n"
    assert git.run(str(repo), "config", "mi.other", settings={"mi.other": "ours"}).output == "ours\n"


@pytest.mark.parametrize("place", ["repo", "worktree"])
def test_looking_writes_nothing(repository, tmp_path, monkeypatch, place):
    repo = repository()
    index = repo / ".git/index"
    if place == "worktree":
        run_git(repo, "worktree", "add", "-q", str(tmp_path / "worktree"))
        repo, index = tmp_path / "worktree", repo / ".git/worktrees/worktree/index"
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    os.utime(repo / "file.txt", (1_000_000_000, 1_000_000_000))  # a plain `git status` would refresh the index
    before = index.read_bytes()
    seen = git.observe(str(repo))
    assert (seen.diff_stat, seen.incomplete) == ("", ())
    assert index.read_bytes() == before
    assert os.listdir(tmp_path / "temporary") == []
    subprocess.run(["git", "-C", repo, "status"], check=True, capture_output=True)
    assert index.read_bytes() != before


def test_looking_needs_no_place_for_temporary_files(repository, monkeypatch):
    repo = repository()
    (repo / "file.txt").write_text("changed\n", "utf-8")
    monkeypatch.setattr("tempfile.tempdir", "/nowhere")
    seen = git.observe(str(repo))
    assert (seen.status, seen.incomplete) == (" M file.txt", ())


@pytest.mark.parametrize("name", [".gitignore", ".gitattributes", ".git/info/exclude"])
def test_git_is_not_asked_about_files_where_it_would_wait_for_a_pipe(repository, name):
    repo = repository()
    (repo / name).unlink(missing_ok=True)
    os.mkfifo(repo / name)
    answer = git.run_bytes(str(repo), "ls-files", "-o", "--exclude-standard")
    assert (answer.code, answer.output) == (None, b"")
    assert answer.error.startswith(f"{repo / name}: a named pipe stands in the place")
    assert git.run(str(repo), "rev-parse", "HEAD").code == 0  # which reads none of these files


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process waits for; elsewhere time is up")
def test_a_git_that_waits_for_a_pipe_further_down_is_noticed(repository):
    repo = repository()
    (repo / "sub").mkdir()
    (repo / "sub/new.txt").write_text("new\n", "utf-8")
    os.mkfifo(repo / "sub/.gitignore")
    looks = 0
    with git.start(str(repo), "ls-files", "-o", "--exclude-standard", stdin=subprocess.DEVNULL) as process:
        while not git._waits_for_pipe(process.pid) and process.poll() is None and looks < 1_000_000:
            looks += 1
        assert process.poll() is None
        process.kill()
    assert looks < 1_000_000
