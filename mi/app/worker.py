"""A worker of the queue, put together: its budgets, the processes it starts, and what their logs say."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from tempfile import TemporaryFile

from mi.app.home_context import HomeContext
from mi.app.queue import build_queue, find_held, has_budgets
from mi.autopilot.run_times import note_vouched
from mi.fleet.budget import ALL, choose_rules
from mi.fleet.queue import ClaimRules, JobClaim, Queue, QueuedJob, StretchEnd
from mi.fleet.stretch import SpendingTail, read_end, read_run
from mi.kernel.errors import NotFound

_FRESH_S = 2.0  # how long budgets are taken for known
_LAST_WORDS = 4000  # bytes
# What a worker in a process of its own does; its words are the home, the project's root and the run.
_BEGIN = """import sys
from mi.app.worker import HomeContext, work_on
from mi.kernel.home import Home
sys.stdin.read()
work_on(HomeContext(Home(sys.argv[1]), cd=sys.argv[2]), sys.argv[3])
"""

Tell = Callable[[str, QueuedJob, str], None]


class HomeWorkerPlace:
    """What a worker of this home needs beside the queue; `only`: the one run that it works on."""

    def __init__(self, context: HomeContext, tell: Tell, only: str = "", hubs: Queue | None = None) -> None:
        self._context = context
        self._hubs = hubs
        self._tell = tell
        self._only = only
        self._rules = ClaimRules()
        self._read_at = 0.0
        self._tails: dict[str, SpendingTail] = {}  # by claim

    def find_queue(self) -> Queue:
        """Return the queue that is worked through; a queue of this home is not open when it is not asked."""
        return self._hubs or build_queue(self._context)

    def find_log(self, job: QueuedJob) -> str:
        """Return where a run is recorded."""
        return self._context.home.project(job.task.project_id).evidence

    def find_rules(self) -> ClaimRules:
        if not self._read_at or time.monotonic() - self._read_at > _FRESH_S:
            self._read_at = time.monotonic()
            self._rules = find_rules(self._context, self._hubs)._replace(only=self._only)
        return self._rules

    def find_spent_budget(self, claim: JobClaim) -> str:
        self.find_rules()  # by the configuration as it is now
        if not has_budgets(self._context):
            return ""
        tail = self._tails.get(claim.token)
        if tail is not None and any(spent := tail.read()):
            self.find_queue().spend(claim.token, tail.agent, spent)
        held = find_held(self._context, self._hubs)
        return held.get(ALL) or held.get(tail.agent if tail else claim.job.task.agent, "")

    def note_start(self, claim: JobClaim) -> None:
        """Have what a stretch spends counted from now on."""
        self._tails[claim.token] = SpendingTail(self.find_log(claim.job), claim.job.run_id)

    def start(self, claim: JobClaim) -> "ChildRun":
        self.note_start(claim)
        return ChildRun(self._context.home.root, claim, claim.job.task.root)

    def read_end(self, job: QueuedJob) -> StretchEnd | None:
        return read_end(read_run(self.find_log(job), job.run_id, self._context.notices), job)

    def tell(self, what: str, job: QueuedJob, reason: str = "") -> None:
        self._read_at = 0.0  # what was spent may have changed
        self._tell(what, job, reason)

    def drained(self) -> None:
        if not self._only:  # whoever detached one run hears of its end
            from mi.app.notify import tell_drained

            tell_drained(self._context, self.find_queue().counts())


def find_rules(context: HomeContext, hubs: Queue | None = None) -> ClaimRules:
    """Return what may run at present, by the budgets of the configuration as it is now."""
    from mi.agents.choose import resolve_provider

    context.forget_config()
    config = context.config
    try:
        agent = resolve_provider(config)
    except NotFound:
        agent = ""
    return choose_rules(config.fleet, find_held(context, hubs))._replace(default_agent=agent)


def detach_worker(context: HomeContext, run_id: str) -> None:
    """Begin a worker for one run that outlives this command and its terminal.

    It is this very process, forked: whoever may call the command may have its worker. NotFound before, if it cannot.
    """
    if threading.active_count() > 1:  # such as the page: its locks and sockets would go into the fork
        _start_worker(context, run_id)
        return
    context.close()  # a database that is open must not be shared with a fork
    sys.stdout.flush()
    sys.stderr.flush()
    told, tell = os.pipe()
    if pid := os.fork():
        note_vouched(context.home, pid)  # a run that goes on would else take it for something an agent left behind
        os.close(tell)
        os.close(told)
        return
    try:
        os.close(tell)
        os.read(told, 1)  # until that is noted
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # a server's sockets would be held open as long as the run lasts
        work_on(HomeContext(context.home, cd=context.project.root), run_id)
    finally:
        os._exit(0)


def _start_worker(context: HomeContext, run_id: str) -> None:
    words = [sys.executable, "-c", _BEGIN, context.home.root, context.project.root, run_id]
    nowhere = subprocess.DEVNULL
    worker = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere, start_new_session=True)
    note_vouched(context.home, worker.pid)
    assert worker.stdin is not None
    worker.stdin.close()  # from here on it works


def work_on(context: HomeContext, run_id: str) -> None:
    """Work on one run of the queue until it waits or is over."""
    from mi.agents.signals import StopFlag, stop_on_signals
    from mi.fleet.worker import QueueWorker

    place = HomeWorkerPlace(context, lambda what, job, reason: None, run_id)
    with stop_on_signals(StopFlag()) as stop:
        worker = QueueWorker(build_queue(context), context.home.workers, place, 1, stop, takes_all=False)
        worker.run(lambda: is_settled(build_queue(context), run_id))


def is_settled(queue: Queue, run_id: str) -> bool:
    """Return whether a run neither runs nor would begin by itself."""
    job = queue.find(run_id)
    return job is None or job.state not in ("queued", "running")


class ChildRun:
    """A process that works on one stretch: it stops when we do, since it reads from a pipe that ends with us."""

    def __init__(self, home: str, claim: JobClaim, root: str, env: dict[str, str] | None = None) -> None:
        job = claim.job
        words = [sys.executable, "-P", "-m", "mi", "--home", home, "-C", root]
        self._said = TemporaryFile()  # noqa: SIM115  # closed with us
        self._process = subprocess.Popen(
            [*words, "run", "--queued", job.run_id, "--quiet"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._said,
            cwd=root,
            start_new_session=True,
            env=env,
        )
        assert self._process.stdin is not None  # it was asked for
        self._process.stdin.write(f"{claim.token}\n".encode())
        self._process.stdin.flush()

    def poll(self) -> int | None:
        code = self._process.poll()
        if code is not None and self._process.stdin is not None:
            self._process.stdin.close()
        return code

    def stop(self, at_once: bool = False) -> None:
        self._process.kill() if at_once else self._process.terminate()

    def last_words(self) -> str:
        return next(iter(reversed(self.list_words())), "")

    def list_words(self) -> list[str]:
        """Return what it said on standard error, as far as that is not too long ago."""
        self._said.seek(0, os.SEEK_END)
        self._said.seek(max(0, self._said.tell() - _LAST_WORDS))
        lines = self._said.read().decode("utf-8", "replace").splitlines()
        return [line.removeprefix("mi: ") for line in lines if line.strip()]
