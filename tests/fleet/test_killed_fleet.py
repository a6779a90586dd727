"""Workers and runs that are killed at random: every task ends exactly once, and nothing is left behind."""

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.autopilot.workbench import TEST, Workbench, open_bench, run, say, write
from tests.conftest import git
from tests.waiting import wait_until

LEAST_S = float(os.environ.get("SOAK_S", "30"))
TASKS = 6  # of one round
WORKERS = 2
_LONGEST_S = 240  # a round

# Works for a moment as the only one in its tree; the system lets go of it when it is killed.
HOLD = """
import fcntl, os, sys, time
place = sys.argv[1]
held = open(os.path.join(place, "held-" + os.path.basename(os.getcwd())), "a")
try:
    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    open(os.path.join(place, "twice"), "a").write(os.getcwd() + chr(10))
time.sleep(0.4)
"""


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return open_bench(tmp_path)


@pytest.mark.req("fleet.queue.killed-at-random")
def test_every_task_ends_once_though_workers_and_runs_are_killed_all_the_time(bench: Workbench) -> None:
    (bench.folder / "hold.py").write_text(HOLD, "utf-8")
    mended = write("calc.py", "def add(a, b):\n    return a + b\n")
    works = [run(f"python3 {bench.folder}/hold.py {bench.folder}"), mended, TEST, say("Fixed and tested. Done.")]
    bench.agent(*[works] * 40)  # a batch that was cut is not done again
    until, rounds = time.monotonic() + LEAST_S, 0
    workers: list[subprocess.Popen[str]] = []
    try:
        while not rounds or time.monotonic() < until:
            for number in range(TASKS):
                assert bench.mi("queue", "add", f"fix the failing test, round {rounds}, {number}").code == 0
            work_through(bench, workers)
            rounds += 1
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            bench.finish(worker)
    ends = Counter(one["run_id"] for one in bench.records() if one["kind"] == "run_end" and one["status"] == "done")
    assert sorted(ends.values()) == [1] * rounds * TASKS
    assert not (bench.folder / "twice").exists()
    trees = [Path(line.split()[0]) for line in git(bench.project, "worktree", "list").splitlines()[1:]]
    assert len(trees) == rounds * TASKS
    assert {(tree / "calc.py").read_text("utf-8").splitlines()[1] for tree in trees} == {"    return a + b"}
    assert {git(tree, "status", "--porcelain") for tree in trees} == {""}
    assert wait_until(lambda: list_left(bench) == [], 10), list_left(bench)


def work_through(bench: Workbench, workers: list[subprocess.Popen[str]]) -> None:
    """Have workers do what is queued, while one of them or of their runs is killed at random."""
    deadline, kills = time.monotonic() + _LONGEST_S, 0
    while counts := open_jobs(bench):
        assert time.monotonic() < deadline, counts
        workers += [bench.start_mi("worker", "--jobs", "2") for _ in range(WORKERS - len(workers))]
        wait_until(lambda: not open_jobs(bench), random.uniform(0.5, 3))
        for victim in random.sample(["worker", "run"], random.choice([1, 1, 2])) if kills < TASKS else ():
            kills += 1
            if victim == "worker":
                killed = workers.pop(random.randrange(len(workers)))
                killed.kill()
                bench.finish(killed)
            for pid in random.sample(running := find_runs(bench), min(1, len(running))) if victim == "run" else ():
                os.kill(pid, signal.SIGKILL)


def open_jobs(bench: Workbench) -> dict[str, int]:
    """How many jobs are in each state but done; one that ended otherwise is a failure."""
    shown = json.loads(bench.mi("queue", "list", "--json", "--all").stdout)
    ended = [job for job in shown["jobs"] if job["state"] not in ("queued", "running", "done")]
    assert ended == [], ended[0]["reason"]
    return {state: count for state, count in shown["counts"].items() if state != "done"}


def find_runs(bench: Workbench) -> list[int]:
    """The processes that hold the lock of a run, or did."""
    found = []
    for lock in bench.home.glob("projects/*/locks/*.lock"):
        try:
            pid = json.loads(lock.read_text("utf-8") or "{}").get("pid", 0)
            words = Path(f"/proc/{pid}/cmdline").read_text("utf-8").split("\0")
        except (OSError, ValueError):
            continue
        if "--queued" in words:
            found.append(pid)
    return found


def list_left(bench: Workbench) -> list[str]:
    """The living processes that have something to do with the bench."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            folder = os.readlink(entry / "cwd")
        except OSError:
            continue
        if str(bench.folder) in words or folder.startswith(str(bench.folder)):
            found.append(f"{entry.name} {words}")
    return found
