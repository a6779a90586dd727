"""What every queue must hold to: a class of tests, which each adapter is run through."""

import fcntl
import multiprocessing
import os
import random
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from mi.fleet.queue import AgentPause, ClaimRules, Queue, QueuedTask, Spending, StretchEnd
from mi.fleet.workers import is_gone, sign_in
from mi.kernel.errors import MiError

T = TypeVar("T")
OpenQueue = Callable[[str], Queue]  # of a place; in another process, too
ANY = ClaimRules()
DONE = StretchEnd("done")
JOBS = 10_000
WORKERS = 8
KILLS = 40
SOAK_S = float(os.environ.get("SOAK_S", "0"))  # how long at least; `make soak`


def task(run_id: str, **asked: object) -> QueuedTask:
    return QueuedTask(run_id, f"task of {run_id}", "0" * 16, "/project")._replace(**asked)


class QueueConformance:
    """Subclass it and say how the queue of a place is opened: a function of a module."""

    open_queue: OpenQueue

    @pytest.fixture
    def queue(self, tmp_path: Path) -> Queue:
        return type(self).open_queue(str(tmp_path / "place"))

    @staticmethod
    def order(queue: Queue, rules: ClaimRules = ANY) -> list[str]:
        """The runs that may begin now, in their order; each is left running."""
        found = []
        while claim := queue.claim("w", rules):
            found.append(claim.job.run_id)
        return found

    # put

    def test_a_task_is_claimed_as_it_was_put(self, queue: Queue) -> None:
        asked = task("run_1", agent="codex", priority=3, list_task="T1", options='{"prove": true}', lock="tree")
        queue.put([asked])
        claim = queue.claim("w", ANY)
        assert claim is not None
        assert claim.job.task == asked
        assert (claim.job.state, claim.job.stretch, claim.job.worker) == ("running", 1, "w")
        assert queue.claim("w", ANY) is None

    def test_a_queued_task_is_put_first_and_one_that_runs_is_not(self, queue: Queue) -> None:
        queue.put([task("run_1"), task("run_2"), task("run_3")])
        assert queue.claim("w", ANY).job.run_id == "run_1"
        assert queue.set_priority("run_3", 1)
        assert not queue.set_priority("run_1", 2)
        assert not queue.set_priority("run_9", 2)
        assert self.order(queue) == ["run_3", "run_2"]

    def test_the_same_run_put_twice_is_one(self, queue: Queue) -> None:
        queue.put([task("run_1"), task("run_1")])
        queue.put([task("run_1", priority=9)])
        assert self.order(queue) == ["run_1"]
        assert queue.jobs()[0].task.priority == 0

    def test_a_task_that_is_open_is_not_put_again(self, queue: Queue) -> None:
        queue.put([task("run_1", same="x")])
        refused = queue.put([task("run_2", same="x"), task("run_3", same="y"), task("run_4", same="y"), task("run_5")])
        assert [(one.task.run_id, one.run_id) for one in refused] == [("run_2", "run_1"), ("run_4", "run_3")]
        claim = queue.claim("w", ANY)
        assert claim is not None
        assert [one.run_id for one in queue.put([task("run_6", same="x")])] == ["run_1"]
        queue.finish(claim.token, DONE)
        assert queue.put([task("run_6", same="x")]) == []

    # the order

    def test_the_higher_priority_goes_first_then_the_older(self, queue: Queue) -> None:
        queue.put([task("run_1"), task("run_2", priority=2), task("run_3", priority=2), task("run_4", priority=-1)])
        assert self.order(queue) == ["run_2", "run_3", "run_1", "run_4"]

    def test_nothing_begins_before_its_time(self, queue: Queue) -> None:
        queue.put([task("run_1", not_before=time.time() + 3600), task("run_2", not_before=time.time() - 1)])
        assert self.order(queue) == ["run_2"]
        assert queue.has_ready()

    def test_what_comes_after_a_run_waits_until_that_is_done(self, queue: Queue) -> None:
        queue.put([task("run_1"), task("run_2", after=("run_1", "run_3")), task("run_3")])
        first, third = queue.claim("w", ANY), queue.claim("w", ANY)
        assert first is not None
        assert third is not None
        assert [job.pending for job in queue.jobs(["queued"])] == [2]
        queue.finish(first.token, DONE)
        assert queue.claim("w", ANY) is None
        queue.finish(third.token, StretchEnd("failed"))
        assert queue.claim("w", ANY) is None
        assert queue.find("run_2").task.after == ("run_1", "run_3")
        assert queue.wake("run_3", ("failed",))
        again = queue.claim("w", ANY)
        assert again is not None
        queue.finish(again.token, DONE)
        assert self.order(queue) == ["run_2"]

    def test_what_comes_after_a_run_that_is_done_waits_for_nothing(self, queue: Queue) -> None:
        queue.put([task("run_1")])
        claim = queue.claim("w", ANY)
        assert claim is not None
        queue.finish(claim.token, DONE)
        queue.put([task("run_2", after=("run_1",))])
        assert self.order(queue) == ["run_2"]

    def test_a_run_of_elsewhere_can_be_waited_for(self, queue: Queue) -> None:
        queue.put([task("run_1", after=("run_elsewhere",))])
        assert queue.claim("w", ANY) is None
        assert not queue.has_ready()
        assert [job.run_id for job in queue.jobs()] == ["run_1"]
        assert [job.run_id for job in queue.jobs(["outside"])] == ["run_elsewhere"]
        queue.settle("run_elsewhere", "failed")
        assert queue.claim("w", ANY) is None
        queue.settle("run_elsewhere", "done")
        assert self.order(queue) == ["run_1"]
        queue.put([task("run_2", after=("run_elsewhere",))])
        assert self.order(queue) == ["run_2"]

    # what may run

    def test_two_jobs_with_one_lock_do_not_run_at_once(self, queue: Queue) -> None:
        queue.put([task("run_1", lock="tree"), task("run_2", lock="tree"), task("run_3"), task("run_4")])
        claim = queue.claim("w", ANY)
        assert claim is not None
        assert self.order(queue) == ["run_3", "run_4"]
        queue.finish(claim.token, DONE)
        assert self.order(queue) == ["run_2"]

    def test_a_worker_may_take_one_run_alone(self, queue: Queue) -> None:
        queue.put([task("run_1"), task("run_2")])
        assert self.order(queue, ClaimRules(only="run_2")) == ["run_2"]

    def test_no_more_run_than_may(self, queue: Queue) -> None:
        queue.put([task(f"run_{number}", agent="codex" if number < 4 else "claude") for number in range(8)])
        assert self.order(queue, ClaimRules(most=0)) == []
        assert self.order(queue, ClaimRules(most=3, most_of={"codex": 2})) == ["run_0", "run_1", "run_4"]
        assert self.order(queue, ClaimRules(most_of={"codex": 2, "claude": 2})) == ["run_5"]

    def test_a_job_that_names_no_agent_counts_as_the_default_ones(self, queue: Queue) -> None:
        queue.put([task("run_1"), task("run_2", agent="claude")])
        assert self.order(queue, ClaimRules(held={"codex": "x"}, default_agent="codex")) == ["run_2"]
        queue.pause(AgentPause("codex", time.time() + 3600, "limit"))
        assert self.order(queue, ClaimRules(default_agent="codex")) == []
        assert self.order(queue, ClaimRules(most_of={"claude": 1}, default_agent="claude")) == []
        assert self.order(queue, ClaimRules(default_agent="claude")) == ["run_1"]

    def test_a_paused_agent_begins_nothing_until_the_pause_ends(self, queue: Queue) -> None:
        queue.put([task("run_1", agent="codex"), task("run_2", agent="claude")])
        until = time.time() + 3600
        queue.pause(AgentPause("codex", until, "usage limit"))
        assert queue.pauses() == [AgentPause("codex", until, "usage limit")]
        assert self.order(queue) == ["run_2"]
        queue.pause(AgentPause("codex", 0.0))
        assert queue.pauses() == []
        assert self.order(queue) == ["run_1"]

    # claims

    def test_a_stretch_is_finished_once(self, queue: Queue) -> None:
        queue.put([task("run_1")])
        claim = queue.claim("w", ANY)
        assert claim is not None
        assert queue.finish(claim.token, StretchEnd("failed", "broken", event_id="ev_1"))
        assert not queue.finish(claim.token, DONE)
        assert not queue.release(claim.token)
        assert queue.heartbeat(claim.token) == "lost"
        job = queue.find("run_1")
        assert (job.state, job.reason, job.noted, job.worker) == ("failed", "broken", "ev_1", "")

    def test_a_released_job_is_claimed_again_as_the_same_stretch(self, queue: Queue) -> None:
        queue.put([task("run_1")])
        first = queue.claim("w", ANY)
        assert first is not None
        assert queue.release(first.token, "cut", is_cut=True)
        second = queue.claim("v", ANY)
        assert second is not None
        assert (second.job.stretch, second.job.cuts) == (1, 1)
        assert not queue.finish(first.token, DONE)
        assert queue.heartbeat(second.token) == "held"
        assert queue.finish(second.token, DONE)

    def test_a_released_job_may_be_held_back(self, queue: Queue) -> None:
        queue.put([task("run_1")])
        claim = queue.claim("w", ANY)
        assert claim is not None
        queue.release(claim.token, "the tree is in use", time.time() + 3600)
        assert queue.claim("w", ANY) is None
        assert queue.find("run_1").reason == "the tree is in use"

    def test_claims_of_the_gone_and_of_the_silent_are_released(self, queue: Queue) -> None:
        queue.put([task("run_1"), task("run_2")])
        gone, living = queue.claim("gone", ANY), queue.claim("living", ANY)
        assert gone is not None
        assert living is not None
        assert queue.sweep(60.0, lambda worker: worker == "gone") == ["run_1"]
        assert queue.heartbeat(gone.token) == "lost"
        assert queue.heartbeat(living.token) == "held"
        assert queue.sweep(-1.0, lambda worker: False) == ["run_2"]
        assert queue.find("run_2").cuts == 1

    @pytest.mark.parametrize("jump_s", [-3600.0, 86400.0])
    def test_a_clock_that_jumps_takes_no_claim_away(
        self, queue: Queue, monkeypatch: pytest.MonkeyPatch, jump_s: float
    ) -> None:
        queue.put([task("run_1")])
        claim = queue.claim("living", ANY)
        assert claim is not None
        assert queue.sweep(60.0, lambda worker: False) == []
        jumped = time.time() + jump_s
        monkeypatch.setattr("time.time", lambda: jumped)
        assert queue.sweep(60.0, lambda worker: False) == []
        assert queue.heartbeat(claim.token) == "held"
        assert queue.sweep(60.0, lambda worker: False) == []

    def test_a_clock_that_is_set_back_lets_a_short_wait_pass(
        self, queue: Queue, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now = time.time()
        queue.put([task("run_1"), task("run_2", not_before=now + 60)])
        claim = queue.claim("w", ANY)
        assert claim is not None
        queue.release(claim.token, "busy", now + 30)
        assert queue.claim("w", ANY) is None
        monkeypatch.setattr("time.time", lambda: now - 3600)
        again = queue.claim("w", ANY)
        assert again is not None
        assert again.job.run_id == "run_1"
        assert queue.claim("w", ANY) is None  # that one the person wants at a time of the clock

    # waiting and waking

    def test_a_run_that_waits_goes_on_with_its_next_stretch_when_woken(self, queue: Queue) -> None:
        queue.put([task("run_1")])
        claim = queue.claim("w", ANY)
        assert claim is not None
        queue.finish(claim.token, StretchEnd("waiting", "a question"))
        assert queue.claim("w", ANY) is None
        assert queue.wake("run_1")
        assert not queue.wake("run_1")
        again = queue.claim("w", ANY)
        assert again is not None
        assert again.job.stretch == 2

    def test_an_answer_that_comes_before_the_end_is_noted_is_not_lost(self, queue: Queue) -> None:
        queue.put([task("run_1")])
        claim = queue.claim("w", ANY)
        assert claim is not None
        assert queue.wake("run_1")
        queue.finish(claim.token, StretchEnd("waiting", "a question"))
        again = queue.claim("w", ANY)
        assert again is not None
        assert again.job.stretch == 2
        queue.finish(again.token, StretchEnd("waiting", "another"))
        assert queue.claim("w", ANY) is None

    @pytest.mark.parametrize("is_swept", [False, True])
    def test_a_run_whose_question_is_answered_by_then_goes_on_though_nothing_waits(
        self, queue: Queue, is_swept: bool
    ) -> None:
        queue.put([task("run_1")])
        claim = queue.claim("w", ANY)
        assert claim is not None
        if is_swept:
            assert queue.sweep(60, lambda worker: True) == ["run_1"]
        assert queue.wake("run_1")
        claim = queue.claim("w", ANY) if is_swept else claim
        assert claim is not None
        queue.finish(claim.token, StretchEnd("blocked", "a question"))
        again = queue.claim("w", ANY)
        assert again is not None
        assert again.job.stretch == 2
        queue.finish(again.token, StretchEnd("blocked", "another"))
        assert queue.claim("w", ANY) is None

    def test_a_stretch_that_ends_at_a_limit_goes_on_by_itself(self, queue: Queue) -> None:
        queue.put([task("run_1")])
        claim = queue.claim("w", ANY)
        assert claim is not None
        queue.finish(claim.token, StretchEnd("queued", "limit", time.time() - 1))
        again = queue.claim("w", ANY)
        assert again is not None
        assert again.job.stretch == 2

    def test_waking_what_is_not_there_or_has_ended_does_nothing(self, queue: Queue) -> None:
        assert not queue.wake("run_1")
        queue.put([task("run_1")])
        claim = queue.claim("w", ANY)
        assert claim is not None
        queue.finish(claim.token, DONE)
        assert not queue.wake("run_1")
        assert queue.claim("w", ANY) is None

    def test_a_task_that_is_open_under_another_run_is_not_taken_up_again(self, queue: Queue) -> None:
        queue.put([task("run_1", same="x")])
        claim = queue.claim("w", ANY)
        assert claim is not None
        queue.finish(claim.token, StretchEnd("failed"))
        queue.put([task("run_2", same="x")])
        with pytest.raises(MiError, match="run_2"):
            queue.wake("run_1", ("failed",))

    def test_a_run_that_ended_without_a_worker_is_noted(self, queue: Queue) -> None:
        queue.put([task("run_1"), task("run_2", after=("run_1",)), task("run_3")])
        claim = queue.claim("w", ANY)
        assert claim is not None
        queue.finish(claim.token, StretchEnd("waiting"))
        queue.settle("run_1", "done")
        queue.settle("run_4", "done")
        assert sorted(self.order(queue)) == ["run_2", "run_3"]
        queue.settle("run_3", "failed")  # a worker has it, whose word it is
        assert queue.find("run_3").state == "running"

    def test_a_run_that_ended_undone_is_told_with_what_waits_for_it(self, queue: Queue) -> None:
        queue.put([task("run_1"), task("run_2", after=("run_1", "run_0")), task("run_3", after=("run_1",))])
        assert queue.blockers() == []
        claim = queue.claim("w", ANY)
        assert claim is not None
        queue.finish(claim.token, StretchEnd("blocked", "no way on"))
        queue.settle("run_0", "failed")
        told = {one.job.run_id: [job.run_id for job in one.waiting] for one in queue.blockers()}
        assert told == {"run_1": ["run_2", "run_3"], "run_0": ["run_2"]}
        queue.settle("run_0", "done")
        queue.cancel("run_3")
        (left,) = queue.blockers()
        assert (left.job.state, left.job.reason, [one.run_id for one in left.waiting]) == (
            "blocked",
            "no way on",
            ["run_2"],
        )

    # what was spent

    def test_what_stretches_spent_is_counted_by_day_and_agent(self, queue: Queue) -> None:
        queue.put([task("run_1"), task("run_2")])
        first, second = queue.claim("w", ANY), queue.claim("w", ANY)
        assert first is not None
        assert second is not None
        queue.finish(first.token, StretchEnd("waiting", agent="codex", spent=Spending(1.5, 100)))
        queue.finish(second.token, StretchEnd("done", agent="claude", spent=Spending(None, 7)))
        queue.wake("run_1")
        again = queue.claim("w", ANY)
        assert again is not None
        queue.finish(again.token, StretchEnd("done", agent="codex", spent=Spending(2.0, 150)))
        assert queue.spent_on(time.strftime("%Y-%m-%d")) == {"codex": Spending(2.0, 150), "claude": Spending(0.0, 7)}
        assert queue.spent_on("2000-01-01") == {}

    def test_what_a_stretch_spends_is_counted_once_while_it_goes_on(self, queue: Queue) -> None:
        queue.put([task("run_1")])
        claim = queue.claim("w", ANY)
        assert claim is not None
        today = time.strftime("%Y-%m-%d")
        queue.spend(claim.token, "codex", Spending(1.0, 100))
        queue.spend(claim.token, "codex", Spending(None, 50))
        assert queue.spent_on(today) == {"codex": Spending(1.0, 150)}
        queue.finish(claim.token, StretchEnd("done", agent="codex", spent=Spending(1.5, 160)))
        queue.spend(claim.token, "codex", Spending(9.0, 9))  # by whoever lost it
        assert queue.spent_on(today) == {"codex": Spending(1.5, 160)}

    # cancelling

    def test_what_is_cancelled_does_not_run(self, queue: Queue) -> None:
        queue.put([task("run_1"), task("run_2")])
        assert queue.cancel("run_1") == "queued"
        assert queue.cancel("run_3") is None
        assert self.order(queue) == ["run_2"]
        assert queue.find("run_1").state == "cancelled"

    def test_a_worker_hears_that_its_run_is_cancelled(self, queue: Queue) -> None:
        queue.put([task("run_1"), task("run_2")])
        first, second = queue.claim("w", ANY), queue.claim("w", ANY)
        assert first is not None
        assert second is not None
        assert queue.cancel("run_1") == "running"
        queue.cancel("run_2")
        assert queue.heartbeat(first.token) == "cancelled"
        queue.finish(first.token, StretchEnd("stopped"))
        queue.finish(second.token, DONE)  # it was faster
        assert (queue.find("run_1").state, queue.find("run_2").state) == ("cancelled", "done")

    def test_a_cancelled_run_whose_worker_died_is_not_claimed_again(self, queue: Queue) -> None:
        queue.put([task("run_1")])
        assert queue.claim("w", ANY)
        queue.cancel("run_1")
        queue.sweep(60.0, lambda worker: True)
        assert queue.claim("w", ANY) is None

    # looking

    def test_jobs_are_listed_as_they_would_run(self, queue: Queue) -> None:
        queue.put([task("run_1"), task("run_2", priority=1), task("run_3", project_id="1" * 16), task("run_4")])
        claims = [queue.claim("w", ANY) for _ in range(2)]
        assert claims[0] is not None
        queue.finish(claims[0].token, DONE)
        assert [job.run_id for job in queue.jobs()] == ["run_1", "run_3", "run_4", "run_2"]
        assert [job.run_id for job in queue.jobs(["queued"], "1" * 16)] == ["run_3"]
        assert [job.run_id for job in queue.jobs(limit=2)] == ["run_1", "run_3"]
        assert queue.counts() == {"running": 1, "queued": 2, "done": 1}

    def test_an_empty_queue_is_looked_at(self, queue: Queue) -> None:
        assert queue.jobs() == []
        assert queue.counts() == {}
        assert queue.find("run_1") is None
        assert queue.pauses() == []

    # many at once

    @pytest.mark.req("fleet.queue.exactly-once")
    def test_every_stretch_is_finished_once_though_workers_are_killed(self, tmp_path: Path) -> None:
        kill_workers(type(self).open_queue, tmp_path, JOBS, SOAK_S)


def kill_workers(
    open_queue: OpenQueue, place: Path, jobs: int, seconds: float, disturb: Callable[[], None] = lambda: None
) -> None:
    """Work through jobs with eight processes, of which one or another is killed all the time, for so long at least.

    When half of them are killed, `disturb` does what else may happen to this queue.
    """
    until = time.monotonic() + seconds
    while True:
        (place / "ledger").unlink(missing_ok=True)
        round_of_jobs(open_queue, place, jobs, disturb)
        if time.monotonic() >= until:
            return


def round_of_jobs(open_queue: OpenQueue, place: Path, jobs: int, disturb: Callable[[], None]) -> None:
    queue = open_queue(str(place / "queue"))
    before = len(queue.jobs())
    queue.put([task(f"run_{before + number}") for number in range(jobs)])
    workers, killed = [begin_worker(open_queue, place) for _ in range(WORKERS)], 0
    try:
        while (counts := queue.counts()).get("done", 0) < before + jobs:
            for job in queue.jobs(["waiting"], limit=500):
                queue.wake(job.run_id)
            if counts.get("done", 0) < before + jobs * killed // KILLS:
                queue.sweep(3600.0, partial(is_gone, str(place / "workers")))
                continue
            victim = random.randrange(WORKERS)
            workers[victim].kill()  # SIGKILL, wherever it stands
            workers[victim].join()
            workers[victim] = begin_worker(open_queue, place)
            killed += 1
            if killed == KILLS // 2:
                disturb()
    finally:
        for worker in workers:
            worker.kill()
            worker.join()
    lines = (place / "ledger").read_text("utf-8").splitlines()
    assert [line for line in lines if line.startswith("twice")] == []
    finished = Counter(line for line in lines if line.startswith("finished"))
    assert [line for line, count in finished.items() if count > 1] == []
    assert {job.run_id for job in queue.jobs(["done"])} == {f"run_{number}" for number in range(before + jobs)}
    assert {job.stretch for job in queue.jobs(["done"])} == {1, 2}
    assert killed >= KILLS // 2  # the last ones may be done before the next is due
    assert counts.get("running", 0) == 0
    queue.close()


def begin_worker(open_queue: OpenQueue, place: Path) -> multiprocessing.process.BaseProcess:
    worker = multiprocessing.get_context("spawn").Process(target=work, args=(open_queue, str(place)))
    worker.start()
    return worker


def work(open_queue: OpenQueue, place: str) -> None:
    """Take jobs and finish them, until killed; every other one waits once. What is seen goes into the ledger."""
    queue = open_queue(os.path.join(place, "queue"))
    ledger = os.open(os.path.join(place, "ledger"), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    held = os.open(os.path.join(place, "held"), os.O_RDWR | os.O_CREAT)
    with sign_in(os.path.join(place, "workers")) as name:
        while True:
            claim = insist(partial(queue.claim, name, ANY))
            if claim is None:
                continue
            number = int(claim.job.run_id.removeprefix("run_"))
            said = f"{claim.job.run_id} {claim.job.stretch}\n"
            try:
                fcntl.lockf(held, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)
            except OSError:
                os.write(ledger, f"twice {said}".encode())
            end = StretchEnd("waiting") if claim.job.stretch == 1 and number % 2 else DONE
            fcntl.lockf(held, fcntl.LOCK_UN, 1, number)
            if insist(partial(queue.finish, claim.token, end)):
                os.write(ledger, f"finished {said}".encode())


def insist(ask: Callable[[], T]) -> T:
    """Ask until there is an answer: a queue that is elsewhere may be out of reach for a while."""
    while True:
        try:
            return ask()
        except MiError:
            time.sleep(0.05)
