"""What a person writes while runs go on: each run that it concerns is told before it is written."""

import os
import time
from _thread import _local  # threading, which names it, takes a tenth of Python's start to import
from typing import TYPE_CHECKING

from mi.kernel.seal import Append, hear_appends

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext

_PATIENCE_S = 1.0  # for a run that is just starting, or about to end
_told: set[str] = set()  # homes whose runs this process tells
_thread = _local()


def keep_from_runs() -> None:
    """Let no run be told of what this thread appends from now on: agents write by it."""
    _thread.is_agents = True


def tell_runs(context: "HomeContext") -> None:
    """Have the runs of a home told of what this process appends to its logs from now on."""
    home, notices = context.home, context.notices
    if home.root in _told:
        return
    _told.add(home.root)

    def hear(said: Append) -> None:
        named = home.relative(said.log)
        if named == said.log or getattr(_thread, "is_agents", False):
            return  # another home's, or no person's
        if said.content and not _speaks(said):
            return  # it counts, whoever writes it
        place = named.split(os.sep)
        concerned = place[1:2] if place[0] == "projects" else home.project_ids()
        for lock in (lock for project_id in concerned for lock in home.project(project_id).list_run_locks()):
            run_id = _tell(lock, said._replace(log=named))
            if run_id:
                notices.add("run-not-told", said.log, run_id=run_id)

    hear_appends(hear)


def _speaks(said: Append) -> bool:
    """Return whether what is written would count as the person's word."""
    from mi.evidence.home_changes import speaks_for_person

    return any(speaks_for_person(said.log, line) for line in said.content.splitlines())


def _tell(lock: str, said: Append) -> str:
    """Tell the run that holds a lock; return the run that did not hear it, '' when there is none."""
    from mi.autopilot.run_lock import read_owner
    from mi.kernel.locks import is_held

    deadline = time.monotonic() + _PATIENCE_S
    while is_held(lock):
        owner = read_owner(lock)
        if owner.pid == os.getpid() or (owner.run_id and not owner.door):
            return ""  # this process, or one that goes by what is written
        from mi.autopilot.person_door import tell_run

        if owner.door and tell_run(owner.door, said):
            return ""
        if time.monotonic() > deadline:
            return owner.run_id
        time.sleep(0.02)
    return ""
