"""A worker takes what is queued, each task in a work tree of its own, and notes how it ended."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from mi.agents.signals import StopFlag
from mi.evidence.records.run import Limit
from mi.fleet.queue import ClaimRules, JobClaim, QueuedJob, QueuedTask
from mi.fleet.sqlite_queue import SqliteQueue
from mi.fleet.stretch import UNTOLD_S, find_reset
from mi.fleet.worker import PASSING, QueueWorker
from mi.kernel import clock
from tests.autopilot.test_run_resume import is_alive, staying
from tests.autopilot.workbench import MEND, RIGHT, SPOIL, TEST, WRONG, Workbench, edit, open_bench, run, say, write
from tests.conftest import MI
from tests.waiting import wait_until

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


def queue(bench: Workbench, *words: str) -> str:
    """Queue one task and return its run."""
    added = bench.mi("queue", "add", *words, "--json")
    assert added.code == 0, added.stderr
    found: str = json.loads(added.stdout)["queued"][0]["run_id"]
    return found


def drain(bench: Workbench) -> str:
    done = bench.mi("worker", "--drain")
    assert done.code == 0, done.stderr
    return done.stdout


@pytest.mark.req("fleet.queue.stretch")
def test_a_question_ends_the_stretch_and_the_answer_queues_the_next(bench: Workbench) -> None:
    bench.agent([say("Which colour should the button have?")], DONE)
    run_id = queue(bench, "fix the failing test")
    assert "waits for you" in drain(bench)
    (job,) = shown(bench)["jobs"]
    assert (job["state"], job["stretch"]) == ("waiting", 1)
    (item,) = bench.inbox()
    answered = bench.mi("answer", str(item["number"]), "blue")
    assert f"{run_id} is queued to go on; no worker runs" in answered.stdout
    assert "--resume" not in answered.stdout
    (job,) = shown(bench)["jobs"]
    assert (job["state"], job["stretch"]) == ("queued", 2)
    assert "done" in drain(bench)
    ends = [(one["run_id"], one["status"]) for one in bench.mi("queue").of("run_end")]
    assert ends == [(run_id, "blocked"), (run_id, "done")]


@pytest.mark.req("fleet.queue.stretch")
@pytest.mark.parametrize("is_swept", [False, True])
def test_an_answer_that_comes_before_the_worker_noted_the_end_is_not_lost(bench: Workbench, is_swept: bool) -> None:
    bench.agent([say("Which colour should the button have?")], DONE)
    run_id = queue(bench, "fix the failing test")
    place = SqliteQueue(str(bench.home / "queue.sqlite"))
    claim = place.claim("a worker that was killed", ClaimRules(default_agent="replay"))
    assert claim is not None
    words = [str(MI), "run", "--queued", run_id, "--quiet"]
    with subprocess.Popen(words, cwd=bench.project, stdin=subprocess.PIPE, encoding="utf-8") as stretch:
        assert stretch.stdin is not None
        stretch.stdin.write(f"{claim.token}\n")
        stretch.stdin.flush()
        assert stretch.wait() == 3
    if is_swept:
        place.sweep(60, lambda worker: True)
    place.close()
    (item,) = bench.inbox()
    assert f"{run_id} is queued to go on" in bench.mi("answer", str(item["number"]), "blue").stdout
    drain(bench)
    assert jobs(bench) == {"fix the failing test": "done"}


@pytest.mark.req("fleet.queue.stretch")
def test_a_dismissed_question_leaves_the_run_blocked(bench: Workbench) -> None:
    bench.agent([say("Which colour should the button have?")], DONE)
    run_id = queue(bench, "fix the failing test")
    drain(bench)
    (item,) = bench.inbox()
    bench.mi("inbox", "dismiss", str(item["number"]))
    assert jobs(bench) == {"fix the failing test": "blocked"}
    assert bench.mi("queue", "retry", run_id).code == 0
    drain(bench)  # it asks anew
    assert jobs(bench) == {"fix the failing test": "waiting"}


@pytest.mark.req("fleet.queue.stretch")
def test_a_run_that_the_person_takes_up_themselves_is_done_in_the_queue(bench: Workbench) -> None:
    bench.agent([say("Which colour should the button have?")], DONE)
    run_id = queue(bench, "fix the failing test")
    queue(bench, "--after", run_id, "write the docs")
    drain(bench)
    (item,) = bench.inbox()
    bench.mi("answer", str(item["number"]), "blue")
    bench.mi("run", "--resume", run_id).ended("done")
    assert jobs(bench) == {"fix the failing test": "done", "write the docs": "queued"}
    assert shown(bench)["jobs"][0]["pending"] == 0


def shown(bench: Workbench) -> Any:
    return json.loads(bench.mi("queue", "list", "--json").stdout)


@pytest.mark.req("fleet.queue.limits")
def test_a_vendors_limit_pauses_all_jobs_of_that_agent_until_it_ends(bench: Workbench) -> None:
    until = clock.format_ms(int(time.time() * 1000) + 3_600_000)
    bench.agent([{"fail": f"You've hit your usage limit, resets at {until}"}], DONE)
    for task in ("fix the failing test", "mend add"):
        queue(bench, task)
    done = bench.start_mi("worker", "--jobs", "1")
    assert wait_until(lambda: shown(bench)["paused"] != [], 30)
    done.send_signal(signal.SIGTERM)
    told = bench.finish(done)
    assert told.stdout.count("begins:") == 1
    assert "goes on at" in told.stdout
    (pause,) = shown(bench)["paused"]
    assert (pause["agent"], pause["until"]) == ("replay", until)
    assert {job["state"] for job in shown(bench)["jobs"]} == {"queued"}
    assert f"replay is paused until {until}" in bench.mi("queue").stdout


@pytest.mark.req("fleet.queue.limits")
def test_a_limit_that_a_run_of_its_own_meets_pauses_the_queue_too(bench: Workbench) -> None:
    until = clock.format_ms(int(time.time() * 1000) + 3_600_000)
    bench.agent([{"fail": f"You've hit your usage limit, resets at {until}"}], DONE)
    queue(bench, "mend add")
    bench.run("fix it").ended("blocked")
    (pause,) = shown(bench)["paused"]
    assert (pause["agent"], pause["until"]) == ("replay", until)


@pytest.mark.req("fleet.queue.limits")
def test_after_a_limit_the_run_goes_on_by_itself(bench: Workbench) -> None:
    bench.agent([{"fail": "rate limit reached, retry-after: 1"}], DONE)
    queue(bench, "fix the failing test")
    assert "done" in drain(bench)
    assert len(bench.mi("queue").of("run_start")) == 2


@pytest.mark.req("fleet.queue.worker")
def test_what_cannot_begin_has_failed_and_the_others_go_on(bench: Workbench, tmp_path: Path) -> None:
    bench.agent(DONE)
    gone = tmp_path / "gone"
    gone.mkdir()
    queue(bench, "fix the docs", "--project", str(gone))
    queue(bench, "fix the failing test", "--agent", "codex")
    queue(bench, "fix the failing test there")
    gone.rmdir()
    bench.env["PATH"] = "/usr/bin:/bin"
    told = drain(bench)
    assert jobs(bench) == {
        "fix the docs": "failed",
        "fix the failing test": "failed",
        "fix the failing test there": "done",
    }
    assert "gone" in told
    assert "codex is not installed" in told


@pytest.mark.req("fleet.queue.order")
def test_a_task_after_another_begins_when_that_is_done(bench: Workbench) -> None:
    bench.agent(DONE)
    first = queue(bench, "fix the failing test")
    second = queue(bench, "--after", first, "mend add")
    drain(bench)
    records = bench.mi("queue").records
    order = [(one["run_id"], one["kind"]) for one in records if one["kind"] in ("run_start", "run_end")]
    assert order == [(first, "run_start"), (first, "run_end"), (second, "run_start"), (second, "run_end")]


@pytest.mark.req("fleet.queue.cancel")
def test_a_run_that_is_cancelled_stops_and_leaves_no_process(bench: Workbench) -> None:
    there = staying(bench)
    run_id = queue(bench, "fix the failing test")
    worker = bench.start_mi("worker", "--drain")
    assert wait_until(there.exists, 30)
    assert "told to stop" in bench.mi("queue", "cancel", run_id).stdout
    assert bench.finish(worker).code == 0
    assert jobs(bench) == {"fix the failing test": "cancelled"}
    assert not is_alive(int(there.read_text("utf-8")))


@pytest.mark.req("fleet.queue.stop")
def test_a_worker_that_is_told_to_stop_releases_its_runs(bench: Workbench) -> None:
    there = staying(bench)
    queue(bench, "fix the failing test")
    worker = bench.start_mi("worker")
    assert wait_until(there.exists, 30)
    worker.send_signal(signal.SIGTERM)
    told = bench.finish(worker)
    assert told.code == 0
    assert "goes on with the next worker" in told.stdout
    assert told.end["status"] == "interrupted"
    assert not is_alive(int(there.read_text("utf-8")))
    assert shown(bench)["jobs"][0]["state"] == "queued"
    drain(bench)
    assert jobs(bench) == {"fix the failing test": "done"}
    assert list((bench.home / "workers").iterdir()) == []


@pytest.mark.req("fleet.queue.killed")
def test_when_a_worker_is_killed_its_run_stops_and_another_worker_goes_on(bench: Workbench) -> None:
    there = staying(bench)
    queue(bench, "fix the failing test")
    worker = bench.start_mi("worker")
    assert wait_until(there.exists, 30)
    worker.kill()
    bench.finish(worker)
    assert wait_until(lambda: not is_alive(int(there.read_text("utf-8"))), 30)
    drain(bench)
    assert jobs(bench) == {"fix the failing test": "done"}


@pytest.mark.req("fleet.queue.killed")
def test_a_run_that_is_killed_with_its_worker_is_taken_up_and_its_agent_ended(bench: Workbench) -> None:
    there = staying(bench)
    run_id = queue(bench, "fix the failing test")
    worker = bench.start_mi("worker")
    assert wait_until(there.exists, 30)
    (lock,) = [path for path in bench.home.glob("projects/*/locks/*.lock") if run_id in path.read_text("utf-8")]
    worker.kill()
    os.kill(json.loads(lock.read_text("utf-8"))["pid"], signal.SIGKILL)
    bench.finish(worker)
    agent = int(there.read_text("utf-8"))
    drain(bench)
    assert jobs(bench) == {"fix the failing test": "done"}
    assert not is_alive(agent)


@pytest.mark.req("fleet.queue.killed")
def test_a_clock_that_was_set_back_since_a_task_was_queued_has_it_done_once(bench: Workbench) -> None:
    bench.agent([say("Which colour should the button have?")], DONE)
    queue(bench, "fix the failing test")
    with closing(sqlite3.connect(bench.home / "queue.sqlite")) as db, db:
        db.execute("UPDATE job SET added = added + 3600")
    drain(bench)
    (item,) = bench.inbox()
    bench.mi("answer", str(item["number"]), "blue")
    drain(bench)
    assert jobs(bench) == {"fix the failing test": "done"}
    assert [one["status"] for one in bench.mi("queue").of("run_end")] == ["blocked", "done"]


@pytest.mark.req("fleet.queue.killed")
def test_what_a_passing_trouble_keeps_from_beginning_is_tried_again(bench: Workbench) -> None:
    bench.agent(DONE)
    run_id = queue(bench, "fix the failing test")
    (place,) = bench.home.glob("projects/*")
    (place / "locks").write_text("", "utf-8")  # as a disk that is not there for a while
    worker = bench.start_mi("worker", "--drain")
    assert wait_until(lambda: "locks" in shown(bench)["jobs"][0]["reason"], 30)
    (place / "locks").unlink()
    told = bench.finish(worker)
    assert f"{run_id} could not go on and is tried again: " in told.stdout
    assert jobs(bench) == {"fix the failing test": "done"}


class PlaceOfTrouble:
    """What a worker has beside the queue, where every stretch ends before it began."""

    def __init__(self) -> None:
        self.started = 0

    def find_rules(self) -> ClaimRules:
        return ClaimRules()

    def start(self, claim: JobClaim) -> "PlaceOfTrouble":
        self.started += 1
        return self

    def poll(self) -> int:
        return PASSING

    def stop(self, at_once: bool = False) -> None:
        raise AssertionError("nobody asked it to")

    def find_spent_budget(self, claim: JobClaim) -> str:
        return ""

    def last_words(self) -> str:
        return "the disk is full"

    def read_end(self, job: QueuedJob) -> None:
        return None

    def tell(self, what: str, job: QueuedJob, reason: str = "") -> None:
        pass

    def drained(self) -> None:
        pass


@pytest.mark.req("fleet.queue.killed")
def test_what_does_not_pass_has_failed_after_some_tries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, around = SqliteQueue(str(tmp_path / "queue.sqlite")), PlaceOfTrouble()
    place.put([QueuedTask("run_1", "mend add", "0" * 16, str(tmp_path))])
    waited = [time.time()]
    monkeypatch.setattr("time.time", lambda: waited[0])
    monkeypatch.setattr("time.sleep", lambda seconds: waited.append(waited.pop() + 3600))
    QueueWorker(place, str(tmp_path / "workers"), around, 1, StopFlag()).run(lambda: not place.has_ready())
    job = place.find("run_1")
    assert job is not None
    assert (job.state, job.reason, around.started) == ("failed", "the disk is full", 10)


@pytest.mark.req("fleet.queue.budget")
def test_nothing_begins_once_a_budget_is_spent_and_the_list_says_why(bench: Workbench) -> None:
    bench.agent(DONE, tokens=500)
    bench.configure(fleet={"jobs": 1, "max_tokens_per_day": 400})
    for task in ("fix the failing test", "mend add"):
        queue(bench, task)
    worker = bench.start_mi("worker")
    assert wait_until(lambda: "done" in jobs(bench).values(), 30)
    assert shown(bench)["held"] == {"*": "fleet.max_tokens_per_day = 400"}
    worker.send_signal(signal.SIGINT)
    told = bench.finish(worker)
    assert told.code == 130
    assert told.stdout.count("begins:") == 1
    assert "fleet.max_tokens_per_day = 400" in bench.mi("queue").stdout


@pytest.mark.req("fleet.queue.budget")
def test_a_run_that_spends_the_budget_while_it_goes_on_is_held_until_there_is_more(bench: Workbench) -> None:
    there = bench.folder / "there"
    stays = run(f"if [ -e {there} ]; then true; else echo > {there}; sleep 300; fi")
    mends = [edit("calc.py", WRONG, RIGHT), TEST, say("Fixed and tested. Done.")]
    bench.agent([SPOIL, TEST, say("Looking at it.")], [stays, *mends], mends, tokens=300)
    bench.configure(fleet={"max_tokens_per_day": 250})
    run_id = queue(bench, "fix the failing test")
    worker = bench.start_mi("worker")
    assert wait_until(lambda: shown(bench)["jobs"][0]["reason"] == "fleet.max_tokens_per_day = 250", 60)
    assert shown(bench)["jobs"][0]["state"] == "queued"
    worker.send_signal(signal.SIGTERM)
    told = bench.finish(worker)
    assert f"{run_id} stopped in order and goes on another day, the budget is spent: " in told.stdout
    assert told.stdout.count("begins:") == 1
    assert told.end["status"] == "interrupted"
    bench.configure(fleet={"max_tokens_per_day": 5000})
    drain(bench)
    assert jobs(bench) == {"fix the failing test": "done"}
    spent = SqliteQueue(str(bench.home / "queue.sqlite")).spent_on(time.strftime("%Y-%m-%d"))
    known = [one["usage"]["input_tokens"] or 0 for one in bench.mi("queue").of("batch_end")]
    assert spent["replay"].tokens == sum(known) > 300


@pytest.mark.req("fleet.queue.worker")
def test_where_there_is_no_git_tasks_run_one_after_another_in_the_folder(bench: Workbench, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    shutil.copytree(bench.project, plain, ignore=shutil.ignore_patterns(".git"))
    bench.agent([write("calc.py", "def add(a, b):\n    return a + b\n"), TEST, say("Fixed and tested. Done.")])
    for task in ("fix the failing test", "mend add"):
        queue(bench, task, "--project", str(plain))
    drain(bench)
    assert (plain / "calc.py").read_text("utf-8").endswith("return a + b\n")
    assert jobs(bench)["fix the failing test"] == "done"
    records = [one for one in bench.mi("queue").records if one["kind"] in ("run_start", "run_end")]
    assert [one["kind"] for one in records] == ["run_start", "run_end"] * 2


@pytest.mark.req("fleet.queue.worker")
def test_a_stretch_without_a_claim_is_refused(bench: Workbench) -> None:
    bench.agent(DONE)
    run_id = queue(bench, "fix the failing test")
    done = bench.mi("run", "--queued", run_id)
    assert done.code == 3
    assert "no worker has claimed" in done.stderr
    assert done.of("run_start") == []


@pytest.mark.req("fleet.queue.worker")
def test_all_runs_are_listed_though_the_queue_cannot_be_read(bench: Workbench) -> None:
    bench.agent(DONE)
    run_id = queue(bench, "fix the failing test")
    drain(bench)
    for path in bench.home.glob("queue.sqlite*"):
        path.unlink()
    (bench.home / "queue.sqlite").write_bytes(b"no database " * 1000)
    listed = bench.mi("runs", "--json")
    assert [one["run_id"] for one in json.loads(listed.stdout)["runs"]] == [run_id]
    assert (listed.code, listed.stderr.count("\n")) == (0, 1)
    assert "mi runs lists every run from its log" in listed.stderr


@pytest.mark.req("fleet.queue.limits")
def test_when_a_limit_ends() -> None:
    now = clock.parse("2026-11-18T10:00:00Z")
    assert find_reset(Limit(resets_at="2026-11-18T10:30:00Z"), now) == now + 1800
    assert now < find_reset(Limit(resets_at="2026-11-18T09:00:00Z"), now) < now + 60
    for untold in ("", "soon"):
        assert find_reset(Limit(resets_at=untold), now) == now + UNTOLD_S


@pytest.mark.req("fleet.queue.worker")
def test_where_git_does_not_answer_nothing_is_done_in_the_person_s_own_tree(bench: Workbench, tmp_path: Path) -> None:
    bench.agent(DONE)
    before = bench.read("calc.py")
    queue(bench, "fix the failing test first")  # the project is known by its commit
    (tmp_path / "empty").mkdir()
    bench.env["PATH"] = str(tmp_path / "empty")
    queue(bench, "fix the failing test")
    assert "git did not answer" in drain(bench)
    assert jobs(bench)["fix the failing test"] == "failed"
    assert bench.read("calc.py") == before
