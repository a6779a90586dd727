"""Noticing in a diff that a test was deleted, skipped or emptied: a check that passes after that proves nothing."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from mi.governance.change_units import blocks, paths

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


class FileDiff(NamedTuple):
    """The lines one file lost and gained."""

    path: str
    deleted: bool
    removed: list[str]
    added: list[str]
    new: bool = False


def is_test(path: str) -> bool:
    """Whether a file holds tests, by its name."""
    return bool(_TEST_PATH.search(path))


def weakened_tests(diffs: list[FileDiff]) -> list[str]:
    """The test files that were weakened, each with how: `tests/test_a.py: test_x deleted`."""
    return [f"{one.path}: {how}" for one in diffs if is_test(one.path) for how in _ways(one)]


def deleted_tests(files: list[str], is_there: Callable[[str], bool]) -> list[str]:
    """The test files among changed ones that are gone; all that can be told where there is no diff."""
    return [f"{file}: file deleted" for file in files if is_test(file) and not is_there(file)]


def _ways(one: FileDiff) -> Iterator[str]:
    if one.deleted:
        yield "file deleted"
        return
    if counted(_QUIT, one.added) > counted(_QUIT, one.removed):
        yield "ends before its tests"
    if one.new:
        return  # a test that was not there before takes nothing away
    removed, added = _names(one.removed), _names(one.added)
    gone = removed - added if len(removed) > len(added) else set()  # as many came as went: renamed
    if gone:
        yield f"{', '.join(sorted(gone))} deleted"
    if counted(_SKIP, one.added) > counted(_SKIP, one.removed):
        yield "skipped"
    if counted(_SWALLOWED, one.added) > counted(_SWALLOWED, one.removed):
        yield "a failure is swallowed"
    if counted(_EARLY, one.added) > counted(_EARLY, one.removed):
        yield "returns before its end"
    if counted(_EMPTY_ASSERT, one.added) > counted(_EMPTY_ASSERT, one.removed):
        yield "an assertion that cannot fail"
    elif not gone and counted(ASSERT, one.removed) > counted(ASSERT, one.added):
        yield "assertions removed"


def _names(lines: list[str]) -> set[str]:
    found = [_TEST_START.search(line) for line in lines]
    return {next(name for name in match.groups() if name) for match in found if match}


def counted(pattern: re.Pattern[str], lines: list[str]) -> int:
    """How many lines hold the pattern."""
    return sum(1 for line in lines if pattern.search(line))


def split(diff: str) -> list[FileDiff]:
    """The files of a `git diff -U0`; one that left the tests by its new name counts as deleted under its old one."""
    files: dict[str, FileDiff] = {}
    for block in blocks(diff):
        path, old = paths(block)
        if "rename to" in block.extended and is_test(old) and not is_test(path):
            files[old] = FileDiff(old, True, [], [])
        if "+++" in block.extended:
            former = files.get(path, FileDiff(path, False, [], []))
            files[path] = FileDiff(
                path,
                former.deleted or block.extended["+++"] == "/dev/null",
                [*former.removed, *block.removed],
                [*former.added, *block.added],
                former.new or not old,
            )
    return list(files.values())
