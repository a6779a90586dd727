"""What a member may do: every operation, and what each profile says about it."""

from typing import Literal, NamedTuple

State = Literal["ALLOW", "PROMPT", "DENY"]
Denial = Literal["hard", "soft"]
Profile = Literal["standard", "strict"]
STATES: tuple[State, ...] = ("ALLOW", "PROMPT", "DENY")  # from loose to tight


class Rule(NamedTuple):
    """What the profiles say about an operation; `denial`: of which class its DENY is."""

    standard: State
    strict: State
    denial: Denial | None = None

    def of(self, profile: Profile) -> State:
        return self.strict if profile == "strict" else self.standard


_FREE = Rule("ALLOW", "ALLOW")
_LOCAL = Rule("ALLOW", "PROMPT")
_ASKED = Rule("PROMPT", "PROMPT")
_SOFT = Rule("DENY", "DENY", "soft")
_HARD = Rule("DENY", "DENY", "hard")

# In the order of their weight: of several operations in one command line, the last decides among equals.
RULES: dict[str, Rule] = {
    "read": _FREE,
    "read-command": _FREE,
    "own-private": _FREE,
    "write-proposal": _FREE,
    "local-command": _LOCAL,
    "run-tests": _LOCAL,
    "commit": _LOCAL,
    "edit": _LOCAL,
    "create": _LOCAL,
    "install": _LOCAL,
    "fetch": _LOCAL,
    "edit-session-log": _ASKED,
    "edit-card": _ASKED,
    "edit-principles": _ASKED,
    "answer-question": _ASKED,
    "external-ai": _ASKED,
    "delete-file": _ASKED,
    "discard-work": _ASKED,
    "skip-checks": _ASKED,
    "run-fetched": _ASKED,
    "privileged": _ASKED,
    "read-secrets": _ASKED,
    "remote-write": _ASKED,
    "push": _ASKED,
    "push-main": _ASKED,
    "force-push": _ASKED,
    "publish": _ASKED,
    "schema-change": _ASKED,
    "delete-data": _ASKED,
    "deploy": _ASKED,
    "edit-secrets": _SOFT,
    "production-command": _SOFT,
    "production-data": _SOFT,
    "weaken-hooks": _HARD,
    "other-private": _HARD,
    "credentials-out": _HARD,
    "force-push-main": _HARD,
}
_WEIGHT = {name: place for place, name in enumerate(RULES)}


class Act(NamedTuple):
    """One operation on one target."""

    operation: str
    target: str


def heaviest(acts: list[Act]) -> Act:
    """Of several acts the one that decides."""
    return max(acts, key=lambda act: _WEIGHT[act.operation])
