"""The contract in an agent host's own hooks: the state of a host's session, fed by what its hooks see.

Hooks run in other processes than our server and know the host's session, not the server's slot.
"""

import os
from collections.abc import Sequence
from itertools import islice
from typing import Any

from mi.contract import state as states
from mi.contract.gate import GateVerdict, MutationRequest
from mi.contract.session import Boundary, ContractPlace, ContractSession
from mi.evidence.reader import read_back
from mi.hosts.adapters import HOSTS
from mi.tasks import nexus_tasks
from mi.tasks.tinytasks import FILE

_RECALLS = ("memory_query", "memory_recent")
_LATEST = 50  # events of the log among which a call that was just answered stands


def open_host_session(place: ContractPlace, host: str, session_id: str, boundary: Boundary = "hook") -> ContractSession:
    """Return the session of a host, by the id the host gives it."""
    name = f"{states.HOST}{states.clean_client_name(host)}-{states.clean_client_name(session_id)}.json"
    return ContractSession(place, states.StateFile(os.path.join(place.folder, name), place.notices), boundary)


def note_call(session: ContractSession, tool: str, arguments: dict[str, Any], result: dict[str, Any]) -> None:
    """Our server answered a call in this host's session: take over receipt, mode and pointer."""
    if "error" in result:
        return
    session.sync_pointer()
    if tool in _RECALLS:
        found = [one for one in result.get("results") or [] if isinstance(one, dict)]
        ids = [str(one.get("id") or "") for one in found]
        session.state_file.update(lambda old: states.add_receipt(old, str(arguments.get("query") or ""), ids))
    mode = next((one for one in states.MODES if one == arguments.get("mode")), None)
    if tool == "memory_set_mode" and mode is not None:
        session.state_file.update(lambda old: states.set_mode(old, mode))


def is_answered_by_us(session: ContractSession, result: dict[str, Any]) -> bool:
    """Return whether a result is our server's, whatever name the host has for it: then its event stands in our log."""
    event_id = result.get("event_id")
    latest = islice(read_back(session.place.log, session.place.notices), _LATEST)
    return bool(event_id) and any(event.head.event_id == event_id for event in latest)


def note_plan(session: ContractSession, steps: int) -> None:
    """Note that the agent declared a plan, in its text or with the host's own plan tool."""
    if steps > 1:
        session.state_file.update(lambda old: states.set_steps(old, steps))


def judge_edit(session: ContractSession, tool: str, paths: Sequence[str], home: str) -> GateVerdict:
    """Return whether the agent may change these files now; Refused otherwise, with the violation on record."""
    request = MutationRequest(tool, "edit", {"paths": list(paths)})
    protected = ProtectedFiles(session.place.root, home)
    for path in filter(protected.hold, paths):
        raise session.protected(request, path)
    return session.pass_gate(request)


def note_edit(session: ContractSession, tool: str, paths: Sequence[str], home: str) -> None:
    """Files were changed: an event; a violation too where the gate would not have let it pass (R6)."""
    request, named = MutationRequest(tool, "edit", {"paths": list(paths)}), ", ".join(paths)[:500]
    verdict = session.judge(request)
    session.passed(verdict, request, named)
    own = any(map(ProtectedFiles(session.place.root, home).hold, paths))
    if own or not verdict.passed:
        session.violation("PROTECTED_FILE" if own else verdict.code, tool, "done", named)


class ProtectedFiles:
    """The files that may only be changed through the task tools, by MI itself, or by a person."""

    def __init__(self, root: str, home: str) -> None:
        self._root = root
        lists = (os.path.join(root, name) for name in (FILE, nexus_tasks.FILE, nexus_tasks.OWN))
        self._own = [os.path.realpath(one) for one in (*lists, *_hook_files(root), home)]
        # Of folders around the project nobody can say what a command means there.
        self._around = (os.path.realpath(root), os.path.realpath(os.path.expanduser("~")))

    def hold(self, path: str) -> bool:
        """Return whether a file is one of them; a folder goes with everything in it."""
        real, home = os.path.realpath(os.path.join(self._root, path)), self._own[-1]
        if real in self._own or _is_below(real, home):
            return True
        if not os.path.isdir(real) or any(one == real or _is_below(one, real) for one in self._around):
            return False
        return any(_is_below(one, real) for one in self._own)


def _hook_files(root: str) -> list[str]:
    found = []
    for host in HOSTS.values():
        own = (os.path.join(folder, host.folder) for folder in (root, os.path.expanduser("~")))
        places = [*own, os.environ.get(host.variable)]
        found += [os.path.join(place, name) for place in places if place for name in host.hook_files]
    return found


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip(os.sep) + os.sep)
