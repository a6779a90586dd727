"""The files of a project at one moment, however they are kept."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mi.project.trees import ComposedTree, FolderTree, GitTree, Tree
from tests.conftest import git

NAME = "d/ein Name\nmit Umbruch 字.txt"


@pytest.fixture(params=["git", "folder"])
def make_tree(request, repository) -> Callable[[dict[str, bytes]], Tree]:
    repo: Path = repository()

    def make(contents: dict[str, bytes]) -> Tree:
        for path in repo.iterdir():
            if path.is_file():
                path.unlink()
        for name, content in contents.items():
            (repo / name).parent.mkdir(exist_ok=True)
            (repo / name).write_bytes(content)
        git(repo, "add", "-A", "-f")
        return GitTree(str(repo), git(repo, "write-tree")) if request.param == "git" else FolderTree(str(repo))

    return make


def test_a_tree_tells_its_files(make_tree):
    tree = make_tree({"a.bin": b"\0\xff\r\n", NAME: b"", "d/x": b"text"})
    assert tree.paths() == {"a.bin", NAME, "d/x"}
    assert [tree.read(path) for path in ("a.bin", NAME, "d/x", "a.bin", "missing", "d")] == [
        b"\0\xff\r\n",
        b"",
        b"text",
        b"\0\xff\r\n",
        None,
        None,
    ]


def test_names_that_are_no_text_are_read(repository):
    repo: Path = repository()
    name = os.fsdecode(b"caf\xe9")
    with open(os.path.join(repo, name), "wb") as file:
        file.write(b"1")
    git(repo, "add", "-A")
    for tree in (GitTree(str(repo), git(repo, "write-tree")), FolderTree(str(repo))):
        assert tree.read(name) == b"1"


def test_programs_and_links_are_told_apart(repository):
    repo: Path = repository()
    (repo / "run").write_text("#!/bin/sh\n", "utf-8")
    (repo / "run").chmod(0o755)
    (repo / "to-file").symlink_to("run")
    (repo / "to-folder").symlink_to("..")
    git(repo, "add", "-A")
    for tree in (GitTree(str(repo), git(repo, "write-tree")), FolderTree(str(repo))):
        assert tree.paths() == {"file.txt", "run", "to-file", "to-folder"}
        entries = [tree.entry(path) for path in ("file.txt", "run", "to-file", "to-folder")]
        assert [entry.mode for entry in entries if entry] == ["100644", "100755", "120000", "120000"]
        assert (tree.read("to-file"), tree.read("to-folder")) == (b"run", b"..")


def test_a_tree_knows_what_changed_since_another(repository):
    repo: Path = repository()
    for name in ("same", "changed", "gone", "program"):
        (repo / name).write_text("1\n", "utf-8")
    git(repo, "add", "-A")
    before = GitTree(str(repo), git(repo, "write-tree"))
    (repo / "changed").write_text("2\n", "utf-8")
    (repo / "gone").unlink()
    (repo / "program").chmod(0o755)
    (repo / "new").write_text("", "utf-8")
    git(repo, "add", "-A")
    now = GitTree(str(repo), git(repo, "write-tree"))
    folder = FolderTree(str(repo))
    assert now.changed_since(before) == folder.changed_since(before) == ["changed", "gone", "new", "program"]
    assert now.changed_since(folder) == folder.changed_since(now) == now.changed_since(now) == []


def test_a_project_in_a_folder_of_a_repository_has_its_own_paths(repository):
    repo: Path = repository()
    (repo / "part").mkdir()
    (repo / "part/a").write_text("1", "utf-8")
    git(repo, "add", "-A")
    tree = GitTree(str(repo / "part"), git(repo, "write-tree"))
    assert (tree.paths(), tree.read("a")) == ({"a"}, b"1")


def test_a_submodule_is_no_file(repository):
    repo: Path = repository()
    inner: Path = repository("inner")
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "sub")
    tree = GitTree(str(repo), git(repo, "write-tree"))
    assert tree.paths() == {".gitmodules", "file.txt"}
    assert tree.repositories == {"sub": git(inner, "rev-parse", "HEAD")}


def test_files_of_a_tree_can_be_replaced(make_tree):
    tree = make_tree({"a": b"1", "b": b"2", "c": b"3"})
    composed = ComposedTree(tree, {"a": b"other", "b": None, "new": b"n", "c": b"3"})
    assert composed.paths() == {"a", "c", "new"}
    assert [composed.read(path) for path in ("a", "b", "c", "new")] == [b"other", None, b"3", b"n"]
    assert composed.changed_since(tree) == ["a", "b", "new"]
    assert composed.entry("b") is None


def test_an_unknown_tree_has_no_files(repository):
    tree = GitTree(str(repository()), "0" * 40)
    assert (tree.paths(), tree.read("file.txt")) == (frozenset(), None)
