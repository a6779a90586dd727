"""Runs: those of all projects, the latest first, live; begin one, queue a task, race agents, stop and resume."""

import os
import time
from collections.abc import Iterator, Mapping

from mi.agents.choose import choose_agent
from mi.agents.registry import VENDORS
from mi.app.home_context import HomeContext
from mi.app.hub_runs import SharedRun, list_shared_runs
from mi.app.queue import QueuedOptions, QueueWishes, WantedTask, add_tasks
from mi.app.race import start_race
from mi.app.run_again import resume_detached
from mi.app.run_stop import stop_named_run
from mi.app.runs import build_runs
from mi.app.worker import detach_worker
from mi.evidence.runs import RunEntry, RunWish
from mi.kernel import clock
from mi.kernel.errors import MiError, UsageError
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple
from mi.web.view import PageRequest, PageView, read_number

STATES = ("running", "waiting", "queued", "done", "blocked", "failed", "interrupted")
_SHOWN = 50
_MOST = 300  # more takes longer than a look may; states, projects and words narrow it
_LONGEST = 200  # characters of a search
_RACERS = (2, 3, 4)
_RESUMED = ("blocked", "failed", "interrupted")


class RunRow(NamedTuple):
    """A run in the list."""

    entry: RunEntry
    marks: list[str]  # those it has, the strongest first
    waits_s: int  # until a vendor's limit ends, or the moment the person named; 0: for nothing
    can_resume: bool


class RunsModel(NamedTuple):
    """The runs that were asked for."""

    rows: list[RunRow]
    total: int
    states: list[tuple[str, str]]
    chosen: Mapping[str, str]  # state, project, agent, q: those that are, as the address has them
    projects: Mapping[str, str]  # names by id
    roots: list[tuple[str, str]]  # folder and name of each project in which a run can begin
    agents: list[tuple[str, str]]
    racers: tuple[int, ...]
    has_hub: bool
    shared: list[SharedRun]  # of the hub's members, where those were asked for


def _show(request: PageRequest) -> RunsModel:
    names = ("state", "project", "agent", "q", "whose")
    chosen = {name: value for name in names if (value := request.query.get(name, ""))}
    state = chosen.get("state", "")
    if state and state not in STATES:
        raise UsageError("no-such-choice", name="state", value=repr(state), known=", ".join(STATES), hint="mi runs")
    asked = request.query.get("most", "")
    most = min(read_number(asked, _SHOWN), _MOST)
    words, agent = chosen.get("q", "")[:_LONGEST], chosen.get("agent", "")
    wish = RunWish((state,) if state else (), "", chosen.get("project", ""), most, "", words, agent)
    found = build_runs(request.context, wish, lambda done, total: None)
    known = request.context.known_projects.roots
    projects = {one.project_id: os.path.basename(root) for root, one in known.items()}
    roots = [(root, os.path.basename(root)) for root in known if os.path.isdir(root)]
    states = [(name, text(f"run.{name}", request.language)) for name in STATES]
    agents = [(one.name, one.name) for one in VENDORS]
    rows, has_hub = [_make_row(one) for one in found.runs], os.path.exists(request.context.home.hub)
    shared = list_shared_runs(request.context, most) if has_hub and "whose" in chosen else []
    return RunsModel(rows, found.total, states, chosen, projects, roots, agents, _RACERS, has_hub, shared)


def _make_row(entry: RunEntry) -> RunRow:
    marks = [name for name in ("proved", "verified", "claimed", "ran") if getattr(entry.marks, name)]
    can_resume = entry.status in _RESUMED and not entry.question and not entry.not_before
    return RunRow(entry, marks, _measure_wait(entry.not_before), can_resume and os.path.isdir(entry.root))


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
    task = _read_task(request)
    choose_agent(context.config, wishes.agent)
    added = add_tasks(context, [WantedTask(task)], wishes)
    for same in added.same:
        raise MiError("same-task-open", run_id=same.run_id)
    return added.tasks[0].run_id


def _read_task(request: PageRequest) -> str:
    task = request.read("task")
    if not task:
        raise UsageError("argument-needs-value", name="task", hint="mi queue add --help")
    return task


def _at_project(request: PageRequest) -> HomeContext:
    """Return the context of a project that the home knows; a form may not name any other folder."""
    root = request.read("root")
    if root not in request.context.known_projects.roots:
        raise UsageError("unknown-project", value=root, known=", ".join(request.context.known_projects.roots) or "-")
    return request.context.at(root)


def _race(request: PageRequest) -> Iterator[str]:
    """Begin a race at once: whoever looks at the page may have no terminal to start a worker in."""
    context, task, number = _at_project(request), _read_task(request), request.read("number")
    agents = [name for name in request.fields if name in {one.name for one in VENDORS}]
    race, _ = start_race(context, task, agents, read_number(number) if number else None, is_detached=True)
    for racer in race.racers:
        detach_worker(context, racer.run_id)
    yield text("web.race-began", request.language, count=len(race.racers))


def _resume(request: PageRequest) -> Iterator[str]:
    run_id = request.read("choice")
    resume_detached(request.context, run_id)
    yield text("run.detached", request.language, run_id=run_id)


def _stop(request: PageRequest) -> Iterator[str]:
    owner = stop_named_run(request.context.home, request.read("choice"), "page")
    yield text("attach.stopping", request.language, run_id=owner.run_id, pid=owner.pid)


_ACTS = {"queue": _queue, "start": _start, "race": _race, "resume": _resume, "stop": _stop}
VIEW = PageView(_show, "runs", _ACTS)
