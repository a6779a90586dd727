"""Waiting on a condition, a bounded time."""

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Whether the condition came true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
