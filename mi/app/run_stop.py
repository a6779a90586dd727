"""Stopping a run that goes on in another process."""

import os
import signal

from mi.autopilot.run_lock import Owner, find_running
from mi.kernel.errors import NotFound
from mi.kernel.home import Home


def stop_run(home: Home, run_id: str) -> Owner:
    """Tell a run that goes on to stop, and return its process; it can be resumed."""
    for run in find_running(home):
        if run.owner.run_id == run_id and run.owner.pid:
            os.kill(run.owner.pid, signal.SIGTERM)
            return run.owner
    raise NotFound("run-not-running", run_id=run_id)
