"""`mi queue`: tasks that workers take up, one after another or side by side."""

import re
import sys
import time
from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.app.queue import build_queue, find_held, find_job
from mi.cli.arguments import ALL, Args, Group, Parser, add_count, add_json
from mi.cli.output import Output
from mi.cli.run_limits import add_limits
from mi.fleet.queue import OPEN_STATES, Queue, QueuedJob
from mi.kernel import clock
from mi.kernel.errors import MiError, UsageError
from mi.kernel.safe_text import shorten_gist

if TYPE_CHECKING:
    from mi.app.queue import AddedTasks, QueueWishes, WantedTask

_SHOWN = 20
_MOST_PRIORITY = 1_000_000_000
_SPAN = re.compile(r"\+(\d+(?:\.\d+)?)([smhd])")
_UNIT_S = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    summary = "Tasks that `mi worker` takes up, each in a work tree of its own; without a word: what is queued."
    group = Group("mi queue", summary, 'mi queue add "fix the failing test"', _list)
    _fill_list(group.parser)
    group.add("add", "queue tasks", "mi queue add --file tasks.md", _add, _fill_add, person_only=True)
    group.add("list", "what runs, waits and is queued", "mi queue list --json", _list, _fill_list)
    cancel = group.add("cancel", "take tasks out of the queue, or stop their runs", "mi queue cancel --all", _cancel)
    cancel.set_defaults(person_only=True, prog=cancel.prog)
    cancel.add_argument("runs", nargs="*", metavar="run", help="the run's id, or the end of it")
    cancel.add_argument("--all", action="store_true", help="all that are queued or wait, of every project")
    _add_hub(cancel)
    add_json(cancel)
    retry = group.add("retry", "queue runs again that ended without being done", "mi queue retry run_x", _retry)
    retry.set_defaults(person_only=True, prog=retry.prog)
    retry.add_argument("runs", nargs="+", metavar="run", help="the run's id, or the end of it")
    _add_hub(retry)
    add_json(retry)
    rebuild = "queue what the logs know of and a lost or broken queue does not"
    group.add("rebuild", rebuild, "mi queue rebuild", _rebuild, add_json, person_only=True)
    return group.parser


def _fill_add(parser: Parser) -> None:
    parser.add_argument("task", nargs="*", help="the task in your own words")
    parser.add_argument(
        "--file", metavar="FILE", help="each item of its list is a task, or each paragraph where it has no list"
    )
    parser.add_argument("--tasks", action="store_true", help="the open tasks of the project's list, in its order")
    _add_project(parser)
    parser.add_argument("--after", action="append", default=[], metavar="RUN", help="begin when this run is done")
    parser.add_argument("--agent", default="", metavar="NAME", help="this agent, in place of yours")
    parser.add_argument("--priority", type=_priority, default=0, metavar="N", help="the higher goes first (default 0)")
    parser.add_argument("--not-before", default="", metavar="TIME", help="22:00, 2026-11-18T22:00 or +2h")
    add_limits(parser)
    parser.add_argument("--no-worktree", action="store_true", help="in your own tree, one after another")
    _add_hub(parser)
    parser.add_argument(
        "--for-others", action="store_true", help="with --hub: members who offer it may work on it, too"
    )
    parser.add_argument("--no-values", action="store_true", help="with --hub: your values stay here")
    add_json(parser)


def _add_hub(parser: Parser) -> None:
    parser.add_argument("--hub", action="store_true", help="the queue of the hub, which your other machines work on")


def _find_queue(context: HomeContext, args: Args) -> Queue:
    """Return the queue that is meant: the home's own, or the hub's."""
    if not args.hub:
        return build_queue(context)
    from mi.app.hub_queue import open_hub_queue

    return context.open_once(open_hub_queue)


def _priority(given: str) -> int:
    """Return a priority; UsageError for what is no number or more than a queue can hold."""
    try:
        number = int(given)
    except ValueError:
        number = _MOST_PRIORITY + 1
    if abs(number) > _MOST_PRIORITY:
        raise UsageError("bad-priority", value=given, most=_MOST_PRIORITY)
    return number


def _fill_list(parser: Parser) -> None:
    _add_project(parser)
    parser.add_argument("--all", action="store_true", help="every task, those that ended too")
    add_count(parser, f"at most N tasks (default {_SHOWN})")
    _add_hub(parser)
    add_json(parser)


def _add_project(parser: Parser) -> None:
    parser.add_argument(
        "--project", "--cd", dest="cd", metavar="DIR", help="project root: a path, @last, @pinned or @alias"
    )


def _add(context: HomeContext, args: Args) -> int:
    from mi.agents.choose import choose_agent
    from mi.app.queue import QueuedOptions, QueueWishes, add_tasks
    from mi.cli.prompts import agree_on_place

    out = Output(context.language)
    agree_on_place(context)
    choose_agent(context.config, args.agent)
    wanted = _read_wanted(context, args)
    limits = QueuedOptions(
        batches=args.max_batches, minutes=args.max_minutes, tokens=args.max_tokens, cost_usd=args.max_cost
    )
    moment = read_moment(args.not_before)
    wishes = QueueWishes(args.agent, args.priority, moment, tuple(args.after), not args.no_worktree, limits)
    empty = sum(not one.text.strip() for one in wanted)
    given = [one for one in wanted if one.text.strip()]
    added = _add_to_hub(context, args, given, wishes) if args.hub else add_tasks(context, given, wishes)
    _complain(out, added, empty)
    if args.json:
        out.json(
            {"queued": [_describe_added(task) for task in added.tasks], "same": [one.run_id for one in added.same]}
        )
    else:
        for task in added.tasks[:_SHOWN]:
            after = " — " + out.text("queue.after", runs=" ".join(task.after)) if task.after else ""
            out.beside(f"{task.run_id}  ", shorten_gist(task.task, 100) + after)
        out.say("queue.added", count=len(added.tasks))
    return 1 if added.same or empty else 0


def _add_to_hub(context: HomeContext, args: Args, given: "list[WantedTask]", wishes: "QueueWishes") -> "AddedTasks":
    from mi.app.hub_queue import add_to_hub, open_hub_queue

    if args.no_worktree:
        raise UsageError("hub-needs-tree")
    return add_to_hub(context, given, wishes, open_hub_queue(context, args.for_others), not args.no_values)


def _describe_added(task: Any) -> dict[str, Any]:
    return {"run_id": task.run_id, "task": task.task, "after": list(task.after), "list_task": task.list_task}


def _read_wanted(context: HomeContext, args: Args) -> "list[WantedTask]":
    """Return the tasks that are given by words, file or list; UsageError unless by one of them."""
    from mi.app.queue import WantedTask, read_list

    if sum([bool(args.task), args.file is not None, args.tasks]) != 1:
        raise UsageError("queue-source")
    if args.tasks:
        return read_list(context)
    if args.task:
        words = " ".join(args.task).strip()
        if not words:
            raise UsageError("queue-source")
        return [WantedTask(words)]
    from mi.cli.input_files import read_given_text
    from mi.fleet.task_file import read_tasks

    tasks = read_tasks(read_given_text(args.file))
    if not tasks:
        raise UsageError("queue-no-tasks", file=args.file)
    return [WantedTask(task) for task in tasks]


def _complain(out: Output, added: "AddedTasks", empty: int) -> None:
    """Say on standard error what was not queued as it was given, a line each."""
    lines = [
        out.text("queue.same", task=shorten_gist(one.task.task, 80), run_id=one.run_id or "-") for one in added.same
    ]
    lines += [out.text("queue.empty", count=empty)] if empty else []
    lines += [out.text("run.secret-in-task", kinds=", ".join(added.hidden))] if added.hidden else []
    for line in lines:
        sys.stderr.write(f"mi: {line}\n")


def read_moment(given: str, now: float | None = None) -> float:
    """Return a moment: a time of day (the next such one), a date and time, or a span from now. UsageError, else."""
    now = time.time() if now is None else now
    if not given:
        return 0.0
    from datetime import datetime, timedelta

    try:
        if span := _SPAN.fullmatch(given.strip()):
            return datetime.fromtimestamp(now + float(span[1]) * _UNIT_S[span[2]]).timestamp()
        if re.fullmatch(r"\d{1,2}:\d\d", given.strip()):
            today = datetime.fromtimestamp(now)
            hour, minute = map(int, given.strip().split(":"))
            moment = today.replace(hour=hour, minute=minute, second=0, microsecond=0)
            return (moment if moment > today else moment + timedelta(days=1)).timestamp()
        return datetime.fromisoformat(given.strip()).timestamp()
    except (ValueError, OverflowError, OSError):  # also what no calendar has
        raise UsageError("bad-moment", value=given) from None


def _list(context: HomeContext, args: Args) -> int:
    out, queue = Output(context.language), _find_queue(context, args)
    limit = ALL if args.all and args.count is None else _SHOWN if args.count is None else args.count
    project = context.project.project_id if args.cd else ""
    jobs = queue.jobs(() if args.all else OPEN_STATES, project, limit)
    counts, pauses = queue.counts(), queue.pauses()
    held = find_held(context, queue) if counts else {}
    if args.json:
        paused = [{"agent": one.agent, "until": show_moment(one.until), "reason": one.reason} for one in pauses]
        out.json({"counts": counts, "paused": paused, "held": held, "jobs": [describe_job(job) for job in jobs]})
        return 0
    if not counts:
        out.say("queue.none")
        return 0
    out.line(", ".join(f"{count} {out.word(state)}" for state, count in counts.items()))
    for pause in pauses:
        out.say(
            "queue.paused", agent=pause.agent, until=show_moment(pause.until), reason=shorten_gist(pause.reason, 80)
        )
    for agent, why in held.items():
        out.say("queue.held", agent=out.text("queue.all") if agent == "*" else agent, reason=why)
    for job in jobs:
        out.beside(f"{job.run_id}  {out.word(job.state)}  ", _tell_of(queue, out, job))
    total = sum(counts.get(state, 0) for state in (counts if args.all else OPEN_STATES))
    if not project and len(jobs) < total:
        out.say("queue.more", count=total - len(jobs))
    return 0


def _tell_of(queue: Queue, out: Output, job: QueuedJob) -> str:
    """Return a job's task, and why it does not run yet."""
    why = []
    if job.pending:
        open_runs = [run for run in job.task.after if not _is_done(queue, run)]
        why.append(out.text("queue.after", runs=" ".join(open_runs)))
    if job.not_before > time.time():
        why.append(out.text("queue.not-before", time=show_moment(job.not_before)))
    if job.reason:
        why.append(shorten_gist(job.reason, 100))
    return shorten_gist(job.task.task, 100) + (f" — {'; '.join(why)}" if why else "")


def _is_done(queue: Queue, run_id: str) -> bool:
    found = queue.find(run_id)
    return found is not None and "done" in (found.state, found.reason)


def describe_job(job: QueuedJob) -> dict[str, Any]:
    """Return a job for programs."""
    task = job.task
    return {
        "run_id": job.run_id,
        "task": task.task,
        "state": job.state,
        "project_id": task.project_id,
        "root": task.root,
        "agent": task.agent,
        "priority": task.priority,
        "after": list(task.after),
        "pending": job.pending,
        "not_before": show_moment(job.not_before),
        "reason": job.reason,
        "stretch": job.stretch,
        "list_task": task.list_task,
        "added": show_moment(job.added),
    }


def show_moment(moment: float) -> str:
    """Return a moment as MI writes it; '' for none."""
    return clock.format_ms(int(moment * 1000)) if moment else ""


def _rebuild(context: HomeContext, args: Args) -> int:
    from mi.app.queue import rebuild_queue

    out = Output(context.language)
    found = rebuild_queue(context)
    if args.json:
        out.json({"queued": [task.run_id for task in found]})
        return 0
    for task in found[:_SHOWN]:
        out.beside(f"{task.run_id}  ", shorten_gist(task.task, 100))
    out.say("queue.rebuilt", count=len(found))
    return 0


def _cancel(context: HomeContext, args: Args) -> int:
    from mi.app.queue_log import record_cancelled

    out, queue = Output(context.language), _find_queue(context, args)
    if bool(args.runs) == args.all:
        raise UsageError("missing-arguments", names="run | --all", hint="mi queue cancel --help")
    jobs = queue.jobs(("queued", "waiting")) if args.all else [find_job(context, ref, queue) for ref in args.runs]
    for job in jobs:
        if job.state in ("done", "cancelled"):
            raise MiError("job-ended", run_id=job.run_id, state=out.word(job.state))
    for project_id in dict.fromkeys(job.task.project_id for job in jobs):
        record_cancelled(context, project_id, [job.run_id for job in jobs if job.task.project_id == project_id])
    was = {job.run_id: queue.cancel(job.run_id) for job in jobs}
    if args.json:
        out.json({"cancelled": list(was)})
        return 0
    if not was:
        out.say("queue.nothing-to-cancel")
    for run_id, state in was.items():
        out.say("queue.stopping" if state == "running" else "queue.cancelled", run_id=run_id)
    return 0


def _retry(context: HomeContext, args: Args) -> int:
    from mi.app.run_again import check_retried, queue_again

    out, queue = Output(context.language), _find_queue(context, args)
    jobs = [find_job(context, ref, queue) for ref in args.runs]
    for job in jobs:
        check_retried(context, job)
    for job in jobs:
        queue_again(context, job, queue=queue)
    if args.json:
        out.json({"queued": [job.run_id for job in jobs]})
        return 0
    for job in jobs:
        out.say("queue.again", run_id=job.run_id)
    return 0
