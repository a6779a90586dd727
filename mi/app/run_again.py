"""Going on in the background with a run that stopped: the queue gets its next stretch, and a worker of its own it."""

import os

from mi.app.home_context import HomeContext
from mi.app.queue import QueuedOptions, build_queue
from mi.app.queue_log import record_queued
from mi.app.runs import build_runs
from mi.app.worker import detach_worker
from mi.autopilot.run_lock import find_running
from mi.evidence.run_words import find_unheard
from mi.evidence.runs import RunEntry, RunWish
from mi.fleet.queue import Queue, QueuedJob, QueuedTask, State
from mi.fleet.stretch import read_run
from mi.kernel.errors import Blocked, MiError, NotFound
from mi.kernel.jsontext import encode
from mi.kernel.messages import word

RETRIED: tuple[State, ...] = ("failed", "blocked", "stopped", "cancelled", "waiting")


def resume_detached(context: HomeContext, run_id: str) -> None:
    """Have a run of any project go on that ended; the queue learns of one that it did not know.

    One that is done goes on only where the person said something to it since. NotFound without such a run, Blocked for
    one that goes on, MiError for one that is done or is queued already.
    """
    run = find_run(context, run_id)
    log = context.home.project(run.project_id).evidence
    end = read_run(log, run.run_id, context.notices, is_whole=True).find_end()
    for living in find_running(context.home):
        if living.owner.run_id == run.run_id and end is None:  # one that has ended only learns
            raise Blocked("run-in-progress", run_id=run.run_id, pid=living.owner.pid, since=living.owner.ts)
    is_told = bool(find_unheard(log, run.run_id, context.evidence_index, lambda done, total: None))
    if end is not None and end.status == "done" and not is_told:
        raise MiError("run-done", run_id=run.run_id)
    there, job = context.at(find_folder(context, run)), build_queue(context).find(run.run_id)
    if job is not None and job.state != "outside":
        queue_again(context, job, is_told)
    else:
        _queue_outside(there, run)
    detach_worker(there, run.run_id)


def find_run(context: HomeContext, run_id: str) -> RunEntry:
    """Return a run of whichever project, as the list of runs has it; NotFound, else."""
    found = build_runs(context, RunWish(run_id=run_id, most=1), lambda done, total: None).runs if run_id else []
    if not found:
        raise NotFound("no-run-id", ref=run_id)
    return found[0]


def find_folder(context: HomeContext, run: RunEntry) -> str:
    """Return where a run can go on: its own folder, or its project's, where its work tree is made again."""
    known = context.known_projects.roots
    roots = [run.root, *(root for root, project in known.items() if project.project_id == run.project_id)]
    found = next((root for root in roots if root and os.path.isdir(root)), "")
    if not found:
        raise NotFound("run-folder-gone", run_id=run.run_id, root=run.root)
    return found


def queue_again(context: HomeContext, job: QueuedJob, even_done: bool = False, queue: Queue | None = None) -> None:
    """Queue the next stretch of a job that ended without being done; `even_done`: something was said to it since."""
    states: tuple[State, ...] = (*RETRIED, "done") if even_done else RETRIED
    check_retried(context, job, states)
    if job.state == "cancelled":
        record_queued(context, [job.task])
    (queue or build_queue(context)).wake(job.run_id, states)


def check_retried(context: HomeContext, job: QueuedJob, states: tuple[State, ...] = RETRIED) -> None:
    """Raise MiError for a job that is open, or done."""
    if job.state not in states:
        raise MiError("job-not-retried", run_id=job.run_id, state=word(job.state, context.quiet_language))


def _queue_outside(context: HomeContext, run: RunEntry) -> None:
    """Put a run into the queue that no worker ever had; in the person's own tree it waits for whoever works there."""
    project = context.use_project()
    options = encode(QueuedOptions(detached=True, resumes=True)).decode()
    lock = "" if project.linked_to else project.project_id
    task = QueuedTask(run.run_id, run.task, project.project_id, project.main_root, lock=lock, options=options)
    record_queued(context, [task])
    build_queue(context).put([task])
