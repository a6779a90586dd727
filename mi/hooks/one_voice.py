"""Which entry answers where a host runs two: the person's own, for all projects, and one that the project brings."""

import os
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mi.hooks import rules_state
from mi.hooks.event import HookEvent
from mi.hosts.adapters import HOSTS
from mi.kernel.files import read_bytes

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext


def leaves_to_team(event: HookEvent, context: "HomeContext", of_team: bool) -> bool:
    """Return whether a person's entry is silent: the project's own was heard in this session, or will be.

    Before a tool both answer, whatever is written into the project's file meanwhile: the same question is asked once.
    """
    if event.event == "pre-tool" or not event.session_id:
        return False
    if not of_team and event.event == "session-start":
        return _will_answer(event, context)
    is_known = os.path.exists(rules_state.find_path(event, context))
    if of_team and event.event == "session-start" and not is_known:  # no tool of the session has run that could say so
        rules_state.change(event, context, lambda old: replace(old, of_team=True))
    return not of_team and is_known and rules_state.read(event, context).of_team


def _will_answer(event: HookEvent, context: "HomeContext") -> bool:
    """Return whether the host runs the project's own entry as its session begins; Codex only one that was trusted."""
    host, root = HOSTS[event.host], context.project.root
    path = os.path.join(root, host.settings("project", host.hook_files[0]))
    if not os.path.exists(path):
        return False
    from mi.hosts.installed import find_project_entries

    entries = (one for one in find_project_entries(root) if (one.host, one.kind) == (event.host, "hook"))
    if not any("--profile" in one.words for one in entries):
        return False
    known = read_bytes(host.settings("user", "config.toml")) if host.trusts_hooks else b""
    return not host.trusts_hooks or os.fsencode(os.path.realpath(path)) in (known or b"")
