"""What an agent of the roster may not do, and whether a tool call is such a thing."""

import os
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from mi.kernel.config.types import Nexus as Settings

# Tools of the hosts and of MI by what they do; a tool that is not listed only reads, or is not ours to judge.
_ACTIONS = {
    "file_create": "write write_file create create_file file_create",
    "file_modify": "modify file_modify overwrite str_replace_based_edit_tool",
    "file_delete": "delete delete_file file_delete remove_file",
    "file_partial_edit": "edit multiedit str_replace edit_file file_partial_edit apply_patch patch",
    "file_structured_edit": "notebookedit notebook_edit file_structured_edit",
    "task_create": "task_add task_create taskcreate",
    "task_update": "task_update task_close taskupdate",
    "shell_exec": "bash shell exec_command shell_exec run_command local_shell unified_exec",
}
_ACTION_OF = {tool: action for action, tools in _ACTIONS.items() for tool in tools.split()}
_SPAWNERS = ("agent", "task", "spawn_agent")  # tools by which hosts hand work to an agent
EDITS = tuple(action for action in _ACTIONS if action.startswith("file_"))


def find_action(tool: str) -> str:
    """Return what a tool does, in the vocabulary's words; empty for one that blocks nothing."""
    name = re.sub(r"^mcp__.+?__", "", tool).removeprefix("nx_").lower()
    return _ACTION_OF.get(name, "")


def is_artifact(tool: str) -> bool:
    """Return whether a call keeps an artifact: that is nobody's file of the project."""
    return re.sub(r"^mcp__.+?__", "", tool).removeprefix("nx_") == "artifact_write"


def find_spawned_agent(tool: str, given: Any) -> str:
    """Return the kind of agent that a host's tool call hands work to; empty for any other call."""
    if not isinstance(given, dict) or tool.lower() not in _SPAWNERS:
        return ""
    named_as = (given.get(name) for name in ("subagent_type", "agent_type", "target_role"))
    return next((name for name in named_as if isinstance(name, str)), "")


def list_capabilities(agent: str, settings: Settings) -> frozenset[str]:
    """Return what an agent may not do: its canonical capabilities and those the project adds.

    None can be taken away.
    """
    return _canonical(agent) | frozenset(settings.agent_capabilities.get(agent, ()))


def find_blocking_capability(agent: str, tool: str, settings: Settings, also: Iterable[str] = ()) -> str:
    """Return the capability that stands against a tool call of an agent; empty when none does.

    `also` is what the call does beside what its tool is for: a shell command can edit files and add tasks.
    """
    actions = {find_action(tool), *also} - {""}
    if not agent or not actions or is_artifact(tool):
        return ""
    blocks = _blocks()
    own = sorted(list_capabilities(agent, settings))
    return next((name for name in own if not actions.isdisjoint(blocks.get(name, ()))), "")


@cache
def _canonical(agent: str) -> frozenset[str]:
    from mi.nexus.roster import SHIPPED, list_member_folders, load_member

    if agent not in list_member_folders(SHIPPED, "agents"):
        return frozenset()
    return frozenset(load_member(SHIPPED, "agents", agent).meta.capabilities)


@cache
def _blocks() -> dict[str, list[str]]:
    from mi.nexus.roster import SHIPPED, VOCABULARY, load_yaml

    file = "capabilities.yml"
    found = load_yaml(os.path.join(SHIPPED, "vocabulary", file), VOCABULARY[file])
    return {capability.id: list(capability.blocks) for capability in found.capabilities}


@cache
def find_tier(agent: str) -> str:
    """Return the resume tier of an agent of the roster; one that is not in it is never resumed."""
    from mi.nexus.roster import SHIPPED, list_member_folders, load_member

    if agent not in list_member_folders(SHIPPED, "agents"):
        return "ephemeral"
    return str(load_member(SHIPPED, "agents", agent).meta.resume_tier)
