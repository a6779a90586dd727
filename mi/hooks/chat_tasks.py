"""Tasks and the chat: what the agent wants to add, and the person's request that opens a finished list for it."""

from typing import TYPE_CHECKING

import msgspec

from mi.hooks import rules_state
from mi.hooks.event import HookEvent
from mi.hooks.rules_state import RulesState
from mi.tasks import has_list

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext
    from mi.contract.proposals import TaskProposal

_MOST = 50
_LONGEST = 500


def note_tasks(event: HookEvent, context: "HomeContext", state: RulesState) -> None:
    """Note which tasks the agent is about to add; those of a request of the person have leave."""
    from mi.contract.proposals import identify_tasks

    given = event.tool_input
    listed = given.get("subtasks")
    subtasks = [str(one) for one in listed] if isinstance(listed, list) else []
    tasks = identify_tasks(str(given.get("title") or ""), str(given.get("section") or ""), subtasks)
    if state.request:
        from mi.contract.requests import allow_tasks

        allow_tasks(context.project_home.contract, tasks, state.request, context.notices)
    proposed = [*(one for one in state.proposed if one != tasks), tasks][-_MOST:]
    rules_state.change(event, context, lambda old: msgspec.structs.replace(old, proposed=proposed))


def find_proposals(context: "HomeContext", state: RulesState) -> "list[TaskProposal]":
    """Return the tasks of this session that wait for the person since their latest prompt."""
    if not state.proposed:
        return []
    from mi.contract.proposals import identify_tasks, list_proposals

    waiting = list_proposals(context.project_home.contract, context.notices)
    return [one for one in waiting if identify_tasks(one.title, one.section, one.subtasks) in state.proposed]


def find_request(event: HookEvent, context: "HomeContext") -> str:
    """Return the prompt as a request that opens the task list: of a person, for new work, after all tasks are done."""
    if not has_list(context.project.root) or not event.prompt.strip():
        return ""
    from mi.governance.session_words import ends_session, read_reply
    from mi.hooks.host_session import is_persons_prompt
    from mi.kernel.secrets import redact
    from mi.mind.language import is_inquiry
    from mi.tasks.authority import find_authority
    from mi.tasks.tinytasks_file import TinyTasks

    tiny_tasks = TinyTasks(context.project.root, context.project_home.contract, context.notices, save=False)
    listed = find_authority(context.project.root, tiny_tasks).look()
    if listed.unsure or listed.pointer or not listed.exists:
        return ""
    if read_reply(event.prompt) or ends_session(event.prompt) or is_inquiry(event.prompt):
        return ""
    return redact(event.prompt)[:_LONGEST] if is_persons_prompt(event, context) else ""
