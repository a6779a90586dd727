"""The tests nearest to a change, for those who are content with them."""

import os
import re

from mi.project.checks.languages import language_of
from mi.project.checks.listing import is_below
from mi.project.checks.reach import CheckReach

_AROUND = re.compile(r"^(?:test_?)|(?:[._-]?(?:test|tests|spec))$|(?:Tests?|Spec)$")


def holds_nearest(changed: list[str], tests: list[str], reached: list[CheckReach]) -> bool:
    """Return whether what ran holds the tests nearest to each changed file."""
    nearest = [test for file in changed for test in nearest_tests(file, tests)]
    return bool(nearest) and all(any(_ran(one, test) for one in reached) for test in nearest)


def nearest_tests(file: str, tests: list[str]) -> list[str]:
    """Return the tests of a file: itself, those named after it, else those in the nearest folder that has some."""
    if file in tests:
        return [file]
    named = [test for test in tests if subject(test) == subject(file) and language_of(test) == language_of(file)]
    if named:
        return named
    folder = os.path.dirname(file)
    while True:
        beside = [test for test in tests if is_below(test, folder)]
        if beside or not folder:
            return beside
        folder = os.path.dirname(folder)


def subject(path: str) -> str:
    """Return what a file, or the test of one, is about: its name without ending and without `test`."""
    return _AROUND.sub("", os.path.basename(path).partition(".")[0]).lower()


def _ran(reach: CheckReach, test: str) -> bool:
    inside = any(is_below(test, one.path) if one.deep else os.path.dirname(test) == one.path for one in reach.roots)
    return inside and (reach.patterns is None or any(pattern.search(test) for pattern in reach.patterns))
