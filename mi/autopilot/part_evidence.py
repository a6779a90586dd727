"""Accounting for the parts of a task: whether the work tree shows each named thing as the task says."""

import os
import re
from collections.abc import Iterator

from mi.autopilot.branch_evidence import (
    find_branch_faults,
    find_branches,
    find_few_commits,
    find_held_work,
    find_merge_faults,
)
from mi.autopilot.command_facts import is_by_product
from mi.governance.change_units import list_paths, split_blocks
from mi.kernel import git
from mi.kernel.language import compiled, patterns
from mi.kernel.messages import text as say
from mi.kernel.named_tuple import NamedTuple
from mi.mind.task_parts import TaskPart, Wanted, split_task
from mi.mind.views import PartView
from mi.project.checks.file_kinds import is_lock, is_prose, is_test
from mi.project.sought_names.faults import find_fault, is_mentioned, is_unraised, option_names
from mi.project.sought_names.sought_name import SoughtName
from mi.project.worktree import TreeChange, WorktreeWatch

_GREP_S = 10.0
_SHOWN = 5  # files that are named
_IDENTIFIER = re.compile(r"[\w.]+\Z|--[\w-]+\Z")


def account_for_parts(task: str, change: TreeChange, watch: WorktreeWatch) -> list[PartView]:
    """Return each part of a task with what the tree shows of it; a part that names nothing is unclear."""
    if not change.files:
        return [_account_elsewhere(part.text, watch) for part in split_task(task)]
    tree = _Tree(change, watch)
    beside = [tree.find_conflicts()]  # told once, with the first part
    return [_account(part, task, tree, beside.pop() if beside else []) for part in split_task(task)]


def _account(part: TaskPart, task: str, tree: "_Tree", beside: list[str]) -> PartView:
    branches = find_branches(part.text)
    things = [one for one in part.wanted if one.name not in branches]
    missing = [said for wanted in things if (said := _find_missing(wanted, part.text, task, tree))]
    missing += tree.find_uncommitted() if _asks_for_commit(part.text) else []
    missing += find_branch_faults(part.text, tree.work, tree.watch)
    missing += [*find_merge_faults(part.text, tree.watch), *find_few_commits(part.text, tree.watch), *beside]
    return PartView(
        text=part.text,
        state="open" if missing else "done" if part.wanted else "unclear",
        missing=missing,
        seen=[one.name for one in part.wanted],
    )


def _account_elsewhere(text: str, watch: WorktreeWatch) -> PartView:
    """Return a part of which the work tree shows nothing: open when a branch that it names holds work."""
    held = find_held_work(text, watch)
    missing = [f"branch `{name}` holds work that is not in the folder: switch to it" for name in held]
    missing += find_merge_faults(text, watch)
    return PartView(text=text, state="open" if missing else "unclear", missing=missing)


def _asks_for_commit(text: str) -> bool:
    asked = compiled(patterns().commits).search(text)
    refused = asked and compiled(rf"(?:{patterns().negation})[^,.;]{{0,20}}\Z").search(text[: asked.end() - 6])
    return asked is not None and not refused


def _find_missing(wanted: Wanted, text: str, task: str, tree: "_Tree") -> str:
    """Return what does not stand in the tree as wanted, in words for the agent; '' when it does."""
    name, known = wanted.name, patterns()
    about_tests = compiled(known.about_tests).search(text) is not None
    match wanted.wish:
        case "edited":
            return "" if tree.touches(name) else say("part.unchanged", name=name)
        case "added" if wanted.is_file:
            return "" if tree.touches(name) or tree.has_file(name) else say("part.not-there", name=name)
        case "added":
            return tree.find_lacking(_seek(wanted, text, task), about_tests)
        case "returned" if compiled(known.raises).search(text) and tree.leaves_unraised(name):
            return say("part.not-raised", name=name)
        case "returned":
            return "" if tree.holds(name) else say("part.nowhere", name=name)
        case "removed":
            return say("part.still-there", name=name) if tree.keeps(name, wanted.is_file) else ""
        case "renamed" if not (tree.gains(name, about_tests) or tree.has_file(name)):
            return say("part.not-there", name=name)
        case "renamed":
            return say("part.still-there", name=wanted.former) if tree.keeps(wanted.former, wanted.is_file) else ""
    return ""


def _seek(wanted: Wanted, text: str, task: str) -> SoughtName:
    """Return a named thing as it is looked for in the files."""
    known = patterns()

    def says(pattern: str) -> bool:
        return compiled(pattern).search(text) is not None

    return SoughtName(
        wanted.name.rpartition(".")[2] if _IDENTIFIER.match(wanted.name) else wanted.name,
        is_called=wanted.is_called,
        is_exported=says(known.made_public),
        may_be_inside=compiled(known.keeps_behaviour).search(task) is not None,
        may_be_idle=says(known.may_be_idle),
        in_prose=says(known.about_prose),
        task=task,
    )


class _Lines(NamedTuple):
    path: str
    gone: list[str]
    came: list[str]


class _Tree:
    """The work tree beside what changed in it."""

    def __init__(self, change: TreeChange, watch: WorktreeWatch) -> None:
        self._change = change
        self.watch = watch
        self.work = [path for path in change.files if not is_by_product(path) and not is_lock(path)]
        self._lines = list(_changed_lines(change, watch))

    def touches(self, name: str) -> bool:
        """Return whether a file of that name, or one that only its ending tells from it, was changed."""
        return any(_is_named(path, name) for path in self._change.files)

    def has_file(self, name: str) -> bool:
        return os.path.exists(os.path.join(self.watch.root, name))

    def gains(self, name: str, in_tests: bool) -> bool:
        """Return whether a line that came names it, in what is no test unless tests are what is wanted."""
        return bool(self._places(name, in_tests))

    def find_lacking(self, sought: SoughtName, in_tests: bool) -> str:
        """Return why a name that came is of no use, or that it did not come; '' when its users can reach it."""
        name, places = sought.name, self._places(sought.name, in_tests)
        if (sought.is_called or sought.is_option) and not sought.in_prose:
            places = [path for path in places if not is_prose(path)]
        if not places:
            return f"`{name}` was not added"
        texts = {path: self.watch.text(path) or "" for path in places}
        faults = [find_fault(path, text, sought, self._read) for path, text in texts.items()]
        if "" in faults or (sought.is_option and any(self._is_read_beside(path, name, texts) for path in texts)):
            return ""
        if found := next(filter(None, faults), ""):
            return f"`{name}` {found}"
        words = _spellings(name)
        live = any(is_mentioned(path, text, word) for path, text in texts.items() for word in words)
        return "" if live or not _IDENTIFIER.match(name) else f"`{name}` stands only in comments"

    def _is_read_beside(self, path: str, option: str, declaring: dict[str, str]) -> bool:
        """Return whether a file that does not declare an option names what a declaring one keeps it as."""
        names = option_names(path, declaring[path], option)
        found = [(name, other) for name in names for other in self._files_with(name) if other not in declaring]
        return any(
            re.search(rf"(?:[.{{,]\s*|[\"']){name}\b", self._read(other))
            for name, other in found
            if not is_test(other) and not is_prose(other)
        )

    def leaves_unraised(self, name: str) -> bool:
        """Return whether an error was made in lines that came and is not raised there."""
        return any(
            is_unraised(one.path, self.watch.text(one.path) or "", name, one.came)
            for one in self._lines
            if not is_test(one.path)
        )

    def find_conflicts(self) -> list[str]:
        """Return the files in which lines of a merge came that nobody resolved, in words."""
        marks = ("<<<<<<< ", ">>>>>>> ")
        found = [one.path for one in self._lines if all(any(x.startswith(mark) for x in one.came) for mark in marks)]
        return [f"`{path}` holds a conflict that is not resolved" for path in found if not is_test(path)]

    def find_uncommitted(self) -> list[str]:
        """Return the files of the change that no commit holds, in words."""
        inside = os.path.relpath(self.watch.root, git.find_toplevel(self.watch.root) or self.watch.root)
        loose = {os.path.relpath(line[3:].strip('"'), inside) for line in git.list_uncommitted(self.watch.root)}
        found = [path for path in self.work if path in loose or any(path.startswith(f"{one}/") for one in loose)]
        return [f"`{path}` is not committed" for path in found[:_SHOWN]]

    def _places(self, name: str, in_tests: bool) -> list[str]:
        word = _option(name) if name.startswith("--") else _word(name)
        return [
            one.path
            for one in self._lines
            if (in_tests or not is_test(one.path)) and any(map(word.search, (one.path, *one.came)))
        ]

    def _read(self, path: str) -> str:
        return self.watch.text(path) or ""

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
            self.watch.root, "grep", "-lIF", "-z", "--untracked", *whole, "-e", name, "--", ".", timeout_s=_GREP_S
        )
        if found.code in (0, 1):
            return [path for path in found.output.split("\0") if path]
        return [path for path in self._change.files if _word(name).search(self.watch.text(path) or "")]


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


def _spellings(name: str) -> set[str]:
    return {name, name[2:], *option_names("", "", name)} if name.startswith("--") else {name}


def _option(name: str) -> re.Pattern[str]:
    """Return how an option is spelled where it is declared: `--dry-run`, "dry-run" or `dryRun:`."""
    plain = re.escape(name.removeprefix("--"))
    loose = plain.replace("\\-", "[-_]?")
    return re.compile(rf"(?<![\w-])--{plain}(?!\w)|[\"']{plain}[\"']|(?<!\w){loose}\s*:(?![:/])", re.IGNORECASE)
