"""What putting a work tree back as a snapshot kept it would change; looking changes nothing.

Ignored files are never touched. Nothing is overwritten or removed that the present state, kept as a snapshot of its own
before, does not hold.
"""

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal

from mi.kernel import files, git
from mi.kernel.named_tuple import NamedTuple
from mi.project.git_rules import freeze_attributes
from mi.project.left_out import KeepRules, LeftOut, Why
from mi.project.tree_bytes import write_rule
from mi.project.tree_paths import find_obstacle, is_file, is_inside, list_files
from mi.project.tree_store import TreeStore, make_repository
from mi.project.tree_writer import TreeWriter
from mi.project.trees import GitTree, TreeEntry

_GIT_S = 120.0
_ENCODED = "working-tree-encoding"
_CLOCK_S = 1.0  # by which the clock of a disk may be behind

WhyLeft = Literal[Why, "ignored", "older", "in-the-way", "changed", "refused", "unkept"]


class LeftAlone(NamedTuple):
    """A path that differs and stays as it is, and why."""

    path: str
    why: WhyLeft
    detail: str = ""  # what the system said


class KeptTree(NamedTuple):
    """What a snapshot holds: its tree, when it was taken, and what was left out of it."""

    tree: GitTree
    time: float
    left_out: tuple[str, ...] = ()
    excludes: str = ""  # a file with the exclude rules that it was taken by, where that is still there
    objects: str = ""  # where its contents are, if not where the present state is kept
    attributes: str = ""  # the rules by which contents were converted
    config: str = ""  # a file with the settings that it was taken by, where that is still there


class PresentTree(NamedTuple):
    """The work tree as it is now, written down; with a `reason`, why it could not be."""

    tree: GitTree
    left_out: tuple[LeftOut, ...] = ()
    reason: str = ""
    attributes: str = ""  # the rules that it was written by


class Difference(NamedTuple):
    """What putting back would do; paths are seen from the top of the work tree."""

    put_back: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    left: tuple[LeftAlone, ...] = ()
    elsewhere: int = 0  # how much differs outside of what was asked for
    present: tuple[TreeEntry | None, ...] = ()  # what is now in the place of each path to put back or to remove

    def __bool__(self) -> bool:
        return bool(self.put_back or self.removed)


@contextmanager
def open_present(kept: KeptTree, store: TreeStore | None, keep: KeepRules) -> Iterator[tuple[TreeWriter, PresentTree]]:
    """Yield the work tree as it is, written down by the attribute rules of a snapshot, and its writer.

    Without a store, what was written goes when it is closed. Where a content is not in the encoding that a rule says,
    everything is taken as it is.
    """
    with _open_writer(kept, store, keep, kept.attributes) as writer:
        now = _write_present(writer, kept)
        if not now.reason or _ENCODED not in kept.attributes:
            yield writer, now._replace(attributes=now.attributes or kept.attributes)
            return
    attributes = f"{kept.attributes}* !{_ENCODED}\n"
    with _open_writer(kept, store, keep, attributes) as writer:
        now = _write_present(writer, kept)
        yield writer, now._replace(attributes=now.attributes or attributes)


@contextmanager
def _open_writer(kept: KeptTree, store: TreeStore | None, keep: KeepRules, attributes: str) -> Iterator[TreeWriter]:
    folder = tempfile.mkdtemp(prefix="mi-now-")
    try:
        yield TreeWriter(kept.tree.root, folder, store, keep, attributes, kept.config)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write_present(writer: TreeWriter, kept: KeptTree) -> PresentTree:
    """Write the work tree down, and with it what the snapshot holds and git ignores by now."""
    written = writer.write()
    present = GitTree(writer.top, written.exact, _make_env(writer))
    if written.reason:
        return PresentTree(present, reason=written.reason)
    left_out = list(written.left_out)
    named = {left.path for left in left_out}
    nested = [left.path for left in left_out if left.why == "repository"]
    hidden = [path for path in kept.tree.entries if path not in present.entries and path not in named]
    hidden = [path for path in hidden if is_file(writer.top, path) and not is_inside(path, nested)]
    judged = {path: writer.judge(path) for path in hidden}
    left_out += [left for left in judged.values() if left]
    known = named | judged.keys()
    left_out += [LeftOut(path, "hidden") for path in _find_hidden(writer, kept) if path not in known]
    also = [path for path, left in judged.items() if left is None]
    reason = _take_in(present, also) if also else ""
    if reason or not also:
        return PresentTree(present, tuple(left_out), reason, written.attributes)
    tree, attributes = writer.keep_bytes(_write_tree(present), also)
    return PresentTree(GitTree(writer.top, tree, present.env), tuple(left_out), "", attributes)


def _find_hidden(writer: TreeWriter, kept: KeptTree) -> list[str]:
    """Return the new files that git ignores now and would not have ignored by the rules of the snapshot."""
    if not os.path.isfile(kept.excludes):
        return []
    found = writer.list_new(kept.excludes)
    return [path for path in found if _why_not_removed(kept, path, set()) is None]


def _make_env(writer: TreeWriter) -> dict[str, str]:
    """Return the variables by which git writes to where the writer does."""
    return writer.read_env | ({"GIT_OBJECT_DIRECTORY": writer.store.objects} if writer.store else {})


def _take_in(present: GitTree, paths: list[str]) -> str:
    """Take paths into the writer's index, ignored or not; return why not."""
    words = ("update-index", "--add", "--replace", "-z", "--stdin")
    names = b"\0".join(map(os.fsencode, paths))
    answer = git.run_bytes(present.root, *words, stdin=names, timeout_s=_GIT_S, env=present.env, umask=-1)
    return "" if answer.code == 0 else answer.error or "git update-index"


def _write_tree(present: GitTree) -> str:
    answer = git.run_bytes(present.root, "write-tree", timeout_s=_GIT_S, env=present.env, umask=-1)
    return answer.output.decode().strip()


def compare(kept: KeptTree, now: PresentTree, within: Sequence[str] = ("",)) -> Difference:
    """Return what has to be done so that the paths asked for are again as the snapshot holds them."""
    top, wanted, present = kept.tree.root, kept.tree.entries, now.tree.entries
    differing = sorted(path for path in wanted.keys() | present.keys() if wanted.get(path) != present.get(path))
    differing = sorted({*differing, *_find_written_otherwise(kept, now)})
    asked = [path for path in differing if is_inside(path, within)]
    extra = [path for path in asked if path not in wanted]
    ignored = find_ignored(kept, extra)
    left = [LeftAlone(path, why) for path in extra if (why := _why_not_removed(kept, path, ignored))]
    stays = {one.path for one in left}
    removed = tuple(path for path in extra if path not in stays)
    going = frozenset(removed)
    unkept = {one.path: one.why for one in now.left_out}
    for path in asked:
        if path in wanted and (why := _why_not_put_back(top, path, present.keys(), going, unkept)):
            left.append(LeftAlone(path, why))
    left += _find_moved_submodules(kept.tree, now.tree, within)
    left += [
        LeftAlone(one.path, "hidden") for one in now.left_out if one.why == "hidden" and is_inside(one.path, within)
    ]
    stays = {one.path for one in left}
    left += [LeftAlone(path, "unkept") for path in _find_lost(kept, within) if path not in stays]
    put_back = [path for path in asked if path in wanted and path not in stays]
    replaced = tuple(present.get(path) for path in (*put_back, *removed))
    return Difference(tuple(put_back), removed, tuple(sorted(left)), len(differing) - len(asked), replaced)


def _find_written_otherwise(kept: KeptTree, now: PresentTree) -> list[str]:
    """Return the files that git stores as it did, and that now have other bytes than the snapshot's rules write."""
    rules, had = set(now.attributes.splitlines()), set(kept.attributes.splitlines())
    if rules <= had:
        return []
    return [path for path in now.tree.entries if (rule := write_rule(path)) in rules and rule not in had]


def _find_lost(kept: KeptTree, within: Sequence[str]) -> list[str]:
    """Return what the snapshot left out and is gone by now."""
    top = kept.tree.root
    return [one for one in kept.left_out if is_inside(one, within) and not os.path.lexists(os.path.join(top, one))]


def _why_not_removed(kept: KeptTree, path: str, ignored: set[str]) -> WhyLeft | None:
    """Return why a path that the snapshot does not have stays: only what was made since may go."""
    if is_inside(path, kept.left_out):
        return "older"
    if path in ignored:
        return "ignored"
    try:
        status = os.lstat(os.path.join(kept.tree.root, path))
    except OSError:
        return None  # gone meanwhile
    return "older" if status.st_ctime < kept.time - _CLOCK_S else None


def _why_not_put_back(
    top: str, path: str, present: Iterable[str], removed: frozenset[str], unkept: Mapping[str, WhyLeft]
) -> WhyLeft | None:
    """Return why a path of the snapshot cannot be put back: something that is not kept is in its place."""
    obstacle = find_obstacle(top, path)
    if obstacle:
        return None if obstacle in removed else "in-the-way"
    place = os.path.join(top, path)
    if path in present or not os.path.lexists(place):
        return None
    if os.path.isdir(place) and not os.path.islink(place):
        return None if list_files(top, path) <= removed else "in-the-way"
    return unkept.get(path, "in-the-way")


def find_ignored(kept: KeptTree, paths: list[str]) -> set[str]:
    """Return which paths the exclude rules of a snapshot would hide."""
    if not paths:
        return set()
    with (
        _write_rules(kept.tree, ".gitignore") as (folder, _),
        tempfile.TemporaryDirectory(prefix="mi-rules-") as git_dir,
    ):
        make_repository(git_dir, {})
        general = files.read_bytes(kept.excludes) if kept.excludes else None
        files.write_atomic(os.path.join(git_dir, "info", "exclude"), general or b"", sync=False)
        env = {"GIT_DIR": git_dir, "GIT_WORK_TREE": folder}
        names = b"\0".join(map(os.fsencode, paths))
        answer = git.run_bytes(folder, "check-ignore", "--no-index", "-z", "--stdin", stdin=names, env=env)
    return {os.fsdecode(name) for name in answer.output.split(b"\0") if name}


def read_attributes(tree: GitTree) -> str:
    """Return the attribute rules that a tree holds, put together."""
    with _write_rules(tree, ".gitattributes") as (folder, names):
        return freeze_attributes(folder, names, [], "")


@contextmanager
def _write_rules(tree: GitTree, name: str) -> Iterator[tuple[str, list[str]]]:
    """Yield a folder with a tree's files of one name, and their paths."""
    paths = [path for path in tree.entries if os.path.basename(path) == name]
    with tempfile.TemporaryDirectory(prefix="mi-rules-") as folder:
        for path in paths:
            files.write_atomic(os.path.join(folder, path), tree.read(path) or b"", sync=False)
        yield folder, paths


def _find_moved_submodules(kept: GitTree, now: GitTree, within: Sequence[str]) -> list[LeftAlone]:
    before, present = kept.repositories, now.repositories
    moved = (path for path in before if before[path] != present.get(path) and is_inside(path, within))
    return [LeftAlone(path, "submodule") for path in moved]
