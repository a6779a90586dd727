"""Claude Code: skills and agents below `.claude/`, hooks in its settings, MCP servers in `.mcp.json`."""

import os

from mi.hosts.adapters import Scope
from mi.hosts.adapters.host import below_home, front_matter, hook_value, skill_artefacts
from mi.hosts.artefacts import (
    Agent,
    Artefact,
    File,
    HookEntry,
    JsonEntry,
    JsonItem,
    McpEntry,
    Skill,
    Wish,
    folder_name,
)


class ClaudeCode:
    name = "claude-code"
    skills = ".claude/skills"

    def artefacts(self, wish: Wish, scope: Scope) -> list[Artefact]:
        match wish:
            case Skill():
                return skill_artefacts(self.name, self._in(scope, "skills"), wish, scope)
            case Agent():
                path = self._in(scope, f"agents/{folder_name(wish.name)}.md")
                tools = {"tools": ", ".join(wish.tools)} if wish.tools else {}
                head = front_matter(name=wish.name, description=wish.description, **tools)
                return [File(path, head + wish.body.rstrip("\n") + "\n")]
            case HookEntry():
                return [JsonItem(self._in(scope, "settings.json"), ("hooks", wish.event), hook_value(wish))]
            case McpEntry():
                value: dict[str, object] = {"command": wish.command, "args": wish.args}
                return [JsonEntry(_servers(scope), ("mcpServers", wish.name), value | _env(wish))]

    def _in(self, scope: Scope, name: str) -> str:
        return below_home("CLAUDE_CONFIG_DIR", ".claude", name) if scope == "user" else f".claude/{name}"


def _servers(scope: Scope) -> str:
    if scope == "project":
        return ".mcp.json"
    folder = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~")
    return os.path.join(folder, ".claude.json")


def _env(wish: McpEntry) -> dict[str, object]:
    return {"env": wish.env} if wish.env else {}


HOST = ClaudeCode()
