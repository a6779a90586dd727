"""`mi run --detach`: a task in the background, which outlives its command; status tells how many there are."""

import json
from pathlib import Path

import pytest

from tests.autopilot.test_run_resume import is_alive, staying
from tests.autopilot.workbench import MEND, TEST, Workbench, open_bench, say
from tests.fleet.test_killed_fleet import list_left
from tests.fleet.test_worker import jobs, queue, shown
from tests.waiting import wait_until

DONE = [MEND, TEST, say("Fixed and tested. Done.")]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return open_bench(tmp_path)


@pytest.mark.req("fleet.queue.detach")
def test_a_detached_run_is_queued_and_done_by_a_worker_of_its_own(bench: Workbench) -> None:
    bench.agent(DONE)
    begun = bench.mi("run", "--detach", "fix the failing test")
    assert begun.code == 0
    (job,) = shown(bench)["jobs"] or json.loads(bench.mi("queue", "--all", "--json").stdout)["jobs"]
    assert f"{job['run_id']} works in the background" in begun.stdout
    assert wait_until(lambda: jobs(bench) == {"fix the failing test": "done"}, 40)
    assert wait_until(lambda: list_left(bench) == [], 10), list_left(bench)
    assert bench.read("calc.py").endswith("return a\n")


@pytest.mark.req("fleet.queue.detach")
def test_the_answer_to_a_detached_run_lets_it_go_on(bench: Workbench) -> None:
    bench.agent([say("Which colour should the button have?")], DONE)
    bench.mi("run", "--detach", "fix the failing test")
    assert wait_until(lambda: jobs(bench) == {"fix the failing test": "waiting"}, 40)
    assert wait_until(lambda: list_left(bench) == [], 10), list_left(bench)  # nobody waits for the answer
    (item,) = bench.inbox()
    bench.mi("answer", str(item["number"]), "blue")
    assert wait_until(lambda: jobs(bench) == {"fix the failing test": "done"}, 40)


@pytest.mark.req("fleet.queue.detach")
def test_a_detached_run_keeps_the_limits_it_was_given_and_can_be_stopped(bench: Workbench) -> None:
    there = staying(bench)
    run_id = json.loads(bench.mi("run", "--detach", "--max-batches", "3", "--json", "fix it").stdout)["run_id"]
    assert wait_until(there.exists, 40)
    assert bench.records()[0]["limits"] == {"batches": 3}
    assert bench.mi("stop", run_id).code == 0
    assert wait_until(lambda: jobs(bench) == {"fix it": "stopped"}, 40)
    assert not is_alive(int(there.read_text("utf-8")))
    assert bench.mi("run", "--detach", "--resume").code == 2


@pytest.mark.req("fleet.queue.status")
def test_status_tells_what_is_queued_runs_and_waits(bench: Workbench) -> None:
    bench.agent([say("Which colour should the button have?")], DONE)
    assert json.loads(bench.mi("status", "--json").stdout)["queue"] == {}
    queue(bench, "fix the failing test")
    assert bench.mi("worker", "--drain").code == 0
    queue(bench, "mend add")
    told = json.loads(bench.mi("status", "--json").stdout)["queue"]
    assert told == {"queued": 1, "running": 0, "waiting": 1, "paused": []}
    assert "queue: 1 queued, 0 running, 1 waiting for you" in bench.mi("status").stdout
    assert "queue: 1 queued" in bench.mi().stdout
