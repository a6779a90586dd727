"""Changing a permission: tightening by anyone, loosening only step by step, by the human, with a reason."""

from typing import NamedTuple

from mi.governance.operations import OPERATIONS, STATES, State

SAFE_USES = 5  # confirmed and successful, before a PROMPT may become an ALLOW


class PermissionChange(NamedTuple):
    """A wish to change one operation's state."""

    operation: str
    now: State
    wanted: State
    by_human: bool = True
    reason: str = ""
    may_relax: bool = False  # PROMPT → ALLOW is off by default
    safe_uses: int = 0


def refusal(change: PermissionChange) -> str:
    """Why a change is refused, as the code of its text; '' when it may be made."""
    if STATES.index(change.wanted) >= STATES.index(change.now):
        return ""
    if OPERATIONS[change.operation].denial == "hard":
        return "permission-hard"
    if change.now == "DENY" and change.wanted == "ALLOW":
        return "permission-two-steps"
    if not change.by_human:
        return "permission-needs-human"
    if not change.reason.strip():
        return "permission-needs-reason"
    if change.now == "PROMPT" and OPERATIONS[change.operation].denial is not None:
        return "permission-soft"
    if change.now == "PROMPT" and not change.may_relax:
        return "permission-relax-off"
    if change.now == "PROMPT" and change.safe_uses < SAFE_USES:
        return "permission-too-few-uses"
    return ""
