"""Claude Code: skills and agents below `.claude/`, hooks in its settings, MCP servers in `.mcp.json`."""

import os

from mi.hosts.adapters import HOSTS, Scope
from mi.hosts.adapters.host import build_hook_value, list_skill_artefacts, render_front_matter
from mi.hosts.artefacts import Agent, Artefact, File, HookEntry, JsonEntry, JsonItem, McpEntry, Skill, Wish, name_folder


class ClaudeCode:
    name = "claude-code"
    skills = ".claude/skills"

    def artefacts(self, wish: Wish, scope: Scope) -> list[Artefact]:
        settings = HOSTS[self.name].settings
        match wish:
            case Skill():
                return list_skill_artefacts(self.name, settings(scope, "skills"), wish, scope)
            case Agent():
                path = settings(scope, f"agents/{name_folder(wish.name)}.md")
                tools = {"tools": ", ".join(wish.tools)} if wish.tools else {}
                head = render_front_matter(name=wish.name, description=wish.description, **tools)
                return [File(path, head + wish.body.rstrip("\n") + "\n")]
            case HookEntry():
                name = "settings.local.json" if scope == "local" else "settings.json"
                return [JsonItem(settings(scope, name), ("hooks", wish.event), build_hook_value(wish))]
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
