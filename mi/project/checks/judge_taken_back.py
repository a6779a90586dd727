"""Tests that go with what a task takes away: those of a function that is gone, and those that a commit brought."""

import re
from collections.abc import Sequence

from mi.kernel import git
from mi.kernel.language import compiled, patterns
from mi.project.checks.judge_differences import JudgeChange
from mi.project.checks.product_functions import find_functions
from mi.project.trees import GitTree, Tree

_COMMITS = 10  # of the past that a task may want back


def with_taken_back(changes: Sequence[JudgeChange], base: Tree, final: Tree, task: str) -> list[JudgeChange]:
    """Return changes of judges, with those as asked for that follow from what the task takes away or takes back."""
    known = patterns()
    if compiled(known.tests_stay).search(task) or all(one.asked_for for one in changes):
        return list(changes)
    back, away = (bool(compiled(one).search(task)) for one in (known.takes_back, known.take_away))
    past = _Past(base, task) if back and compiled(known.about_history).search(task) else None
    gone = _find_gone(task, base, final) if back or away else frozenset()
    return [
        one
        if one.asked_for
        else one._replace(asked_for=bool(past and past.had(one, final)) or _is_only_of(one, gone, final))
        for one in changes
    ]


def _find_gone(task: str, base: Tree, final: Tree) -> frozenset[str]:
    """Return the functions that a task names, that were there and are not any more."""
    words = frozenset(re.findall(r"[A-Za-z_$][\w$]*", task))
    had = find_functions(words, base)
    return frozenset(had) - frozenset(find_functions(words, final)) if had else frozenset()


def _is_only_of(change: JudgeChange, gone: frozenset[str], final: Tree) -> bool:
    """Return whether a removed test is about what is gone, and about nothing that is still there."""
    words = frozenset(re.findall(r"[A-Za-z_$][\w$]*", change.before))
    if change.how != "removed" or words.isdisjoint(name.rpartition(".")[2] for name in gone):
        return False
    return not find_functions(words, final)


class _Past:
    """The commits that a task wants back: the one whose tree the work began with, and those that it names."""

    def __init__(self, base: Tree, task: str) -> None:
        root, tree_id = (base.root, base.tree_id) if isinstance(base, GitTree) else ("", "")
        answer = (
            git.run(root, "log", "--first-parent", f"--max-count={_COMMITS}", "--format=%H %T %P") if root else None
        )
        listed = [line.split() for line in answer.output.splitlines()] if answer and answer.code == 0 else []
        named = re.findall(r"\b[0-9a-f]{7,40}\b", task)
        last = next((facts for facts in listed if facts[1] == tree_id), [])
        meant = [facts for facts in listed if facts[0].startswith(tuple(named))] if named else [last]
        self._pairs = [(GitTree(root, facts[2]), GitTree(root, facts[0])) for facts in meant if len(facts) > 2]

    def had(self, change: JudgeChange, final: Tree) -> bool:
        """Return whether a file is as it was before such a commit, which changed it."""
        now = final.entry(change.path)
        return any(
            before.entry(change.path) == now and after.entry(change.path) != now for before, after in self._pairs
        )
