"""Claude Code: skills and agents below `.claude/`, hooks in its settings, MCP servers in `.mcp.json`."""

import os

from mi.hosts.adapters import HOSTS, Scope
from mi.hosts.adapters.host import front_matter, hook_value, skill_artefacts
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
        settings = HOSTS[self.name].settings
        match wish:
            case Skill():
                return skill_artefacts(self.name, settings(scope, "skills"), wish, scope)
            case Agent():
                path = settings(scope, f"agents/{folder_name(wish.name)}.md")
                tools = {"tools": ", ".join(wish.tools)} if wish.tools else {}
                head = front_matter(name=wish.name, description=wish.description, **tools)
                return [File(path, head + wish.body.rstrip("\n") + "\n")]
            case HookEntry():
                return [JsonItem(settings(scope, "settings.json"), ("hooks", wish.event), hook_value(wish))]
            case McpEntry():
                value: dict[str, object] = {"command": wish.command, "args": wish.args}
                return [JsonEntry(self._servers(scope), ("mcpServers", wish.name), value | _env(wish))]

    def _servers(self, scope: Scope) -> str:
        if scope == "project":
            return ".mcp.json"
        return os.path.join(os.environ.get(HOSTS[self.name].variable) or os.path.expanduser("~"), ".claude.json")


def _env(wish: McpEntry) -> dict[str, object]:
    return {"env": wish.env} if wish.env else {}


HOST = ClaudeCode()
