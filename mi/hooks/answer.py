"""What an enforced part answers to an event, and how several answers become one."""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

Decision = Literal["none", "allow", "ask", "deny"]
_STRICTNESS: tuple[Decision, ...] = ("none", "allow", "ask", "deny")


class HookAnswer(Struct, frozen=True):
    """An opinion on an event. `allow` is no objection: it never widens what the host itself permits.

    `deny` stops the tool call or the prompt; at the end of a turn it sends the agent back to work with the reason.
    `context` is put before the agent where the host can do that; `message` is shown to the person.
    """

    decision: Decision = "none"
    reason: str = ""
    context: str = ""
    message: str = ""


def strictest(answers: Iterable[HookAnswer]) -> HookAnswer:
    """One answer for all parts: the strictest decision, with the reasons of all that object, and every context."""
    given = list(answers)
    decision: Decision = max((one.decision for one in given), key=_STRICTNESS.index, default="none")
    objecting = [one.reason for one in given if one.decision in ("ask", "deny")]
    calm = [one.reason for one in given if one.decision == decision]
    reasons = objecting if decision in ("ask", "deny") else calm
    told = (_joined([one.context for one in given]), _joined([one.message for one in given]))
    return HookAnswer(decision, _joined(reasons), *told)


def _joined(texts: list[str]) -> str:
    return "\n".join(dict.fromkeys(text for text in texts if text))
