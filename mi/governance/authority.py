"""What a member may do by itself, what it must bring to the person, and what it must never do."""

from typing import Literal

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


def find_authority(action: str, files: int = 0, visibility: Visibility = "local") -> Authority:
    """Return who decides about an action; one that is not in the table is the person's to decide."""
    found = ACTIONS.get(action, "escalate")
    if found == "autonomous" and (files > MAX_FILES or visibility == "external"):
        return "escalate"
    return found
