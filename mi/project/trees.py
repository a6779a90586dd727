"""The files of a project at one moment: a tree of git, a folder, or another tree with some files replaced."""

import os
import subprocess
import threading
import weakref
from collections.abc import Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Literal, Protocol

from mi.kernel import git
from mi.kernel.named_tuple import NamedTuple

READ_BYTES = 32 << 20  # of one file: larger ones are nothing to be read as text
SKIPPED = frozenset({".git", "node_modules", ".venv", "__pycache__"})  # of a folder that no git keeps
_GIT_S = 60.0

Mode = Literal["100644", "100755", "120000"]
_MODES: dict[str, Mode] = {"100644": "100644", "100755": "100755", "120000": "120000"}


class TreeEntry(NamedTuple):
    """What a path is: a file, a program or a link; `blob` is the id of its content where git keeps it."""

    mode: Mode
    blob: str = ""


class Tree(Protocol):
    """The files of a project at one moment, by their path from its root, with `/` between the parts."""

    def paths(self) -> frozenset[str]:
        """Return the path of every file and link."""

    def read(self, path: str) -> bytes | None:
        """Return what a file holds, or where a link points; None when there is no such file, or it is over 32 MB."""

    def entry(self, path: str) -> TreeEntry | None:
        """Return what a path is; None when nothing is there."""

    def changed_since(self, other: "Tree") -> list[str]:
        """Return the paths that were added, removed or changed since another tree, sorted."""


class GitTree:
    """A tree that git keeps. `env` names the object store where that is not the repository's own.

    Of a project in a folder of a repository, the tree is the repository's and the paths are the folder's.
    """

    def __init__(self, root: str, tree_id: str, env: Mapping[str, str] = MappingProxyType({})) -> None:
        self.root = root
        self.tree_id = tree_id
        self.env = env

    def paths(self) -> frozenset[str]:
        return frozenset(self.entries)

    def read(self, path: str) -> bytes | None:
        found = self.entries.get(path)
        return self._reader.read(found.blob) if found else None

    def entry(self, path: str) -> TreeEntry | None:
        return self.entries.get(path)

    def changed_since(self, other: Tree) -> list[str]:
        if not isinstance(other, GitTree) or other.root != self.root:
            return compare_trees(other, self)
        if other.tree_id == self.tree_id:
            return []
        before, now = other.entries, self.entries
        return sorted(path for path in before.keys() | now.keys() if before.get(path) != now.get(path))

    @property
    def entries(self) -> dict[str, TreeEntry]:
        """Every file and link with its content's id; a repository inside of the repository is none of them."""
        return self._listed[0]

    @property
    def repositories(self) -> dict[str, str]:
        """The folders that are repositories of their own (submodules), with the commit of each."""
        return self._listed[1]

    @cached_property
    def _listed(self) -> tuple[dict[str, TreeEntry], dict[str, str]]:
        """The files and links, and the repositories inside, of one listing."""
        entries: dict[str, TreeEntry] = {}
        repositories: dict[str, str] = {}
        for path, mode, content in self._rows():
            if mode in _MODES:
                entries[path] = TreeEntry(_MODES[mode], content)
            elif mode == "160000":
                repositories[path] = content
        return entries, repositories

    def _rows(self) -> Iterator[tuple[str, str, str]]:
        answer = git.run_bytes(self.root, "ls-tree", "-r", "-z", self.tree_id, timeout_s=_GIT_S, env=self.env)
        for line in answer.output.split(b"\0") if answer.code == 0 else ():
            facts, _, name = line.partition(b"\t")
            if name:
                mode, _, blob = facts.decode().split(" ")
                yield os.fsdecode(name), mode, blob

    @cached_property
    def _reader(self) -> "_BlobReader":
        return _BlobReader(self.root, self.env)


class _BlobReader:
    """One `git cat-file --batch`, asked for content after content; it ends with the tree that holds it."""

    def __init__(self, root: str, env: Mapping[str, str]) -> None:
        self._root = root
        self._env = env
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, blob: str) -> bytes | None:
        """Return a content; None when git has none, or it is too large."""
        with self._lock:
            try:
                return self._ask(blob)
            except (OSError, ValueError):
                self._process = None  # whoever asks next begins anew
                return None

    def _ask(self, blob: str) -> bytes | None:
        process = self._started()
        assert process.stdin is not None  # both were asked for
        assert process.stdout is not None
        process.stdin.write(blob.encode() + b"\n")
        process.stdin.flush()
        facts = process.stdout.readline().split()
        if len(facts) != 3:  # `<id> missing`
            return None
        size = int(facts[2])
        if size <= READ_BYTES:
            return process.stdout.read(size + 1)[:size]
        while size >= 0:
            size -= len(process.stdout.read(min(size + 1, READ_BYTES)))
        return None

    def _started(self) -> "subprocess.Popen[bytes]":
        if self._process is None:
            self._process = git.start(self._root, "cat-file", "--batch", stdin=subprocess.PIPE, env=self._env)
            weakref.finalize(self, _end, self._process)
        return self._process


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except BrokenPipeError:
                pass


class FolderTree:
    """A folder as it is now, without what git, package managers and interpreters keep in it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def paths(self) -> frozenset[str]:
        return frozenset(self._walk())

    def _walk(self) -> Iterator[str]:
        for folder, folders, names in os.walk(self.folder):
            links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
            folders[:] = [name for name in folders if name not in SKIPPED and name not in links]
            for name in (*names, *links):
                path = os.path.relpath(os.path.join(folder, name), self.folder)
                if name != ".git" and self.entry(path) is not None:
                    yield path

    def read(self, path: str) -> bytes | None:
        place = os.path.join(self.folder, path)
        found = self.entry(path)
        try:
            if found is None:
                return None
            if found.mode == "120000":
                return os.fsencode(os.readlink(place))
            if os.path.getsize(place) > READ_BYTES:
                return None
            with open(place, "rb") as file:
                return file.read()
        except OSError:
            return None

    def entry(self, path: str) -> TreeEntry | None:
        place = os.path.join(self.folder, path)
        if os.path.islink(place):
            return TreeEntry("120000")
        if not os.path.isfile(place):  # a folder, a pipe, nothing
            return None
        return TreeEntry("100755" if os.access(place, os.X_OK) else "100644")

    def changed_since(self, other: Tree) -> list[str]:
        return compare_trees(other, self)


class ComposedTree:
    """A tree with some files replaced; one that is replaced by None is left out."""

    def __init__(self, tree: Tree, replaced: Mapping[str, bytes | None]) -> None:
        self.tree = tree
        self.replaced = dict(replaced)

    def paths(self) -> frozenset[str]:
        added = {path for path, content in self.replaced.items() if content is not None}
        return (self.tree.paths() - self.replaced.keys()) | added

    def read(self, path: str) -> bytes | None:
        return self.replaced[path] if path in self.replaced else self.tree.read(path)

    def entry(self, path: str) -> TreeEntry | None:
        found = self.tree.entry(path)
        if path not in self.replaced:
            return found
        if self.replaced[path] is None:
            return None
        return TreeEntry("100755" if found and found.mode == "100755" else "100644")

    def changed_since(self, other: Tree) -> list[str]:
        if other is self.tree:
            return sorted(path for path in self.replaced if _differs(self, other, path))
        return compare_trees(other, self)


def compare_trees(before: Tree, now: Tree) -> list[str]:
    """Return the paths whose content or kind differs between two trees of whatever sort, sorted."""
    return sorted(path for path in before.paths() | now.paths() if _differs(before, now, path))


def _differs(before: Tree, now: Tree, path: str) -> bool:
    was, is_now = before.entry(path), now.entry(path)
    if was is None or is_now is None or was.mode != is_now.mode:
        return was is not is_now
    if was.blob and is_now.blob:
        return was.blob != is_now.blob
    return before.read(path) != now.read(path)
