"""Noticing that a task to mend something was met by changing what its tests expect, and nothing else.

Only the person can tell whether the code or the test was wrong: this is asked, and takes no proof away.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable

from mi.autopilot.weakening import ASSERT, ChangedLines, is_test
from mi.kernel.language import compiled, patterns

SIGNAL = "expected: "
_LITERAL = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`"""
    r"|(?<![\w.])-?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?\b|\b(?:True|False|None|true|false|null|nil|undefined)\b"
)
_DOCUMENT = re.compile(r"\.(?:md|rst|txt|adoc)$|(?:^|/)docs?/", re.I)


def bent_tests(task: str, files: Iterable[str], diffs: Callable[[], list[ChangedLines]]) -> list[str]:
    """Return the test files whose assertions expect other values now, where a mending changed nothing but tests."""
    work = [file for file in files if not _DOCUMENT.search(file)]
    if not work or not all(map(is_test, work)) or not _is_about_code(task):
        return []
    return [diff.path for diff in diffs() if is_test(diff.path) and not diff.new and _is_bent(diff)]


def _is_about_code(task: str) -> bool:
    """Return whether a task wants something mended, and does not say, or perhaps say, that the tests are to change."""
    known = patterns()
    return compiled(known.mending).search(task) is not None and not compiled(known.changes_tests).search(task)


def _is_bent(diff: ChangedLines) -> bool:
    """Return whether an assertion stands there as before but for a value in it."""
    gone, came = (
        Counter(line.strip() for line in lines if ASSERT.search(line)) for lines in (diff.removed, diff.added)
    )
    return not {_shape(line) for line in gone - came}.isdisjoint(_shape(line) for line in came - gone)


def _shape(line: str) -> str:
    return _LITERAL.sub("∎", line.strip())
