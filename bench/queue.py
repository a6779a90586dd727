"""Figures of the queue: tasks added per second, how long a claim takes, `mi queue list` beside the bare Python.

Run with `make bench`; prints figures, asserts nothing.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mi.fleet.queue import ClaimRules, QueuedTask, StretchEnd
from mi.fleet.sqlite_queue import SqliteQueue
from mi.kernel import ids

TASKS = 10_000
CLAIMS = 1_000
ROUNDS = 15


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        queue = SqliteQueue(os.path.join(folder, "home", "queue.sqlite"))
        tasks = [
            QueuedTask(ids.make_run_id(), f"do the thing {one}", "0" * 16, folder, same=str(one))
            for one in range(TASKS)
        ]
        began = time.perf_counter()
        queue.put(tasks)
        print(f"put: {TASKS / (time.perf_counter() - began):,.0f} tasks/s in one batch")
        took = []
        for _ in range(CLAIMS):
            began = time.perf_counter()
            claim = queue.claim("worker", ClaimRules(most=4, most_of={"codex": 2}, default_agent="codex"))
            took.append(time.perf_counter() - began)
            assert claim is not None
            queue.finish(claim.token, StretchEnd("done"))
        p95 = sorted(took)[len(took) * 95 // 100]
        print(f"claim at {TASKS:,} queued: median {statistics.median(took) * 1e3:.2f} ms, p95 {p95 * 1e3:.2f} ms")
        queue.close()
        bin_folder = Path(sys.executable).parent
        list_file = Path(folder, "tasks.md")
        list_file.write_text("".join(f"- do the thing {one} in a file\n" for one in range(TASKS)), "utf-8")
        began = time.perf_counter()
        words = [str(bin_folder / "mi"), "--home", os.path.join(folder, "other"), "-C", folder, "queue", "add"]
        subprocess.run([*words, "--file", str(list_file)], check=True, stdout=subprocess.DEVNULL)
        print(f"mi queue add --file: {TASKS / (time.perf_counter() - began):,.0f} tasks/s")
        bare = measure([sys.executable, "-c", "pass"], folder)
        listed = measure([str(bin_folder / "mi"), "--home", os.path.join(folder, "home"), "queue", "list"], folder)
        print(f"mi queue list: {listed / bare:.1f}× of bare Python ({bare * 1e3:.0f} ms)")


def measure(words: list[str], folder: str) -> float:
    took = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, cwd=folder)
        took.append(time.perf_counter() - began)
    return statistics.median(took)


if __name__ == "__main__":
    main()
