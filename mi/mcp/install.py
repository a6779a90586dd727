"""MI's server in a client's configuration, and out of it again."""

import os
from typing import TYPE_CHECKING

import msgspec

from mi.hosts.adapters import HOOK_HOSTS, Scope, list_artefacts
from mi.hosts.apply import Placed, place, remove
from mi.hosts.artefacts import JsonEntry, McpEntry
from mi.hosts.command import own_command
from mi.hosts.scopes import scope_workspace
from mi.mcp.clients import CLIENTS as OTHERS
from mi.mcp.clients import build_server_entry

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext
    from mi.hosts.artefacts import Artefact

SERVER = "mi"  # the name in clients: their tools are called mcp__mi__…
CLIENTS = (*HOOK_HOSTS, *OTHERS)


def build_entry(context: "HomeContext", tools: tuple[str, ...], profile: str = "") -> McpEntry:
    """Return how a client starts the server; with a profile it is the same on any machine."""
    command, *words = own_command(context.home)
    chosen = ["--tools", ",".join(tools)] if tools else []
    if profile:
        command, words, chosen = "mi", [], ["--profile", profile]
    return McpEntry(name=SERVER, command=command, args=[*words, "mcp", "serve", *chosen])


def install(context: "HomeContext", client: str, scope: Scope, tools: tuple[str, ...]) -> Placed:
    """Enter the server; entered again, it is as the last call said."""
    place_at = scope_workspace(context.home, client, scope, context.project.root)
    return place(place_at, name_owner(client), list_servers(context, client, scope, tools))


def list_servers(
    context: "HomeContext", client: str, scope: Scope, tools: tuple[str, ...] = (), profile: str = ""
) -> "list[Artefact]":
    """Return what to place so that a client starts the server."""
    server = build_entry(context, tools, profile)
    if client in OTHERS:
        return build_server_entry(client, server, scope)
    placed = list_artefacts(client, [server], "user" if scope == "local" else scope)
    if scope == "local":  # the person's own file has a part for each project
        own = ("projects", os.path.realpath(context.project.root))
        return [msgspec.structs.replace(one, keys=(*own, *one.keys)) for one in placed if isinstance(one, JsonEntry)]
    return placed


def uninstall(context: "HomeContext", client: str, scope: Scope) -> Placed:
    """Take the server out."""
    return remove(scope_workspace(context.home, client, scope, context.project.root), name_owner(client))


def name_owner(client: str) -> str:
    """Return under which name the server of a client is listed."""
    return f"mcp {client}"
