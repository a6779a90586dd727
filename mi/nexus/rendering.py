"""The roster in the form of each host: agents with the tools they may use, skills with their macros written out."""

from mi.hosts.artefacts import Agent, Skill, Wish
from mi.kernel.config.types import Nexus as Settings
from mi.nexus.capabilities import effective
from mi.nexus.macros import expand
from mi.nexus.roster import Member, Roster
from mi.nexus.toolset import TOOLS

OWNER = "nexus"
SERVER = "mi"  # the name under which hosts know MI's MCP server
# Claude Code's tools by the capability that takes them away; those that only read are never taken.
_READING = ["Read", "Glob", "Grep", "WebFetch", "WebSearch"]
_TAKEN = {"no_file_edit": ["Edit", "Write", "NotebookEdit"], "no_shell_exec": ["Bash"]}
_TASK_TOOLS = {"no_task_create": ["task_add"], "no_task_update": ["task_update", "task_close"]}


def wishes(roster: Roster, settings: Settings) -> list[Wish]:
    """Every agent and skill, to be placed into a workspace."""
    agents: list[Wish] = [_agent(roster, member, settings) for member in roster.agents]
    return [*agents, *(_skill(roster, member) for member in roster.skills)]


def _agent(roster: Roster, member: Member, settings: Settings) -> Agent:
    bounds = effective(member.meta.id, settings)
    guidance = [one.prose_guidance.strip() for one in roster.vocabulary.capabilities if one.id in bounds]
    body = expand(member.body, roster.vocabulary.invocations).rstrip()
    limits = "\n".join(f"- {said}" for said in guidance)
    return Agent(
        name=member.meta.id,
        description=f"{member.meta.description}. For: {member.meta.task}.",
        body=f"{body}\n\n## Limits\n{limits}\n" if limits else body + "\n",
        tools=tools_for(bounds),
    )


def tools_for(bounds: frozenset[str]) -> list[str]:
    """The tools an agent with these capabilities may use in Claude Code."""
    hands = [tool for name in ("no_file_edit", "no_shell_exec") if name not in bounds for tool in _TAKEN[name]]
    taken = {tool for name, tools in _TASK_TOOLS.items() if name in bounds for tool in tools}
    return [*_READING, *hands, *(f"mcp__{SERVER}__nx_{name}" for name in TOOLS if name not in taken)]


def _skill(roster: Roster, member: Member) -> Skill:
    triggers = ", ".join(f"[{name}]" for name in member.meta.triggers)
    asked = f" Use it when the message holds {triggers}." if triggers else " Only when the person asks for it by name."
    return Skill(
        name=member.meta.id,
        description=member.meta.description + asked,
        body=expand(member.body, roster.vocabulary.invocations),
        manual=member.meta.manual_only is True,
    )
