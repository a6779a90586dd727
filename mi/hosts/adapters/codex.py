"""Codex: skills below `.agents/`, hooks in `.codex/hooks.json`, MCP servers in its `config.toml`."""

import json
import os

import msgspec

from mi.hosts.adapters import HOSTS, Scope
from mi.hosts.adapters.host import build_hook_value, list_skill_artefacts, make_skill
from mi.hosts.artefacts import (
    Agent,
    Artefact,
    HookEntry,
    JsonItem,
    McpEntry,
    Skill,
    Wish,
    name_folder,
    render_toml_block,
)


class CodexHost:
    name = "codex"
    skills = ".agents/skills"

    def artefacts(self, wish: Wish, scope: Scope) -> list[Artefact]:
        match wish:
            case Skill() | Agent():
                skill = _told(make_skill(wish) if isinstance(wish, Agent) else wish)
                users = os.path.join(os.path.expanduser("~"), self.skills)
                return list_skill_artefacts(self.name, users if scope == "user" else self.skills, skill, scope)
            case HookEntry():
                return [
                    JsonItem(
                        HOSTS[self.name].settings(scope, "hooks.json"), ("hooks", wish.event), build_hook_value(wish)
                    )
                ]
            case McpEntry():
                table = f"[mcp_servers.{name_folder(wish.name)}]"
                config = HOSTS[self.name].settings(scope, "config.toml")
                return [render_toml_block(config, f"mcp-{wish.name}", _server(table, wish), taken=table)]


def _told(skill: Skill) -> Skill:
    """Return a skill with what Codex reads beside SKILL.md: whether the agent may take it up by itself."""
    if not skill.manual:
        return skill
    policy = {"agents/openai.yaml": "policy:\n  allow_implicit_invocation: false\n"}
    return msgspec.structs.replace(skill, files=skill.files | policy)


def _server(table: str, wish: McpEntry) -> str:
    """Return the server's table; required, for Codex silently leaves out a server that is slow to start."""
    lines = [table, f"command = {_toml(wish.command)}", f"args = [{', '.join(map(_toml, wish.args))}]"]
    if wish.env:
        lines.append(f"env = {{ {', '.join(f'{_toml(key)} = {_toml(one)}' for key, one in wish.env.items())} }}")
    return "\n".join([*lines, "required = true", "startup_timeout_sec = 20", 'default_tools_approval_mode = "approve"'])


def _toml(text: str) -> str:
    """Return a TOML basic string: JSON's escapes are all known to it."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


HOST = CodexHost()
