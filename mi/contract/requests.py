"""A person's new request in a host's chat: it opens a finished task list for the tasks of that request."""

import os
import time

from msgspec import Struct

from mi.contract.proposals import identify_tasks
from mi.kernel.notices import Notices
from mi.kernel.state import read_state, update_state

_FILE = "requests.json"
_LASTS_S = 600  # the host may ask the person about the call itself before it is made
_MOST = 50


class TaskPass(Struct, frozen=True, kw_only=True):
    """Leave for one call that adds tasks, and the request they are for."""

    tasks: str
    request: str
    given_at: float


class TaskPasses(Struct, frozen=True, kw_only=True):
    """`contract/requests.json`."""

    version: str = "v1"
    passes: list[TaskPass] = []


def allow_tasks(folder: str, tasks: str, request: str, notices: Notices) -> None:
    """Give leave for one call that adds these tasks, told by `identify_tasks`."""
    made = TaskPass(tasks=tasks, request=request, given_at=time.time())
    path = os.path.join(folder, _FILE)
    update_state(path, TaskPasses, lambda old: TaskPasses(passes=[*_lasting(old), made][-_MOST:]), notices, sync=False)


def take_leave(folder: str, title: str, section: str, subtasks: list[str], notices: Notices) -> str:
    """Return the request that tasks may be added for, once; '' without leave."""
    path, tasks = os.path.join(folder, _FILE), identify_tasks(title, section, subtasks)
    if all(one.tasks != tasks for one in _lasting(read_state(path, TaskPasses, notices))):
        return ""
    taken: list[TaskPass] = []

    def take(old: TaskPasses) -> TaskPasses:
        lasting = _lasting(old)
        taken.extend([one for one in lasting if one.tasks == tasks][:1])
        return TaskPasses(passes=[one for one in lasting if one not in taken])

    update_state(path, TaskPasses, take, notices, sync=False)
    return taken[0].request if taken else ""


def _lasting(passes: TaskPasses) -> list[TaskPass]:
    return [one for one in passes.passes if 0 <= time.time() - one.given_at < _LASTS_S]
