"""The work of every parser of outside text grows as the text does: 10 KB, 100 KB and 1 MB of hostile input."""

from itertools import pairwise

import pytest

from tests.growth.parsers import HOSTILE, PARSERS, grown
from tests.growth.work import count_work

_SIZES = (10_000, 100_000, 1_000_000)
_GROWTH = 1.5  # times linear
_COUNTABLE = 1_500_000  # steps: what grows to ten times as many is no longer counted
_CONSTANT = 1000  # steps that any call may take


@pytest.mark.req("safe.linear.parsers")
@pytest.mark.parametrize(
    ("name", "shape"), [(name, shape) for name, shapes in HOSTILE.items() for shape in shapes], ids=repr
)
def test_work_grows_no_faster_than_the_text(
    name: str, shape: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    parse = PARSERS[name]
    parse(grown(shape, 100))  # what is imported and compiled at the first use
    work: list[int] = []
    for size in _SIZES:
        text = grown(shape, size)
        if work and work[-1] > _COUNTABLE:
            parse(text)  # many small parts: the count itself would take minutes
            break
        work.append(count_work(lambda text=text: parse(text), monkeypatch))  # type: ignore[misc]
    if len(work) == 1:
        tenth = grown(shape, _SIZES[0] // 10)
        work.insert(0, count_work(lambda: parse(tenth), monkeypatch))
    for smaller, larger in pairwise(work):
        assert larger <= _GROWTH * 10 * smaller + _CONSTANT, work


@pytest.mark.req("safe.linear.parsers")
def test_the_count_notices_a_quadratic_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(text: str) -> list[str]:
        return [text[at:].strip() for at in range(0, len(text), 100)]

    work = [count_work(lambda size=size: slow("a" * size), monkeypatch) for size in _SIZES[:2]]  # type: ignore[misc]
    assert work[1] > _GROWTH * 10 * work[0] + _CONSTANT
