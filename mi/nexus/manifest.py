"""The roster in other forms: the manifest, the same bytes for the same sources, and what each host is given of it."""

import os
from hashlib import sha256
from typing import Any

import msgspec

from mi import __version__
from mi.hosts.artefacts import Agent, Skill, Wish
from mi.kernel import git
from mi.kernel.config.types import Nexus as Settings
from mi.kernel.files import read_bytes
from mi.kernel.state import encode_pretty
from mi.nexus import vocabulary_types as types
from mi.nexus.capabilities import find_action, list_capabilities
from mi.nexus.macros import expand
from mi.nexus.roster import SHIPPED, Member, Roster, load
from mi.nexus.store import encode_strict
from mi.nexus.toolset import TOOLS

CONTRACT = "2.0"
OWNER = "nexus"
SERVER = "mi"  # the name under which hosts know MI's MCP server
# Claude Code's tools by the capability that takes them away; those that only read are never taken.
_READING = ["Read", "Glob", "Grep", "WebFetch", "WebSearch"]
_TAKEN = {"no_file_edit": ["Edit", "Write", "NotebookEdit"], "no_shell_exec": ["Bash"]}


def hash_body(body: str) -> str:
    """Return the fingerprint of a text, the same on every system: line ends and what trails do not count."""
    normal = body.replace("\r\n", "\n").rstrip() + "\n"
    return "sha256:" + sha256(normal.encode()).hexdigest()


def build_manifest(roster: Roster, commit: str) -> bytes:
    """Return the whole of manifest.json."""
    words = roster.vocabulary
    vocabulary = {name: _sorted(getattr(words, name)) for name in words._fields}
    summary = types.InvocationSummary.__struct_fields__
    invocations = [{name: one[name] for name in summary} for one in vocabulary["invocations"]]
    whole = {
        "version": __version__,
        "commit": commit,
        "schema_contract_version": CONTRACT,
        "agents": [_entry(agent) for agent in sorted(roster.agents, key=lambda member: str(member.meta.id))],
        "skills": [_entry(skill) for skill in sorted(roster.skills, key=lambda member: str(member.meta.id))],
        "vocabulary": vocabulary | {"invocations": invocations},
    }
    return encode_pretty(encode_strict(whole, types.Manifest))


def _sorted(value: Any) -> Any:
    plain = msgspec.to_builtins(value)
    return sorted(plain, key=lambda one: one["id"]) if isinstance(plain, list) else plain


def _entry(member: Member) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(member.meta)
    return plain | {"body_hash": hash_body(member.body)}


def build_shipped_manifest() -> bytes:
    """Return the manifest of what this installation ships."""
    return build_manifest(load(), find_commit(SHIPPED))


def find_commit(folder: str) -> str:
    """Return the commit that a source tree stands at, or that a package was built from; `unknown` for neither."""
    built = (read_bytes(os.path.join(folder, "commit.txt")) or b"").decode("utf-8", "replace").strip()
    root = None if built else git.find_toplevel(folder)
    if root is None or not os.path.isfile(os.path.join(root, "pyproject.toml")):
        return built or "unknown"
    tracked = git.run(root, "ls-files", "--error-unmatch", "--", os.path.join(folder, "manifest.py")).code == 0
    answer = git.run(root, "rev-parse", "HEAD")
    return answer.output.strip() if tracked and answer.code == 0 else "unknown"


def wishes(roster: Roster, settings: Settings) -> list[Wish]:
    """Return every agent and skill, to be placed into a workspace."""
    agents: list[Wish] = [_agent(roster, member, settings) for member in roster.agents]
    return [*agents, *(_skill(roster, member) for member in roster.skills)]


def _agent(roster: Roster, member: Member, settings: Settings) -> Agent:
    bounds = list_capabilities(member.meta.id, settings)
    guidance = [
        capability.prose_guidance.strip() for capability in roster.vocabulary.capabilities if capability.id in bounds
    ]
    body = expand(member.body, roster.vocabulary.invocations).rstrip()
    limits = "\n".join(f"- {said}" for said in guidance)
    return Agent(
        name=member.meta.id,
        description=f"{member.meta.description}. For: {member.meta.task}.",
        body=f"{body}\n\n## Limits\n{limits}\n" if limits else body + "\n",
        tools=tools_for(bounds),
    )


def tools_for(bounds: frozenset[str]) -> list[str]:
    """Return the tools an agent with these capabilities may use in Claude Code."""
    hands = [tool for name in ("no_file_edit", "no_shell_exec") if name not in bounds for tool in _TAKEN[name]]
    kept = (name for name in TOOLS if f"no_{find_action(name)}" not in bounds)
    return [*_READING, *hands, *(f"mcp__{SERVER}__nx_{name}" for name in kept)]


def _skill(roster: Roster, member: Member) -> Skill:
    triggers = ", ".join(f"[{name}]" for name in member.meta.triggers)
    asked = f" Use it when the message holds {triggers}." if triggers else " Only when the person asks for it by name."
    return Skill(
        name=member.meta.id,
        description=member.meta.description + asked,
        body=expand(member.body, roster.vocabulary.invocations),
        manual=member.meta.manual_only is True,
    )
