"""What changed in a project between two moments, apart from what the person had changed before."""

import difflib
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from types import TracebackType
from typing import NamedTuple

import msgspec

from mi.kernel import files, git
from mi.kernel.home import FILE_MODE, make_dirs
from mi.project.trees import FolderTree, GitTree, Tree

_SCAN_FILES = 20_000
_SCAN_S = 3.0
_GIT_S = 30.0
_DIFF_BYTES = 1 << 20
_TEXT_BYTES = 1 << 20  # of one file
_TEXTS_BYTES = 16 << 20  # of all files that are kept


class TreeChange(NamedTuple):
    """What a stretch of work changed; `incomplete` says that not everything could be seen."""

    files: list[str]
    diff: str  # `git diff -U0` between the two moments; '' outside git
    stat: str
    incomplete: bool


class WatchStep(NamedTuple):
    """What changed since the step before, and since the watch began."""

    latest: TreeChange
    total: TreeChange


class WorktreeWatch:
    """Takes a snapshot when opened, and at each step tells what changed.

    In git, a snapshot is a tree written from a temporary index into a temporary object store: untracked files count,
    ignored ones do not, and the person's index and repository are left alone. Elsewhere it is sizes and times.
    """

    def __init__(self, root: str, kept: str = "", keeps: Callable[[str], bool] = lambda path: False) -> None:
        """`kept` is a folder in which the first snapshot outlives this process: reopened, the watch goes on from it.

        `keeps` says of which files the first contents are remembered where no git does.
        """
        self.root = self._root = os.path.realpath(root)
        self._keeps = keeps
        self._top = git.find_toplevel(root)
        self._kept = kept
        if kept:
            make_dirs(kept)
        self._folder = kept or tempfile.mkdtemp(prefix="mi-tree-")
        self._env = self._environment()
        self._no_filters = git.disable_filters(self._top) if self._env and self._top else {}
        self._last: str | Scan = self._snapshot()
        reopened = self._reopened()
        self._first: str | Scan = reopened or self._last
        self._texts = self._first_texts(reopened is None)
        if kept:
            files.write_atomic(self._first_file, msgspec.json.encode(self._first))

    def __enter__(self) -> "WorktreeWatch":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if not self._kept:
            self.forget()

    def forget(self) -> None:
        """Remove what was kept."""
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def _first_file(self) -> str:
        return os.path.join(self._folder, "first.json")

    def _reopened(self) -> "str | Scan | None":
        """Return the first snapshot of an earlier process, if it is there and can still be read."""
        data = files.read_bytes(self._first_file) if self._kept else None
        try:
            first = msgspec.json.decode(data, type=str | Scan) if data else None
        except msgspec.DecodeError:
            return None
        if isinstance(first, str) and git.run(self._root, "cat-file", "-e", first, env=self._env).code != 0:
            return None
        return first

    def _first_texts(self, begins: bool) -> dict[str, str]:
        """Return the first contents of the files to keep; in git the tree has them."""
        path = os.path.join(self._folder, "texts.json")
        if isinstance(self._first, str):
            return {}
        if not begins:
            try:
                return msgspec.json.decode(files.read_bytes(path) or b"{}", type=dict[str, str])
            except msgspec.DecodeError:
                return {}
        found: dict[str, str] = {}
        room = _TEXTS_BYTES
        for name, (size, _) in self._first.files.items():
            if self._keeps(name) and size <= room and (text := self.text(name)) is not None:
                found[name] = text
                room -= size
        files.write_atomic(path, msgspec.json.encode(found))
        return found

    def text(self, path: str) -> str | None:
        """Return what a file holds now; None when it is not there or too large to look at."""
        place = os.path.join(self._root, path)
        try:
            if not os.path.isfile(place) or os.path.getsize(place) > _TEXT_BYTES:
                return None
            return (files.read_bytes(place) or b"").decode("utf-8", "replace")
        except OSError:
            return None

    def first_text(self, path: str) -> str | None:
        """Return what a file held when the watch began; None when it was not there."""
        if not isinstance(self._first, str):
            return self._texts.get(path)
        answer = git.run(self._root, "show", f"{self._first}:./{path}", max_bytes=_TEXT_BYTES, env=self._env)
        return answer.output if answer.code == 0 else None

    def had_folder(self, path: str) -> bool:
        """Return whether a folder held anything of the project when the watch began."""
        if not isinstance(self._first, str):
            return any(name.startswith(path + "/") for name in self._first.files)
        return git.run(self._root, "cat-file", "-e", f"{self._first}:./{path}", env=self._env).code == 0

    @property
    def first_tree(self) -> GitTree | None:
        """The project's files when the watch began; None where git cannot be had."""
        return GitTree(self._root, self._first, self._env) if isinstance(self._first, str) else None

    @property
    def last_tree(self) -> Tree:
        """The project's files at the latest step."""
        return GitTree(self._root, self._last, self._env) if isinstance(self._last, str) else FolderTree(self._root)

    def step(self) -> WatchStep:
        """Return what changed until now."""
        now = self._snapshot()
        latest = self._between(self._last, now)
        total = latest if self._first is self._last else self._between(self._first, now)
        self._last = now
        return WatchStep(latest, total)

    def since(self, revision: str) -> TreeChange | None:
        """Return what changed between a revision and the snapshot; None when there is no such revision, or no git."""
        if not isinstance(self._last, str):
            return None
        found = git.run(
            self._root, "rev-parse", "--verify", "-q", "--end-of-options", f"{revision}^{{tree}}", env=self._env
        )
        return self._between(found.output.strip(), self._last) if found.code == 0 else None

    def uncommitted(self) -> TreeChange | None:
        """Return what is not committed, new files included; None outside of git."""
        if not isinstance(self._last, str):
            return None
        nothing = git.run(self._root, "hash-object", "-t", "tree", "--stdin", env=self._env).output.strip()
        return self.since("HEAD") or self._between(nothing, self._last)  # a repository may have no commit yet

    def _snapshot(self) -> "str | Scan":
        return (self._write_tree() if self._env else None) or _scan(self._root)

    def _between(self, before: "str | Scan", now: "str | Scan") -> TreeChange:
        if isinstance(before, Scan) and isinstance(now, Scan):
            change = _scanned_change(before, now)
            return change._replace(diff=self.text_diff(change.files)) if before is self._first else change
        if isinstance(before, Scan) or isinstance(now, Scan):
            return TreeChange([], "", "", True)  # git failed at one of the two moments
        if before == now:
            return TreeChange([], "", "", False)
        names = self._diff(before, now, "--name-only", "-z")
        diff = self._diff(before, now, "-U0", "-M")
        files = [name for name in names.output.split("\0") if name]
        stat = self._diff(before, now, "--stat").output.rstrip()
        return TreeChange(files, diff.output, stat, names.code is None or diff.cut)

    def text_diff(self, changed: list[str]) -> str:
        """Return what `git diff -U0` would print about the files to keep among changed ones, since the watch began."""
        parts: list[str] = []
        for path in changed:
            if not self._keeps(path):
                continue
            before, now = self.first_text(path), self.text(path)
            names = (
                f"a/{path}" if before is not None else "/dev/null",
                f"b/{path}" if now is not None else "/dev/null",
            )
            lines = difflib.unified_diff(
                (before or "").splitlines(), (now or "").splitlines(), *names, n=0, lineterm=""
            )
            parts += [f"diff --git a/{path} b/{path}", *lines]
        return "\n".join(parts)

    def _diff(self, before: str, now: str, *options: str) -> git.GitOutput:
        safe = ("--no-ext-diff", "--no-textconv", "--no-color", "--relative")
        arguments = ("diff", *options, *safe, before, now, "--", ".")
        return git.run(self._root, *arguments, timeout_s=_GIT_S, max_bytes=_DIFF_BYTES, env=self._env)

    def _environment(self) -> dict[str, str]:
        """Return a private index and object store; {} when this is no usable repository."""
        if self._top is None:
            return {}
        answer = git.run(
            self._top, "rev-parse", "--path-format=absolute", "--git-path", "objects", "--git-path", "index"
        )
        paths = answer.output.split("\n")
        if answer.code != 0 or len(paths) < 2:
            return {}
        objects, index = paths[0], paths[1]
        private = {"GIT_INDEX_FILE": os.path.join(self._folder, "index"), "GIT_OBJECT_DIRECTORY": self._folder}
        if os.path.exists(index):  # with its stat data, so that unchanged files need not be read
            shutil.copyfile(index, private["GIT_INDEX_FILE"])
            os.chmod(private["GIT_INDEX_FILE"], FILE_MODE)
        return private | {"GIT_ALTERNATE_OBJECT_DIRECTORIES": objects}

    def _write_tree(self) -> str | None:
        everything = ("add", "-A", "--ignore-errors", ".")
        added = git.run(str(self._top), *everything, timeout_s=_GIT_S, settings=self._no_filters, env=self._env)
        if added.code is None:
            return None
        written = git.run(str(self._top), "write-tree", timeout_s=_GIT_S, env=self._env)
        return written.output.strip() or None if written.code == 0 else None


class Scan(NamedTuple):
    """Size and time of each file; not `complete` when there were too many."""

    files: dict[str, tuple[int, int]]
    complete: bool


def _scan(root: str) -> Scan:
    found: dict[str, tuple[int, int]] = {}
    deadline = time.monotonic() + _SCAN_S
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in (".git", "node_modules", ".venv", "__pycache__"))
        for name in names:
            path = os.path.join(folder, name)
            try:
                status = os.lstat(path)
            except OSError:
                continue
            found[os.path.relpath(path, root)] = (status.st_size, status.st_mtime_ns)
            if len(found) >= _SCAN_FILES or time.monotonic() > deadline:
                return Scan(found, False)
    return Scan(found, True)


def _scanned_change(before: Scan, now: Scan) -> TreeChange:
    paths = sorted(set(before.files) | set(now.files))
    files = [path for path in paths if before.files.get(path) != now.files.get(path)]
    return TreeChange(files, "", "", not (before.complete and now.complete))
