"""Noticing in a diff that a test was deleted, skipped or emptied: a check that passes after that proves nothing."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

_TEST_PATH = re.compile(
    r"(^|/)(tests?|specs?|__tests__)/|(^|/)test_[^/]*$|_test\.\w+$|\.(test|spec)\.\w+$|Tests?\.(java|kt|cs)$"
)
_TEST_START = re.compile(
    r"^\s*(?:async )?def (test\w*)|^\s*class (Test\w*)|^func (Test\w+)|^\s*(?:it|test|describe)\(\s*['\"`](.+?)['\"`]"
    r"|^\s*fn (\w+)\(\)|^\s*(?:public )?void (test\w*)\("
)
_SKIP = re.compile(
    r"@(?:pytest\.mark\.(?:skip|skipif|xfail)|unittest\.skip|unittest\.expectedFailure|Disabled|Ignore)\b|pytest\.skip\("
    r"|\b(?:it|test|describe)\.(?:skip|todo|only)\(|\bx(?:it|describe|test)\(|#\[ignore|\bt\.Skip(?:Now|f)?\("
)
_ASSERT = re.compile(r"\bassert\w*\b|\bexpect\(|\bself\.fail\(|\bt\.(?:Error|Fatal)f?\(|\bshould\b")
_EMPTY_ASSERT = re.compile(r"\bassert\s+(?:True|1)\b|\bassertTrue\(True\)|expect\(true\)\.toBe\(true\)|assert!\(true\)")


class FileDiff(NamedTuple):
    """The lines one file lost and gained."""

    path: str
    deleted: bool
    removed: list[str]
    added: list[str]


def weakened_tests(diff: str) -> list[str]:
    """The test files that a diff weakens, each with how: `tests/test_a.py: test_x deleted`."""
    return [f"{one.path}: {how}" for one in split(diff) if _TEST_PATH.search(one.path) for how in _ways(one)]


def deleted_tests(files: list[str], is_there: Callable[[str], bool]) -> list[str]:
    """The test files among changed ones that are gone; all that can be told where there is no diff."""
    return [f"{file}: file deleted" for file in files if _TEST_PATH.search(file) and not is_there(file)]


def _ways(one: FileDiff) -> Iterator[str]:
    if one.deleted:
        yield "file deleted"
        return
    removed, added = _names(one.removed), _names(one.added)
    gone = removed - added if len(removed) > len(added) else set()  # as many came as went: renamed
    if gone:
        yield f"{', '.join(sorted(gone)[:3])} deleted"
    if _count(_SKIP, one.added) > _count(_SKIP, one.removed):
        yield "skipped"
    if _count(_EMPTY_ASSERT, one.added) > _count(_EMPTY_ASSERT, one.removed):
        yield "an assertion that cannot fail"
    elif not gone and _count(_ASSERT, one.removed) > _count(_ASSERT, one.added):
        yield "assertions removed"


def _names(lines: list[str]) -> set[str]:
    found = [_TEST_START.search(line) for line in lines]
    return {next(name for name in match.groups() if name) for match in found if match}


def _count(pattern: re.Pattern[str], lines: list[str]) -> int:
    return sum(1 for line in lines if pattern.search(line))


def split(diff: str) -> list[FileDiff]:
    """The files of a `git diff`; one that was renamed counts as deleted under its old name when it left the tests."""
    lines: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    deleted: set[str] = set()
    old = path = ""
    for line in diff.splitlines():
        if line.startswith("--- "):
            old = line[6:].rstrip("\t") if line.startswith("--- a/") else ""
        elif line.startswith("+++ "):
            path = line[6:].rstrip("\t") if line.startswith("+++ b/") else old
            if line.startswith("+++ /dev/null"):
                deleted.add(path)
            lines[path]  # a file may change without lines
        elif line.startswith("-") and path:
            lines[path][0].append(line[1:])
        elif line.startswith("+") and path:
            lines[path][1].append(line[1:])
        elif line.startswith("rename from "):
            old = line.removeprefix("rename from ")
        elif line.startswith("rename to ") and _TEST_PATH.search(old) and not _TEST_PATH.search(line[10:]):
            lines[old]
            deleted.add(old)
        elif line.startswith("diff --git"):
            old = path = ""
    return [FileDiff(name, name in deleted, *both) for name, both in lines.items()]
