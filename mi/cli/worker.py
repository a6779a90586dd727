"""`mi worker`: works through the queue."""

import os
import sys
from functools import partial
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_json, command, count
from mi.cli.output import Output, flush, work_unread
from mi.kernel.errors import MiError, UsageError
from mi.kernel.safe_text import shorten_gist

if TYPE_CHECKING:
    from mi.agents.signals import StopFlag
    from mi.app.worker import HomeWorkerPlace
    from mi.fleet.queue import Queue, QueuedJob

_JOBS = 2


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    summary = "Work through the queue, each run in a process of its own; Ctrl-C has them stop in order."
    built = command("mi worker", summary, "mi worker --drain", _work, person_only=True)
    built.add_argument("--jobs", type=count, metavar="N", help="runs at a time (default: fleet.jobs, else 2)")
    built.add_argument("--drain", action="store_true", help="end when nothing is left that would begin by itself")
    built.add_argument("--only", default="", metavar="RUN", help="work on this one run, then end")
    built.add_argument("--hub", action="store_true", help="work through the hub's queue, in clones of the git remotes")
    add_json(built)
    return built


def _work(context: HomeContext, args: Args) -> int:
    from mi.agents.signals import StopFlag, stop_on_signals
    from mi.autopilot.run_times import note_vouched
    from mi.fleet.worker import QueueWorker

    out, stop = Output(context.language), StopFlag()
    jobs = (context.config.fleet.jobs or _JOBS) if args.jobs is None else args.jobs
    if jobs < 1:
        raise UsageError("bad-whole-limit", flag="--jobs", value=jobs)
    around, only = (_open_hub if args.hub else _open_own)(context, args, out, stop)
    queue = around.find_queue()
    work_unread()
    note_vouched(context.home, os.getpid())  # it may outlive the terminal of the person who began it
    _say(out, args, "worker.ready", jobs=jobs)
    with stop_on_signals(stop):
        worker = QueueWorker(queue, context.home.workers, around, jobs, stop, takes_all=not (only or args.hub))
        worker.run(partial(_is_over, queue, args.drain, only))
    _say(out, args, "worker.stopped" if stop.reason else "worker.drained")
    return 130 if stop.reason == "SIGINT" else 0


def _open_own(context: HomeContext, args: Args, out: Output, stop: "StopFlag") -> "tuple[HomeWorkerPlace, str]":
    from mi.app.queue import build_queue, find_job
    from mi.app.worker import HomeWorkerPlace

    build_queue(context).counts()  # says what is wrong with the file
    only = find_job(context, args.only).run_id if args.only else ""
    return HomeWorkerPlace(context, partial(_tell, out, args.json), only), only


def _open_hub(context: HomeContext, args: Args, out: Output, stop: "StopFlag") -> "tuple[HomeWorkerPlace, str]":
    from mi.agents.choose import resolve_provider
    from mi.app.hub_queue import open_hub_queue
    from mi.app.hub_worker import HubWorkerPlace
    from mi.app.queue import find_job
    from mi.hub.patient_queue import PatientQueue
    from mi.hub.state import need_hub

    queue = open_hub_queue(context)
    queue.counts()  # says what is wrong with the hub
    resolve_provider(context.config)  # or that no agent is here
    only = find_job(context, args.only, queue).run_id if args.only else ""

    def fail(error: MiError) -> None:
        sys.stderr.write(f"mi: {error.line(context.language)}\n")
        sys.stderr.flush()

    patient = PatientQueue(queue, lambda: bool(stop.reason), fail)
    state = need_hub(context.home, context.notices)
    return HubWorkerPlace(context, state, partial(_tell, out, args.json), patient, only), only


def _is_over(queue: "Queue", drains: bool, only: str) -> bool:
    """Return whether nothing is left that would begin by itself."""
    if only:
        from mi.app.worker import is_settled

        return is_settled(queue, only)
    return drains and not queue.has_ready()


def _tell(out: Output, as_json: bool, what: str, job: "QueuedJob", reason: str) -> None:
    from mi.cli.queue import show_moment

    if as_json:
        out.json_line({"event": what, "run_id": job.run_id, "task": job.task.task, "reason": reason})
    else:
        said = {"run_id": job.run_id, "task": shorten_gist(job.task.task, 80), "reason": shorten_gist(reason, 160)}
        out.say("worker." + what, **said, root=job.task.root, until=show_moment(job.not_before))
    flush()


def _say(out: Output, args: Args, key: str, **details: object) -> None:
    if not args.json:
        sys.stderr.write(f"mi: {out.text(key, **details)}\n")
        sys.stderr.flush()
