"""`mi runs watch`: the runs that go on, each with its batch, its last act and what it waits for."""

import os
import sys
import time

import msgspec

from mi.agents.events import AgentMessage, Command, Error, FileChange
from mi.agents.events import Event as AgentEvent
from mi.agents.transcript import Captured
from mi.app.home_context import HomeContext
from mi.app.runs import build_runs
from mi.autopilot.run_lock import RunningRun, find_running
from mi.cli.output import Output, flush
from mi.cli.run_display import format_left
from mi.cli.run_watch import AgentTail, RunWatch
from mi.evidence.reader import Event
from mi.evidence.records.hands import HandsInput
from mi.evidence.records.run import Limit, RunEnd, RunStart
from mi.evidence.runs import RunEntry, RunWish
from mi.kernel import clock
from mi.kernel.git import find_branch
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.safe_text import make_safe, shorten_gist

_LOOK_S = 0.5
_LIST_S = 2.0  # between two looks at the runs that wait
_WAITING = 50  # of them that are shown
_ACT = 100  # columns of what an agent did last


class WatchedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run as the table shows it."""

    run_id: str
    project_id: str = ""
    root: str = ""
    branch: str = ""
    task: str = ""
    status: str = "running"
    batch: str = ""
    act: str = ""
    question: str = ""
    question_id: str = ""
    resets_at: str = ""  # when the vendor's limit ends, or before which it does not go on


class RowWatch(RunWatch):
    """Follows one run and keeps what the table says of it."""

    def __init__(self, context: HomeContext, out: Output, run: RunningRun) -> None:
        root = run.owner.root
        branch = find_branch(root) if root else ""
        self._row = WatchedRun(run_id=run.owner.run_id, project_id=run.project_id, root=root, branch=branch)
        super().__init__(context, out, run)

    @property
    def row(self) -> WatchedRun:
        """Return how the run stands."""
        asked = self.question
        status = "waiting" if asked and self._row.status == "running" else self._row.status
        told = {"question": asked.text if asked else "", "question_id": asked.id if asked else "", "status": status}
        return msgspec.structs.replace(self._row, **told)

    def show_event(self, event: Event) -> None:
        match event.record():
            case RunStart(task=task):
                self._note(task=task, status="running")
            case HandsInput():
                self._note(batch=event.head.batch_id, act="")
            case Limit(limit="vendor") as limit:
                self._note(resets_at="" if limit.passed else limit.resets_at)
            case RunEnd(status=status):
                self._note(status=status, resets_at="")

    def show_line(self, line: Captured, agent: AgentTail) -> None:
        if agent.is_plain:
            self._note(act=shorten_gist(line.text, _ACT))
        for event in () if agent.is_plain else agent.interpret(line):
            if act := _describe_act(event):
                self._note(act=shorten_gist(act, _ACT))

    def note_gone(self) -> None:
        """Note that the run's process is no more; without an end it was interrupted."""
        if self._row.status == "running":
            self._note(status="interrupted")

    def _note(self, **told: str) -> None:
        self._row = msgspec.structs.replace(self._row, **told)


def _describe_act(event: AgentEvent) -> str:
    match event:
        case AgentMessage(reasoning=False):
            return event.text
        case Command(state="started"):
            return f"$ {event.text}"
        case FileChange():
            return f"{event.kind} {event.path}"
        case Error():
            return f"! {event.message}"
    return ""


class _Look(NamedTuple):
    rows: list[WatchedRun]
    queued: int


class FleetWatch:
    """All runs that go on, and those that ended while it was watched."""

    def __init__(self, context: HomeContext, out: Output, project_id: str) -> None:
        self._context = context
        self._out = out
        self._project_id = project_id
        self._watched: dict[str, RowWatch] = {}
        self._over: dict[str, WatchedRun] = {}
        self._waiting: list[WatchedRun] = []
        self._queued = 0
        self._next_list = 0.0

    def look(self) -> _Look:
        """Return how all of them stand now."""
        for run in find_running(self._context.home, self._project_id):
            if run.owner.root and run.owner.run_id.startswith("run_") and run.owner.run_id not in self._watched:
                self._over.pop(run.owner.run_id, None)  # it goes on again
                context = self._context.at(run.owner.root)
                self._watched[run.owner.run_id] = RowWatch(context, self._out, run)
        for run_id, watch in list(self._watched.items()):
            if watch.step():
                watch.note_gone()
                self._over[run_id] = self._watched.pop(run_id).row
        waiting = [row for row in self._find_waiting() if row.run_id not in self._watched]
        over = {run_id: row for run_id, row in self._over.items() if run_id not in {row.run_id for row in waiting}}
        return _Look([*(watch.row for watch in self._watched.values()), *waiting, *over.values()], self._queued)

    def _find_waiting(self) -> list[WatchedRun]:
        """Return the runs that wait for the person or for a moment, looked at every few seconds."""
        if time.monotonic() > self._next_list:
            self._next_list = time.monotonic() + _LIST_S
            wish = RunWish(("waiting", "queued"), project_id=self._project_id, most=_WAITING)
            found = build_runs(self._context, wish, lambda done, total: None).runs
            self._queued = sum(one.status == "queued" for one in found)
            self._waiting = [_describe_waiting(one) for one in found if one.question or one.not_before]
        return self._waiting


def _describe_waiting(entry: RunEntry) -> WatchedRun:
    return WatchedRun(
        run_id=entry.run_id,
        project_id=entry.project_id,
        root=entry.root,
        branch=entry.branch,
        task=entry.task,
        status="waiting" if entry.question else "queued",
        question=entry.question,
        question_id=entry.question_id,
        resets_at=entry.not_before,
    )


def watch_runs(context: HomeContext, project_id: str, as_json: bool) -> int:
    """Show the runs that go on until Ctrl-C: a table on a terminal, else a line for each change."""
    out = Output(context.language)
    watch = FleetWatch(context, out, project_id)
    if as_json or not sys.stdout.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        _print_changes(out, watch, as_json)
    else:
        _show_table(out, watch)
    return 0


def _print_changes(out: Output, watch: FleetWatch, as_json: bool) -> None:
    shown: dict[str, WatchedRun] = {}
    is_first = True
    while True:
        look = watch.look()
        if is_first and not as_json:
            out.line(_describe_head(out, look))
        is_first = False
        for row in look.rows:
            if shown.get(row.run_id) != row:
                shown[row.run_id] = row
                out.json_line(row) if as_json else out.line(f"{clock.now()[11:19]}  {_describe_row(out, row)}")
        flush()
        time.sleep(_LOOK_S)


def _describe_head(out: Output, look: _Look) -> str:
    running, waiting = (sum(row.status == status for row in look.rows) for status in ("running", "waiting"))
    if not running and not waiting:
        return out.text("runs.nothing-runs", queued=look.queued)
    return out.text("runs.watch-head", running=running, waiting=waiting, queued=look.queued)


def _describe_row(out: Output, row: WatchedRun) -> str:
    parts = (row.run_id, out.text("run." + row.status), row.branch, row.batch, _describe_now(out, row))
    return "  ".join(part for part in parts if part)


def _describe_now(out: Output, row: WatchedRun) -> str:
    """Return what a run waits for, else what its agent did last."""
    if row.question:
        return out.text("runs.waits", question=shorten_gist(row.question, _ACT), id=row.question_id)
    if (left := _measure_left(row.resets_at)) > 0:
        key = "runs.limit" if row.status == "running" else "runs.goes-on-in"
        return out.text(key, left=format_left(left))
    return row.act or shorten_gist(row.task, _ACT)


def _measure_left(resets_at: str) -> float:
    try:
        return clock.parse(resets_at) - time.time() if resets_at else 0.0
    except ValueError:
        return 0.0


def _show_table(out: Output, watch: FleetWatch) -> None:
    from rich.console import Console, Group
    from rich.live import Live
    from rich.table import Table
    from rich.text import Text

    def draw() -> Group:
        look = watch.look()
        table = Table(box=None, pad_edge=False, show_header=False)
        for row in look.rows:
            now = Text(make_safe(_describe_now(out, row)), no_wrap=True, overflow="ellipsis")
            cells = (row.run_id, out.text("run." + row.status), make_safe(row.branch), row.batch)
            table.add_row(*(Text(cell, no_wrap=True, overflow="ellipsis") for cell in cells), now)
        return Group(Text(_describe_head(out, look)), table)

    with Live(draw(), console=Console(highlight=False), refresh_per_second=4) as live:
        while True:
            time.sleep(_LOOK_S)
            live.update(draw())
