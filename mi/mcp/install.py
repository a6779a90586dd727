"""MI's server in a client's configuration, and out of it again."""

from typing import TYPE_CHECKING

from mi.hosts.adapters import HOOK_HOSTS, Scope, list_artefacts
from mi.hosts.apply import Placed, place, remove
from mi.hosts.artefacts import McpEntry
from mi.hosts.command import own_command
from mi.hosts.scopes import scope_workspace
from mi.mcp.clients import CLIENTS as OTHERS
from mi.mcp.clients import build_server_entry

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext

SERVER = "mi"  # the name in clients: their tools are called mcp__mi__…
CLIENTS = (*HOOK_HOSTS, *OTHERS)


def build_entry(context: "HomeContext", tools: tuple[str, ...]) -> McpEntry:
    """Return how a client starts the server."""
    command, *words = own_command(context.home)
    chosen = ["--tools", ",".join(tools)] if tools else []
    return McpEntry(name=SERVER, command=command, args=[*words, "mcp", "serve", *chosen])


def install(context: "HomeContext", client: str, scope: Scope, tools: tuple[str, ...]) -> Placed:
    """Enter the server; entered again, it is as the last call said."""
    place_at = scope_workspace(context.home, client, scope, context.project.root)
    server = build_entry(context, tools)
    entries = build_server_entry(client, server, scope) if client in OTHERS else list_artefacts(client, [server], scope)
    return place(place_at, _owner(client), entries)


def uninstall(context: "HomeContext", client: str, scope: Scope) -> Placed:
    """Take the server out."""
    return remove(scope_workspace(context.home, client, scope, context.project.root), _owner(client))


def _owner(client: str) -> str:
    return f"mcp {client}"
