"""The person's own permissions: their states in the home, and the decision with them where somebody works."""

import os
from typing import Literal

from msgspec import Struct

from mi.governance.operations import RULES, Profile, State
from mi.governance.permissions import Verdict, bounded, permit
from mi.kernel import git
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.kernel.state import read_state, update_state


class Permissions(Struct, frozen=True, kw_only=True):
    """What the person set, by operation; what is not set is as the profile says."""

    states: dict[str, Literal["ALLOW", "PROMPT", "DENY"]] = {}


def own_states(home: Home, notices: Notices) -> dict[str, State]:
    """The states that the person set."""
    if not os.path.exists(home.permissions):
        return {}
    states: dict[str, State] = {**read_state(home.permissions, Permissions, notices).states}
    return states


def state_of(operation: str, profile: Profile, own: dict[str, State]) -> State:
    """What holds for an operation."""
    return bounded(operation, own.get(operation, RULES[operation].of(profile)))


def set_state(home: Home, operation: str, state: State, notices: Notices) -> None:
    """Keep a state; who may change what is decided before, by `transitions.refusal`."""

    def change(now: Permissions) -> Permissions:
        return Permissions(states=now.states | {operation: state})

    update_state(home.permissions, Permissions, change, notices)


def permit_here(
    home: Home,
    folder: str,
    tool: str,
    operation: str,
    target: str,
    notices: Notices,
    *,
    profile: Profile = "standard",
    member: str = "",
    override: str = "",
    change_units: int = 0,
) -> Verdict:
    """The decision for somebody who works in a folder: with the person's own states, and the branch that is out."""
    return permit(
        tool,
        operation,
        target,
        profile=profile,
        member=member,
        override=override,
        settings=own_states(home, notices),
        branch_of=lambda inner: _branch(os.path.join(folder, inner)),
        change_units=change_units,
    )


def _branch(folder: str) -> str:
    """The branch that is checked out in a folder; '' detached or outside."""
    name = git.branch(folder)
    return "" if name in ("HEAD", "unknown") else name
