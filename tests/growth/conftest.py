"""What the tests of growth share."""

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture
def deep_recursion() -> Iterator[None]:
    """The stepping matcher goes one call deeper with each character."""
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    yield
    sys.setrecursionlimit(usual)
