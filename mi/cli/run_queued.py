"""`mi run --queued`, which a worker calls: one stretch of a run that is in the queue."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.queue import build_queue, read_options
from mi.autopilot.run_lock import find_running
from mi.fleet.stretch import read_run
from mi.fleet.worker import BUSY, LEFT, PASSING
from mi.kernel.errors import Blocked, MiError, StorageError, from_os_error
from mi.kernel.locks import is_held

if TYPE_CHECKING:
    from mi.app.run import RunOptions
    from mi.cli.arguments import Args
    from mi.fleet.queue import QueuedJob, QueuedTask

_PATIENCE_S = 30.0  # for a former process of the run, which stops since its worker died


Run = Callable[[HomeContext, "Args", "RunOptions"], int]


def run_queued(context: HomeContext, args: "Args", run: Run) -> int:
    """Work on the run that the worker above this process has claimed, from its beginning or from where it stopped."""
    from mi.fleet.hub_claim import read_claim

    task = read_claim(context.home, context.notices).task
    if task is not None:
        return _run_of_hub(context, args, run, task)
    job = _check_claim(context, args.queued)
    _stop_with_worker()
    _end_former(context, job.run_id, context.project.project_id)
    return _run_job(context, args, run, job)


def _run_of_hub(context: HomeContext, args: "Args", run: Run, task: "QueuedTask") -> int:
    """Work on a run of the hub's queue, in the home that its worker made for it."""
    from mi.app.hub_run import check_claim, take_up
    from mi.fleet.queue import QueuedJob

    try:
        check_claim(context, args.queued, sys.stdin.readline().strip())
        _stop_with_worker()
        _end_former(context, task.run_id, task.project_id)
        with take_up(context, QueuedJob(task)) as there:
            return _run_job(there, args, run, QueuedJob(task))
    except MiError as error:
        if error.code.startswith("clone-"):
            return _say(context, error, LEFT)
        if not error.code.startswith("hub-"):
            raise
        return _say(context, error, PASSING)


def _run_job(context: HomeContext, args: "Args", run: Run, job: "QueuedJob") -> int:
    from mi.app.run import RunOptions

    job = job._replace(task=_find_word(context, job))
    asked = read_options(job)
    limits = {name: getattr(asked, name) for name in ("batches", "minutes", "tokens", "cost_usd")}
    options = RunOptions(wait_for_limit=False, agent=job.task.agent, prove=asked.prove, why=asked.why)
    options = options._replace(override=asked.override)
    known = read_run(context.project_home.evidence, job.run_id, context.notices, is_whole=asked.resumes)
    if (end := known.find_end()) and end.status == "done" and not _is_told(context, job.run_id):
        return _finish(context, job)
    if known.stretch:
        options = options._replace(resume=job.run_id)
    else:
        args.worktree = asked.worktree
        options = options._replace(run_id=job.run_id, task=job.task.task, list_task=job.task.list_task, **limits)
    try:
        return run(context, args, options)
    except Blocked as error:
        if error.code != "run-in-progress":
            raise
        return _say(context, error, BUSY)
    except StorageError as error:
        return _say(context, error, PASSING)
    except OSError as error:
        return _say(context, from_os_error(error), PASSING)


def _say(context: HomeContext, error: MiError, code: int) -> int:
    sys.stderr.write(f"mi: {error.line(context.quiet_language)}\n")
    return code


def _is_told(context: HomeContext, run_id: str) -> bool:
    """Return whether the person said something to a run, which its agent has not heard."""
    from mi.evidence.run_words import find_unheard

    log = context.project_home.evidence
    return bool(find_unheard(log, run_id, context.evidence_index, lambda done, total: None))


def _finish(context: HomeContext, job: "QueuedJob") -> int:
    """Do what follows the end of a run that was killed right after it: its work is committed."""
    if read_options(job).worktree:
        from mi.app.merging import commit_rest, find_tree_run

        commit_rest(context, find_tree_run(context, job.run_id))
    return 0


def _find_word(context: HomeContext, job: "QueuedJob") -> "QueuedTask":
    """Return the task as the person queued it, by the project's log: anybody could have written into the queue."""
    from mi.app.queue_log import find_queued

    found = find_queued(context, job.task.project_id, job.run_id)
    if found is None:
        raise Blocked("queued-by-nobody", run_id=job.run_id, path=context.home.queue)
    return found


def _check_claim(context: HomeContext, run_id: str) -> "QueuedJob":
    """Return the job that a worker hands to this process; Blocked when it does not."""
    token = sys.stdin.readline().strip()
    queue = build_queue(context)
    job = queue.find(run_id) if token and queue.heartbeat(token) == "held" else None
    if job is None:
        raise Blocked("not-claimed", run_id=run_id)
    return job


def _stop_with_worker() -> None:
    """Have this run stop in order when its worker ends: what we read from ends with it."""

    def wait() -> None:
        while os.read(0, 1):
            pass
        # The main thread itself: a signal that this one takes does not wake it from what it waits for.
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


def _end_former(context: HomeContext, run_id: str, project_id: str) -> None:
    """Wait for a former process of the run, which was left by its worker, and end it if it does not stop."""
    deadline = time.monotonic() + _PATIENCE_S
    for found in find_running(context.home, project_id):
        if found.owner.run_id != run_id:
            continue
        while is_held(found.lock) and time.monotonic() < deadline:
            time.sleep(0.05)
        if is_held(found.lock):
            with suppress(ProcessLookupError):
                os.kill(found.owner.pid, signal.SIGKILL)
        while is_held(found.lock):
            time.sleep(0.01)
