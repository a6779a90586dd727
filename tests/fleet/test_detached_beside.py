"""Runs in the background, begun while others go on: what they learn is MI's own, to each of them."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from mi.testing.server import ScriptedServer
from tests.autopilot.side_by_side import Gate
from tests.autopilot.workbench import MEND, TEST, Json, Workbench, models_for, open_bench, say
from tests.conftest import MI
from tests.learning.stored import RECALL_OFF
from tests.mind.answers import model
from tests.waiting import wait_until

LESSON = {"scope": "project", "severity": "medium", "text": "Ask me before pushing.", "rationale": ""}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    bench = open_bench(tmp_path)
    bench.configure(runtime=RECALL_OFF)
    with models_for(bench) as open_model:
        judge: ScriptedServer = open_model(model(decide_next={"learn_suggested": [LESSON]}))
        assert judge.base_url
        yield bench
        (bench.folder / "gate").touch()  # nobody stays behind
        assert wait_until(lambda: not list(bench.home.glob("workers/*.lock")), 30)


def states(bench: Workbench) -> dict[str, str]:
    runs: list[Json] = json.loads(bench.mi("runs", "--json").stdout)["runs"]
    return {run["task"]: run["status"] for run in runs}


def learned(bench: Workbench) -> list[str]:
    kept = [one for one in bench.records() if one["kind"] == "learn_suggested" and one["applied_claim_ids"]]
    return [one["text"] for one in kept]


@pytest.mark.req("fleet.parallel.home")
def test_what_a_run_in_the_background_learns_is_no_alarm_to_one_beside_it(bench: Workbench) -> None:
    gate = Gate(bench)
    task = "Fix the failing test."
    assert bench.mi("run", "--detach", f"{task} First.").code == 0
    assert wait_until(lambda: any((bench.folder / "there").iterdir()), 30)
    steps = [MEND, TEST, say("Done.")]
    bench.script.write_text(json.dumps({"version": "v1", "batches": [{"steps": steps}]}), "utf-8")
    assert bench.mi("run", "--detach", f"{task} Second.").code == 0
    assert wait_until(lambda: states(bench)[f"{task} Second."] == "done", 30)
    assert wait_until(lambda: learned(bench) == ["Ask me before pushing."], 30)
    gate.open()
    assert wait_until(lambda: states(bench)[f"{task} First."] in ("done", "blocked"), 30)
    assert [one for one in bench.records() if one["kind"] == "violation"] == []
    assert bench.inbox() == []


@pytest.mark.req("fleet.parallel.home")
def test_what_a_worker_runs_whose_terminal_is_gone_is_no_alarm_either(bench: Workbench) -> None:
    """A person's `nohup mi worker &`, begun while a run goes on; then they close the terminal."""
    gate = Gate(bench)
    task = "Fix the failing test."
    assert bench.mi("run", "--detach", f"{task} First.").code == 0
    assert wait_until(lambda: any((bench.folder / "there").iterdir()), 30)
    steps = [MEND, TEST, say("Done.")]
    bench.script.write_text(json.dumps({"version": "v1", "batches": [{"steps": steps}]}), "utf-8")
    worker = f"nohup {MI} worker --jobs 2 >/dev/null 2>&1 &"
    with subprocess.Popen(["/bin/sh", "-c", f"{worker} read closed"], cwd=bench.project, stdin=subprocess.PIPE):
        assert wait_until(lambda: len(list(bench.home.glob("workers/*.lock"))) == 2, 30)
    (pid,) = [one["pid"] for one in vouched(bench) if is_worker(one["pid"])]
    try:
        assert bench.mi("queue", "add", f"{task} Second.").code == 0
        assert wait_until(lambda: states(bench)[f"{task} Second."] == "done", 30)
        assert wait_until(lambda: learned(bench) == ["Ask me before pushing."], 30)
    finally:
        os.kill(pid, signal.SIGTERM)
    gate.open()
    assert wait_until(lambda: states(bench)[f"{task} First."] in ("done", "blocked"), 30)
    assert [one for one in bench.records() if one["kind"] == "violation"] == []
    assert bench.inbox() == []


def vouched(bench: Workbench) -> list[Json]:
    lines = (bench.home / "global" / "run_times.jsonl").read_text("utf-8").splitlines()
    return [one for one in map(json.loads, lines) if one.get("vouched")]


def is_worker(pid: int) -> bool:
    return b"\0worker\0" in Path(f"/proc/{pid}/cmdline").read_bytes()
