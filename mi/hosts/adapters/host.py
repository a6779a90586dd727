"""What a host adapter is, and what the adapters share."""

import json
from typing import Protocol

from mi.hosts.adapters import Scope
from mi.hosts.artefacts import Agent, Artefact, File, HookEntry, Link, McpEntry, Skill, Wish, name_folder
from mi.hosts.own_shape import OWN
from mi.kernel.errors import UsageError
from mi.kernel.messages import NestedText
from mi.kernel.text import make_printable


class Host(Protocol):
    """One agent host: where it looks for things."""

    name: str
    skills: str  # the folder of a workspace in which it finds skills

    def artefacts(self, wish: Wish, scope: Scope) -> list[Artefact]:
        """Return what to place for a wish."""


def find_generated_root(host: str) -> str:
    """Return the folder of a workspace that holds what MI generates for a host."""
    return f"{OWN}/generated/{host}"


def name_skill_folder(host: str, name: str) -> str:
    """Return the generated folder of a skill."""
    return f"{find_generated_root(host)}/skills/{name_folder(name)}"


def list_skill_artefacts(host: str, skills: str, skill: Skill, scope: Scope) -> list[Artefact]:
    """Return a skill: in a workspace generated in MI's own folder and linked to where the host looks."""
    name = name_folder(skill.name)
    folder = f"{skills}/{name}" if scope == "user" else name_skill_folder(host, name)
    contents = {"SKILL.md": render_skill(skill)} | skill.files
    made: list[Artefact] = [File(f"{folder}/{inside}", text) for inside, text in contents.items()]
    return made if scope == "user" else [*made, Link(f"{skills}/{name}", folder)]


def render_skill(skill: Skill) -> str:
    """SKILL.md: what the agent sees at once, then what it reads when it uses the skill."""
    head: dict[str, str | bool] = {"name": skill.name, "description": skill.description}
    if skill.manual:
        head["disable-model-invocation"] = True
    return render_front_matter(**head) + skill.body.rstrip("\n") + "\n"


def render_front_matter(**values: str | bool) -> str:
    """Return the head of a Markdown file; a JSON string is also a YAML one, on one line."""
    plain = {key: make_printable(" ".join(one.split())) if isinstance(one, str) else one for key, one in values.items()}
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in plain.items()]
    return "\n".join(["---", *lines, "---", "", ""])


def make_skill(agent: Agent) -> Skill:
    """Return a role as a skill, for hosts without roles."""
    return Skill(name=agent.name, description=agent.description, body=agent.body)


def build_hook_value(hook: HookEntry) -> dict[str, object]:
    """Return a hook as Claude Code and Codex write it."""
    command = {"type": "command", "command": hook.command, "timeout": hook.timeout_s}
    return ({"matcher": hook.matcher} if hook.matcher else {}) | {"hooks": [command]}


def refuse(host: str, wish: HookEntry | McpEntry) -> UsageError:
    """Return the error for a host that has no place for something."""
    return UsageError(
        "host-cannot",
        host=host,
        what=NestedText("reason.hooks" if isinstance(wish, HookEntry) else "reason.mcp-servers"),
    )
