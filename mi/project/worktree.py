"""What changed in a project between two moments, apart from what the person had changed before."""

import os
import shutil
import tempfile
import time
from types import TracebackType
from typing import NamedTuple

import msgspec

from mi.kernel import files, git
from mi.kernel.home import make_dirs

_SCAN_FILES = 20_000
_SCAN_S = 3.0
_GIT_S = 30.0
_DIFF_BYTES = 1 << 20


class Change(NamedTuple):
    """What a stretch of work changed; `incomplete` says that not everything could be seen."""

    files: list[str]
    diff: str  # `git diff -U0` between the two moments; '' outside git
    stat: str
    incomplete: bool


class Step(NamedTuple):
    """What changed since the step before, and since the watch began."""

    latest: Change
    total: Change


class WorktreeWatch:
    """Takes a snapshot when opened, and at each step tells what changed.

    In git, a snapshot is a tree written from a temporary index into a temporary object store: untracked files count,
    ignored ones do not, and the person's index and repository are left alone. Elsewhere it is sizes and times.
    """

    def __init__(self, root: str, kept: str = "") -> None:
        """`kept` is a folder in which the first snapshot outlives this process: reopened, the watch goes on from it."""
        self._root = os.path.realpath(root)
        self._top = git.find_toplevel(root)
        self._kept = kept
        if kept:
            make_dirs(kept)
        self._folder = kept or tempfile.mkdtemp(prefix="mi-tree-")
        self._env = self._environment()
        self._no_filters = git.no_filters(self._top) if self._env and self._top else {}
        self._last: str | Scan = self._snapshot()
        self._first: str | Scan = self._reopened() or self._last
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
        """The first snapshot of an earlier process, if it is there and can still be read."""
        data = files.read_bytes(self._first_file) if self._kept else None
        try:
            first = msgspec.json.decode(data, type=str | Scan) if data else None
        except msgspec.DecodeError:
            return None
        if isinstance(first, str) and git.run(self._root, "cat-file", "-e", first, env=self._env).code != 0:
            return None
        return first

    def step(self) -> Step:
        """What changed until now."""
        now = self._snapshot()
        latest = self._between(self._last, now)
        total = latest if self._first is self._last else self._between(self._first, now)
        self._last = now
        return Step(latest, total)

    def _snapshot(self) -> "str | Scan":
        return (self._write_tree() if self._env else None) or _scan(self._root)

    def _between(self, before: "str | Scan", now: "str | Scan") -> Change:
        if isinstance(before, Scan) and isinstance(now, Scan):
            return _scanned_change(before, now)
        if isinstance(before, Scan) or isinstance(now, Scan):
            return Change([], "", "", True)  # git failed at one of the two moments
        if before == now:
            return Change([], "", "", False)
        names = self._diff(before, now, "--name-only", "-z")
        diff = self._diff(before, now, "-U0", "-M")
        files = [name for name in names.output.split("\0") if name]
        stat = self._diff(before, now, "--stat").output.rstrip()
        return Change(files, diff.output, stat, names.code is None or diff.cut)

    def _diff(self, before: str, now: str, *options: str) -> git.Answer:
        safe = ("--no-ext-diff", "--no-textconv", "--no-color", "--relative")
        arguments = ("diff", *options, *safe, before, now, "--", ".")
        return git.run(self._root, *arguments, timeout_s=_GIT_S, max_bytes=_DIFF_BYTES, env=self._env)

    def _environment(self) -> dict[str, str]:
        """A private index and object store; {} when this is no usable repository."""
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


def _scanned_change(before: Scan, now: Scan) -> Change:
    paths = sorted(set(before.files) | set(now.files))
    files = [path for path in paths if before.files.get(path) != now.files.get(path)]
    return Change(files, "", "", not (before.complete and now.complete))
