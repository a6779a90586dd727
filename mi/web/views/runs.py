"""Runs: those of all projects, the latest first, live; begin one, queue a task, stop one."""

import os
import time
from collections.abc import Iterator, Mapping

from mi.agents.choose import choose_agent
from mi.app.home_context import HomeContext
from mi.app.queue import QueuedOptions, QueueWishes, WantedTask, add_tasks
from mi.app.run_stop import stop_run
from mi.app.runs import build_runs
from mi.app.worker import detach_worker
from mi.evidence.runs import RunEntry, RunWish
from mi.kernel import clock
from mi.kernel.errors import MiError, UsageError
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple
from mi.web.view import PageRequest, PageView

STATES = ("running", "waiting", "queued", "done", "blocked", "failed", "interrupted")
_SHOWN = 50
_MOST = 300  # more takes longer than a look may; states and projects narrow it


class RunRow(NamedTuple):
    """A run in the list."""

    entry: RunEntry
    marks: list[str]  # those it has, the strongest first
    waits_s: int  # until a vendor's limit ends, or the moment the person named; 0: for nothing


class RunsModel(NamedTuple):
    """The runs that were asked for."""

    rows: list[RunRow]
    total: int
    states: tuple[str, ...]
    state: str
    project: str
    projects: Mapping[str, str]  # names by id
    roots: list[tuple[str, str]]  # folder and name of each project in which a run can begin


def _show(request: PageRequest) -> RunsModel:
    state, project = request.query.get("state", ""), request.query.get("project", "")
    if state and state not in STATES:
        raise UsageError("no-such-choice", name="state", value=repr(state), known=", ".join(STATES), hint="mi runs")
    asked = request.query.get("most", "")
    most = min(int(asked), _MOST) if asked.isdecimal() else _SHOWN
    wish = RunWish((state,) if state else (), "", project, most)
    found = build_runs(request.context, wish, lambda done, total: None)
    known = request.context.known_projects.roots
    names = {one.project_id: os.path.basename(root) for root, one in known.items()}
    roots = [(root, os.path.basename(root)) for root in known if os.path.isdir(root)]
    return RunsModel([_make_row(one) for one in found.runs], found.total, STATES, state, project, names, roots)


def _make_row(entry: RunEntry) -> RunRow:
    marks = [name for name in ("proved", "verified", "claimed", "ran") if getattr(entry.marks, name)]
    return RunRow(entry, marks, _measure_wait(entry.not_before))


def _measure_wait(moment: str) -> int:
    try:
        return max(round(clock.parse(moment) - time.time()), 0) if moment else 0
    except ValueError:
        return 0


def _queue(request: PageRequest) -> Iterator[str]:
    _add(_at_project(request), request, QueueWishes(request.read("agent")))
    yield text("queue.added", request.language, count=1)


def _start(request: PageRequest) -> Iterator[str]:
    context = _at_project(request)
    run_id = _add(context, request, QueueWishes(request.read("agent"), options=QueuedOptions(detached=True)))
    detach_worker(context, run_id)
    yield text("run.detached", request.language, run_id=run_id)


def _add(context: HomeContext, request: PageRequest, wishes: QueueWishes) -> str:
    """Put the task of a form into the queue, and return its run."""
    task = request.read("task")
    if not task:
        raise UsageError("argument-needs-value", name="task", hint="mi queue add --help")
    choose_agent(context.config, wishes.agent)
    added = add_tasks(context, [WantedTask(task)], wishes)
    for same in added.same:
        raise MiError("same-task-open", run_id=same.run_id)
    return added.tasks[0].run_id


def _at_project(request: PageRequest) -> HomeContext:
    """Return the context of a project that the home knows; a form may not name any other folder."""
    root = request.read("root")
    if root not in request.context.known_projects.roots:
        raise UsageError("unknown-project", value=root, known=", ".join(request.context.known_projects.roots) or "-")
    return request.context.at(root)


def _stop(request: PageRequest) -> Iterator[str]:
    owner = stop_run(request.context.home, request.read("choice"))
    yield text("attach.stopping", request.language, run_id=owner.run_id, pid=owner.pid)


VIEW = PageView("runs", "/runs", _show, "runs", {"queue": _queue, "start": _start, "stop": _stop})
