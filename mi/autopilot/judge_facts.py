"""What became of the judges of the work since a run began, by what the work tree shows."""

import hashlib
from collections.abc import Collection
from typing import NamedTuple

from mi.project.checks.judge_places import judge_kind, shadows_module
from mi.project.checks.judges import JudgeChange, find_judge_changes
from mi.project.trees import Tree, TreeEntry, compare_trees
from mi.project.worktree import TreeChange, WorktreeWatch

_SHOWN_CHANGES = 4  # in a question to the person
_SHOWN_LINES = 6  # of one of them, before and after


class JudgeFacts(NamedTuple):
    """The judges that changed and nobody asked for it, and what else is known about them."""

    ways: list[str]  # `tests/test_a.py: test_x changed`
    shown: str  # the same with the lines before and after
    ids: list[str]  # by which a yes or no is remembered
    paths: list[str]
    removed_as_asked: list[str]


def keeps(path: str) -> bool:
    """Return whether the first contents of a file are needed to see whether a judge changed."""
    return bool(judge_kind(path) or shadows_module(path, frozenset()))


def judge_facts(task: str, change: TreeChange, watch: WorktreeWatch, accepted: Collection[str]) -> JudgeFacts:
    """Return what of the judges is not as it was; what the person accepted counts as asked for."""
    final = watch.last_tree
    base = watch.first_tree or _KeptTree(watch, change, final)
    changes = find_judge_changes(base, final, task) if change.files else []
    unasked = [one for one in changes if not one.asked_for and _id(one) not in accepted]
    return JudgeFacts(
        [str(one) for one in unasked],
        "\n".join(map(_lines, unasked[:_SHOWN_CHANGES])),
        [_id(one) for one in unasked],
        [one.path for one in unasked],
        [one.path for one in changes if one.asked_for and one.how == "removed" and not one.item],
    )


def _id(change: JudgeChange) -> str:
    text = "\0".join((change.path, change.item, change.how, change.before, change.after))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _lines(change: JudgeChange) -> str:
    """Return a change for people: what it is, and the lines that differ."""
    before, after = change.before.splitlines(), change.after.splitlines()
    gone = [f"  - {line}" for line in before if line not in after][:_SHOWN_LINES]
    came = [f"  + {line}" for line in after if line not in before][:_SHOWN_LINES]
    return "\n".join([str(change), *gone, *came])


class _KeptTree(Tree):
    """The files of a project outside of git when the watch began: what it kept of those that changed since."""

    def __init__(self, watch: WorktreeWatch, change: TreeChange, final: Tree) -> None:
        self._final = final
        self._kept = {path: watch.first_text(path) for path in change.files}

    def paths(self) -> frozenset[str]:
        there = {path for path, text in self._kept.items() if text is not None}
        return (self._final.paths() - self._kept.keys()) | there

    def read(self, path: str) -> bytes | None:
        if path not in self._kept:
            return self._final.read(path)
        text = self._kept[path]
        return None if text is None else text.encode()

    def entry(self, path: str) -> TreeEntry | None:
        if path not in self._kept:
            return self._final.entry(path)
        return None if self._kept[path] is None else self._final.entry(path) or TreeEntry("100644")

    def changed_since(self, other: Tree) -> list[str]:
        return compare_trees(other, self)
