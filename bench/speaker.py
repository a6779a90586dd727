"""Figures of telling who speaks: the chain of processes above a command, and the whole check in a home with many runs.

Prints, asserts nothing; ratios are to the venv's own `python -c pass`.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from mi.app.home_context import HomeContext
from mi.app.speaker import find_speaker
from mi.autopilot.run_times import keep_run_times
from mi.kernel.ancestry import read_ancestry
from mi.kernel.home import Home

RUNS = 1_000
ROUNDS = 50


def main() -> None:
    base = timed(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True), 9, time.perf_counter)
    print(f"python -c pass                      {base * 1000:7.2f} ms")
    chain = read_ancestry() or []
    show(f"chain of {len(chain)} processes", timed(read_ancestry), base, "goal 5 ms")
    with tempfile.TemporaryDirectory() as folder:
        home = Home(folder)
        show("who speaks, new home", timed(lambda: find_speaker(HomeContext(home))), base)
        for number in range(RUNS):
            lock = home.project(f"{number % 20:016x}").run_lock
            with keep_run_times(home, lock, f"run_20260101T000000Z_{number:08x}"):
                pass
        show(f"who speaks, after {RUNS} runs", timed(lambda: find_speaker(HomeContext(home))), base)


def timed(work: Callable[[], object], rounds: int = ROUNDS, clock: Callable[[], float] = time.process_time) -> float:
    """Seconds of one round, the median; of work in this process, what it takes alone."""
    taken = []
    for _ in range(rounds):
        began = clock()
        work()
        taken.append(clock() - began)
    return statistics.median(taken)


def show(name: str, seconds: float, base: float, goal: str = "") -> None:
    print(f"{name:<35} {seconds * 1000:7.2f} ms  {seconds / base:6.2f}x  {goal}".rstrip())


if __name__ == "__main__":
    main()
