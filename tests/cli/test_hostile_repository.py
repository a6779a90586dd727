"""What an agent writes into a repository's own settings turns no look, no snapshot and no restore elsewhere."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from mi.kernel.home import Home
from mi.project.snapshots import END
from mi.project.worktree import SnapshotNet, WorktreeWatch
from tests.cli.restoring import RUN, Back, Keep, read, write
from tests.conftest import Mi, git

PRECIOUS = {"file.txt": "precious\n", "theirs.txt": "precious\n"}


class Scene:
    """A repository with a run's work in it, another one that is nobody's business, and a program that must not run."""

    def __init__(self, repo: Path, other: Path, folder: Path) -> None:
        self.repo, self.other, self.folder = repo, other, folder
        self.ran = folder / "ran"
        self.evil = folder / "evil"
        self.evil.write_text(f'#!/bin/sh\necho "$0" >> "{self.ran}"\ncat\n', "utf-8")
        self.evil.chmod(0o755)

    def set(self, key: str, value: object) -> None:
        git(self.repo, "config", key, str(value))

    def write(self, name: str, content: str) -> Path:
        write(self.folder, {name: content})
        return self.folder / name


@pytest.fixture
def scene(repository: Callable[..., Path], tmp_path: Path) -> Scene:
    repo, other = repository(), repository("other")
    write(other, PRECIOUS)
    return Scene(repo, other, tmp_path)


def worktree(scene: Scene) -> None:
    scene.set("core.worktree", scene.other)


def nowhere(scene: Scene) -> None:
    scene.set("core.worktree", "/nowhere/at/all")


def bare(scene: Scene) -> None:
    scene.set("core.bare", "true")


def bare_elsewhere(scene: Scene) -> None:
    scene.set("core.worktree", scene.other)
    scene.set("core.bare", "true")


def included(scene: Scene) -> None:
    more = f'[core]\n\tworktree = {scene.other}\n\tfsmonitor = {scene.evil}\n[filter "x"]\n\tclean = {scene.evil}\n'
    scene.set("include.path", scene.write("more.config", more))
    write(scene.repo, {".git/info/attributes": "* filter=x\n"})


def own_of_the_tree(scene: Scene) -> None:
    scene.set("extensions.worktreeConfig", "true")
    write(scene.repo, {".git/config.worktree": f"[core]\n\tworktree = {scene.other}\n\tbare = true\n"})


def monitor(scene: Scene) -> None:
    scene.set("core.fsmonitor", scene.evil)
    scene.set("core.fsmonitorHookVersion", 2)


def hooks(scene: Scene) -> None:
    for name in ("reference-transaction", "post-index-change", "post-checkout"):
        place = scene.folder / "hooks" / name
        place.parent.mkdir(exist_ok=True)
        shutil.copy(scene.evil, place)
    scene.set("core.hooksPath", scene.folder / "hooks")


def filters(scene: Scene) -> None:
    for part in ("clean", "smudge", "process"):
        scene.set(f"filter.x.{part}", scene.evil)
    scene.set("filter.x.required", "true")
    scene.set("core.attributesFile", scene.write("rules", "* filter=x diff=x\n"))
    for part in ("command", "textconv"):
        scene.set(f"diff.x.{part}", scene.evil)


def pagers(scene: Scene) -> None:
    for key in ("core.pager", "pager.diff", "diff.external", "core.editor", "gpg.program", "core.sshCommand"):
        scene.set(key, scene.evil)
    for word in ("diff", "ls-files", "update-index", "checkout-index", "write-tree"):
        scene.set(f"alias.{word}", f"!{scene.evil}")
    scene.set("log.showSignature", "true")


def rules_in_a_pipe(scene: Scene) -> None:
    os.mkfifo(scene.folder / "pipe")
    for key in ("core.attributesFile", "core.excludesFile"):
        scene.set(key, scene.folder / "pipe")


def rules_without_end(scene: Scene) -> None:
    for key in ("core.attributesFile", "core.excludesFile"):
        scene.set(key, "/dev/zero")


def line_ends(scene: Scene) -> None:
    scene.set("core.autocrlf", "true")
    scene.set("core.symlinks", "false")
    scene.set("core.fileMode", "false")


def fetched(scene: Scene) -> None:
    for key, value in {"url": scene.other, "promisor": "true", "uploadpack": scene.evil}.items():
        scene.set(f"remote.origin.{key}", value)
    scene.set("extensions.partialClone", "origin")
    scene.set("core.repositoryFormatVersion", 1)


TRICKS = [
    *(worktree, nowhere, bare, bare_elsewhere, included, own_of_the_tree, monitor, hooks, filters, pagers),
    *(rules_in_a_pipe, rules_without_end, line_ends, fetched),
]


@pytest.mark.req("person.net.restore-safe", "person.net.settings")
@pytest.mark.parametrize("trick", TRICKS)
def test_a_setting_turns_nothing_elsewhere(mi: Mi, scene: Scene, keep: Keep, trick: Callable[[Scene], None]) -> None:
    repo = scene.repo
    (repo / "run.sh").write_text("#!/bin/sh\n", "utf-8")
    (repo / "run.sh").chmod(0o755)
    (repo / "link").symlink_to("file.txt")
    write(repo, {"notes.txt": "an hour of work\n"})
    before = read(repo)
    keep(repo)
    trick(scene)
    write(repo, {"notes.txt": "spoilt\n", "file.txt": "spoilt\n", "made.txt": "junk\n"})
    (repo / "link").unlink()
    (repo / "run.sh").write_text("spoilt\n", "utf-8")
    keep(repo, END)
    for words in ((), ("--now",)):
        shown = json.loads(mi("diff", "last", *words, "--json", cwd=repo).stdout)
        changed = {one["path"]: one["kind"] for one in shown["changes"]}
        assert changed == dict.fromkeys(("notes.txt", "file.txt", "run.sh"), "changed") | {
            "made.txt": "added",
            "link": "removed",
        }
    done = mi("restore", RUN, "--yes", cwd=repo)
    assert (done.returncode, done.stderr) == (0, "")
    assert read(repo) == before
    assert os.access(repo / "run.sh", os.X_OK)
    assert read(scene.other) == PRECIOUS
    assert git(scene.other, "for-each-ref", "refs/mi/") == ""
    assert not scene.ran.exists()


@pytest.mark.req("person.net.settings")
@pytest.mark.parametrize("way", ["file", "link", "common"])
def test_a_repository_of_another_work_tree_is_not_taken_for_ours(
    mi: Mi, scene: Scene, keep: Keep, home: Home, way: str
) -> None:
    repo = scene.repo
    keep(repo)
    write(repo, {"file.txt": "spoilt\n"})
    if way == "common":
        (repo / ".git/commondir").write_text(f"{scene.other}/.git\n", "utf-8")
    else:
        (repo / ".git").rename(scene.folder / "away")
        if way == "file":
            (repo / ".git").write_text(f"gitdir: {scene.other}/.git\n", "utf-8")
        else:
            (repo / ".git").symlink_to(scene.other / ".git")
    objects = sorted(scene.other.glob(".git/objects/??/*"))
    done = mi("restore", RUN, "--yes", cwd=repo)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert f"{scene.other}/.git" in done.stderr
    net = SnapshotNet(RUN, home.path("own-snapshots"))
    with WorktreeWatch(str(repo), net=net) as watch:
        assert "another work tree" in watch.snapshot("b2").reason
        watch.step()
        assert "another work tree" in watch.latest_snapshot.reason
    assert sorted(scene.other.glob(".git/objects/??/*")) == objects
    assert git(scene.other, "for-each-ref", "refs/mi/") == ""


@pytest.mark.req("person.net.settings")
@pytest.mark.parametrize("what", ["commit", "tree", "blob"])
def test_contents_that_an_agent_replaces_by_git_are_as_they_were_kept(
    home: Home, scene: Scene, keep: Keep, what: str
) -> None:
    repo = scene.repo
    write(repo, {"file.txt": "an hour of work\n"})
    keep(repo)
    write(repo, {"file.txt": "forged\n"})
    git(repo, "commit", "-qam", "forged")
    end = {"commit": "", "tree": "^{tree}", "blob": ":file.txt"}[what]
    git(repo, "replace", *(git(repo, "rev-parse", f"{ref}{end}") for ref in (f"refs/mi/{RUN}/b1", "HEAD")))
    Back(home, repo).put()
    assert read(repo) == {"file.txt": "an hour of work\n"}


@pytest.mark.req("person.net.settings")
def test_words_of_the_environment_turn_nothing_elsewhere(
    home: Home, scene: Scene, keep: Keep, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(scene.repo, {"sub/.gitignore": "*.log\n", "sub/x.log": "ignored\n"})
    for name in ("GIT_DIR", "GIT_COMMON_DIR"):
        monkeypatch.setenv(name, str(scene.other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(scene.other))
    for name in ("GIT_LITERAL_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_EXTERNAL_DIFF", "GIT_ATTR_SOURCE"):
        monkeypatch.setenv(name, "1" if "PATHSPECS" in name else str(scene.evil))
    keep(scene.repo)
    write(scene.repo, {"file.txt": "spoilt\n"})
    assert Back(home, scene.repo).put().done.put_back == ["file.txt"]
    assert read(scene.repo)["file.txt"] == "repo 0\n"
    assert read(scene.other) == PRECIOUS
    assert not scene.ran.exists()


@pytest.mark.req("person.net.settings")
def test_a_broken_repository_is_not_looked_for_above(mi: Mi, repository: Callable[..., Path], keep: Keep) -> None:
    above: Path = repository("above")
    repo = above / "inner"
    repo.mkdir()
    git(repo, "init", "-q")
    write(repo, {"file.txt": "mine\n"})
    keep(repo)
    shutil.rmtree(repo / ".git/objects")
    write(repo, {"file.txt": "changed\n"})
    done = mi("restore", RUN, "--yes", "--cd", str(repo))
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert git(above, "for-each-ref", "refs/mi/") == ""


@pytest.mark.req("person.net.settings")
@pytest.mark.parametrize("kind", ["linked tree", "submodule", "elsewhere"])
def test_a_git_file_of_the_persons_own_works(home: Home, repository, keep: Keep, tmp_path: Path, kind: str) -> None:
    repo, other = repository(), repository("other")
    if kind == "linked tree":
        place = tmp_path / "side"
        git(repo, "worktree", "add", "-q", "-b", "side", str(place))
    elif kind == "submodule":
        place = repo / "sub"
        git(repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "sub")
    else:
        place = repo
        git(repo, "init", "-q", f"--separate-git-dir={tmp_path / 'kept.git'}")
    keep(place)
    write(place, {"file.txt": "spoilt\n"})
    Back(home, place).put()
    assert read(place)["file.txt"] in ("repo 0\n", "other 0\n")


@pytest.mark.req("person.net.settings")
def test_submodules_inside_of_submodules_run_nothing(scene: Scene, repository, keep: Keep) -> None:
    middle: Path = repository("middle")
    for outer, inner, name in ((middle, scene.other, "deep"), (scene.repo, middle, "sub")):
        git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), name)
        git(outer, "commit", "-qm", name)
    git(scene.repo, "-c", "protocol.file.allow=always", "submodule", "update", "-q", "--init", "--recursive")
    deep = scene.repo / "sub/deep"
    git(deep, "config", "filter.x.clean", str(scene.evil))
    write(scene.repo, {"sub/deep/.gitattributes": "* filter=x\n", "sub/deep/file.txt": "other 9\n"})
    keep(scene.repo)
    assert not scene.ran.exists()
    log = next(scene.folder.rglob("evidence.jsonl")).read_text("utf-8")
    assert '"path":"sub","why":"submodule"' in log


@pytest.mark.req("person.net.restore-outside-git")
def test_why_a_state_was_not_kept_is_said_as_it_is(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mi.project.worktree._FOLDER_BYTES", 1000)
    root = tmp_path / "plain"
    write(root, {"notes.txt": "mine\n"})
    with WorktreeWatch(str(root), net=SnapshotNet(RUN, home.path("own-snapshots"))) as watch:
        watch.step()
        assert watch.latest_snapshot.commit
        write(root, {"data": "x" * 2000})
        watch.step()
    assert (watch.latest_snapshot.commit, watch.latest_snapshot.reason) == ("", "too large")
