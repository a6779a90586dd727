"""What the persona's specification asks of a system, and the tests that prove it: written from the tests' markers."""

import os

import msgspec

from mi.kernel.files import read_bytes

_LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "conformance.json")


class ConformanceItem(msgspec.Struct, frozen=True, kw_only=True):
    """One MUST or SHOULD; without a test it is not supported."""

    id: str
    level: str
    text: str
    supported: bool
    reason: str = ""  # why one is not supported
    tests: list[str]


def read_list() -> list[ConformanceItem]:
    """Return every item, as the tests' markers had it when this version was made."""
    return msgspec.json.decode(read_bytes(_LIST) or b"[]", type=list[ConformanceItem])
