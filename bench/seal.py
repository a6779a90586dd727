"""Figures of the seal: looking at a log of 100,000 records at a run's end, and what sealing adds to an append.

Run with `make bench`; prints figures, asserts nothing.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from mi.autopilot.person_door import PersonDoor  # noqa: E402
from mi.evidence.home_changes import LogWatch, mark_changes  # noqa: E402
from mi.kernel import jsonl  # noqa: E402
from mi.kernel.home import Home  # noqa: E402
from mi.kernel.jsontext import encode  # noqa: E402

RECORDS, ROUNDS = 100_000, 200
LINE = encode({"kind": "evidence", "event_id": "ev_20260101T000000Z_00000000_1", "facts": ["x" * 200]})


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        log = str(Path(folder, "evidence.jsonl"))
        jsonl.append(log, *[LINE] * RECORDS, sealed=True)
        watch = LogWatch([log], PersonDoor(Home(folder), lambda pid: False))
        jsonl.append(log, *[LINE] * 100, sealed=True)
        print(f"look at a run's end, {RECORDS:,} records and 100 new: {measure(watch.look):.2f} ms (≤ 20 ms)")
        print(f"read all of it (mi seal verify): {measure(lambda: mark_changes(log, thorough=True)):.0f} ms")
        plain = statistics.median(measure(lambda: jsonl.append(log + ".plain", LINE)) for _ in range(ROUNDS))
        sealed = statistics.median(measure(lambda: jsonl.append(log, LINE, sealed=True)) for _ in range(ROUNDS))
        print(f"an append: {plain:.3f} ms, sealed {sealed:.3f} ms")


def measure(work: Callable[[], object]) -> float:
    """Return the milliseconds that something takes."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    main()
