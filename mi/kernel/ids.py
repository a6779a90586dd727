"""Identifiers: unique across processes, ordered by time, telling by their prefix what they name."""

import os
import time
from _thread import allocate_lock  # `threading` would cost start-up time for this one lock

from mi.kernel import clock

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u to misread
_RANDOM_BITS = 64
_last = 0
_last_lock = allocate_lock()


def make_run_id() -> str:
    """Return an id for one `mi run`."""
    return f"run_{clock.stamp()}_{_random_text(8)}"


def make_cli_id() -> str:
    """Return an id for one command that writes outside a run."""
    return f"cli_{clock.stamp()}_{_random_text(8)}"


def make_event_id(run_id: str, seq: int) -> str:
    """Return the id of the record number `seq` of a run."""
    return f"ev_{run_id}_{seq}"


def make_id(prefix: str) -> str:
    """Return a new id such as `cl_…`: a later one of this process sorts after an earlier one."""
    global _last
    random = int.from_bytes(os.urandom(_RANDOM_BITS // 8), "big")
    fresh = (time.time_ns() // 1_000_000) << _RANDOM_BITS | random
    with _last_lock:
        # The same millisecond, or a clock set back: a random step on, so that forks of one process still differ.
        _last = number = fresh if fresh > _last else _last + 1 + (random >> _RANDOM_BITS // 4)
    return f"{prefix}_{_base32(number, 23)}"


def _random_text(length: int) -> str:
    return _base32(int.from_bytes(os.urandom(8), "big"), length)


def _base32(number: int, length: int) -> str:
    return "".join(_ALPHABET[number >> 5 * place & 31] for place in reversed(range(length)))
