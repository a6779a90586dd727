"""The step by step matcher finds what `re` finds, and its count tells linear from quadratic."""

import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth.steps import SteppedPattern

_PATTERNS = [
    r"a+b",
    r"(a|ab)(c|bcd)(d*)",
    r"(?i)x*?Y(?=z)|\bfoo\b",
    r"(?m)^\s*(#{1,6})[ \t]+(.*?)[ \t]*#*$",
    r"(a*)*b|(?:ab|a){2,3}?c",
    r"(['\"])(?:\\.|(?!\1)[^\\])*\1",
    r"(?<!a)b+(?<=bb)|c{2,}+d|(?>a+)b",
    r"\d+(?:\.\d+)*|[^\W_]+",
    r"(?s)<!--.*?-->|$",
    r"(a)?(?(1)b|c)",
    r"x*",
]


@cache
def _stepped(source: str) -> SteppedPattern:
    return SteppedPattern(re.compile(source), "")


@pytest.mark.req("safe.linear.patterns")
@pytest.mark.parametrize("source", _PATTERNS)
@settings(max_examples=100, deadline=None)
@given(text=st.text(alphabet="abcdxyYzfo .#\n\\'\"1<!->", max_size=24))
def test_it_finds_what_re_finds(source: str, text: str) -> None:
    pattern, stepped = re.compile(source), _stepped(source)
    stepped.read(text)
    assert stepped.spans("search") == [one.span() for one in pattern.finditer(text)]
    for how in ("match", "fullmatch"):
        found = getattr(pattern, how)(text)
        stepped.read(text)
        assert stepped.spans(how) == ([found.span()] if found else [])


@pytest.mark.req("safe.linear.patterns")
@pytest.mark.parametrize(("source", "is_linear"), [(r"a+b", False), (r"(?<!a)a++b", True), (r"\s+$", False)])
def test_the_count_tells_linear_from_quadratic(source: str, is_linear: bool, deep_recursion: None) -> None:
    unit = " " if "s" in source else "a"
    work = []
    for size in (30, 300):
        stepped = SteppedPattern(re.compile(source), unit * size + "\x00")
        stepped.spans("search")
        work.append(stepped.steps)
    assert (work[1] <= 15 * work[0]) is is_linear
