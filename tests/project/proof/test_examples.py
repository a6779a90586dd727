"""Examples that a task states, and what is read of them."""

import pytest

from mi.project.proof.examples import find_examples


@pytest.mark.req("judge.parts.examples")
@pytest.mark.parametrize(
    ("task", "found"),
    [
        ("discount(100, 150) must give 0.", ["discount(100, 150) wanted 0"]),
        ("`discount(100, 150)` should be `0`, not -50.", ["discount(100, 150) wanted 0"]),
        ("discount(100, 150) returns -50 instead of 0.", ["discount(100, 150) wanted 0"]),
        ("discount(100, 150) returns -50 but should return 0. Fix it.", ["discount(100, 150) wanted 0"]),
        ("Let discount(100, 150) return 0 instead of -50.", ["discount(100, 150) wanted 0"]),
        ("discount(100, 150) returns -50. More than all must give 0. Fix it.", ["discount(100, 150) wrong -50"]),
        ("`slug('A b')` gives `a-b`.", ["slug('A b') told a-b"]),
        ("Add slug: slug('A b') -> 'a-b', slug('') -> ''.", ["slug('A b') told 'a-b'", "slug('') told ''"]),
        ("`total([1, 2])` returns 3 and stays so; make it faster.", ["total([1, 2]) told 3"]),
        ("parse('x') == None", ["parse('x') told None"]),
        ("`discount(100, 150)` 应该返回 0。", ["discount(100, 150) wanted 0"]),
        # no statement
        ("Why does discount(100, 150) return -50?", []),
        ("If discount(100, 150) returns -50, tell me.", []),
        ("discount(100, 150) must not return -50.", []),
        ("total([1, 2]) returns 3 errors.", []),
        ("discount(100, 150) is 3 lines long.", []),
        ("Add a function tax(price, rate).", []),
        ("discount(100, 150) is slow.", []),
    ],
)
def test_a_stated_example_is_read(task: str, found: list[str]) -> None:
    read = []
    for one in find_examples(task):
        mood = "wanted" if one.wanted else "wrong" if one.is_complaint else "told"
        read.append(f"{one.call} {mood} {one.wanted or one.told}")
    assert read == found
