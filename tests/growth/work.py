"""The work of a call as a number: lines of ours that ran, and characters that were handed to C to look through.

A string method and a pattern look at each character that they are given a bounded number of times (a string method by
CPython, a pattern by `test_patterns.py`), so the work of a parser grows as its lines and these characters do.
"""

import re
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

_SCANS = frozenset(
    "split rsplit splitlines strip lstrip rstrip find rfind index rindex partition rpartition replace lower upper "
    "casefold count expandtabs encode decode translate title isascii isprintable isspace join".split()
)


class Work:
    steps = 0


class CountedPattern:
    """A pattern of the code under test that adds up what it is offered."""

    def __init__(self, pattern: "re.Pattern[Any]", work: Work) -> None:
        self._pattern, self._work = pattern, work

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pattern, name)

    def match(self, text: Any, pos: int = 0, endpos: int = sys.maxsize) -> Any:
        found = self._pattern.match(text, pos, endpos)
        self._work.steps += (found.end() - pos if found else len(text) if not pos else 0) + 1
        return found

    def fullmatch(self, text: Any, *rest: int) -> Any:
        self._work.steps += len(text) + 1
        return self._pattern.fullmatch(text, *rest)

    def search(self, text: Any, pos: int = 0, endpos: int = sys.maxsize) -> Any:
        found = self._pattern.search(text, pos, endpos)
        self._work.steps += (found.end() if found else min(len(text), endpos)) - pos + 1
        return found

    def finditer(self, text: Any, *rest: int) -> Any:
        self._work.steps += len(text) + 1
        return self._pattern.finditer(text, *rest)

    def findall(self, text: Any, *rest: int) -> Any:
        self._work.steps += len(text) + 1
        return self._pattern.findall(text, *rest)

    def sub(self, by: Any, text: Any, count: int = 0) -> Any:
        self._work.steps += len(text) + 1
        return self._pattern.sub(by, text, count)

    def split(self, text: Any, maxsplit: int = 0) -> Any:
        self._work.steps += len(text) + 1
        return self._pattern.split(text, maxsplit)


def count_work(call: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> int:
    """Return the steps of a call."""
    work = Work()
    with monkeypatch.context() as patched:
        for name, module in list(sys.modules.items()):
            if name.startswith("mi.") and module is not None:
                for key, value in list(vars(module).items()):
                    if isinstance(value, re.Pattern):
                        patched.setattr(module, key, CountedPattern(value, work))

        def lines(frame: FrameType, event: str, given: object) -> Any:
            work.steps += event == "line"
            return lines

        def calls(frame: FrameType, event: str, given: Any) -> None:
            if event == "c_call" and isinstance(owner := getattr(given, "__self__", None), str | bytes):
                work.steps += len(owner) if given.__name__ in _SCANS else 1

        def ours(frame: FrameType, event: str, given: object) -> Any:
            return lines if "/mi/" in frame.f_code.co_filename else None

        before = sys.gettrace()
        sys.settrace(ours)
        sys.setprofile(calls)
        try:
            call()
        finally:
            sys.setprofile(None)
            sys.settrace(before)
    return work.steps
