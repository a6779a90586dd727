"""What is made ahead comes in its order; what fails there fails here, and nothing goes on alone."""

import threading
from collections.abc import Iterator

import pytest

from mi.hub.read_ahead import read_ahead


@pytest.mark.req("hub.resume")
def test_everything_comes_in_order_and_a_failure_after_what_was_before_it() -> None:
    def make() -> Iterator[int]:
        yield from range(50)
        raise ValueError("the fifty-first")

    taking = read_ahead(make())
    assert [next(taking) for _ in range(50)] == [*range(50)]
    with pytest.raises(ValueError, match="the fifty-first"):
        next(taking)


@pytest.mark.req("hub.resume")
def test_who_stops_taking_ends_the_making() -> None:
    before = threading.active_count()
    made = []

    def make() -> Iterator[int]:
        for number in range(1000):
            made.append(number)
            yield number

    taking = read_ahead(make())
    assert next(taking) == 0
    taking.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before
    assert len(made) < 10
