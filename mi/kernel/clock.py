"""Time as MI writes it: RFC 3339, UTC, milliseconds."""

import time
from datetime import UTC, datetime


def now() -> str:
    """Return the present moment, e.g. `2026-11-16T14:52:33.120Z`."""
    return format_ms(time.time_ns() // 1_000_000)


def format_ms(epoch_ms: int) -> str:
    """Milliseconds since the epoch as an RFC 3339 UTC timestamp."""
    seconds, ms = divmod(epoch_ms, 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{ms:03d}Z"


def stamp() -> str:
    """Return a compact stamp for ids, e.g. `20261116T145233Z`."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())


def filename_stamp() -> str:
    """Return the present moment, safe in a file name on any system, e.g. `2026-11-16T14-52-33.120Z`."""
    return now().replace(":", "-")


def parse(timestamp: str) -> float:
    """Seconds since the epoch of an RFC 3339 timestamp; a missing offset means UTC. ValueError if it is none."""
    moment = datetime.fromisoformat(timestamp)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
