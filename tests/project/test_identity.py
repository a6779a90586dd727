"""Who a project is: the same for every clone and after a move, by its remote, its first commit or its path."""

import hashlib
import os
import shutil
from pathlib import Path

import pytest

from mi.project.identity import Identity, Project, identify, make_project_id, normalise_remote
from mi.project.known import KnownProjects
from mi.project.overlay import ensure_overlay
from mi.project.selection import SelectionFile, Wish, choose
from tests.conftest import git

FORMS = [
    "https://example.invalid/team/app.git",
    "https://example.invalid/team/app",
    "https://example.invalid/team/app/",
    "https://example.invalid/team/app.git/",
    "HTTPS://Example.Invalid/team/app.git",
    "http://example.invalid/team/app.git",
    "https://example.invalid:443/team/app.git",
    "http://example.invalid:80/team/app.git",
    "https://someone@example.invalid/team/app.git",
    "https://someone:hunter2@example.invalid/team/app.git",
    "https://someone:hunter2@2@example.invalid/team/app.git",
    "ssh://git@example.invalid/team/app.git",
    "ssh://git@example.invalid:22/team/app.git",
    "git://example.invalid:9418/team/app.git",
    "git+ssh://git@example.invalid/team/app.git",
    "git@example.invalid:team/app.git",
    "git@EXAMPLE.invalid:/team/app.git",
    "example.invalid:team/app",
    "  git@example.invalid:team/app.git\n",
]


@pytest.mark.parametrize("url", FORMS)
def test_all_forms_of_a_remote_are_one(url: str):
    assert normalise_remote(url) == "example.invalid/team/app"


@pytest.mark.parametrize("url", FORMS)
def test_no_credential_gets_into_an_identity(url: str):
    assert "hunter2" not in normalise_remote(url)
    assert "someone" not in normalise_remote(url)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("git@example.invalid:team/app.git", "git@example.invalid:team/app2.git"),
        ("git@example.invalid:team/app.git", "git@example.org:team/app.git"),
        ("ssh://git@example.invalid:2222/team/app.git", "ssh://git@example.invalid:22/team/app.git"),
        ("git@example.invalid:Team/app.git", "git@example.invalid:team/app.git"),
        ("/srv/git/app.git", "/srv/git/other.git"),
    ],
)
def test_different_remotes_stay_different(one: str, other: str):
    assert normalise_remote(one) != normalise_remote(other)


def test_folder_as_remote_is_told_by_where_it_is():
    assert normalise_remote("file:///srv/git/app.git") == normalise_remote("/srv/git/app.git") == "/srv/git/app"
    assert normalise_remote("../app.git", "/home/a/work") == "/home/a/app"
    assert normalise_remote("../app.git", "/home/b/work") == "/home/b/app"


@pytest.mark.req("v1.storage.project-id-hash", "v1.storage.project-id-deterministic")
def test_project_id_is_the_hash_of_the_key():
    key = "git:origin:example.invalid/team/app:packages/ui"
    assert make_project_id(key) == hashlib.sha256(key.encode()).hexdigest()[:16]
    assert make_project_id(key) == make_project_id(key)
    assert make_project_id("path:/tmp/b\udcffd") != make_project_id("path:/tmp/bd")


@pytest.mark.req("mi.identity.git-origin", "v1.storage.identity-git")
def test_repository_with_origin(repository):
    repo = repository(origin="git@example.invalid:team/app.git")
    assert identify(str(repo)) == Identity("git", "git:origin:example.invalid/team/app")


@pytest.mark.req("v1.storage.identity-monorepo", "mi.identity.git-origin", "v1.storage.identity-git")
def test_folder_of_a_monorepo_is_a_project_of_its_own(repository):
    repo = repository(origin="git@example.invalid:team/app.git")
    (repo / "packages/ui").mkdir(parents=True)
    assert identify(str(repo / "packages/ui")).key == "git:origin:example.invalid/team/app:packages/ui"


@pytest.mark.req("mi.identity.git-root", "v1.storage.identity-git")
def test_repository_without_origin_is_known_by_its_first_commit(repository):
    repo = repository(commits=3)
    first = git(repo, "rev-list", "--max-parents=0", "HEAD")
    assert identify(str(repo)) == Identity("git", f"git:root:{first}")
    (repo / "sub").mkdir()
    assert identify(str(repo / "sub")).key == f"git:root:{first}:sub"


@pytest.mark.req("mi.identity.path", "v1.storage.identity-nongit")
def test_folder_without_git_is_known_by_its_real_path(tmp_path: Path):
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    assert identify(str(real)) == identify(str(tmp_path / "link")) == Identity("path", f"path:{real}")


@pytest.mark.req("mi.identity.path")
def test_repository_without_a_commit_is_known_by_its_path(repository):
    repo = repository(commits=0)
    assert identify(str(repo)) == Identity("path", f"path:{repo}")


def test_empty_git_folder_is_no_repository(repository, tmp_path: Path):
    (tmp_path / ".git").mkdir()
    assert identify(str(tmp_path / "work")) == Identity("path", f"path:{tmp_path}/work")
    repo = repository()
    (repo / "sub/.git").mkdir(parents=True)
    assert identify(str(repo / "sub")).key == identify(str(repo)).key + ":sub"


@pytest.mark.req("mi.identity.path")
def test_no_git_on_path(repository, tmp_path: Path, monkeypatch):
    repo = repository(origin="git@example.invalid:team/app.git")
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert identify(str(repo)) == Identity("path", f"path:{repo}")


@pytest.mark.req("v1.storage.identity-stable-moves")
def test_moved_and_cloned_repository_is_the_same_project(repository, tmp_path: Path):
    repo = repository(commits=2)
    before = identify(str(repo))
    git(tmp_path, "clone", "-q", str(repo), "clone")
    git(tmp_path / "clone", "remote", "remove", "origin")
    shutil.move(repo, tmp_path / "moved")
    assert identify(str(tmp_path / "moved")) == before
    assert identify(str(tmp_path / "clone")) == before


@pytest.mark.req("v1.storage.identity-stable-moves", "v1.storage.identity-git")
def test_two_clones_with_different_forms_of_the_url(repository):
    one = repository("one", origin="https://token:x@example.invalid/team/app.git")
    other = repository("other", origin="git@example.invalid:team/app.git")
    assert identify(str(one)) == identify(str(other))


def test_worktree_is_the_same_project(repository, tmp_path: Path):
    for name, origin in (("with", "git@example.invalid:team/app.git"), ("without", None)):
        repo = repository(name, origin=origin)
        git(repo, "worktree", "add", "-q", str(tmp_path / f"{name}-tree"))
        assert identify(str(tmp_path / f"{name}-tree")) == identify(str(repo))


def test_two_local_clones_with_relative_remotes_are_two_projects(repository, tmp_path: Path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        repo = repository(f"{name}/work", origin="../upstream.git")
        assert identify(str(repo)).key == f"git:origin:{tmp_path}/{name}/upstream"


def test_git_init_later_keeps_the_project(tmp_path: Path, home, notices):
    folder = tmp_path / "work"
    known = KnownProjects(home, notices)
    before = known.open(str(folder))
    known.remember(before)
    git(folder, "init", "-q")
    (folder / "a").write_text("a", "utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "first")
    after = KnownProjects(home, notices).open(str(folder))
    assert after == before
    assert identify(str(folder)).kind == "git"
    known.remember(after)
    assert KnownProjects(home, notices).open(str(folder)) == before


def test_first_commit_after_use_keeps_the_project(repository, home, notices):
    repo = repository(commits=0)
    known = KnownProjects(home, notices)
    before = known.open(str(repo))
    known.remember(before)
    (repo / "a").write_text("a", "utf-8")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "first")
    assert KnownProjects(home, notices).open(str(repo)) == before


def test_another_folder_at_the_same_path_is_another_project(repository, tmp_path: Path, home, notices):
    repo = repository("app", origin="git@example.invalid:team/app.git")
    known = KnownProjects(home, notices)
    before = known.open(str(repo))
    known.remember(before)
    shutil.move(repo, tmp_path / "old")
    repository("app", origin="git@example.invalid:team/other.git")
    assert KnownProjects(home, notices).open(str(repo)).key == "git:origin:example.invalid/team/other"
    assert KnownProjects(home, notices).open(str(tmp_path / "old")) == _at(before, tmp_path / "old")


def _at(project, root: Path):
    return type(project)(root=str(root), project_id=project.project_id, key=project.key)


@pytest.mark.req("mi.identity.cached", "mi.fail.git-processes")
def test_identity_is_computed_once(repository, tmp_path: Path, home, notices, monkeypatch):
    repo = repository(origin="git@example.invalid:team/app.git")
    known = KnownProjects(home, notices)
    before = known.open(str(repo))
    known.remember(before)
    asked = _recording_git(tmp_path, monkeypatch)
    assert KnownProjects(home, notices).open(str(repo)) == before
    assert not asked.exists()
    assert identify(str(repo)).kind == "path"
    assert asked.exists()


def _recording_git(tmp_path: Path, monkeypatch) -> Path:
    """A git that only notes that it was asked."""
    asked = tmp_path / "asked"
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text(f"#!/bin/sh\necho asked >>{asked}\nexit 1\n", "utf-8")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}{os.pathsep}{os.environ['PATH']}")
    return asked


@pytest.mark.req("mi.identity.cached")
def test_derived_list_of_projects_is_rebuilt_from_the_overlays(repository, home, notices):
    from mi.project.overlay import ensure_overlay

    repo = repository()
    known = KnownProjects(home, notices)
    project = known.open(str(repo))
    ensure_overlay(home, project, notices)
    known.remember(project)
    os.unlink(home.known_projects)
    assert KnownProjects(home, notices).open(str(repo)) == project
    assert str(repo) in KnownProjects(home, notices).roots
    assert list(notices) == []


@pytest.mark.req("fleet.trees.main-root")
def test_a_linked_work_tree_is_remembered_as_its_main_tree(repository, tmp_path: Path, home, notices):
    repo = repository(origin="../upstream.git")
    git(repo, "worktree", "add", "-q", str(tmp_path / "far/away/tree"))
    known = KnownProjects(home, notices)
    linked = known.open(str(tmp_path / "far/away/tree"))
    assert (linked.root, linked.main_root) == (str(tmp_path / "far/away/tree"), str(repo))
    assert linked.project_id == known.open(str(repo)).project_id
    known.remember(linked)
    assert list(KnownProjects(home, notices).roots) == [str(repo)]
    assert ensure_overlay(home, linked, notices).root_path == str(repo)


@pytest.mark.req("fleet.trees.main-root")
def test_a_work_tree_that_an_earlier_version_knew_by_itself_stays_that_project(repository, tmp_path, home, notices):
    repo, tree = repository(origin="../upstream.git"), tmp_path / "far/away/tree"
    git(repo, "worktree", "add", "-q", str(tree))
    key = identify(str(tree)).key
    before = Project(root=str(tree), project_id=make_project_id(key), key=key)
    KnownProjects(home, notices).remember(before)
    assert KnownProjects(home, notices).open(str(tree)) == before


@pytest.mark.req("fleet.trees.main-root")
def test_a_folder_that_only_says_it_is_a_work_tree_is_none(repository, tmp_path: Path, home, notices):
    repo, false = repository(), tmp_path / "false"
    git(repo, "worktree", "add", "-q", str(tmp_path / "tree"))
    false.mkdir()
    (false / ".git").write_bytes((tmp_path / "tree/.git").read_bytes())
    assert KnownProjects(home, notices).open(str(false)).main_root == str(false)


@pytest.mark.req("fleet.trees.main-root")
def test_a_project_in_a_folder_is_the_same_in_a_linked_tree(repository, tmp_path: Path, home, notices):
    repo = repository()
    (repo / "part").mkdir()
    (repo / "part/file").write_text("x", "utf-8")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "part")
    git(repo, "worktree", "add", "-q", str(tmp_path / "tree"))
    known = KnownProjects(home, notices)
    known.remember(known.open(str(repo / "part")))
    choice = choose(Wish(), str(tmp_path / "tree/part"), SelectionFile(home, notices), known, notices)
    assert choice.root == str(tmp_path / "tree/part")
    assert known.open(choice.root).project_id == known.open(str(repo / "part")).project_id
