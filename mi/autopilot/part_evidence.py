"""Accounting for the parts of a task: whether the work tree shows each named thing as the task says."""

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from mi.governance.change_units import list_paths, split_blocks
from mi.kernel import git
from mi.kernel.language import compiled, patterns
from mi.mind.task_parts import TaskPart, Wanted, split_task
from mi.mind.views import PartView
from mi.project.checks.file_kinds import is_prose, is_test
from mi.project.worktree import TreeChange, WorktreeWatch

_GREP_S = 10.0
_IDENTIFIER = re.compile(r"[\w.]+\Z|--[\w-]+\Z")


def account_for_parts(task: str, change: TreeChange, watch: WorktreeWatch) -> list[PartView]:
    """Return each part of a task with what the tree shows of it; a part that names nothing is unclear."""
    if not change.files:
        return [PartView(text=part.text) for part in split_task(task)]
    tree = _Tree(change, watch)
    return [_account(part, tree) for part in split_task(task)]


def _account(part: TaskPart, tree: "_Tree") -> PartView:
    about_tests = compiled(patterns().about_tests).search(part.text) is not None
    missing = [said for wanted in part.wanted if (said := _find_missing(wanted, tree, about_tests))]
    return PartView(
        text=part.text,
        state="open" if missing else "done" if part.wanted else "unclear",
        missing=missing,
        seen=[one.name for one in part.wanted],
    )


def _find_missing(wanted: Wanted, tree: "_Tree", about_tests: bool) -> str:
    """Return what does not stand in the tree as wanted, in words for the agent; '' when it does."""
    name = wanted.name
    match wanted.wish:
        case "edited":
            return "" if tree.touches(name) else f"`{name}` was not changed"
        case "added" if wanted.is_file:
            return "" if tree.touches(name) or tree.has_file(name) else f"`{name}` is not there"
        case "added":
            return "" if tree.gains(name, about_tests) else f"`{name}` was not added"
        case "returned":
            return "" if tree.holds(name) else f"`{name}` is nowhere in the code"
        case "removed":
            return f"`{name}` is still there" if tree.keeps(name, wanted.is_file) else ""
        case "renamed" if not (tree.gains(name, about_tests) or tree.has_file(name)):
            return f"`{name}` is not there"
        case "renamed":
            return f"`{wanted.former}` is still there" if tree.keeps(wanted.former, wanted.is_file) else ""
    return ""


class _Lines(NamedTuple):
    path: str
    gone: list[str]
    came: list[str]


class _Tree:
    """The work tree beside what changed in it."""

    def __init__(self, change: TreeChange, watch: WorktreeWatch) -> None:
        self._change = change
        self._watch = watch
        self._lines = list(_changed_lines(change, watch))

    def touches(self, name: str) -> bool:
        """Return whether a file of that name, or one that only its ending tells from it, was changed."""
        return any(_is_named(path, name) for path in self._change.files)

    def has_file(self, name: str) -> bool:
        return os.path.exists(os.path.join(self._watch.root, name))

    def gains(self, name: str, in_tests: bool) -> bool:
        """Return whether a line that came names it, in what is no test unless tests are what is wanted."""
        word = _word(name)
        return any(
            word.search(line)
            for one in self._lines
            if in_tests or not is_test(one.path)
            for line in (one.path, *one.came)
        )

    def holds(self, name: str) -> bool:
        return self.gains(name, in_tests=True) or bool(self._files_with(name))

    def keeps(self, name: str, is_file: bool) -> bool:
        """Return whether what is to go is there still; a common word may well stand elsewhere when some of it went."""
        if is_file or self.has_file(name):
            return self.has_file(name)
        left = [path for path in self._files_with(name) if not is_prose(path) and not is_test(path)]
        went = any(_word(name).search(line) for one in self._lines for line in one.gone)
        return bool(left) and (not went or bool(re.search(r"_|[a-z][A-Z]|^--", name)))

    def _files_with(self, name: str) -> list[str]:
        """Return the files of the work tree that hold a name as a word; outside of git, of the changed ones."""
        whole = ("-w",) if _IDENTIFIER.match(name) else ()
        found = git.run(
            self._watch.root, "grep", "-lIF", "-z", "--untracked", *whole, "-e", name, "--", ".", timeout_s=_GREP_S
        )
        if found.code in (0, 1):
            return [path for path in found.output.split("\0") if path]
        return [path for path in self._change.files if _word(name).search(self._watch.text(path) or "")]


def _changed_lines(change: TreeChange, watch: WorktreeWatch) -> Iterator[_Lines]:
    """Yield the lines that each changed file lost and gained; without a diff, all lines of the changed files."""
    if change.diff and not change.incomplete:
        for block in split_blocks(change.diff):
            yield _Lines(list_paths(block)[0], block.removed, block.added)
        return
    for path in change.files:
        before, now = (watch.first_text(path) or "").splitlines(), (watch.text(path) or "").splitlines()
        yield _Lines(path, [line for line in before if line not in set(now)], [x for x in now if x not in set(before)])


def _is_named(path: str, name: str) -> bool:
    return path == name or path.endswith("/" + name) or os.path.basename(path).partition(".")[0] == name


def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w])" if _IDENTIFIER.match(name) else re.escape(name))
