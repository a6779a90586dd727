"""What MI keeps of each run beside its records: its segment, the agent's thread, the cursor of its workflow.

The overlay and `segment_state.json` hold the latest run's, as the first version had it.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct
from msgspec.structs import replace

from mi.kernel import clock
from mi.kernel.files import remove_if_there
from mi.kernel.home import FILE_MODE, ProjectHome, make_place
from mi.kernel.locks import try_lock
from mi.kernel.notices import Notices
from mi.kernel.state import read_state, update_state
from mi.project.overlay import HandsState, Overlay, WorkflowRun

_KEPT = 50  # runs; an older one is resumed by its records
_THREAD, _CURSOR = "hands_state.json", "workflow_run.json"


class RunThread(Struct, frozen=True, kw_only=True):
    """The agent's thread of a run, and the work tree in which it worked."""

    version: str = "v1"
    provider: str = ""
    thread_id: str = ""
    updated_ts: str = ""
    root: str = ""


def keep_state(place: ProjectHome, run_id: str, name: str, state: Struct, notices: Notices) -> None:
    """Write a state of one run; those of the oldest runs go."""
    path = place.run_state(run_id, name)
    is_new = not os.path.isdir(os.path.dirname(path))
    update_state(path, type(state), lambda old: state, notices)
    if is_new:
        for older in list_runs(place)[_KEPT:]:
            shutil.rmtree(place.path("runs", older), ignore_errors=True)


@contextmanager
def hold_run(place: ProjectHome, run_id: str) -> Iterator[bool]:
    """Hold what is kept of a run that ended; yield False while another process does."""
    path = place.run_state(run_id, "learning.lock")
    make_place(path)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
    try:
        yield try_lock(fd, path)
    finally:
        os.close(fd)


def list_runs(place: ProjectHome) -> list[str]:
    """Return the runs of which a state is kept, the latest first: their ids begin with the time."""
    try:
        return sorted(os.listdir(place.path("runs")), reverse=True)
    except (FileNotFoundError, NotADirectoryError):
        return []


def store_cursor(place: ProjectHome, run_id: str, cursor: WorkflowRun, notices: Notices) -> None:
    """Keep where a run is in its workflow."""
    if cursor.run_id == run_id:
        keep_state(place, run_id, _CURSOR, cursor, notices)
    update_state(place.overlay, Overlay, lambda overlay: replace(overlay, workflow_run=cursor), notices)


def read_cursor(place: ProjectHome, run_id: str, notices: Notices) -> WorkflowRun:
    """Return where a run is in its workflow; before it has one, what the latest run of the project left."""
    own = read_state(place.run_state(run_id, _CURSOR), WorkflowRun, notices)
    return own if own.run_id else read_state(place.overlay, Overlay, notices).workflow_run


def store_thread_state(place: ProjectHome, run_id: str, root: str, state: HandsState, notices: Notices) -> None:
    """Keep the agent's thread of a run in a work tree."""
    kept = RunThread(provider=state.provider, thread_id=state.thread_id, updated_ts=state.updated_ts, root=root)
    keep_state(place, run_id, _THREAD, kept, notices)
    _store_latest(place, state, notices)


def forget_threads(place: ProjectHome, root: str, notices: Notices) -> None:
    """Forget the agents' threads of a work tree, so that the next run there begins afresh."""
    for run_id, thread in _list_threads(place, notices):
        if thread.root == root:
            remove_if_there(place.run_state(run_id, _THREAD))
    _store_latest(place, HandsState(updated_ts=clock.now()), notices)


def find_thread_state(place: ProjectHome, root: str, notices: Notices) -> HandsState:
    """Return the agent's thread that was the latest in a work tree; another tree's would work on other files."""
    latest = read_state(place.overlay, Overlay, notices).hands_state
    kept = [thread for _, thread in _list_threads(place, notices) if thread.thread_id]
    elsewhere = any(thread.root != root and thread.thread_id == latest.thread_id for thread in kept)
    if latest.thread_id and not elsewhere:
        return latest
    own = next((thread for thread in kept if thread.root == root), RunThread())
    return HandsState(provider=own.provider, thread_id=own.thread_id, updated_ts=own.updated_ts)


def _list_threads(place: ProjectHome, notices: Notices) -> list[tuple[str, RunThread]]:
    return [(one, read_state(place.run_state(one, _THREAD), RunThread, notices)) for one in list_runs(place)]


def _store_latest(place: ProjectHome, state: HandsState, notices: Notices) -> None:
    update_state(place.overlay, Overlay, lambda overlay: replace(overlay, hands_state=state), notices)
