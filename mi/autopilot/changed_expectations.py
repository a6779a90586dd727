"""Noticing that a task to mend something was met by changing what its tests expect, and nothing else.

Only the person can tell whether the code or the test was wrong: this is asked, and takes no proof away.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable

from mi.autopilot.weakening import ASSERT, FileDiff, is_test

SIGNAL = "expected: "
_MEND = re.compile(r"\b(?:fix\w*|mend\w*|repair\w*|solv\w*|bugs?|pass(?:es|ing)?|green|fail\w*)\b|修|通过|失败", re.I)
# Words by which a task says, or may say, that the tests themselves are to change: then nobody is asked.
_MEANT = re.compile(
    r"\b(?:expect|assert|snapshot|golden|fixture|outdated|stale|obsolete|wrong|incorrect|correct|typo|flaky|unstable"
    r"|timeout|toleran|adapt|adjust|updat|upgrad|chang|renam|rewrit|align|migrat|refactor|translat|bump|regenerat|after\b"
    r"|since\b|because\b|new\b)|期望|预期|断言|快照|过时|过期|写错|有误|不稳定|超时|适配|调整|更新|升级|修改|改动|改名|迁移|重构",
    re.I,
)
_LITERAL = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`"""
    r"|(?<![\w.])-?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?\b|\b(?:True|False|None|true|false|null|nil|undefined)\b"
)
_DOCUMENT = re.compile(r"\.(?:md|rst|txt|adoc)$|(?:^|/)docs?/", re.I)


def bent_tests(task: str, files: Iterable[str], diffs: Callable[[], list[FileDiff]]) -> list[str]:
    """The test files whose assertions expect other values now, where a mending changed nothing but tests."""
    work = [file for file in files if not _DOCUMENT.search(file)]
    if not work or not all(map(is_test, work)) or not _MEND.search(task) or _MEANT.search(task):
        return []
    return [one.path for one in diffs() if is_test(one.path) and not one.new and _is_bent(one)]


def _is_bent(one: FileDiff) -> bool:
    """Whether an assertion stands there as before but for a value in it."""
    gone, came = (Counter(line.strip() for line in lines if ASSERT.search(line)) for lines in (one.removed, one.added))
    return not {_shape(line) for line in gone - came}.isdisjoint(_shape(line) for line in came - gone)


def _shape(line: str) -> str:
    return _LITERAL.sub("∎", line.strip())
