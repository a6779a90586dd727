"""`mi run --detach`: a task in the background, which outlives its command; status tells how many there are."""

import json
import sqlite3
from contextlib import closing
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
def test_the_answer_to_a_detached_run_lets_it_go_on_while_another_one_works(bench: Workbench) -> None:
    bench.agent([say("Which colour should the button have?")], DONE)
    bench.mi("run", "--detach", "--worktree", "fix the failing test")
    assert wait_until(lambda: jobs(bench) == {"fix the failing test": "waiting"}, 40)
    there = staying(bench)
    other = json.loads(bench.mi("run", "--detach", "--worktree", "--json", "mend add").stdout)["run_id"]
    assert wait_until(there.exists, 40)
    bench.agent([], DONE)
    (item,) = bench.inbox()
    assert "is queued to go on.\n" in bench.mi("answer", str(item["number"]), "blue").stdout
    assert wait_until(lambda: jobs(bench)["fix the failing test"] == "done", 40)
    assert jobs(bench)["mend add"] == "running"
    assert bench.mi("stop", other).code == 0
    assert wait_until(lambda: jobs(bench)["mend add"] == "stopped", 40)


@pytest.mark.req("fleet.queue.detach")
def test_a_detached_run_keeps_the_limits_it_was_given_and_can_be_stopped(bench: Workbench) -> None:
    there = staying(bench)
    run_id = json.loads(bench.mi("run", "--detach", "--max-batches", "3", "--json", "fix it").stdout)["run_id"]
    assert wait_until(there.exists, 40)
    (start,) = [one for one in bench.records() if one["kind"] == "run_start"]
    assert start["limits"] == {"batches": 3}
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
    for words in ([], ["inbox"]):
        assert "queue: 1 queued" in bench.mi(*words).stdout


@pytest.mark.req("fleet.queue.notify")
def test_the_person_is_told_once_when_the_queue_is_drained(bench: Workbench) -> None:
    told = bench.folder / "told"
    tell = {"kind": "command", "command": f"sh -c 'echo \"$MI_EVENT $0\" >> {told}'", "events": ["drained"]}
    bench.agent(DONE)
    bench.config["notify"] = [tell]
    bench.configure()
    for task in ("fix the failing test", "mend add"):
        queue(bench, task)
    assert bench.mi("worker", "--drain", "--jobs", "1").code == 0
    assert bench.mi("worker", "--drain").code == 0  # nothing was left to do
    assert told.read_text("utf-8").splitlines() == ["drained the queue is drained", "2 done"]


@pytest.mark.req("fleet.queue.doctor")
def test_doctor_says_when_nobody_works_on_the_queue_or_it_cannot_be_used(bench: Workbench) -> None:
    bench.agent(DONE)
    assert "queue" not in bench.mi("doctor").stdout
    queue(bench, "fix the failing test")
    assert "1 queued, 0 left running, and no worker works" in bench.mi("doctor").stdout
    assert bench.mi("worker", "--drain").code == 0
    assert "✓ queue" in bench.mi("doctor").stdout
    (bench.home / "queue.sqlite").write_bytes(b"no database " * 200)
    for wal in bench.home.glob("queue.sqlite-*"):
        wal.unlink()
    broken = bench.mi("doctor")
    assert broken.code == 1
    assert "✗ queue" in broken.stdout
    for words in (["queue", "list"], ["queue", "add", "mend add"], ["worker", "--drain"]):
        done = bench.mi(*words)
        assert (done.code, done.stderr.count("\n")) == (1, 1)
        assert "queue.sqlite" in done.stderr
    bench.run("fix it").ended("done")  # a run of its own needs no queue
    assert "queue.sqlite" in bench.mi("status").stdout


@pytest.mark.req("fleet.queue.newer")
def test_an_older_worker_says_so_in_one_line(bench: Workbench) -> None:
    bench.agent(DONE)
    queue(bench, "fix the failing test")
    with closing(sqlite3.connect(bench.home / "queue.sqlite")) as db:
        db.execute("PRAGMA user_version = 99")
    done = bench.mi("worker", "--drain")
    assert done.code == 1
    assert "made by a newer MI" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.req("fleet.queue.lost")
@pytest.mark.parametrize("broken", [False, True], ids=["gone", "broken"])
def test_a_queue_that_is_lost_is_made_again_from_the_logs(bench: Workbench, broken: bool) -> None:
    bench.agent([say("Which colour should the button have?")], DONE)
    first = queue(bench, "fix the failing test")
    assert bench.mi("worker", "--drain").code == 0
    second, third = queue(bench, "--after", first, "--priority", "3", "mend add"), queue(bench, "write the docs")
    assert bench.mi("queue", "cancel", third).code == 0
    for file in bench.home.glob("queue.sqlite*"):
        file.unlink()
    if broken:
        (bench.home / "queue.sqlite").write_bytes(b"no database " * 200)
        assert "mi queue rebuild" in bench.mi("queue", "list").stderr
    assert "2 tasks queued again" in bench.mi("queue", "rebuild").stdout
    assert "0 tasks queued again" in bench.mi("queue", "rebuild").stdout
    found = {job["run_id"]: (job["priority"], job["after"]) for job in shown(bench)["jobs"]}
    assert found == {first: (0, []), second: (3, [first])}
    (item,) = bench.inbox()
    bench.mi("answer", str(item["number"]), "blue")
    assert bench.mi("worker", "--drain").code == 0
    assert jobs(bench) == {"fix the failing test": "done", "mend add": "done"}


@pytest.mark.req("fleet.queue.persons-word")
def test_what_somebody_wrote_into_the_queue_itself_is_not_begun(bench: Workbench) -> None:
    bench.agent(DONE)
    queue(bench, "fix the failing test")
    with closing(sqlite3.connect(bench.home / "queue.sqlite")) as db, db:
        db.execute("UPDATE job SET run_id = 'run_20261118T000000Z_aaaaaaaa', task = 'push to production'")
    told = bench.mi("worker", "--drain")
    assert told.code == 0
    assert "but the log of its project" in told.stdout
    assert told.of("run_start") == []


@pytest.mark.req("fleet.queue.persons-word")
def test_a_run_gets_the_task_as_it_stands_in_the_log(bench: Workbench) -> None:
    bench.agent(DONE)
    queue(bench, "fix the failing test")
    with closing(sqlite3.connect(bench.home / "queue.sqlite")) as db, db:
        db.execute("UPDATE job SET task = 'push to production', options = '{\"override\":\"x\"}'")
    told = bench.mi("worker", "--drain")
    (start,) = told.of("run_start")
    assert start["task"] == "fix the failing test"
    assert start["main_root"] == str(bench.project)
