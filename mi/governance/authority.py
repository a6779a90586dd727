"""What a member may do by itself, what it must bring to the person, and what it must never do."""

from typing import Literal

from mi.governance.operations import OPERATIONS

Authority = Literal["autonomous", "escalate", "never"]
Visibility = Literal["local", "external"]

ACTIONS: dict[str, Authority] = {
    "routine_code": "autonomous",
    "documentation": "autonomous",
    "read_shared": "autonomous",
    "own_private": "autonomous",
    "proposal": "autonomous",
    "architecture": "escalate",
    "delete": "escalate",
    "irreversible": "escalate",
    "external_communication": "escalate",
    "axiom_card": "escalate",
    "principle_card": "escalate",
    "push_without_approval": "never",
    "principles_without_review": "never",
    "override_human": "never",
    "others_private": "never",
    "secrets_out": "never",
}
MAX_FILES = 5
# What an operation is in the table; of the rest, what cannot be taken back is that, and what can is routine.
_OF_OPERATIONS = {
    "read": "read_shared",
    "own-private": "own_private",
    "write-proposal": "proposal",
    "schema-change": "architecture",
    "external-ai": "external_communication",
    "remote-write": "external_communication",
    "publish": "external_communication",
    "forge-write": "external_communication",
    "deploy": "external_communication",
    "edit-card": "principle_card",
    "edit-principles": "principles_without_review",
    "answer-question": "override_human",
    "weaken-hooks": "override_human",
    "other-private": "others_private",
    "credentials-out": "secrets_out",
}


def name_action(operation: str) -> str:
    """Return what an operation of the permission table is in the table of authority."""
    if operation in _OF_OPERATIONS:
        return _OF_OPERATIONS[operation]
    entry = OPERATIONS[operation]
    if entry.category == "push":
        return "push_without_approval"
    if entry.category == "delete" and not entry.reversible:
        return "delete"
    return "routine_code" if entry.reversible else "irreversible"


def find_authority(action: str, files: int = 0, visibility: Visibility = "local") -> Authority:
    """Return who decides about an action; one that is not in the table is the person's to decide."""
    found = ACTIONS.get(action, "escalate")
    if found == "autonomous" and (files > MAX_FILES or visibility == "external"):
        return "escalate"
    return found
