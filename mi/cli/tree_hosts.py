"""What a host keeps by folder, given to the work tree of a run, too: MI's server for Claude Code.

Codex needs nothing: it takes hooks, and its trust in them, of a linked work tree from the main one.
"""

from mi.app.home_context import HomeContext
from mi.app.setup import find_scope
from mi.hosts.adapters import HOSTS
from mi.hosts.apply import place, remove
from mi.hosts.scopes import scope_workspace
from mi.hosts.setups import read_setups
from mi.mcp.install import list_servers, name_owner


def enter_hosts(context: HomeContext) -> None:
    """Let each host that the project is set up for act in this work tree as it does in the person's own."""
    root = context.project.root
    for host, profile in read_setups(context.home, context.notices).get(context.main_root, {}).items():
        if find_scope(host, profile) == "local":
            own = scope_workspace(context.home, host, "user", root)
            place(own, f"{name_owner(host)} {root}", list_servers(context, host, "local"))


def leave_hosts(context: HomeContext, root: str) -> None:
    """Take out again what was entered for a work tree."""
    for host in HOSTS:
        remove(scope_workspace(context.home, host, "user", root), f"{name_owner(host)} {root}")
