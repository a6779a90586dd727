"""`mi restore` and `mi diff`: the files as a run found them, and nothing lost on the way."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from mi.evidence.log import EvidenceWriter
from mi.evidence.records.run import LeftOutFile, RunStart, TreeSnapshot
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.project.identity import identify, make_project_id
from mi.project.snapshots import END, open_store, take_snapshot
from mi.project.tree_writer import TreeWriter
from tests.conftest import Mi, git

RUN = "run_20261117T100000_aaaaaaaa"
SECRET = "password = 'hunter2-" + "correct-horse-battery'\n"
Keep = Callable[..., None]


@pytest.fixture
def keep(home: Home) -> Keep:
    """Keeps the work tree as a run does before a batch, and records it."""

    def take(root: Path, batch: str = "b1", run: str = RUN) -> None:
        place = home.project(make_project_id(identify(os.path.realpath(root)).key))
        store = open_store(str(root), place.snapshots)
        taken = take_snapshot(TreeWriter(str(root), place.path("trees", run), store), run, batch)
        assert taken.reason == ""
        log = EvidenceWriter.resume(place.evidence, run, Notices())
        if batch == "b1":
            log.append(RunStart(task="mend it", project_root=str(root)))
        left_out = [LeftOutFile(path=left.path, why=left.why) for left in taken.left_out]
        log.append(TreeSnapshot(of=batch, commit=taken.commit, tree=taken.tree, left_out=left_out))

    return take


def read(root: Path) -> dict[str, str]:
    """Every file and link below a folder but git's own, with its content."""
    found = {}
    for place in sorted(root.rglob("*")):
        if ".git" in place.relative_to(root).parts[:1]:
            continue
        if place.is_symlink():
            found[str(place.relative_to(root))] = f"-> {os.readlink(place)}"
        elif place.is_file():
            found[str(place.relative_to(root))] = place.read_bytes().decode("utf-8", "replace")
    return found


def write(root: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content.encode())


@pytest.mark.req("person.net.restore", "person.net.restore-keeps")
def test_everything_an_agent_did_is_put_back_and_can_be_had_again(mi: Mi, repository, keep: Keep) -> None:
    repo: Path = repository()
    write(
        repo,
        {"file.txt": "an hour of work\n", "new.txt": "untracked\n", "sub/deep.txt": "x\n", ".gitignore": "*.log\n"},
    )
    (repo / "run.sh").write_text("#!/bin/sh\n", "utf-8")
    (repo / "run.sh").chmod(0o755)
    (repo / "link").symlink_to("file.txt")
    write(repo, {"out.log": "ignored\n"})
    before = read(repo)
    keep(repo)
    git(repo, "reset", "-q", "--hard")
    git(repo, "clean", "-qfdx")
    write(repo, {"made/by/agent.txt": "junk\n", "file.txt": "overwritten\n", "out.log": "ignored again\n"})
    after = read(repo)
    done = mi("restore", "last", "--yes", "--json", cwd=repo)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["applied"], told["removed"]) == (True, ["made/by/agent.txt"])
    assert told["left"] == [{"path": "out.log", "why": "ignored"}]
    assert read(repo) == before | {"out.log": "ignored again\n"}
    assert os.access(repo / "run.sh", os.X_OK)
    assert not (repo / "made").exists()
    again = mi("restore", told["kept"], "--yes", cwd=repo)
    assert again.returncode == 0, again.stderr
    assert read(repo) == after


@pytest.mark.req("person.net.restore-asks")
def test_the_difference_is_shown_first_and_without_a_yes_nothing_changes(mi: Mi, repository, keep: Keep) -> None:
    repo: Path = repository()
    keep(repo)
    write(repo, {"file.txt": "changed\n", "more.txt": "new\n"})
    before = read(repo)
    done = mi("restore", RUN, cwd=repo)
    assert done.returncode == 3
    assert "put back  file.txt" in done.stdout
    assert "more.txt" in done.stdout
    assert f"mi restore {RUN} --yes" in done.stderr
    assert read(repo) == before
    assert git(repo, "for-each-ref", "--format=%(refname)", "refs/mi/").split() == [f"refs/mi/{RUN}/b1"]


@pytest.mark.req("person.net.restore")
def test_only_the_paths_that_are_named_are_put_back(mi: Mi, repository, keep: Keep) -> None:
    repo: Path = repository()
    write(repo, {"a/x": "1", "a/y": "1", "b/x": "1"})
    keep(repo)
    write(repo, {"a/x": "2", "a/y": "2", "b/x": "2", "a/new": "2"})
    told = json.loads(mi("restore", "b1", "x", "../b", "--yes", "--json", cwd=repo / "a").stdout)
    assert (told["put_back"], told["elsewhere"]) == (["a/x", "b/x"], 2)
    assert read(repo) == {"a/x": "1", "a/y": "2", "b/x": "1", "a/new": "2", "file.txt": "repo 0\n"}


@pytest.mark.req("person.net.restore-outside-git", "person.net.restore-keeps")
def test_outside_of_git_it_works_from_the_copy(mi: Mi, tmp_path: Path, keep: Keep) -> None:
    root = tmp_path / "plain"
    write(root, {"notes.txt": "mine\n", "deep/er.txt": "mine\n"})
    keep(root)
    shutil.rmtree(root / "deep")
    write(root, {"notes.txt": "lost\n", "junk.txt": "junk\n"})
    told = json.loads(mi("restore", RUN, "--yes", "--json", cwd=root).stdout)
    assert read(root) == {"notes.txt": "mine\n", "deep/er.txt": "mine\n"}
    assert mi("restore", told["kept"], "--yes", cwd=root).returncode == 0
    assert read(root) == {"notes.txt": "lost\n", "junk.txt": "junk\n"}


@pytest.mark.req("person.net.diff")
def test_what_a_run_and_what_a_batch_did(mi: Mi, repository, keep: Keep) -> None:
    repo: Path = repository()
    keep(repo, "b1")
    write(repo, {"file.txt": "first\n"})
    keep(repo, "b2")
    write(repo, {"new.txt": "second\n"})
    keep(repo, END)
    write(repo, {"later.txt": "the person's own\n"})
    of_run = json.loads(mi("diff", RUN, "--json", cwd=repo).stdout)
    assert of_run["changes"] == [
        {"path": "file.txt", "kind": "changed", "added": 1, "removed": 1, "was": ""},
        {"path": "new.txt", "kind": "added", "added": 1, "removed": 0, "was": ""},
    ]
    patches = {ref: mi("diff", ref, cwd=repo).stdout for ref in ("b1", f"{RUN}/b2", "last")}
    assert ["+first" in patch for patch in patches.values()] == [True, False, True]
    assert ["+second" in patch for patch in patches.values()] == [False, True, True]
    assert "later.txt" in mi("diff", "last", "--now", "--stat", cwd=repo).stdout
    assert "file.txt" not in mi("diff", "last", "new.txt", cwd=repo).stdout
