"""What became of the judges of the work since a run began, by what the work tree shows."""

import hashlib
from collections.abc import Collection

from mi.kernel.named_tuple import NamedTuple
from mi.mind.views import PartView
from mi.project.checks.asked_functions import find_open_functions
from mi.project.checks.judge_lost_data import find_lost_data
from mi.project.checks.judge_new_tests import find_missing_tests
from mi.project.checks.judges import JudgeChange, find_judge_changes, notices_tests
from mi.project.checks.new_imports import find_unfound_imports
from mi.project.trees import Tree, TreeEntry, compare_trees
from mi.project.worktree import TreeChange, WorktreeWatch

_SHOWN_CHANGES = 4  # in a question to the person
_SHOWN_LINES = 6  # of one of them, before and after


class _Unasked(NamedTuple):
    """A judge that changed, or code that notices one, though nobody asked for it."""

    path: str
    way: str  # `tests/test_a.py: test_x changed`
    lines: list[str]  # before and after

    @property
    def id(self) -> str:
        """By which the person's word about it is remembered."""
        return hashlib.sha256("\0".join((self.way, *self.lines)).encode("utf-8", "replace")).hexdigest()[:16]


class JudgeFacts(NamedTuple):
    """What bends the judgement of the work and nobody asked for, and the tests that were to be removed."""

    unasked: list[_Unasked]
    removed_as_asked: list[str]
    open_parts: list[PartView] = []  # what the task asks for and is not there, and what only this machine has

    @property
    def ways(self) -> list[str]:
        return [one.way for one in self.unasked]

    @property
    def ids(self) -> list[str]:
        return [one.id for one in self.unasked]

    @property
    def shown(self) -> str:
        """The first of them with their lines, for the person."""
        shown = [[one.way, *one.lines] for one in self.unasked[:_SHOWN_CHANGES]]
        return "\n".join(line for lines in shown for line in lines)

    def signals(self, changed: Collection[str]) -> list[str]:
        """Return the risk signals of what is in one of the changed files."""
        return [f"tests: {one.way}" for one in self.unasked if one.path in changed]


def judge_facts(task: str, change: TreeChange, watch: WorktreeWatch, accepted: Collection[str]) -> JudgeFacts:
    """Return what of the judges is not as it was; what the person accepted counts as asked for."""
    if not change.files:
        return JudgeFacts([], [])
    final = watch.last_tree
    base = watch.first_tree or _KeptTree(watch, change, final)
    changes = find_judge_changes(base, final, task)
    found = [_Unasked(one.path, str(one), _lines(one)) for one in changes if not one.asked_for]
    found += [
        _Unasked(one.path, f"{one.path}: {one.way}", [f"  + {one.line}"]) for one in notices_tests(base, final, task)
    ]
    found += [_Unasked(one.path, one.way, []) for one in find_lost_data(base, final, task)]
    removed = [one.path for one in changes if one.asked_for and one.how == "removed" and not one.item]
    wish, missing = find_missing_tests(task, base, final)
    parts = [PartView(text=wish, state="open", missing=[f"{missing} (“{wish}”)"])] if missing else []
    parts += [_open(*one) for one in find_open_functions(task, base, final)]
    parts += [_open(*one) for one in find_unfound_imports(base, final, watch.root)]
    return JudgeFacts([one for one in found if one.id not in accepted], removed, parts)


def _open(name: str, missing: str) -> PartView:
    return PartView(text=f"`{name}`", state="open", missing=[missing])


def _lines(change: JudgeChange) -> list[str]:
    before, after = change.before.splitlines(), change.after.splitlines()
    gone = [f"  - {line}" for line in before if line not in after][:_SHOWN_LINES]
    return [*gone, *[f"  + {line}" for line in after if line not in before][:_SHOWN_LINES]]


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
