"""A worker: takes jobs from the queue, runs each in a process of its own, and notes how it ended."""

import time
from collections.abc import Callable
from functools import partial
from typing import Protocol

from mi.agents.signals import StopFlag
from mi.fleet.queue import AgentPause, ClaimRules, JobClaim, Queue, QueuedJob, StretchEnd
from mi.fleet.workers import forget_gone, is_gone, sign_in
from mi.kernel.named_tuple import NamedTuple

BUSY = 75  # the exit of a stretch whose work tree somebody else works in
LEFT = 73  # of one that others can work on, and this machine cannot
PASSING = 74  # of one that a lock or the disk kept from going on, which may pass
_BEAT_S = 5.0
_SILENT_S = 60.0  # a worker that says nothing for so long has lost its jobs
_LOOK_S = 0.2
_BUSY_S = 30.0
_LEFT_S = 5.0
_MOST_CUTS = 10  # in a row: what cuts a stretch off so often will do so again
_EXITS = {"done": 0, "stopped": 130}
_ENDING_S = 30.0  # what a run may take to stop in order


class Child(Protocol):
    """The process that works on a stretch."""

    def poll(self) -> int | None:
        """Return its exit code; None while it runs."""

    def stop(self, at_once: bool = False) -> None:
        """Have it stop in order, or end it."""

    def last_words(self) -> str:
        """Return what it said last on standard error."""


class WorkerPlace(Protocol):
    """What a worker needs to know and to do beside the queue."""

    def find_rules(self) -> ClaimRules:
        """Return what may run at present."""

    def start(self, claim: JobClaim) -> Child:
        """Begin to work on a stretch. OSError when no process can be had for it."""

    def read_end(self, job: QueuedJob) -> StretchEnd | None:
        """Return how the latest stretch of a run ended, by its log; None when it has no end that is not noted."""

    def find_spent_budget(self, claim: JobClaim) -> str:
        """Count what a stretch has spent by now; return the budget that is spent, '' while it may go on."""

    def tell(self, what: str, job: QueuedJob, reason: str = "") -> None:
        """Say what happens to a job: that it begins, was cut off, how it ended."""

    def drained(self) -> None:
        """Tell the person that nothing is left which would begin by itself."""


class _Work(NamedTuple):
    claim: JobClaim
    child: Child
    asked: list[float]  # when it was asked to stop: by us, or because it was cancelled
    spent: list[str]  # the budget because of which that was


class QueueWorker:
    """Works on as many jobs at once as it may."""

    def __init__(
        self, queue: Queue, folder: str, around: WorkerPlace, jobs: int, stop: StopFlag, takes_all: bool = True
    ) -> None:
        self._queue = queue
        self._folder = folder
        self._around = around
        self._jobs = jobs
        self._stop = stop
        self._takes_all = takes_all
        self._works: list[_Work] = []
        self._beaten = 0.0
        self._worked = False  # since the queue was drained for the last time

    def run(self, is_over: Callable[[], bool]) -> None:
        """Work until told to stop, or until nothing runs and it is over."""
        with sign_in(self._folder, self._takes_all) as name:
            try:
                self._beat()  # what a killed worker left is not over
                while self._works or not (self._stop.reason or is_over()):
                    self._beat()
                    self._works = [work for work in self._works if not self._look_at(work)]
                    while not self._stop.reason and len(self._works) < self._jobs and self._take(name):
                        pass
                    self._pass_on_stop()
                    self._tell_drained()
                    if self._works or not (self._stop.reason or is_over()):
                        self._wait()
            finally:
                for work in self._works:  # only where something broke: the processes end with us
                    work.child.stop()

    def _wait(self) -> None:
        if not self._stop.reason or self._works:
            time.sleep(_LOOK_S)

    def _tell_drained(self) -> None:
        """Tell once that all is done, by whichever worker was the last to work."""
        if not self._worked or self._works or self._stop.reason or self._queue.has_ready():
            return
        self._worked = False
        if not self._queue.counts().get("running", 0):
            self._around.drained()

    def _beat(self) -> None:
        """Say that we live, hear what was cancelled, and release what others left behind."""
        now = time.monotonic()
        if self._beaten and now - self._beaten < _BEAT_S:
            return
        self._beaten = now
        for work in self._works:
            if self._queue.heartbeat(work.claim.token) != "held":
                self._ask_to_stop(work)
            elif not work.asked and (budget := self._around.find_spent_budget(work.claim)):
                work.spent.append(budget)
                self._ask_to_stop(work)
        self._queue.sweep(_SILENT_S, partial(is_gone, self._folder))
        forget_gone(self._folder)

    def _take(self, name: str) -> bool:
        claim = self._queue.claim(name, self._around.find_rules())
        if claim is None:
            return False
        job = claim.job
        known = self._around.read_end(job) if job.cuts or job.stretch > 1 else None
        if known is not None and known.state not in ("stopped", "done"):  # its worker died before it was noted
            self._note(claim, known)
            return True
        try:
            child = self._around.start(claim)
        except OSError as error:
            self._note(claim, StretchEnd("failed", f"{error.strerror}: {error.filename}"))
            return True
        self._around.tell("begins", job)
        self._worked = True
        self._works.append(_Work(claim, child, [], []))
        return True

    def _look_at(self, work: _Work) -> bool:
        """Return whether a stretch is over; how it ended is noted."""
        code = work.child.poll()
        if code is None:
            return False
        job = work.claim.job
        self._around.find_spent_budget(work.claim)  # of a run with a batch that was cut, no end knows it all
        end = self._around.read_end(job)
        if end is not None and code != _EXITS.get(end.state, code) and not work.asked:
            self._cut_off(work)  # what follows the end was cut off, or it is that of a former process
        elif end is not None and not (end.state == "stopped" and (self._stop.reason or work.spent)):
            self._note(work.claim, end)
        elif end is not None or work.asked:
            reason = "".join(work.spent)
            self._queue.release(work.claim.token, reason)
            self._around.tell("held" if reason else "released", job, reason)
        elif code == BUSY:
            self._queue.release(work.claim.token, work.child.last_words(), time.time() + _BUSY_S)
            self._around.tell("busy", job, work.child.last_words())
        elif code == LEFT:
            self._queue.release(work.claim.token, work.child.last_words(), time.time() + _LEFT_S)
            self._around.tell("left", job, work.child.last_words())
        elif code == PASSING:
            self._cut_off(work, work.child.last_words())
        elif code in (1, 2, 3):
            self._note(work.claim, StretchEnd("failed", work.child.last_words()))
        else:
            self._cut_off(work)
        return True

    def _cut_off(self, work: _Work, reason: str = "") -> None:
        """Give a job back whose process was killed, or kept from going on; where that does not pass it has failed."""
        job = work.claim.job
        if job.cuts + 1 >= _MOST_CUTS:
            self._note(work.claim, StretchEnd("failed", work.child.last_words() or f"{_MOST_CUTS}×"))
            return
        later = time.time() + 2.0 ** (job.cuts - 2) if job.cuts > 1 else 0.0
        self._queue.release(work.claim.token, reason, later, is_cut=True)
        self._around.tell("again" if reason else "cut", job, reason)

    def _note(self, claim: JobClaim, end: StretchEnd) -> None:
        if end.state == "queued" and end.not_before:
            agent = end.agent or claim.job.task.agent
            self._queue.pause(AgentPause(agent, end.not_before, end.reason))
        if self._queue.finish(claim.token, end):
            self._around.tell("stretch-" + end.state, claim.job._replace(not_before=end.not_before), end.reason)
        else:
            self._around.tell("lost", claim.job)

    def _pass_on_stop(self) -> None:
        """Have every run stop in order once we are told to, and end those that take too long or were told twice."""
        for work in self._works if self._stop.reason else ():
            self._ask_to_stop(work)
        for work in self._works:
            if self._stop.hurry and len(work.asked) == 1:
                work.asked.append(time.monotonic())
                work.child.stop()  # told twice, a run stops at once
            if work.asked and time.monotonic() - work.asked[0] > _ENDING_S:
                work.child.stop(at_once=True)

    def _ask_to_stop(self, work: _Work) -> None:
        if not work.asked:
            work.asked.append(time.monotonic())
            work.child.stop()
