"""Paths of a folder that someone else filled: links are followed inside of it and nowhere else."""

import os
from pathlib import Path

import pytest

from mi.kernel import files, inside
from mi.kernel.errors import StorageError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "here/outside").mkdir(parents=True)
    (tmp_path / "here/outside/key").write_text("private")
    made = tmp_path / "here/root"
    (made / "docs").mkdir(parents=True)
    (made / "docs/a.md").write_text("a")
    (made / "in").symlink_to("docs")
    (made / "out").symlink_to("../outside")
    (made / "up").symlink_to("..")
    (made / "git").symlink_to(".git")
    return made


@pytest.mark.parametrize("path", ["docs/a.md", "in/a.md", "in/../docs/a.md", "up/root/docs/a.md"])
def test_what_stays_inside_is_read_and_written(root: Path, path: str) -> None:
    assert inside.checked(str(root), path) == path
    assert inside.read_bytes(str(root), path) == b"a"
    inside.write_atomic(str(root), path, b"b")
    assert (root / "docs/a.md").read_bytes() == b"b"


@pytest.mark.parametrize("path", ["out/key", "out", "up/outside/key", "../outside/key", "up/rootless", "out/new/file"])
def test_what_leads_out_is_neither_read_nor_written(root: Path, path: str) -> None:
    for act in (
        lambda: inside.read_bytes(str(root), path),
        lambda: inside.write_atomic(str(root), path, b"x"),
        lambda: inside.checked(str(root), path),
    ):
        with pytest.raises(StorageError) as refused:
            act()
        assert refused.value.code == "leads-out"
    assert (root.parent / "outside/key").read_text() == "private"
    assert sorted(os.listdir(root.parent)) == ["outside", "root"]


def test_a_link_itself_may_lead_anywhere(root: Path) -> None:
    assert inside.real_path(str(root), "out", follow=False) == os.path.join(os.path.realpath(root), "out")


@pytest.mark.parametrize("path", [".git/config", "git/config", "docs/.Git", ".GIT/hooks/x", ".git./x", "GIT~1/x"])
def test_nothing_is_below_git(root: Path, path: str) -> None:
    with pytest.raises(StorageError) as refused:
        inside.write_atomic(str(root), path, b"x")
    assert refused.value.code == "below-git"
    assert not (root / ".git").exists()


@pytest.mark.parametrize("path", [".gitignore", ".github/x", "digit~1/x", "a.git/x"])
def test_names_that_only_resemble_it_are_names(path: str) -> None:
    assert not inside.names_git(path)


def test_a_link_in_the_place_of_a_temporary_file_is_not_written_through(root: Path) -> None:
    (root / f"a.tmp.{os.getpid()}").symlink_to("../outside/key")
    files.write_atomic(str(root / "a"), b"new")
    assert (root / "a").read_bytes() == b"new"
    assert (root.parent / "outside/key").read_text() == "private"
