"""MCP clients that are no hosts of MI's otherwise: where each keeps its servers, and how it writes one."""

import os
from typing import Literal

from mi.hosts.adapters import Scope
from mi.hosts.artefacts import Artefact, JsonEntry, McpEntry
from mi.kernel.errors import UsageError
from mi.kernel.named_tuple import NamedTuple


class Client(NamedTuple):
    """The file of a project, the one of the person ("" where that depends on the system), and the form of a server."""

    project: str
    user: str
    key: str = "mcpServers"
    form: Literal["plain", "typed", "list"] = "plain"


CLIENTS = {
    "cursor": Client(".cursor/mcp.json", ".cursor/mcp.json"),
    "gemini-cli": Client(".gemini/settings.json", ".gemini/settings.json"),
    "opencode": Client("opencode.json", ".config/opencode/opencode.json", "mcp", "list"),
    "qwen-code": Client(".qwen/settings.json", ".qwen/settings.json"),
    "vscode": Client(".vscode/mcp.json", "", "servers", "typed"),
}


def build_server_entry(name: str, server: McpEntry, scope: Scope) -> list[Artefact]:
    """Return what to place so that a client starts the server; UsageError where its place is not known."""
    client = CLIENTS[name]
    if scope == "user" and not client.user:
        raise UsageError("client-by-project", client=name)
    path = os.path.join(os.path.expanduser("~"), client.user) if scope == "user" else client.project
    return [JsonEntry(path, (client.key, server.name), _written(client, server))]


def _written(client: Client, server: McpEntry) -> dict[str, object]:
    match client.form:
        case "list":
            return {"type": "local", "command": [server.command, *server.args], "enabled": True}
        case "typed":
            return {"type": "stdio", "command": server.command, "args": server.args}
    return {"command": server.command, "args": server.args}
