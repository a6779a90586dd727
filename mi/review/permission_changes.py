"""Changing a permission: tightened by anyone, loosened step by step by the human, recorded before it holds."""

from collections.abc import Sequence

from mi.evidence.log import EvidenceWriter
from mi.evidence.reader import read_back
from mi.evidence.records.governed import Override, Verification
from mi.governance.operations import OPERATIONS, STATES, State
from mi.governance.permissions import state_of
from mi.kernel.config.types import Governance
from mi.kernel.errors import Blocked
from mi.kernel.home import Home
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.project.permissions import own_states, set_state

_LOOKED_AT = 20_000  # events of a log, newest first
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


class ChangedPermission(NamedTuple):
    """What a permission was and is."""

    before: State
    now: State
    event_id: str


def name_gate(operation: str) -> str:
    """Return the name under which confirmations of an operation are recorded."""
    return f"permission {operation}"


def change_permission(
    home: Home,
    logs: Sequence[str],
    operation: str,
    wanted: State,
    reason: str,
    settings: Governance,
    notices: Notices,
    by_human: bool = True,
) -> ChangedPermission:
    """Set a state; Blocked, with the reason, where the rules do not allow the step. The first log is written to."""
    before = state_of(operation, settings.profile, own_states(home, notices))
    loosens = STATES.index(wanted) < STATES.index(before)
    uses = count_safe_uses(operation, logs, notices) if loosens and settings.prompt_to_allow else 0
    change = PermissionChange(operation, before, wanted, by_human, reason, settings.prompt_to_allow, uses)
    code = refusal(change)
    if code:
        raise Blocked(code, operation=operation, before=before, wanted=wanted, uses=uses)
    writer = EvidenceWriter.for_command(logs[0], notices)
    step = f"{name_gate(operation)}: {before} → {wanted}"
    event = (
        writer.append(Override(reason=reason, scope=step), sync=True)
        if loosens
        else writer.append(Verification(gate=name_gate(operation), verdict=wanted, user_action="modified"), sync=True)
    )
    set_state(home, operation, wanted, notices)
    return ChangedPermission(before, wanted, event.event_id)


def count_safe_uses(operation: str, logs: Sequence[str], notices: Notices) -> int:
    """Return how often the person confirmed an operation and it went well."""
    found = 0
    for log in logs:
        for number, event in enumerate(read_back(log, notices)):
            if number >= _LOOKED_AT:
                break
            record = event.record() if event.head.kind == "verification" else None
            if isinstance(record, Verification) and record.gate == name_gate(operation):
                found += record.user_action == "confirmed" and record.post_result == "success"
    return found


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
