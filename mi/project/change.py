"""A change in a project as the rules see it: its change units, what it touches, how risky it is, what it needs."""

import os
from collections.abc import Collection, Sequence

from mi.governance.change_units import Counted, add_unseen, count
from mi.governance.diff_flags import find_diff_flags
from mi.governance.impact import Facts, compute_raw_risk, find_facts, find_flags, join_flags
from mi.governance.review_gate import Required, review_gate
from mi.kernel import git
from mi.kernel.errors import MiError, NotFound
from mi.kernel.named_tuple import NamedTuple
from mi.project.worktree import TreeChange, WorktreeWatch


class Weighed(NamedTuple):
    """A change with everything the rules say about it."""

    counted: Counted
    flags: tuple[str, ...]
    facts: Facts
    diff: str
    incomplete: bool = False

    @property
    def raw(self) -> int:
        return compute_raw_risk(self.facts)

    @property
    def review(self) -> Required:
        return review_gate(self.counted.units, self.raw, self.counted.together)

    def keep(self, paths: Collection[str], root: str) -> "Weighed":
        """Return what of it lies in these files, weighed anew."""
        counted = Counted(tuple(file for file in self.counted.files if file.path in paths))
        return Weighed(counted, *_weigh_files(counted, root), self.diff, self.incomplete)


def weigh(
    diff: str,
    task: str,
    root: str,
    count_generated: bool = False,
    incomplete: bool = False,
    files: Sequence[str] = (),
) -> Weighed:
    """Return a diff together with the words of the task it was made for.

    `files` is all that changed: the diff may be cut, and shows no file that is too large.
    """
    counted = add_unseen(count(diff, count_generated), files, count_generated)
    flags, facts = _weigh_files(counted, root)
    if task:
        facts = join_flags(facts, find_facts(find_flags(task)))
    return Weighed(counted, flags, facts, diff, incomplete)


def _weigh_files(counted: Counted, root: str) -> tuple[tuple[str, ...], Facts]:
    flags = find_diff_flags(counted, own_modules(root)) if counted.files else ()
    return flags, find_facts(flags, counted.lines, counted.dirs)


def change_here(root: str, revision: str = "", task: str = "", count_generated: bool = False) -> Weighed:
    """Return what is not committed, or what changed since a revision; MiError outside of git."""
    if git.find_toplevel(root) is None:
        raise MiError("gate-no-repository", path=root)
    with WorktreeWatch(root) as watch:
        change = watch.since(revision) if revision else watch.uncommitted()
        if change is None and revision and watch.uncommitted() is not None:
            raise NotFound("gate-no-revision", revision=revision, path=root)
    if change is None:
        raise MiError("gate-no-repository", path=root)
    return weigh(change.diff, task, root, count_generated, change.incomplete, change.files)


def describe_change(change: TreeChange, task: str, root: str) -> Weighed:
    """Return a change that a run has watched."""
    return weigh(change.diff, task, root, incomplete=change.incomplete, files=change.files)


def own_modules(root: str) -> set[str]:
    """Names that an import takes from the project itself: its folders and files, those in `src` and `lib` too."""
    found: set[str] = set()
    for folder in (root, os.path.join(root, "src"), os.path.join(root, "lib")):
        try:
            found |= {name.split(".")[0] for name in os.listdir(folder)}
        except OSError:
            continue
    return found
