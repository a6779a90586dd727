"""The never-lose net: a work tree kept before each batch, and nothing else of the repository touched."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mi.kernel.home import Home
from mi.project import snapshots
from mi.project.left_out import KeepRules
from mi.project.snapshots import TakenSnapshot, find_old, list_snapshots, open_store, remove_snapshots, take_snapshot
from mi.project.tree_writer import TreeWriter
from mi.project.trees import GitTree
from tests.conftest import git

SECRET = "password = 'hunter2-" + "correct-horse-battery'\n"


@pytest.fixture
def open_writer(home: Home) -> Callable[..., TreeWriter]:
    def make(root: Path, run: str = "run_1", keep: KeepRules = KeepRules()) -> TreeWriter:  # noqa: B008
        store = open_store(str(root), home.path("own-snapshots"))
        return TreeWriter(str(root), home.path("trees", run), store, keep)

    return make


def files_of(root: Path, kept: TakenSnapshot) -> dict[str, bytes | None]:
    env = {} if (root / ".git").exists() else {"GIT_DIR": kept.place}
    tree = GitTree(str(root), kept.tree, env)
    return {path: tree.read(path) for path in tree.paths()}


def why_left_out(kept: TakenSnapshot) -> dict[str, str]:
    return {left.path: left.why for left in kept.left_out}


def untouched(repo: Path) -> dict[str, bytes]:
    """Everything in `.git` but the contents and MI's own references."""
    names = [path for path in (repo / ".git").rglob("*") if path.is_file()]
    inside = {str(path.relative_to(repo / ".git")): path.read_bytes() for path in names}
    return {name: data for name, data in inside.items() if not name.startswith(("objects/", "refs/mi/"))}


@pytest.mark.req("person.net.whole-tree", "person.net.refs-only")
def test_the_whole_work_tree_is_kept_and_the_rest_of_the_repository_left_alone(repository, open_writer):
    repo: Path = repository()
    (repo / ".gitignore").write_text("*.log\n", "utf-8")
    (repo / "staged").write_text("staged", "utf-8")
    git(repo, "add", "staged")
    (repo / "file.txt").write_text("changed\n", "utf-8")
    (repo / "new.txt").write_text("untracked\n", "utf-8")
    (repo / "out.log").write_text("ignored", "utf-8")
    hook = repo / ".git/hooks/reference-transaction"
    hook.write_text("#!/bin/sh\ntouch hooked\n", "utf-8")
    hook.chmod(0o755)
    git(repo, "config", "commit.gpgSign", "true")
    git(repo, "config", "core.logAllRefUpdates", "always")
    before, status = untouched(repo), git(repo, "status", "--porcelain")
    kept = take_snapshot(open_writer(repo), "run_1", "b1")
    assert kept.reason == ""
    assert files_of(repo, kept) == {
        ".gitignore": b"*.log\n",
        "staged": b"staged",
        "file.txt": b"changed\n",
        "new.txt": b"untracked\n",
    }
    assert (untouched(repo), git(repo, "status", "--porcelain")) == (before, status)
    assert git(repo, "rev-parse", "refs/mi/run_1/b1", "refs/mi/run_1/b1^").split() == [
        kept.commit,
        git(repo, "rev-parse", "HEAD"),
    ]
    assert not (repo / "hooked").exists()


@pytest.mark.req("person.net.whole-tree")
def test_the_kept_state_can_be_had_back_after_everything_was_thrown_away(repository, open_writer):
    repo: Path = repository()
    (repo / "file.txt").write_text("an hour of work\n", "utf-8")
    (repo / "new.txt").write_text("untracked\n", "utf-8")
    kept = take_snapshot(open_writer(repo), "run_1", "b1")
    git(repo, "reset", "-q", "--hard")
    git(repo, "clean", "-qfd")
    git(repo, "gc", "-q", "--prune=now")
    assert files_of(repo, kept) == {"file.txt": b"an hour of work\n", "new.txt": b"untracked\n"}


@pytest.mark.req("judge.rules.frozen")
@pytest.mark.parametrize("rules", [".gitignore", "sub/.gitignore", ".git/info/exclude", "sub/deep/.gitignore"])
def test_rules_that_are_written_later_hide_nothing(repository, open_writer, rules: str):
    repo: Path = repository()
    (repo / "sub/deep").mkdir(parents=True)
    (repo / "sub/deep/kept").write_text("1", "utf-8")
    (repo / "sub/.gitignore").write_text("*.o\n!keep.o\n/top.x\n", "utf-8")
    writer = open_writer(repo)
    take_snapshot(writer, "run_1", "b1")
    (repo / rules).write_text("*\n", "utf-8")
    for name in ("sub/deep/conftest.py", "sub/deep/a.o", "sub/keep.o", "sub/top.x", "sub/deep/top.x"):
        (repo / name).write_text(name, "utf-8")
    seen = set(files_of(repo, take_snapshot(open_writer(repo), "run_1", "b2")))
    assert seen - {rules} == {"file.txt", "sub/deep/conftest.py", "sub/deep/kept", "sub/keep.o", "sub/deep/top.x"} | (
        {"sub/.gitignore"} - {rules}
    )


@pytest.mark.req("judge.rules.frozen")
def test_what_ignored_itself_at_the_start_stays_out_and_new_folders_that_do_so_are_seen(repository, open_writer):
    repo: Path = repository()
    for name in ("tool", "later"):
        if name == "later":
            take_snapshot(open_writer(repo), "run_1", "b1")
        (repo / name).mkdir()
        (repo / name / ".gitignore").write_text("*\n", "utf-8")
        (repo / name / "x.py").write_text("x", "utf-8")
    cache = repo / ".tool_cache"
    cache.mkdir()
    (cache / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n", "utf-8")
    (cache / "data").write_text("x", "utf-8")
    (repo / "__pycache__").mkdir()
    (repo / "__pycache__/x.pyc").write_text("x", "utf-8")
    seen = set(files_of(repo, take_snapshot(open_writer(repo), "run_1", "b2")))
    assert seen == {"file.txt", "later/.gitignore", "later/x.py"}


@pytest.mark.req("judge.rules.frozen", "person.net.refs-only")
def test_no_filter_runs_and_attributes_that_are_written_later_change_nothing(repository, open_writer):
    repo: Path = repository()
    git(repo, "config", "filter.evil.clean", f"touch {repo}/ran; echo instead")
    (repo / ".gitattributes").write_text("*.txt filter=evil\n*.bat eol=crlf\n", "utf-8")
    (repo / "a.txt").write_text("real\n", "utf-8")
    (repo / "a.bat").write_bytes(b"echo 1\r\n")
    writer = open_writer(repo)
    first = files_of(repo, take_snapshot(writer, "run_1", "b1"))
    (repo / ".gitattributes").write_text("*.py text eol=crlf\n*.txt filter=evil\n", "utf-8")
    (repo / "b.py").write_bytes(b"x = 1\r\n")
    (repo / "a.bat").write_bytes(b"echo 2\r\n")
    second = files_of(repo, take_snapshot(writer, "run_1", "b2"))
    assert (first["a.txt"], first["a.bat"]) == (b"real\n", b"echo 1\n")  # line ends as git stores them
    assert (second["b.py"], second["a.bat"]) == (b"x = 1\r\n", b"echo 2\n")
    assert not (repo / "ran").exists()


@pytest.mark.req("person.net.left-out")
def test_large_and_secret_untracked_files_are_left_out_and_named(repository, open_writer):
    repo: Path = repository()
    (repo / "key.pem").write_text(SECRET, "utf-8")
    (repo / "big").write_bytes(b"x" * 2000)
    git(repo, "add", "-A")
    for name in ("env", "large", "small"):
        (repo / name).write_text({"env": SECRET, "large": "x" * 2000, "small": "x"}[name], "utf-8")
    (repo / "key.pem").write_text(SECRET + "more", "utf-8")
    kept = take_snapshot(open_writer(repo, keep=KeepRules(max_file=1000)), "run_1", "b1")
    assert why_left_out(kept) == {"env": "secret", "large": "large"}
    assert set(files_of(repo, kept)) == {"file.txt", "key.pem", "big", "small"}
    assert files_of(repo, kept)["key.pem"] == (SECRET + "more").encode()
    printed = ("git", "cat-file", "--batch-all-objects", "--batch")
    everything = subprocess.run(printed, cwd=repo, capture_output=True, check=True).stdout
    assert everything.count(SECRET.encode()) == 2  # the tracked file, before and after
    keeping = open_writer(repo, "run_2", KeepRules(max_file=1000, secrets="keep"))
    assert why_left_out(take_snapshot(keeping, "run_2", "b1")) == {"large": "large"}


@pytest.mark.req("person.net.left-out")
def test_a_kept_file_that_grows_or_takes_a_secret_is_left_out_then(repository, open_writer):
    repo: Path = repository()
    for name in ("grows", "takes"):
        (repo / name).write_text("small", "utf-8")
    writer = open_writer(repo, keep=KeepRules(max_file=1000))
    assert why_left_out(take_snapshot(writer, "run_1", "b1")) == {}
    (repo / "grows").write_bytes(b"x" * 2000)
    (repo / "takes").write_text(SECRET, "utf-8")
    kept = take_snapshot(writer, "run_1", "b2")
    assert why_left_out(kept) == {"grows": "large", "takes": "secret"}
    assert set(files_of(repo, kept)) == {"file.txt"}


@pytest.mark.req("person.net.left-out")
def test_two_gigabytes_are_left_out_without_being_read(repository, open_writer):
    repo: Path = repository()
    with open(repo / "disk.img", "wb") as file:
        file.truncate(2 << 30)
    kept = take_snapshot(open_writer(repo), "run_1", "b1")
    assert why_left_out(kept) == {"disk.img": "large"}


@pytest.mark.req("person.net.left-out")
def test_repositories_inside_are_named(repository, open_writer):
    repo: Path = repository()
    inner: Path = repository("inner")
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "sub")
    git(repo, "commit", "-q", "-m", "sub")
    writer = open_writer(repo)
    assert why_left_out(take_snapshot(writer, "run_1", "b1")) == {}
    (repo / "sub/file.txt").write_text("dirty", "utf-8")
    (repo / "own").mkdir()
    git(repo / "own", "init", "-q")
    (repo / "own/x").write_text("x", "utf-8")
    git(repo / "own", "add", "-A")
    git(repo / "own", "commit", "-q", "-m", "own")
    kept = take_snapshot(writer, "run_1", "b2")
    assert why_left_out(kept) == {"own": "repository", "sub": "submodule"}


@pytest.mark.parametrize("state", ["no commit", "detached", "work tree", "sha256", "split index", "assume unchanged"])
def test_every_state_of_a_repository_can_be_kept(tmp_path: Path, repository, open_writer, state: str):
    repo: Path = repository()
    match state:
        case "no commit":
            shutil.rmtree(repo / ".git")
            git(repo, "init", "-q")
        case "sha256":
            shutil.rmtree(repo / ".git")
            git(repo, "init", "-q", "--object-format=sha256")
        case "detached":
            git(repo, "checkout", "-q", "--detach")
        case "work tree":
            git(repo, "worktree", "add", "-q", "-b", "other", str(tmp_path / "linked"))
            repo = tmp_path / "linked"
        case "split index":
            git(repo, "update-index", "--split-index")
        case "assume unchanged":
            git(repo, "update-index", "--assume-unchanged", "file.txt")
    (repo / "file.txt").write_text("changed\n", "utf-8")
    (repo / "new").write_text("new\n", "utf-8")
    kept = take_snapshot(open_writer(repo), "run_1", "b1")
    assert kept.reason == ""
    assert files_of(repo, kept) == {"file.txt": b"changed\n", "new": b"new\n"}
    assert git(repo, "rev-parse", "refs/mi/run_1/b1") == kept.commit


def test_a_pointer_to_a_large_file_stays_one_until_the_file_changes(repository, open_writer):
    repo: Path = repository()
    content = b"large" * 1000
    digest = subprocess.run(["sha256sum"], input=content, capture_output=True, check=True).stdout.split()[0]
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n" % (digest, len(content))
    (repo / ".gitattributes").write_text("*.bin filter=lfs diff=lfs\n", "utf-8")
    (repo / "a.bin").write_bytes(pointer)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "pointer")
    (repo / "a.bin").write_bytes(content)  # as the filter of the vendor leaves it
    writer = open_writer(repo)
    assert files_of(repo, take_snapshot(writer, "run_1", "b1"))["a.bin"] == pointer
    (repo / "a.bin").write_bytes(b"other")
    assert files_of(repo, take_snapshot(writer, "run_1", "b2"))["a.bin"] == b"other"


@pytest.mark.req("person.net.outside-git")
def test_a_project_outside_of_git_is_kept_in_the_home(tmp_path: Path, home: Home, open_writer):
    plain = tmp_path / "plain"
    (plain / "node_modules").mkdir(parents=True)
    (plain / "node_modules/x.js").write_text("x", "utf-8")
    (plain / "a.txt").write_text("1", "utf-8")
    writer = open_writer(plain)
    kept = take_snapshot(writer, "run_1", "b1")
    assert (kept.reason, kept.place) == ("", home.path("own-snapshots"))
    (plain / "a.txt").unlink()
    assert files_of(plain, kept) == {"a.txt": b"1"}
    assert sorted(os.listdir(plain)) == ["node_modules"]
    assert writer.store is not None
    assert remove_snapshots(writer.store, list_snapshots(writer.store)) == ""
    assert not os.path.exists(home.path("own-snapshots"))


@pytest.mark.req("person.net.failure-is-a-value")
def test_a_failure_is_a_value_with_a_reason(repository, open_writer, monkeypatch):
    repo: Path = repository()
    writer = open_writer(repo)
    (repo / ".git/refs/mi").write_text("a file where a folder must be", "utf-8")
    kept = take_snapshot(writer, "run_1", "b1")
    assert kept.commit == ""
    assert "refs/mi" in kept.reason
    shutil.rmtree(repo / ".git/objects")
    assert take_snapshot(open_writer(repo, "run_2"), "run_2", "b1").reason
    monkeypatch.setenv("PATH", "")
    assert "git" in take_snapshot(open_writer(repo, "run_3"), "run_3", "b1").reason


def test_a_snapshot_that_was_removed_meanwhile_is_made_anew(repository, open_writer):
    repo: Path = repository()
    (repo / "new").write_text("new\n", "utf-8")
    writer = open_writer(repo)
    take_snapshot(writer, "run_1", "b1")
    git(repo, "update-ref", "-d", "refs/mi/run_1/b1")
    git(repo, "gc", "-q", "--prune=now")
    kept = take_snapshot(writer, "run_1", "b2")
    assert (kept.reason, kept.tree) == ("", git(repo, "rev-parse", "refs/mi/run_1/b2^{tree}"))


def test_the_same_state_is_kept_once(repository, open_writer):
    repo: Path = repository()
    first = take_snapshot(open_writer(repo), "run_1", "b1")
    again = take_snapshot(open_writer(repo), "run_1", "b1")
    assert (first.is_first, again.is_first) == (True, False)
    assert first.commit == again.commit
    assert [(kept.run_id, kept.batch_id) for kept in list_snapshots(open_store(str(repo), ""))] == [("run_1", "b1")]


@pytest.mark.req("person.net.gc")
def test_old_snapshots_are_found_and_removed(repository, open_writer, monkeypatch):
    repo: Path = repository()
    writer = open_writer(repo)
    for name, date in (("b1", time.time() - 31 * 86400), ("b2", time.time())):
        (repo / "file.txt").write_text(name, "utf-8")
        dated = snapshots._IDENTITY | {"GIT_COMMITTER_DATE": f"@{int(date)} +0000"}
        monkeypatch.setattr(snapshots, "_IDENTITY", dated)
        assert take_snapshot(writer, "run_1", name).reason == ""
    assert writer.store is not None
    old = find_old(writer.store)
    assert [kept.batch_id for kept in old] == ["b1"]
    assert remove_snapshots(writer.store, old) == ""
    assert [kept.batch_id for kept in list_snapshots(writer.store)] == ["b2"]


@pytest.mark.req("person.net.whole-tree")
def test_a_tracked_file_that_git_passes_over_is_kept_as_it_is(repository, open_writer):
    repo: Path = repository()
    git(repo, "update-index", "--skip-worktree", "file.txt")
    (repo / "file.txt").write_text("settings of this machine\n", "utf-8")
    kept = take_snapshot(open_writer(repo), "run_1", "b1")
    assert files_of(repo, kept) == {"file.txt": b"settings of this machine\n"}
    assert git(repo, "ls-files", "-v") == "S file.txt"


@pytest.mark.req("person.net.gc")
def test_a_new_run_does_not_share_the_age_of_an_old_one(repository, open_writer, monkeypatch):
    repo: Path = repository()
    today, writer = snapshots._IDENTITY, open_writer(repo)
    date = int(time.time()) - 29 * 86400
    monkeypatch.setattr(snapshots, "_IDENTITY", today | {"GIT_COMMITTER_DATE": f"@{date} +0000"})
    take_snapshot(writer, "run_1", "b1")
    monkeypatch.setattr(snapshots, "_IDENTITY", today)
    take_snapshot(open_writer(repo, "run_2"), "run_2", "b1")  # nothing has changed since
    assert writer.store is not None
    assert [kept.run_id for kept in find_old(writer.store, days=20)] == ["run_1"]


KILLED = """
import os, signal, sys
from mi.kernel import git
from mi.project.snapshots import open_store, take_snapshot
from mi.project.tree_writer import TreeWriter
root, folder, at = sys.argv[1:]
real = git.start
def start(cwd, *args, **more):
    if args[0] == at and (at != "ls-files" or "-v" in args):
        open(os.path.join(folder, "index.lock"), "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return real(cwd, *args, **more)
git.start = start
take_snapshot(TreeWriter(root, folder, open_store(root, "")), "run_1", "b1")
"""


@pytest.mark.req("person.net.resumes")
@pytest.mark.parametrize("at", ["ls-files", "update-index", "write-tree", "commit-tree", "update-ref"])
def test_a_kill_at_any_point_leaves_nothing_in_the_way(repository, home: Home, open_writer, at: str):
    repo: Path = repository()
    (repo / "new").write_text("new\n", "utf-8")
    before = untouched(repo)
    done = subprocess.run([sys.executable, "-c", KILLED, str(repo), home.path("trees", "run_1"), at], check=False)
    assert done.returncode == -9
    assert untouched(repo) == before
    kept = take_snapshot(open_writer(repo), "run_1", "b1")
    assert (kept.reason, set(files_of(repo, kept))) == ("", {"file.txt", "new"})
