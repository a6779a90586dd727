"""The queue of tasks as the person uses it: what is put into it, and what a run elsewhere means for it."""

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

from mi.app.home_context import HomeContext
from mi.app.run_names import find_run_id
from mi.fleet.queue import OPEN_STATES, Queue, QueuedJob, QueuedTask, SameTask
from mi.fleet.sqlite_queue import SqliteQueue
from mi.kernel import clock, ids
from mi.kernel.errors import MiError, NotFound, StorageError, UsageError
from mi.kernel.jsontext import decode, encode
from mi.kernel.named_tuple import NamedTuple

if TYPE_CHECKING:
    from mi.evidence.records.run import RunEnd


class WantedTask(NamedTuple):
    """A task in words, and which task of the project's list it is."""

    text: str
    list_task: str = ""
    waits_for: tuple[str, ...] = ()  # tasks of the list that come first


class HubOrigin(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a run of the hub's queue begins, and what its owner sends with it."""

    remote: str = ""  # that a worker clones
    base: str = ""  # the commit
    folder: str = ""  # of the project in it
    values: list[dict[str, Any]] = []  # the owner's claims, as they are stored


class QueuedOptions(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a queued run was asked for beside its task, as the queue keeps it."""

    worktree: bool = False
    detached: bool = False  # it has a worker of its own, which an answer begins anew
    resumes: bool = False  # it began before it was queued
    batches: int | None = None
    minutes: float | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    prove: bool | None = None
    override: str = ""
    why: bool = False
    hub: HubOrigin | None = None  # of one in the hub's queue


class QueueWishes(NamedTuple):
    """What holds for all tasks of one command."""

    agent: str = ""
    priority: int = 0
    not_before: float = 0.0
    after: tuple[str, ...] = ()
    worktree: bool = True
    options: QueuedOptions = QueuedOptions()


class AddedTasks(NamedTuple):
    """What was put into the queue, what was not since it is open there, and which secrets were taken out."""

    tasks: list[QueuedTask]
    same: list[SameTask]
    hidden: list[str]


def build_queue(context: HomeContext) -> SqliteQueue:
    """Return the queue of the home; looking makes no file."""
    return context.open_once(_open_queue)


def _open_queue(context: HomeContext) -> SqliteQueue:
    return SqliteQueue(context.home.queue)


def add_tasks(
    context: HomeContext, wanted: Iterable[WantedTask], wishes: QueueWishes, hubs: Queue | None = None
) -> AddedTasks:
    """Put tasks of the project into the home's queue, or into `hubs`, in order; each has its run id from now on."""
    from mi.kernel.secrets import hide_credentials

    project, queue = context.use_project(), hubs or build_queue(context)
    in_tree = wishes.worktree and _can_have_trees(project.main_root)
    options = encode(structs.replace(wishes.options, worktree=in_tree)).decode()
    root = wishes.options.hub.remote if wishes.options.hub else project.main_root
    after = tuple(run_id for ref in wishes.after if (run_id := find_open_run(context, ref, queue)))
    opened = queue.jobs(OPEN_STATES, project.project_id)
    by_list_task = {job.task.list_task: job.run_id for job in opened}
    by_words = {job.task.same: job.run_id for job in opened}
    tasks, same, hidden = [], [], []
    for one in wanted:
        text, kinds = hide_credentials(one.text)
        hidden += kinds
        first = tuple(by_list_task[task] for task in one.waits_for if task in by_list_task)
        task = QueuedTask(
            ids.make_run_id(),
            text,
            project.project_id,
            root,
            wishes.agent,
            wishes.priority,
            wishes.not_before,
            (*after, *first),
            "" if in_tree else project.project_id,
            identify_task(project.project_id, text),
            one.list_task,
            options,
        )
        known = by_words.setdefault(task.same, task.run_id)
        if one.list_task:
            by_list_task.setdefault(one.list_task, known)
        if known != task.run_id:
            same.append(SameTask(task, known))
            continue
        tasks.append(task)
    late = _put(context, queue, tasks)
    refused = {one.task.run_id for one in late}
    added = [task for task in tasks if task.run_id not in refused]
    return AddedTasks(added, [*same, *late], sorted(set(hidden)))


def _put(context: HomeContext, queue: Queue, tasks: list[QueuedTask]) -> list[SameTask]:
    """Put tasks of one project into its log, then into the queue; return those that another was faster with."""
    from mi.app.queue_log import record_cancelled, record_queued

    if not tasks:
        return []
    record_queued(context, tasks)
    try:
        late = queue.put(tasks)
    except MiError:  # the person hears that they are not queued: a rebuilt queue must not have them either
        with suppress(StorageError, OSError):
            record_cancelled(context, tasks[0].project_id, [task.run_id for task in tasks])
        raise
    if late:
        record_cancelled(context, tasks[0].project_id, [one.task.run_id for one in late])
    return late


def rebuild_queue(context: HomeContext) -> list[QueuedTask]:
    """Put every open task that the logs know of into the queue; return those it lacked.

    A queue that is broken is set aside. A run that had begun goes on from its log.
    """
    from mi.app.queue_log import list_open

    queue = build_queue(context)
    try:
        queue.counts()
    except StorageError as error:
        if error.code != "queue-unusable":
            raise
        queue.set_aside()
    lost = [task for task in list_open(context) if queue.find(task.run_id) is None]
    if lost:
        queue.put(lost)
    return lost


def read_options(job: QueuedJob) -> QueuedOptions:
    """Return what a queued run was asked for beside its task."""
    return decode(job.task.options.encode() or b"{}", QueuedOptions)


def _can_have_trees(root: str) -> bool:
    """Return whether runs get trees of their own; where git is silent, a repository still does.

    MiError where git refuses the repository: the agent would work in the person's own tree unasked.
    """
    from mi.kernel import git

    code = git.run(root, "rev-parse", "-q", "--verify", "HEAD").code
    if code is not None:
        if code:
            git.require_willing(root)
        return code == 0
    folder = os.path.realpath(root)
    while not os.path.lexists(os.path.join(folder, ".git")) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    return os.path.lexists(os.path.join(folder, ".git"))


def identify_task(project_id: str, words: str) -> str:
    """Return the same for the same words in one project, whatever their case and blanks."""
    from mi.kernel.digest import hash_sha256

    return hash_sha256(f"{project_id}\n{' '.join(words.casefold().split())}".encode())


def read_list(context: HomeContext) -> list[WantedTask]:
    """Return the open tasks of the project's list: those of tinyTasks.md one after another, a plan's by what they need.

    UsageError or NotFound where there is none to do.
    """
    from mi.app.tasks import choose_task, read_tasks
    from mi.tasks.tinytasks import FILE

    choose_task(context)  # says what is wrong with the list
    tasks = read_tasks(context)
    wanted: list[WantedTask] = []
    for task in tasks.tasks:
        if task.checked or not task.leaf:
            continue
        waits_for = _former(wanted) if tasks.authority == FILE else tuple(task.waits_for or ())
        text = choose_task(context, task.id, even_waiting=True).text
        wanted.append(WantedTask(text, task.id, waits_for))
    return _put_first_what_is_needed(wanted)


def _put_first_what_is_needed(wanted: list[WantedTask]) -> list[WantedTask]:
    """Return tasks each after those that it waits for; those that wait for each other stay as they stand."""
    left, ordered = list(wanted), list[WantedTask]()
    while left:
        open_ids = {one.list_task for one in left}
        ready = next((one for one in left if not open_ids.intersection(one.waits_for)), left[0])
        left.remove(ready)
        ordered.append(ready)
    return ordered


def _former(wanted: list[WantedTask]) -> tuple[str, ...]:
    return (wanted[-1].list_task,) if wanted else ()


def find_job(context: HomeContext, ref: str, hubs: Queue | None = None) -> QueuedJob:
    """Return a job of the home's queue, or of `hubs`, by its run or the task of the list; NotFound, else."""
    queue = hubs or build_queue(context)
    found = queue.find(find_run_id(context, ref))
    if found is not None and found.state != "outside":
        return found
    listed = [job for job in queue.jobs(OPEN_STATES, context.project.project_id) if job.task.list_task == ref]
    if len(listed) > 1:
        raise UsageError("ambiguous-run", ref=ref, runs=", ".join(job.run_id for job in listed[:5]))
    if not listed:
        raise NotFound("not-queued", ref=ref)
    return listed[0]


def put_first(context: HomeContext, job: QueuedJob) -> QueuedTask:
    """Have a queued task go before all others that are queued; return it with its priority."""
    from mi.app.queue_log import record_queued

    queue = build_queue(context)
    others = [one.task.priority for one in queue.jobs(("queued",)) if one.run_id != job.run_id]
    task = job.task._replace(priority=max([job.task.priority, *(priority + 1 for priority in others)]))
    record_queued(context, [task])
    if not queue.set_priority(task.run_id, task.priority):
        raise MiError("job-ended", run_id=job.run_id, state=job.state)
    return task


def cancel_job(context: HomeContext, job: QueuedJob) -> str:
    """Take a task out of the queue, or stop its run; return how it stood. MiError when it ended."""
    from mi.app.queue_log import record_cancelled

    if job.state in ("done", "cancelled"):
        raise MiError("job-ended", run_id=job.run_id, state=job.state)
    record_cancelled(context, job.task.project_id, [job.run_id])
    return build_queue(context).cancel(job.run_id) or ""


def find_open_run(context: HomeContext, ref: str, queue: Queue | None = None) -> str:
    """Return the run that is meant by what others come after: of the queue, or of this project; '' when it is done."""
    try:
        return find_job(context, ref, queue).run_id
    except NotFound:
        from mi.evidence.latest import whole_run

        log, run_id = context.project_home.evidence, find_run_id(context, ref)
        run = whole_run(log, run_id, context.evidence_index, lambda done, total: None)
        if run is None:
            raise
        return "" if run["status"] == "done" else run_id


def has_budgets(context: HomeContext) -> bool:
    """Return whether anything limits what queued runs may spend on a day."""
    config = context.config.fleet
    return config.max_cost_per_day is not None or config.max_tokens_per_day is not None or bool(config.vendors)


def find_held(context: HomeContext, queue: Queue | None = None) -> dict[str, str]:
    """Return the budgets of today that are spent, by agent; `*` is that of all."""
    from mi.fleet.budget import find_reached

    if not has_budgets(context):
        return {}
    queue = queue or build_queue(context)
    return find_reached(context.config.fleet, queue.spent_on(time.strftime("%Y-%m-%d")))


def describe_queue(context: HomeContext) -> dict[str, Any]:
    """Return how many tasks are in each open state, and who is paused; nothing where nothing was ever queued."""
    queue = build_queue(context)
    if not queue.exists():
        return {}
    try:
        counts, pauses = queue.counts(), queue.pauses()
    except MiError as error:
        return {"unusable": error.line(context.quiet_language)}
    paused = [{"agent": one.agent, "until": clock.format_ms(int(one.until * 1000))} for one in pauses]
    return {state: counts.get(state, 0) for state in OPEN_STATES} | {"paused": paused}


def wake_runs(context: HomeContext, run_ids: Iterable[str], stops: bool) -> list[str]:
    """Queue the next stretch of runs that were answered; `stops`: the word stops them. Return those that go on."""
    queue = build_queue(context)
    if not queue.exists():
        return []
    if stops:
        for run_id in run_ids:
            queue.settle(run_id, "blocked")
        return []
    return [run_id for run_id in run_ids if queue.wake(run_id)]


def find_detached(context: HomeContext, run_ids: Iterable[str]) -> list[str]:
    """Return the runs that have a worker of their own, where none lives that would take them up."""
    return [] if has_worker(context) else [run_id for run_id in run_ids if _is_detached(context, run_id)]


def has_worker_for(context: HomeContext, run_id: str) -> bool:
    """Return whether a run that is queued begins by itself: by a worker of its own, or by one that takes any."""
    return has_worker(context) or _is_detached(context, run_id)


def _is_detached(context: HomeContext, run_id: str) -> bool:
    job = build_queue(context).find(run_id)
    return job is not None and read_options(job).detached


def has_worker(context: HomeContext) -> bool:
    """Return whether a worker lives that takes up what is queued."""
    from mi.fleet.workers import list_living

    return bool(list_living(context.home.workers))


def note_run_end(context: HomeContext, end: "RunEnd") -> None:
    """Have the queue know of a run that no worker had: others may come after it, or it waited there."""
    from mi.fleet.queue import EndState

    if not os.path.exists(context.home.queue):
        return
    states: dict[str, EndState] = {"done": "done", "failed": "failed", "blocked": "blocked", "interrupted": "stopped"}
    try:
        build_queue(context).settle(end.run_id, states[end.status])
        if end.status == "blocked":
            _pause_agent(context, end.run_id)
    except MiError:
        pass  # the run itself is as it ended; whoever looks at the queue is told what is wrong with it


def _pause_agent(context: HomeContext, run_id: str) -> None:
    """Have no queued run of an agent begin whose vendor's limit a run met."""
    from mi.fleet.queue import AgentPause
    from mi.fleet.stretch import find_reset, read_run

    run = read_run(context.project_home.evidence, run_id, context.notices, is_whole=True)
    limit = run.find_limit()
    if limit is not None and limit.detail:
        build_queue(context).pause(AgentPause(run.agent, find_reset(limit), limit.detail))
