"""What changed in a project between two moments, apart from what the person had changed before."""

import difflib
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from types import TracebackType

import msgspec

from mi.kernel import files, git
from mi.kernel.home import make_dirs
from mi.kernel.named_tuple import NamedTuple
from mi.project.checks.file_kinds import is_lock, is_output, is_prose
from mi.project.left_out import KeepRules, LeftOut
from mi.project.snapshots import END, TakenSnapshot, keep_written, open_store, take_snapshot
from mi.project.tree_store import explain_no_store
from mi.project.tree_writer import TreeWriter, WrittenTree
from mi.project.trees import SKIPPED, FolderTree, GitTree, Tree

FIRST, LATEST = "first.json", "latest.json"  # moments that outlive a process
_SCAN_FILES = 20_000
_SCAN_S = 3.0
_GIT_S = 30.0
_DIFF_BYTES = 1 << 20
_TEXT_BYTES = 1 << 20  # of one file
_TEXTS_BYTES = 16 << 20  # of all files that are kept
_FOLDER_BYTES = 500_000_000  # of a project outside of git: a larger one is only looked at, not kept


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


class SnapshotNet(NamedTuple):
    """Whose snapshots a watch keeps, and where those of a project outside of git go."""

    run_id: str
    home_folder: str
    keep: KeepRules = KeepRules()


class Moment(msgspec.Struct, frozen=True):
    """A work tree that was written down: its tree, and what could not be in it."""

    tree: str
    left_out: tuple[LeftOut, ...] = ()
    version: str = "v1"


class WorktreeWatch:
    """Writes the work tree down when opened, and at each step tells what changed.

    Untracked files count, ignored ones do not, by the rules that held at the start; the person's index is left alone.
    With a net, the trees are snapshots in the person's repository; without, they are in a folder of the watch's own.
    Where git cannot be had, it goes by sizes and times.
    """

    def __init__(
        self,
        root: str,
        kept: str = "",
        keeps: Callable[[str], bool] = lambda path: False,
        net: SnapshotNet | None = None,
    ) -> None:
        """`kept` is a folder in which the first moment outlives this process: reopened, the watch goes on from it.

        `keeps` says of which files the first contents are remembered where no git does.
        """
        self.root = self._root = os.path.realpath(root)
        self._keeps = keeps
        self.kept = kept  # a folder that outlives this process, '' when there is none
        if kept:
            make_dirs(kept)
        self._folder = kept or tempfile.mkdtemp(prefix="mi-tree-")
        self._net = net
        store = open_store(self._root, net.home_folder) if net else None
        self._writer = TreeWriter(self._root, self._folder, store, net.keep if net else _LOOK)
        self._problem = "" if store or not net else explain_no_store(self._root)
        self.latest_snapshot = TakenSnapshot(reason="off")  # of the latest step
        self._trees: dict[str, GitTree] = {}  # of the first and the latest moment, by their ids
        reopened = self._reopened(FIRST)
        self._last: Moment | Scan = self._look()
        reopened = reopened or self._reopened(FIRST)  # of a run that worked elsewhere: git can be asked from here on
        self._first: Moment | Scan = reopened or self._last
        self._settled: Moment | Scan = self._reopened(LATEST) or self._last
        self._texts = self._first_texts(reopened is None)
        self._write_down(FIRST, self._first)

    def __enter__(self) -> "WorktreeWatch":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if not self.kept:
            self.forget()

    def forget(self) -> None:
        """Remove what was kept."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def shrink(self) -> None:
        """Remove what was kept, but for the first moment where snapshots hold it: a run may go on when it is done."""
        if not isinstance(self._first, Moment) or self._writer.store is None:
            self.forget()
            return
        for name in ("index", "index.whole", "ready"):
            files.remove_if_there(os.path.join(self._folder, name))

    def _write_down(self, name: str, moment: "Moment | Scan") -> None:
        if self.kept:
            files.write_atomic(os.path.join(self._folder, name), msgspec.json.encode(moment))

    def _reopened(self, name: str) -> "Moment | Scan | None":
        """Return the first or the latest moment of an earlier process, if it is there and can still be read."""
        data = files.read_bytes(os.path.join(self._folder, name)) if self.kept else None
        try:
            found = msgspec.json.decode(data, type=str | Moment | Scan) if data else None
        except msgspec.DecodeError:
            return None
        found = Moment(found) if isinstance(found, str) else found  # as an earlier version wrote it
        if isinstance(found, Moment) and git.run(self._root, "cat-file", "-e", found.tree, env=self._env).code != 0:
            return None
        return found

    @property
    def _env(self) -> dict[str, str]:
        return self._writer.read_env

    def _first_texts(self, begins: bool) -> dict[str, str]:
        """Return the first contents of the files to keep; in git the tree has them."""
        path = os.path.join(self._folder, "texts.json")
        if isinstance(self._first, Moment):
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
        if not isinstance(self._first, Moment):
            return self._texts.get(path)
        answer = git.run(self._root, "show", f"{self._first.tree}:./{path}", max_bytes=_TEXT_BYTES, env=self._env)
        return answer.output if answer.code == 0 else None

    def had_folder(self, path: str) -> bool:
        """Return whether a folder held anything of the project when the watch began."""
        if not isinstance(self._first, Moment):
            return any(name.startswith(path + "/") for name in self._first.files)
        return git.run(self._root, "cat-file", "-e", f"{self._first.tree}:./{path}", env=self._env).code == 0

    @property
    def first_tree(self) -> GitTree | None:
        """The project's files when the watch began; None where git cannot be had."""
        return self._tree_at(self._first) if isinstance(self._first, Moment) else None

    @property
    def last_tree(self) -> Tree:
        """The project's files at the latest step."""
        return self._tree_at(self._last) if isinstance(self._last, Moment) else FolderTree(self._root)

    def _tree_at(self, moment: Moment) -> GitTree:
        """Return the tree of the first or the latest moment, read once however often it is asked for."""
        wanted = {one.tree for one in (self._first, self._last) if isinstance(one, Moment)}
        self._trees = {tree: self._trees.get(tree) or GitTree(self._root, tree, self._env) for tree in wanted}
        return self._trees[moment.tree]

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """What no tree of the latest step holds: too large, unreadable, a repository of its own."""
        return self._last.left_out if isinstance(self._last, Moment) else ()

    def snapshot(self, batch_id: str) -> TakenSnapshot:
        """Keep the work tree as it is now for the person, before a batch."""
        if self._net is None:
            return TakenSnapshot(reason="off")
        if not isinstance(self._last, Moment) or self._writer.store is None:
            return TakenSnapshot(reason=self._problem)
        return take_snapshot(self._writer, self._net.run_id, batch_id)

    def step(self) -> WatchStep:
        """Return what changed until now."""
        now = self._look(END)
        latest = self._between(self._last, now)
        total = latest if self._first is self._last else self._between(self._first, now)
        self._last = self._settled = now
        self._write_down(LATEST, now)
        return WatchStep(latest, total)

    def settle(self) -> None:
        """Take the work tree as it is now for what `moved` compares with."""
        self._settled = self._look()

    def moved(self) -> list[str]:
        """Return what changed since the latest step that bears on the work: no prose, no output of a build.

        Of a watch that was reopened, the latest step is the earlier process's.
        """
        changed = self._between(self._settled, self._look()).files
        found = [path for path in changed if not (is_prose(path) or is_lock(path))]
        outputs = [path for path in found if is_output(path)]
        kept = set(git.run(self._root, "ls-files", "-z", "--", *outputs).output.split("\0")) if outputs else set()
        return [path for path in found if path not in outputs or path in kept]

    def since(self, revision: str) -> TreeChange | None:
        """Return what changed between a revision and the latest step, or in a range (A..B, A...B).

        None when there is no such one, or no git.
        """
        if not isinstance(self._last, Moment) or self._writer.repository is None or revision.startswith(("-", "^")):
            return None
        named = git.run(self._root, "rev-parse", "--revs-only", revision).output.split()
        starts = [one[1:] for one in named if one.startswith("^")]  # a range: its end, and these left out
        before = self._find_tree(starts[0] if starts else revision)
        now = self._find_tree(named[0]) if starts else self._last
        return self._between(before, now) if before and now else None

    def _find_tree(self, revision: str) -> Moment | None:
        found = git.run(self._root, "rev-parse", "--verify", "-q", "--end-of-options", f"{revision}^{{tree}}")
        return Moment(found.output.strip()) if found.code == 0 else None

    def uncommitted(self) -> TreeChange | None:
        """Return what is not committed, new files included; None outside of git."""
        if not isinstance(self._last, Moment) or self._writer.repository is None:
            return None
        nothing = git.run(self._root, "hash-object", "-t", "tree", "--stdin", env=self._env).output.strip()
        return self.since("HEAD") or self._between(Moment(nothing), self._last)  # there may be no commit yet

    def _look(self, name: str = "") -> "Moment | Scan":
        """Return the work tree as it is now; with a name it is kept under it, where there is a net."""
        written = None if self._is_too_large() else self._writer.write()
        if written and written.reason and self._writer.store:
            self._problem = written.reason
            self._writer.store = None  # what cannot be kept for the person can still be looked at
            written = self._writer.write()
        if self._net and name:
            self.latest_snapshot = self._keep(written, self._net.run_id, name)
        if written is None or written.reason:
            return _scan(self._root)
        return Moment(written.whole, tuple(left for left in written.left_out if left.why != "secret"))

    def _keep(self, written: WrittenTree | None, run_id: str, name: str) -> TakenSnapshot:
        if written is None or written.reason or self._writer.store is None:
            return TakenSnapshot(reason=self._problem or (written.reason if written else ""))
        return keep_written(self._writer, written, run_id, name)

    def _between(self, before: "Moment | Scan", now: "Moment | Scan") -> TreeChange:
        if isinstance(before, Scan) and isinstance(now, Scan):
            change = _scanned_change(before, now)
            return change._replace(diff=self.text_diff(change.files)) if before is self._first else change
        if isinstance(before, Scan) or isinstance(now, Scan):
            return TreeChange([], "", "", True)  # git failed at one of the two moments
        large = self._changed_outside(before.left_out, now.left_out)
        if before.tree == now.tree:
            return TreeChange(large, "", "", False)
        answer = self._diff(before.tree, now.tree)
        found, stat, diff = _read_diff(answer.output)
        return TreeChange(sorted({*found, *large}), diff, stat, answer.code is None or answer.cut)

    def _changed_outside(self, before: tuple[LeftOut, ...], now: tuple[LeftOut, ...]) -> list[str]:
        """Return which of the files that no tree holds are new, gone or of another size or time."""
        places = {os.path.join(self._writer.top, left.path) for left in set(before) ^ set(now)}
        return sorted(os.path.relpath(place, self._root) for place in places if place.startswith(self._root + os.sep))

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

    def _diff(self, before: str, now: str) -> git.GitOutput:
        """Return names, statistics and lines of the difference between two trees, asked for at once."""
        safe = ("--no-ext-diff", "--no-textconv", "--no-color", "--relative")
        arguments = ("diff", "--raw", "-z", "--stat", "--patch", "-U0", "-M", *safe, before, now, "--", ".")
        return git.run(self._root, *arguments, timeout_s=_GIT_S, max_bytes=_DIFF_BYTES, env=self._env)

    def _is_too_large(self) -> bool:
        """Return whether a project outside of git has more than MI wants to keep beside it."""
        if self._writer.repository is not None:
            return False
        found = _scan(self._root)
        is_large = not found.complete or sum(size for size, _ in found.files.values()) > _FOLDER_BYTES
        if is_large:
            self._problem = "too large"
        return is_large


_LOOK = KeepRules(secrets="keep")  # what stays in the watch's own folder


class Scan(NamedTuple):
    """Size and time of each file; not `complete` when there were too many."""

    files: dict[str, tuple[int, int]]
    complete: bool


def _read_diff(output: str) -> tuple[list[str], str, str]:
    """Return the changed files, the statistics and the lines from what `git diff --raw -z --stat --patch` prints."""
    parts = iter(output.split("\0"))
    files: list[str] = []
    for part in parts:
        if not part.startswith(":"):
            return files, part.rstrip(), "\0".join(parts)
        name = next(parts, "")
        is_moved = part.rpartition(" ")[2].startswith(("R", "C"))
        files.append(next(parts, "") if is_moved else name)
    return files, "", ""


def _scan(root: str) -> Scan:
    found: dict[str, tuple[int, int]] = {}
    deadline = time.monotonic() + _SCAN_S
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
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
