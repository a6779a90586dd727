"""Noticing in a diff that a test was deleted, skipped or emptied: a check that passes after that proves nothing."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from mi.governance.change_units import list_paths, split_blocks
from mi.kernel.language import compiled, patterns

_TEST_PATH = re.compile(
    r"(^|/)(tests?|specs?|__tests__)/|(^|/)test_[^/]*$|_test\.\w+$|\.(test|spec)\.\w+$|Tests?\.(java|kt|cs)$"
)
_TEST_START = re.compile(
    r"^\s*(?:async )?def (test\w*)|^\s*class (Test\w*)|^func (Test\w+)|^\s*(?:it|test|describe)\(\s*['\"`](.+?)['\"`]"
    r"|^\s*fn (\w+)\(\)|^\s*(?:public )?void (test\w*)\("
)
_SKIP = re.compile(
    r"\bpytest\.mark\.(?:skip|skipif|xfail)\b|@(?:unittest\.skip\w*|unittest\.expectedFailure|Disabled|Ignore)\b"
    r"|\bpytest\.(?:skip|xfail|importorskip)\(|\bskipTest\(|\bSkipTest\b|\b__test__\s*=\s*False"
    r"|\b(?:it|test|describe|context)\.(?:skip|todo|only|failing|skipIf|runIf)\b|\bx(?:it|describe|test|specify)\b"
    r"|^\s*(?:skip|pending)(?:\s*$|\s+(?:['\"]|if\b|unless\b|do\b))|#\[ignore"
    r"|\bt\.Skip(?:Now|f)?\(|^//go:build\b|\bmarkTest(?:Skipped|Incomplete)\("
)
ASSERT = re.compile(r"\bassert\w*\b|\bexpect\(|\bself\.fail\(|\bt\.(?:Error|Fatal)f?\(|\bshould\b")
_QUIT = re.compile(r"\bos\._exit\(|\bsys\.exit\((?!main)|\braise SystemExit\b|\bprocess\.exit\(|\bdef load_tests\b")
_EMPTY_ASSERT = re.compile(
    r"\bassert\s+(?:True|1)\b|\bassertTrue\(True\)|expect\(true\)\.toBe\(true\)|assert!\(true\)"
    r"|\bor True\b|\|\| true\b|\bif (?:False|0)\s*:|\bif \(false\)|\bif false\b"
)
_SWALLOWED = re.compile(
    r"^\s*except(?:\s*\(?\s*(?:Exception|BaseException|AssertionError)\b.*)?\s*:"
    r"|\bsuppress\(.*\b(?:Assertion|Base)?E(?:rror|xception)\b"
    r"|\bcatch\s*(?:\(\w*\)\s*)?\{\s*\}"
)
_EARLY = re.compile(r"^\s*return\s*;?\s*(?:(?:#|//).*)?$")


class ChangedLines(NamedTuple):
    """The lines one file lost and gained."""

    path: str
    deleted: bool
    removed: list[str]
    added: list[str]
    new: bool = False


def is_test(path: str) -> bool:
    """Return whether a file holds tests, by its name."""
    return bool(_TEST_PATH.search(path))


def weakened_tests(diffs: list[ChangedLines]) -> list[str]:
    """Return the test files that were weakened, each with how: `tests/test_a.py: test_x deleted`."""
    return [f"{diff.path}: {how}" for diff in diffs if is_test(diff.path) for how in _ways(diff)]


def deleted_tests(files: list[str], is_there: Callable[[str], bool]) -> list[str]:
    """Return the test files among changed ones that are gone; all that can be told where there is no diff."""
    return [f"{file}: file deleted" for file in files if is_test(file) and not is_there(file)]


def _ways(diff: ChangedLines) -> Iterator[str]:
    if diff.deleted:
        yield "file deleted"
        return
    if counted(_QUIT, diff.added) > counted(_QUIT, diff.removed):
        yield "ends before its tests"
    if diff.new:
        return  # a test that was not there before takes nothing away
    removed, added = _names(diff.removed), _names(diff.added)
    gone = removed - added if len(removed) > len(added) else set()  # as many came as went: renamed
    if gone:
        yield f"{', '.join(sorted(gone))} deleted"
    if counted(_SKIP, diff.added) > counted(_SKIP, diff.removed):
        yield "skipped"
    if counted(_SWALLOWED, diff.added) > counted(_SWALLOWED, diff.removed):
        yield "a failure is swallowed"
    if counted(_EARLY, diff.added) > counted(_EARLY, diff.removed):
        yield "returns before its end"
    if counted(_EMPTY_ASSERT, diff.added) > counted(_EMPTY_ASSERT, diff.removed):
        yield "an assertion that cannot fail"
    elif not gone and counted(ASSERT, diff.removed) > counted(ASSERT, diff.added):
        yield "assertions removed"


def _names(lines: list[str]) -> set[str]:
    found = [_TEST_START.search(line) for line in lines]
    return {next(name for name in match.groups() if name) for match in found if match}


def counted(pattern: re.Pattern[str], lines: list[str]) -> int:
    """Return how many lines hold the pattern."""
    return sum(1 for line in lines if pattern.search(line))


def split(diff: str) -> list[ChangedLines]:
    """Return the files of a `git diff -U0`; one that left the tests by its new name is deleted under its old one."""
    files: dict[str, ChangedLines] = {}
    for block in split_blocks(diff):
        path, old = list_paths(block)
        if "rename to" in block.extended and is_test(old) and not is_test(path):
            files[old] = ChangedLines(old, True, [], [])
        if "+++" in block.extended:
            former = files.get(path, ChangedLines(path, False, [], []))
            files[path] = ChangedLines(
                path,
                former.deleted or block.extended["+++"] == "/dev/null",
                [*former.removed, *block.removed],
                [*former.added, *block.added],
                former.new or not old,
            )
    return list(files.values())


def is_asked_for(way: str, task: str) -> bool:
    """Return whether the person's task names what `tests/test_a.py: test_x deleted` is about, and asks for that."""
    path, _, how = way.partition(": ")
    known = patterns()
    if compiled(rf"(?:{known.negation})\W*(?:\w+\W+){{0,2}}(?:{known.take_away})").search(task):
        return False
    file = path.rpartition("/")[2]
    if not is_test(path):
        return _asks_for_another_check(path, how, task)
    if _takes_away(path, task) or _takes_away(file, task) or _takes_away(file.partition(".")[0], task):
        return True
    gone = how.removesuffix(" deleted").split(", ") if how.endswith(" deleted") and how != "file deleted" else []
    return bool(gone) and all(_takes_away(name, task) for name in gone)


def _takes_away(name: str, task: str) -> bool:
    """Return whether a name follows the verb; any other word between them is what is to be taken away instead."""
    known = patterns()
    between = rf"(?:\W+|{known.before_name})*"
    asked = rf"(?:{known.take_away}){between}(?<![\w-]){re.escape(name)}(?![\w-])"
    return re.search(asked, task, re.IGNORECASE) is not None


def _asks_for_another_check(path: str, how: str, task: str) -> bool:
    """Return whether a task wants a check changed; never one that runs nothing, and one that runs less only as such."""
    if "nothing" in how or not re.search(rf"(?<![\w-]){re.escape(path)}(?![\w-])", task, re.IGNORECASE):
        return False
    known = patterns()
    return compiled(known.leave_out if "leaves" in how else known.change_check).search(task) is not None
