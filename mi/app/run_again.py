"""Going on in the background with a run that stopped: the queue gets its next stretch, and a worker of its own it."""

from mi.app.home_context import HomeContext
from mi.app.queue import QueuedOptions, build_queue
from mi.app.queue_log import record_queued
from mi.app.runs import build_runs
from mi.app.worker import detach_worker
from mi.autopilot.run_lock import find_running
from mi.evidence.runs import RunEntry, RunWish
from mi.fleet.queue import QueuedJob, QueuedTask, State
from mi.kernel.errors import Blocked, MiError, NotFound
from mi.kernel.jsontext import encode
from mi.kernel.messages import word

RETRIED: tuple[State, ...] = ("failed", "blocked", "stopped", "cancelled", "waiting")


def resume_detached(context: HomeContext, run_id: str) -> None:
    """Have a run of any project go on that ended without being done; the queue learns of one that it did not know.

    NotFound without such a run, Blocked for one that goes on, MiError for one that is done or is queued already.
    """
    run = find_run(context, run_id)
    for living in find_running(context.home):
        if living.owner.run_id == run.run_id:
            raise Blocked("run-in-progress", run_id=run.run_id, pid=living.owner.pid, since=living.owner.ts)
    if run.status == "done":
        raise MiError("run-done", run_id=run.run_id)
    there, job = context.at(run.root), build_queue(context).find(run.run_id)
    if job is not None and job.state != "outside":
        queue_again(context, job)
    else:
        _queue_outside(there, run)
    detach_worker(there, run.run_id)


def find_run(context: HomeContext, run_id: str) -> RunEntry:
    """Return a run of whichever project, as the list of runs has it; NotFound, else."""
    found = build_runs(context, RunWish(run_id=run_id, most=1), lambda done, total: None).runs if run_id else []
    if not found:
        raise NotFound("no-run-id", ref=run_id)
    return found[0]


def queue_again(context: HomeContext, job: QueuedJob) -> None:
    """Queue the next stretch of a job that ended without being done."""
    check_retried(context, job)
    if job.state == "cancelled":
        record_queued(context, [job.task])
    build_queue(context).wake(job.run_id, RETRIED)


def check_retried(context: HomeContext, job: QueuedJob) -> None:
    """Raise MiError for a job that is open, or done."""
    if job.state not in RETRIED:
        raise MiError("job-not-retried", run_id=job.run_id, state=word(job.state, context.quiet_language))


def _queue_outside(context: HomeContext, run: RunEntry) -> None:
    """Put a run into the queue that no worker ever had; in the person's own tree it waits for whoever works there."""
    project = context.use_project()
    options = encode(QueuedOptions(detached=True, resumes=True)).decode()
    lock = "" if project.linked_to else project.project_id
    task = QueuedTask(run.run_id, run.task, project.project_id, project.main_root, lock=lock, options=options)
    record_queued(context, [task])
    build_queue(context).put([task])
