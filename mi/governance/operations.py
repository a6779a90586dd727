"""The one table of operations: what each profile says about it, how grave it is, and whether it can be taken back."""

from typing import Literal

from mi.kernel.named_tuple import NamedTuple

State = Literal["ALLOW", "PROMPT", "DENY"]
Denial = Literal["hard", "soft"]
Profile = Literal["light", "standard", "strict"]
Level = Literal["none", "low", "medium", "high", "critical"]
Category = Literal["network", "install", "push", "publish", "delete", "privilege", "privacy", "cost", "other"]
STATES: tuple[State, ...] = ("ALLOW", "PROMPT", "DENY")  # from loose to tight
LEVELS: tuple[Level, ...] = ("none", "low", "medium", "high", "critical")


class Rule(NamedTuple):
    """What the profiles say; `denial`: of which class a DENY is."""

    standard: State
    strict: State
    denial: Denial | None = None


class Operation(NamedTuple):
    """What is said about an operation; a level of "none" raises no risk signal."""

    rule: Rule
    level: Level = "none"
    category: Category = "other"
    reversible: bool = True
    external: bool = False  # reaches beyond this machine
    part_of: str = ""  # the operation whose setting holds for it, too, where it is the tighter one

    @property
    def denial(self) -> Denial | None:
        return self.rule.denial

    def of(self, profile: Profile) -> State:
        """Return what a profile says: light denies what is never done, and asks about what cannot be taken back."""
        if profile == "light":
            return "DENY" if self.denial == "hard" else "ALLOW" if self.reversible else "PROMPT"
        return self.rule.strict if profile == "strict" else self.rule.standard


_FREE = Rule("ALLOW", "ALLOW")
_LOCAL = Rule("ALLOW", "PROMPT")
_ASKED = Rule("PROMPT", "PROMPT")
_SOFT = Rule("DENY", "DENY", "soft")
_HARD = Rule("DENY", "DENY", "hard")
_LOST, _OUTSIDE = False, True  # cannot be taken back; reaches beyond this machine

# In the order of their weight: of several operations in one command line, the last decides among equals.
OPERATIONS: dict[str, Operation] = {
    "read": Operation(_FREE),
    "read-command": Operation(_FREE),
    "own-private": Operation(_FREE),
    "write-proposal": Operation(_FREE),
    "local-command": Operation(_LOCAL),
    "run-tests": Operation(_LOCAL),
    "commit": Operation(_LOCAL),
    "edit": Operation(_LOCAL),
    "create": Operation(_LOCAL),
    "install": Operation(_LOCAL, "medium", "install", True, _OUTSIDE),
    "fetch": Operation(_LOCAL, "low", "network", True, _OUTSIDE),
    "delete-products": Operation(_LOCAL, "high", "delete", part_of="local-command"),
    "unreadable": Operation(_ASKED, reversible=_LOST),
    "edit-session-log": Operation(_ASKED, "medium"),
    "edit-card": Operation(_ASKED, "medium"),
    "edit-principles": Operation(_ASKED, "medium"),
    "answer-question": Operation(_ASKED, "high", "privilege", _LOST),
    "external-ai": Operation(_ASKED, "medium", "cost", _LOST, _OUTSIDE),
    "skip-checks": Operation(_ASKED, "medium"),
    "change-rights": Operation(_ASKED, "medium", "privilege", _LOST),
    "delete-file": Operation(_ASKED, "medium", "delete", _LOST),
    "delete-folder": Operation(_ASKED, "high", "delete", _LOST, part_of="delete-file"),
    "discard-work": Operation(_ASKED, "high", "delete", _LOST),
    "run-fetched": Operation(_ASKED, "high", "other", _LOST, _OUTSIDE),
    "system-change": Operation(_ASKED, "high", "privilege", _LOST),
    "privileged": Operation(_ASKED, "high", "privilege", _LOST),
    "read-secrets": Operation(_ASKED, "medium", "privacy", _LOST),
    "remote-write": Operation(_ASKED, "medium", "network", _LOST, _OUTSIDE),
    "push": Operation(_ASKED, "high", "push", _LOST, _OUTSIDE),
    "push-main": Operation(_ASKED, "high", "push", _LOST, _OUTSIDE),
    "force-push": Operation(_ASKED, "high", "push", _LOST, _OUTSIDE),
    "forge-write": Operation(_ASKED, "high", "push", _LOST, _OUTSIDE, part_of="publish"),
    "publish": Operation(_ASKED, "critical", "publish", _LOST, _OUTSIDE),
    "schema-change": Operation(_ASKED, "medium", "other", _LOST),
    "delete-data": Operation(_ASKED, "high", "delete", _LOST),
    "deploy": Operation(_ASKED, "critical", "publish", _LOST, _OUTSIDE),
    "delete-remote": Operation(_ASKED, "critical", "delete", _LOST, _OUTSIDE, part_of="delete-data"),
    "delete-project": Operation(_ASKED, "critical", "delete", _LOST, part_of="delete-file"),
    "erase-disk": Operation(_ASKED, "critical", "delete", _LOST, part_of="delete-data"),
    "edit-secrets": Operation(_SOFT, "high", "privacy", _LOST),
    "production-command": Operation(_SOFT, "critical", "other", _LOST, _OUTSIDE),
    "production-data": Operation(_SOFT, "critical", "delete", _LOST, _OUTSIDE),
    "weaken-hooks": Operation(_HARD, "critical", "privilege"),
    "other-private": Operation(_HARD, "high", "privacy", _LOST),
    "credentials-out": Operation(_HARD, "critical", "privacy", _LOST, _OUTSIDE),
    "destroy-system": Operation(_HARD, "critical", "delete", _LOST),
    "force-push-main": Operation(_HARD, "critical", "push", _LOST, _OUTSIDE),
}
_WEIGHT = {name: place for place, name in enumerate(OPERATIONS)}


class Act(NamedTuple):
    """One operation, and the text it is about: a command or a path."""

    operation: str
    text: str

    @property
    def level(self) -> Level:
        return OPERATIONS[self.operation].level

    @property
    def category(self) -> Category:
        return OPERATIONS[self.operation].category

    @property
    def reversible(self) -> bool:
        return OPERATIONS[self.operation].reversible

    @property
    def external(self) -> bool:
        return OPERATIONS[self.operation].external

    @property
    def weight(self) -> int:
        """Its place among all operations, from the harmless to the worst."""
        return _WEIGHT[self.operation]

    @property
    def is_grave(self) -> bool:
        """Whether its level is high or critical."""
        return self.level in ("high", "critical")


def gravest(acts: list[Act]) -> Act:
    """Return the act with the highest level; among equals the heavier one."""
    return max(acts, key=lambda act: (LEVELS.index(act.level), act.weight))
