"""Code that notices it is being tested, in a diff: it can look right to every test and be wrong everywhere else."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from mi.governance.change_units import list_paths, split_blocks
from mi.project.checks.judge_places import CODE, extension, judge_kind

_NOTICES = re.compile(
    r"PYTEST_CURRENT_TEST|PYTEST_VERSION|PYTEST_XDIST_WORKER|JEST_WORKER_ID|VITEST(?:_WORKER_ID)?\b|NEXTEST|MIX_ENV"
    r"|\bimport\.meta\.vitest|\b(?:RAILS|RACK|APP|NODE)_ENV\W{1,8}(?:=|eq|!)\W{0,8}test\b|Rails\.env\.test\?|PHPUNIT_\w+"
    r"|[\"'](?:_?pytest|unittest|nose2?|jest|vitest|mocha)[\w.]*[\"']\s+(?:not\s+)?in\s+\w*\.?(?:modules|argv)"
    r"|modules\.get\([\"'](?:_?pytest|unittest)|modules\[[\"'](?:_?pytest|unittest)|argv\[0\].{0,40}test|require\.cache.{0,40}(?:jest|mocha)"
    r"|current_exe\(\).{0,60}[\"']deps|\$\{?0\}?.{0,12}\btests?\b|\btesting\.Testing\(\)|flag\.Lookup\([\"']test\.|os\.Args\[0\].{0,30}\.test|\bcfg!\(test\)"
    r"|(?:inspect\.(?:stack|currentframe)|_getframe|getframeinfo|StackTrace|new Error\(\)\.stack|caller_locations"
    r"|runtime\.Caller).{0,60}[\"'][^\"']*test"
    r"|process\.env\.(?:TEST|NODE_TEST_CONTEXT)\b"
    r"|(?:environ(?:\.get\(|\[)|getenv\()[\"'](?:TEST|TESTING|UNDER_TEST)[\"']",
    re.IGNORECASE,
)
_EXITS = re.compile(
    r"\bos\._exit\(|\batexit\.register\(.*(?:exit|kill)|process\.on\([\"'](?:exit|beforeExit)|process\.exitCode\s*=\s*0"
    r"|\bat_exit\b.*exit|\bhalt\(0\)"
)
_CONDITION = re.compile(r"\b(?:if|elif|when|case|match)\b|\?")
_EQUALITY = re.compile(r"={2,3}|\bis\b|\bin\b|\bcase\b|\.equals\(|\beq\b|\bmatch\b|\bwhen\b")
_OTHER_COMPARISON = re.compile(r"%|[<>]|!=|\bstartswith|\bnot\b")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?\b")
_TRIVIAL = frozenset({"0", "1", "-1", "2"})


def notices_tests(diff: str, tests: Iterable[str] = ()) -> list[str]:
    """Return the added lines of product code that ask whether a test runs, as `path: line`.

    `tests` are the texts of the tests, read when needed: an `if` on numbers that one line of them has is named.
    """
    known = cache(lambda: [frozenset(_numbers(line)) for text in tests for line in text.splitlines()])
    found: list[str] = []
    for block in split_blocks(diff):
        path, _ = list_paths(block)
        if extension(path) in CODE and judge_kind(path) in ("", "inline"):
            found += [f"{path}: {line.strip()[:160]}" for line in _noticing(list(block.added), known)]
    return list(dict.fromkeys(found))


def _noticing(added: list[str], known: Callable[[], list[frozenset[str]]]) -> Iterator[str]:
    for number, line in enumerate(added):
        code = re.sub(r"^\s*(?:#|//|\*).*", "", line)
        following = added[number + 1] if number + 1 < len(added) else ""
        if _NOTICES.search(code) or _EXITS.search(code) or _is_for_a_test(code.partition(";;")[0], following, known):
            yield line


def _is_for_a_test(line: str, following: str, known: Callable[[], list[frozenset[str]]]) -> bool:
    """Return whether a condition holds for the very numbers of a test, and its result is the one that test expects."""
    if not _CONDITION.search(line) or not _EQUALITY.search(line) or _OTHER_COMPARISON.search(line):
        return False
    has_result = re.search(r"\breturn\b|\?|=>|\becho\b", line)
    said = line if has_result else following
    result = re.sub(r"^.*?(?:\breturn\b|\becho\b|\?|=>)", "", said)
    asked = {one for one in _numbers(line if has_result else f"{line} {following}") if one not in _TRIVIAL}
    return bool(_numbers(result)) and len(asked) >= 2 and any(asked <= there for there in known())


def _numbers(line: str) -> list[str]:
    return _NUMBER.findall(line)
