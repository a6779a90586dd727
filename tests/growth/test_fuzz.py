"""A few hundred bad inputs for every parser; `make fuzz` tries more of the same."""

import pytest

from tests.growth.fuzzing import AROUND, TARGETS, Tried, fuzz, nested
from tests.growth.parsers import event_stream, hook_input


@pytest.mark.req("safe.linear.fuzz")
@pytest.mark.parametrize("name", TARGETS)
def test_no_input_is_a_traceback_or_endless(name: str) -> None:
    tried = Tried()
    fuzz(name, 60, tried)
    assert tried.count >= 50


@pytest.mark.req("safe.linear.fuzz")
@pytest.mark.parametrize("opening", ["[", '{"content":'])
@pytest.mark.parametrize("around", AROUND)
def test_an_event_of_brackets_ends_no_run(around: str, opening: str) -> None:
    for times in (10, 400, 900, 100_000):
        text = nested(around, opening, times)
        event_stream(text)
        hook_input(text)
