"""Every regular expression of the package takes steps as its text grows, with the texts it is slowest with."""

from functools import cache

import pytest

from tests.growth.collected import UsedPattern, collect
from tests.growth.known import SUPERLINEAR
from tests.growth.superlinear import worst

_PARTS = 8
_collected = cache(collect)


def _key(used: UsedPattern) -> str:
    return f"{used.where.partition(':')[0]} {str(used.pattern.pattern)[:40]}"


@pytest.mark.req("safe.linear.patterns")
@pytest.mark.parametrize("part", range(_PARTS))
def test_no_pattern_takes_more_than_its_share_of_steps(part: int, deep_recursion: None) -> None:
    found = {_key(used): shape for used in _collected()[part::_PARTS] if (shape := worst(used))}
    assert {key: shape for key, shape in found.items() if key not in SUPERLINEAR} == {}


@pytest.mark.req("safe.linear.patterns")
def test_patterns_of_every_kind_are_collected() -> None:
    assert len(_collected()) > 1000
    rooms = {used.where.split(".")[1] for used in _collected() if used.where.startswith("mi.")}
    assert {"agents", "governance", "hooks", "kernel", "mind", "project"} <= rooms
    assert any(used.where.startswith("language.zh.") for used in _collected())
    assert {used.how for used in _collected()} == {"match", "fullmatch", "search"}
