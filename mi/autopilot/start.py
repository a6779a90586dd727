"""Starting and resuming runs: the lock, the watch over the work tree, the first and the last record."""

from mi.agents.signals import stop_on_signals
from mi.autopilot.loop import Loop
from mi.autopilot.resume import Resumed
from mi.autopilot.run_lock import run_lock
from mi.autopilot.session import Session
from mi.autopilot.state import RunState
from mi.evidence.records.run import BatchEnd, RunEnd, RunStart
from mi.project.worktree import WorktreeWatch


def start(session: Session, task: str, thread_id: str = "") -> RunEnd:
    """Run a task from its beginning; returns the run's last record."""
    state = RunState(task=task, run_id=session.evidence.run_id, next_input=task, thread_id=thread_id)
    return _drive(session, state, resumed=None)


def go_on(session: Session, resumed: Resumed) -> RunEnd:
    """Go on with a run that stopped; a batch that had ended is judged, never run again."""
    return _drive(session, resumed.state, resumed)


def _drive(session: Session, state: RunState, resumed: Resumed | None) -> RunEnd:
    place = session.home.project(session.project.project_id)
    with run_lock(place.run_lock, state.run_id, session.notices), stop_on_signals(session.stop):
        loop = Loop(session, state)
        began = RunStart(
            task=state.task,
            project_root=session.project.root,
            hands=session.hands.name,
            mind=session.mind.name,
            resumed_from=state.run_id if resumed else "",
        )
        loop.diary.append(began, sync=True)
        if resumed and resumed.was_cut:
            loop.diary.append(BatchEnd(outcome="cut"), sync=True)
            state.number += 1
        with WorktreeWatch(session.project.root) as watch:
            first = loop.case_of(resumed.judge) if resumed and resumed.judge else None
            return loop.run(watch, first)
