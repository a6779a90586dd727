"""Hooks in a host's settings, and out of them again."""

from typing import TYPE_CHECKING

from mi.hooks.event import EVENTS
from mi.hosts.adapters import Scope, list_artefacts
from mi.hosts.apply import Placed, place, remove
from mi.hosts.artefacts import HookEntry
from mi.hosts.command import own_command
from mi.hosts.hook_line import build_hook_line
from mi.hosts.scopes import scope_workspace
from mi.kernel.messages import text

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext
    from mi.hosts.artefacts import Artefact

_TIMEOUT_S = 30
_AT_END_S = 3  # Codex allows no more when a session ends, and complains


def install(context: "HomeContext", host: str, scope: Scope, enforced: tuple[str, ...]) -> Placed:
    """Enter one hook per event; entered again, they are as the last call said."""
    lines = build_commands(context, host, scope, enforced)
    place_at = scope_workspace(context.home, host, scope, context.project.root)
    return place(place_at, name_owner(host), list_hooks(host, scope, lines))


def list_hooks(host: str, scope: Scope, lines: dict[str, str]) -> "list[Artefact]":
    """Return what to place so that a host runs these lines."""
    entries = [
        HookEntry(event=name, command=line, timeout_s=_AT_END_S if name == "SessionEnd" else _TIMEOUT_S)
        for name, line in lines.items()
    ]
    return list_artefacts(host, entries, scope)


def build_commands(
    context: "HomeContext", host: str, scope: Scope, enforced: tuple[str, ...], profile: str = ""
) -> dict[str, str]:
    """Return the command line of each event, by the host's name of it; with a profile it is the same on any machine."""
    chosen = ["--enforce", ",".join(enforced)] if enforced else []
    words = own_command(context.home, context.project.root if scope == "project" else "")
    if profile:
        words, chosen = ["mi"], ["--profile", profile]
    refusals = {"pre-tool": text("hook.program-gone", context.language, program=words[0])}
    return {
        name: build_hook_line([*words, "hook", event, "--host", host, *chosen], refusals.get(event, ""))
        for event, name in EVENTS.items()
    }


def uninstall(context: "HomeContext", host: str, scope: Scope) -> Placed:
    """Take the hooks out."""
    return remove(scope_workspace(context.home, host, scope, context.project.root), name_owner(host))


def name_owner(host: str) -> str:
    """Return under which name the hooks of a host are listed."""
    return f"hook {host}"
