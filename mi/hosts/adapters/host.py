"""What a host adapter is, and what the adapters share."""

import json
from typing import Protocol

from mi.hosts.adapters import Scope
from mi.hosts.artefacts import Agent, Artefact, File, HookEntry, Link, McpEntry, Skill, Wish, folder_name
from mi.hosts.own_shape import OWN
from mi.kernel.errors import UsageError
from mi.kernel.messages import NestedText
from mi.kernel.text import printable


class Host(Protocol):
    """One agent host: where it looks for things."""

    name: str
    skills: str  # the folder of a workspace in which it finds skills

    def artefacts(self, wish: Wish, scope: Scope) -> list[Artefact]:
        """What to place for a wish."""


def generated_root(host: str) -> str:
    """The folder of a workspace that holds what MI generates for a host."""
    return f"{OWN}/generated/{host}"


def skill_folder(host: str, name: str) -> str:
    """The generated folder of a skill."""
    return f"{generated_root(host)}/skills/{folder_name(name)}"


def skill_artefacts(host: str, skills: str, skill: Skill, scope: Scope) -> list[Artefact]:
    """A skill: in a workspace generated in MI's own folder and linked to where the host looks."""
    name = folder_name(skill.name)
    folder = f"{skills}/{name}" if scope == "user" else skill_folder(host, name)
    contents = {"SKILL.md": skill_text(skill)} | skill.files
    made: list[Artefact] = [File(f"{folder}/{inside}", text) for inside, text in contents.items()]
    return made if scope == "user" else [*made, Link(f"{skills}/{name}", folder)]


def skill_text(skill: Skill) -> str:
    """SKILL.md: what the agent sees at once, then what it reads when it uses the skill."""
    head: dict[str, str | bool] = {"name": skill.name, "description": skill.description}
    if skill.manual:
        head["disable-model-invocation"] = True
    return front_matter(**head) + skill.body.rstrip("\n") + "\n"


def front_matter(**values: str | bool) -> str:
    """The head of a Markdown file; a JSON string is also a YAML one, on one line."""
    plain = {key: printable(" ".join(one.split())) if isinstance(one, str) else one for key, one in values.items()}
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in plain.items()]
    return "\n".join(["---", *lines, "---", "", ""])


def as_skill(agent: Agent) -> Skill:
    """A role as a skill, for hosts without roles."""
    return Skill(name=agent.name, description=agent.description, body=agent.body)


def hook_value(hook: HookEntry) -> dict[str, object]:
    """A hook as Claude Code and Codex write it."""
    command = {"type": "command", "command": hook.command, "timeout": hook.timeout_s}
    return ({"matcher": hook.matcher} if hook.matcher else {}) | {"hooks": [command]}


def cannot(host: str, wish: HookEntry | McpEntry) -> UsageError:
    """A host that has no place for something."""
    return UsageError(
        "host-cannot",
        host=host,
        what=NestedText("reason.hooks" if isinstance(wish, HookEntry) else "reason.mcp-servers"),
    )
