"""The hosts that MI can place things into: what there is to know of each, and how each kind of wish looks there."""

import os
from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Literal

from mi.kernel.errors import UsageError
from mi.kernel.named_tuple import NamedTuple

if TYPE_CHECKING:  # whoever only asks which hosts there are, as every hook does, loads none
    from mi.hosts.adapters.host import Host
    from mi.hosts.artefacts import Artefact, Wish

Scope = Literal["project", "local", "user"]  # local: the person's own file in a project, which nobody commits


class HostEntry(NamedTuple):
    """A host: the module of its name says how things look there."""

    name: str
    folder: str  # that holds its settings, in a project and in the person's home
    variable: str  # that puts the person's settings elsewhere
    hook_files: tuple[str, ...] = ()  # settings with hooks; a host without any takes skills alone, and no server
    started_as: str = ""  # variable that says how it was started: it can ask somebody unless that is `sdk…`
    resumes_agents: bool = False  # an agent inside of it that has ended can go on
    trusts_hooks: bool = False  # it skips hooks in silence that nobody told it to trust
    program: str = ""  # that starts it, where it is not called like the host
    servers: str = ""  # the file of a project that lists its servers
    has_own_settings: bool = False  # of one person in one project, which nobody commits

    def settings(self, scope: Scope, name: str) -> str:
        """Return where a file of its settings stands: below the workspace, or at the person's own place."""
        if scope != "user":
            return f"{self.folder}/{name}"
        return os.path.join(os.environ.get(self.variable) or os.path.join(os.path.expanduser("~"), self.folder), name)


HOSTS = {
    entry.name: entry
    for entry in (
        HostEntry("openclaw", ".openclaw", "OPENCLAW_STATE_DIR"),
        HostEntry(
            "claude-code",
            ".claude",
            "CLAUDE_CONFIG_DIR",
            hook_files=("settings.json", "settings.local.json"),
            started_as="CLAUDE_CODE_ENTRYPOINT",
            resumes_agents=True,
            program="claude",
            servers=".mcp.json",
            has_own_settings=True,
        ),
        HostEntry(
            "codex",
            ".codex",
            "CODEX_HOME",
            hook_files=("hooks.json", "config.toml"),
            trusts_hooks=True,
            servers=".codex/config.toml",
        ),
    )
}
HOOK_HOSTS = tuple(entry.name for entry in HOSTS.values() if entry.hook_files)


def load_adapter(name: str) -> "Host":
    """Return the host of a name; UsageError when MI knows none."""
    if name not in HOSTS:
        raise UsageError("unknown-host", name=name, known=", ".join(HOSTS))

    host: Host = import_module(f"mi.hosts.adapters.{name.replace('-', '_')}").HOST
    return host


def list_artefacts(host: str, wishes: "Iterable[Wish]", scope: Scope = "project") -> "list[Artefact]":
    """Return what to place so that the host sees each wish: in the workspace, or below the user's home."""
    chosen = load_adapter(host)
    return [one for wish in wishes for one in chosen.artefacts(wish, scope)]
