"""A worker takes what is queued, each task in a work tree of its own, and notes how it ended."""

import json
from pathlib import Path

import pytest

from tests.autopilot.workbench import MEND, TEST, Workbench, open_bench, say

DONE = [MEND, TEST, say("Fixed and tested. Done.")]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return open_bench(tmp_path)


def jobs(bench: Workbench) -> dict[str, str]:
    """The states of all tasks, by their words."""
    shown = json.loads(bench.mi("queue", "list", "--all", "--json").stdout)
    return {job["task"]: job["state"] for job in shown["jobs"]}


@pytest.mark.req("fleet.queue.worker")
def test_queued_tasks_are_done_each_in_a_tree_of_its_own(bench: Workbench) -> None:
    bench.agent(DONE)
    for task in ("fix the failing test", "mend add"):
        assert bench.mi("queue", "add", task).code == 0
    done = bench.mi("worker", "--drain", "--jobs", "2")
    assert done.code == 0
    assert jobs(bench) == {"fix the failing test": "done", "mend add": "done"}
    assert bench.read("calc.py").endswith("return a\n")
