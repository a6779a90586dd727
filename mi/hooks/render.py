"""An answer in the words of the host that asked; both hosts read the same JSON, with small differences."""

from typing import Any

from mi.hooks.answer import HookAnswer
from mi.hooks.event import EVENTS, HookEvent

Json = dict[str, Any]
# Events whose answer can put a text before the agent.
_WITH_CONTEXT = ("session-start", "prompt", "pre-tool", "post-tool", "subagent-start")
# Events that a decision can block, in the form {"decision": "block"}.
_BLOCKABLE = ("prompt", "post-tool", "stop", "subagent-stop")


def rendered(event: HookEvent, answer: HookAnswer) -> Json:
    """The JSON for standard output; `{}` where there is nothing to say."""
    shown: Json = {}
    specific: Json = {}
    if event.event == "pre-tool" and answer.decision in ("ask", "deny"):
        specific = {"permissionDecision": answer.decision, "permissionDecisionReason": answer.reason}
    elif event.event in _BLOCKABLE and answer.decision == "deny":
        shown = {"decision": "block", "reason": answer.reason}
    if answer.context and event.event in _WITH_CONTEXT:
        specific["additionalContext"] = answer.context
    if specific:
        shown["hookSpecificOutput"] = {"hookEventName": EVENTS[event.event], **specific}
    if answer.message:
        shown["systemMessage"] = answer.message
    return shown
