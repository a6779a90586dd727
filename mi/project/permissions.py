"""The person's own permissions: their states in the home, and the decision with them where somebody works."""

import itertools
import os
from typing import Literal

from msgspec import Struct

from mi.governance.operations import Profile, State
from mi.governance.permissions import PermissionVerdict, permit
from mi.governance.surroundings import Surroundings
from mi.kernel import git
from mi.kernel.home import Home
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.kernel.state import read_state, update_state

_FILES = 1000  # of private spaces that are looked at
_LONGEST_PATH = 1024  # what is longer is judged as it is written


class OpenedCall(Struct, frozen=True, kw_only=True):
    """An operation on one target that the person opened for good, though the operation itself is asked about."""

    key: str
    operation: str
    target: str = ""
    project_root: str = ""
    question_id: str = ""


class Permissions(Struct, frozen=True, kw_only=True):
    """What the person set, by operation; what is not set is as the profile says."""

    states: dict[str, Literal["ALLOW", "PROMPT", "DENY"]] = {}
    opened: list[OpenedCall] = []  # by an "always"


def own_states(home: Home, notices: Notices) -> dict[str, State]:
    """Return the states that the person set."""
    if not os.path.exists(home.permissions):
        return {}
    states: dict[str, State] = {**read_state(home.permissions, Permissions, notices).states}
    return states


def is_always_open(home: Home, key: str, notices: Notices) -> bool:
    """Return whether the person opened a call for good."""
    return any(one.key == key for one in list_opened(home, notices))


def list_opened(home: Home, notices: Notices) -> list[OpenedCall]:
    """Return the calls that the person opened for good."""
    if not os.path.exists(home.permissions):
        return []
    return read_state(home.permissions, Permissions, notices).opened


def open_call(home: Home, call: OpenedCall, notices: Notices) -> None:
    """Open a call for good; until its operation is set anew."""

    def change(now: Permissions) -> Permissions:
        others = [one for one in now.opened if one.key != call.key]
        return Permissions(states=now.states, opened=[*others, call])

    update_state(home.permissions, Permissions, change, notices)


def set_state(home: Home, operation: str, state: State, notices: Notices) -> None:
    """Keep a state, and close what of the operation was opened; who may do it is decided before, by the review."""

    def change(now: Permissions) -> Permissions:
        opened = [one for one in now.opened if operation not in one.operation.split(", ")]
        return Permissions(states=now.states | {operation: state}, opened=opened)

    update_state(home.permissions, Permissions, change, notices)


class Worker(NamedTuple):
    """Who works where: the folder, the member, and the persona whose private spaces others leave alone."""

    folder: str
    member: str = ""
    persona: str = ""


def permit_here(
    home: Home,
    worker: Worker,
    tool: str,
    operation: str,
    target: str,
    notices: Notices,
    *,
    profile: Profile = "standard",
    override: str = "",
    change_units: int = 0,
    files: int = 0,
) -> PermissionVerdict:
    """Return the decision for somebody who works in a folder: with the person's own states, and what git says there."""
    return permit(
        tool,
        operation,
        target,
        profile=profile,
        member=worker.member,
        override=override,
        settings=own_states(home, notices),
        here=_surroundings(home, worker),
        change_units=change_units,
        files=files,
    )


def _surroundings(home: Home, worker: Worker) -> Surroundings:
    def at(inner: str) -> str:
        return os.path.join(worker.folder, os.path.expanduser(inner))

    # Known places by the names that the rules have for them, wherever they really are.
    places = [(worker.persona, "persona"), (home.root, ".mind-incarnation"), (worker.folder, "")]
    roots = [(os.path.realpath(path), name or os.path.basename(path)) for path, name in places if path]
    return Surroundings(
        lambda inner: _branch(at(inner)),
        lambda inner: _pushes_to(at(inner)),
        lambda inner, name: git.run(at(inner), "config", "--get", f"alias.{name}").output.strip(),
        lambda path: _named(at(path), roots),
        lambda path: _private_below(at(path), worker.persona),
    )


def _named(path: str, roots: list[tuple[str, str]]) -> str:
    """Return a path without links and detours, by the name of the place it lies in."""
    if len(path) > _LONGEST_PATH:
        return path
    try:
        real = os.path.realpath(path)
    except ValueError:  # no path at all
        return path
    for root, name in roots:
        if real == root or real.startswith(root + os.sep):
            return name + real[len(root) :]
    return real


def _private_below(path: str, persona: str) -> list[str]:
    """Return the private files of the persona's members, where it lies at or below a path."""
    if not persona or len(path) > _LONGEST_PATH or not os.path.isdir(persona):
        return []
    root, above = os.path.realpath(persona), os.path.realpath(path)
    if not f"{root}/".startswith(above.rstrip("/") + "/"):
        return []
    members = [name for name in os.listdir(root) if name.startswith(".")]
    walks = (os.walk(os.path.join(root, name, "private")) for name in members)
    found = (os.path.join(folder, file) for walk in walks for folder, _, files in walk for file in files)
    return [f"persona{file[len(root) :]}" for file in itertools.islice(found, _FILES)]


def _branch(folder: str) -> str:
    """Return the branch that is checked out in a folder; '' detached or outside."""
    name = git.find_branch(folder) if os.path.isdir(folder) else ""
    return "" if name in ("HEAD", "unknown") else name


def _pushes_to(folder: str) -> str:
    """Return the branch that git pushes to when none is named; '' when it does not say."""
    if not os.path.isdir(folder):
        return ""
    return git.run(folder, "rev-parse", "--abbrev-ref", "@{push}").output.strip().partition("/")[2]
