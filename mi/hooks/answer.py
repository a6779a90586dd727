"""What an enforced part answers to an event, how several answers become one, and its JSON for the host."""

from collections.abc import Iterable
from typing import Any, Literal

from msgspec import Struct

from mi.hooks.event import EVENTS, HookEvent

Decision = Literal["none", "allow", "ask", "deny"]
_STRICTNESS: tuple[Decision, ...] = ("none", "allow", "ask", "deny")
Reach = Literal["once", "session", "always"]
REACHES: tuple[Reach, ...] = ("once", "session", "always")
Json = dict[str, Any]
# Events whose answer can put a text before the agent.
_WITH_CONTEXT = ("session-start", "prompt", "pre-tool", "post-tool", "subagent-start")
# Events that a decision can block, in the form {"decision": "block"}.
_BLOCKABLE = ("prompt", "post-tool", "stop", "subagent-stop")


class AskedOperation(Struct, frozen=True):
    """An operation that a person is to be asked about: on what, how far a yes may reach, and the nearest safe way."""

    operation: str
    target: str
    reaches: tuple[Reach, ...] = REACHES
    instead: str = ""
    lifted: bool = False  # an override lifted a denial to this question
    advice: str = ""  # for the agent alone


class HookAnswer(Struct, frozen=True):
    """An opinion on an event. `allow` is no objection: it never widens what the host itself permits.

    `deny` stops the tool call or the prompt; at the end of a turn it sends the agent back to work with the reason.
    `context` is put before the agent where the host can do that; `message` is shown to the person.
    """

    decision: Decision = "none"
    reason: str = ""
    context: str = ""
    message: str = ""
    asked: tuple[AskedOperation, ...] = ()  # with `ask`


def choose_strictest(answers: Iterable[HookAnswer]) -> HookAnswer:
    """Return one answer for all parts.

    The strictest decision, with the reasons of all that object, and every context.
    """
    given = list(answers)
    decision: Decision = max((one.decision for one in given), key=_STRICTNESS.index, default="none")
    objecting = [one.reason for one in given if one.decision in ("ask", "deny")]
    calm = [one.reason for one in given if one.decision == decision]
    reasons = objecting if decision in ("ask", "deny") else calm
    told = (_joined([one.context for one in given]), _joined([one.message for one in given]))
    return HookAnswer(decision, _joined(reasons), *told, tuple(asked for one in given for asked in one.asked))


def _joined(texts: list[str]) -> str:
    return "\n".join(dict.fromkeys(text for text in texts if text))


def rendered(event: HookEvent, answer: HookAnswer) -> Json:
    """Return the JSON for standard output; `{}` where there is nothing to say."""
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
