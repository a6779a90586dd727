"""Whether a tool call of a session may go ahead; apart from the other events, as it is asked before every call."""

import os

from mi.nexus import capabilities
from mi.nexus.session_event import Answer, Happening

_KNOWLEDGE = ("memory", "context", "rules")


def pre_tool_use(happening: Happening) -> Answer:
    """Return whether a tool call may go ahead.

    For one that hands work to an agent, whether an earlier one should go on.
    """
    tool, agent = happening.word("tool", "tool_name"), happening.word("agent_name", "agent_type")
    also = happening.words("actions")
    against = capabilities.find_blocking_capability(agent, tool, happening.settings, also)
    if against:
        return {"decision": "deny", "reason": happening.say("event.capability", agent=agent, tool=tool, name=against)}
    planned = os.path.exists(happening.store.place.tasks)
    if not planned and capabilities.find_action(tool) in capabilities.EDITS and not _knowledge(happening):
        return {"decision": "warn", "reason": happening.say("event.unplanned")}
    answer: Answer = {"decision": "allow", "reason": ""}
    owner = capabilities.find_spawned_agent(tool, happening.params.get("tool_input"))
    return answer | (find_resumed(happening, owner) if owner else {})


def _knowledge(happening: Happening) -> bool:
    """Return whether a call is about a file of memory, context or rules: keeping those is no work on the project."""
    place = happening.store.place
    path = os.path.realpath(os.path.join(place.root, happening.file))
    return any(path.startswith(os.path.realpath(place.knowledge(name)) + os.sep) for name in _KNOWLEDGE)


def find_resumed(happening: Happening, owner: str = "") -> Answer:
    """Return the decision about an earlier agent, and why; nothing where no task is meant."""
    from mi.nexus.session_rules import resume_of

    params = happening.params
    decided = resume_of(happening.store, params.get("task_id"), params.get("can_resume", True), owner)
    if decided is None:
        return {}
    return {"resume": decided.fields() | {"said": happening.say("resume." + decided.reason)}}
