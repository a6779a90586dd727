"""Stopping a run that goes on in another process."""

import os
import signal

from mi.autopilot.run_lock import Owner, RunningRun, find_running
from mi.autopilot.stop_word import StopDoor, write_stop_word
from mi.kernel.errors import NotFound
from mi.kernel.home import Home


def stop_named_run(home: Home, run_id: str, by: StopDoor) -> Owner:
    """Tell a run that goes on to stop, and return its process; it can be resumed."""
    for run in find_running(home):
        if run.owner.run_id == run_id and run.owner.pid:
            return stop_run(home, run, by)
    raise NotFound("run-not-running", run_id=run_id)


def stop_run(home: Home, run: RunningRun, by: StopDoor) -> Owner:
    """Tell a run to stop, and by which door the word came, and return its process."""
    owner = run.owner
    if owner.run_id:
        write_stop_word(home.project(run.project_id), owner.run_id, by)
    os.kill(owner.pid, signal.SIGTERM)
    return owner
