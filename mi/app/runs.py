"""All runs of all projects: what their logs tell, which of them go on, and which are queued."""

import os
from contextlib import closing
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mi.app.home_context import HomeContext
from mi.evidence.runs import RunEntry, RunWish, list_runs
from mi.kernel import clock
from mi.kernel.errors import MiError
from mi.kernel.log_view import Progress
from mi.kernel.named_tuple import NamedTuple

if TYPE_CHECKING:
    from mi.fleet.queue import Queue, QueuedJob, State


_UNBEGUN: tuple["State", ...] = ("queued", "running")  # a worker may have a run that has not written anything yet


class FoundRuns(NamedTuple):
    """The runs that were wanted, the latest first, and how many there are of them."""

    runs: list[RunEntry]
    total: int


def build_runs(context: HomeContext, wish: RunWish, progress: Progress) -> FoundRuns:
    """Return the latest runs; the index is brought up to date with the logs."""
    from mi.autopilot.run_lock import find_running

    home, index = context.home, context.evidence_index
    projects = [one for one in home.project_ids() if wish.project_id in ("", one)]  # a path is no project
    logs = [log for project_id in projects if os.path.exists(log := home.project(project_id).evidence)]
    if logs:
        index.catch_up_all(logs, progress)
    living = {run.owner.run_id for run in find_running(home, wish.project_id)}
    found, total = list_runs(home, index, wish, living) if logs else ([], 0)
    if os.path.exists(home.queue):
        found, more = _join_queue(context, wish, found)
        total += more
    names = {known.project_id: os.path.basename(root) for root, known in context.known_projects.roots.items()}
    return FoundRuns([replace(one, project=names.get(one.project_id, "")) for one in found], total)


def _join_queue(context: HomeContext, wish: RunWish, found: list[RunEntry]) -> tuple[list[RunEntry], int]:
    """Return runs with what the queue says of them, those that have not begun among them, and how many those are.

    A queue that cannot be read is noticed: the runs are in their logs.
    """
    from mi.fleet.sqlite_queue import SqliteQueue

    try:
        with closing(SqliteQueue(context.home.queue)) as queue:
            return _join(queue, wish, found)
    except MiError as error:
        context.notices.add("queue-unread", context.home.queue, reason=error.line(context.quiet_language))
        return found, 0


def _join(queue: "Queue", wish: RunWish, found: list[RunEntry]) -> tuple[list[RunEntry], int]:
    jobs = {one.run_id: job for one in found if (job := queue.find(one.run_id)) is not None}
    known = [_note_job(one, jobs[one.run_id]) if one.run_id in jobs else one for one in found]
    states = [state for state in _UNBEGUN if not wish.states or state in wish.states]
    if not states:
        return known, 0
    if wish.run_id:
        job = queue.find(wish.run_id)
        waiting = [job] if job is not None and job.state in states else []
    else:
        waiting = queue.jobs(states, wish.project_id, wish.most)
    new = [_describe_job(job) for job in waiting if job.stretch == 1 and job.run_id not in jobs]
    new = [one for one in new if one.ts >= wish.since and wish.fits(one)]
    shown = sorted([*known, *new], key=lambda one: one.ts, reverse=True)
    queued = 0 if wish.by_words or wish.run_id else queue.counts().get("queued", 0)
    return shown[: wish.most] if wish.most >= 0 else shown, max(len(new), queued)


def _note_job(entry: RunEntry, job: "QueuedJob") -> RunEntry:
    """Return a run whose next stretch is queued, or waits for a moment."""
    if job.state not in ("queued", "waiting") or entry.status == "running":
        return entry
    status = "queued" if job.state == "queued" else entry.status
    return replace(entry, status=status, not_before=_moment(job), reason=job.reason or entry.reason)


def _describe_job(job: "QueuedJob") -> RunEntry:
    return RunEntry(
        run_id=job.run_id,
        project_id=job.task.project_id,
        root=job.task.root,
        task=job.task.task,
        status="running" if job.state == "running" else "queued",
        agent=job.task.agent,
        ts=clock.format_ms(int(job.added * 1000)),
        not_before=_moment(job),
        reason=job.reason,
    )


def _moment(job: "QueuedJob") -> str:
    return clock.format_ms(int(job.not_before * 1000)) if job.not_before else ""
