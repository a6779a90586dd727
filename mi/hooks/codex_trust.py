"""Codex runs only hooks it trusts, and skips others in silence: installing MI's hooks includes that step."""

import json
import os
import shlex
from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from mi.agents.codex_hooks import CodexHook, list_hooks
from mi.agents.find import find_native
from mi.hosts.adapters import HOSTS
from mi.hosts.apply import place, remove
from mi.hosts.artefacts import Artefact, toml_block
from mi.hosts.scopes import scope_workspace

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext

_CODEX = "codex"
_PROJECT, _HOOKS = "hook codex project", "hook codex hashes"


class Trust(NamedTuple):
    """How many of MI's hooks Codex runs now; `seen` is 0 for a project that it does not trust."""

    seen: int
    trusted: int


def trust(context: "HomeContext", commands: Collection[str], project: str, with_project: bool) -> Trust:
    """Write down in Codex's own configuration that MI's hooks are trusted; and the project, if that was said."""
    codex = find_native(_CODEX, context.config.hands.codex.path)
    workspace = scope_workspace(context.home, _CODEX, "user", project)
    if with_project:
        place(workspace, f"{_PROJECT} {project}", [_project_block(project)])
    remove(workspace, f"{_HOOKS} {project}")  # of an earlier installation: their hashes may be others now
    mine = [hook for hook in list_hooks(codex, project) if hook.command in commands]
    place(workspace, f"{_HOOKS} {project}", [_hook_block(hook) for hook in mine if hook.trust_status != "trusted"])
    mine = [hook for hook in list_hooks(codex, project) if hook.command in commands]
    return Trust(len(mine), sum(hook.trust_status == "trusted" for hook in mine))


def trusted_at(context: "HomeContext", root: str, program: str) -> Trust:
    """What Codex makes of the hooks that MI entered at a place, a project or the person's own; it is asked."""
    codex = find_native(_CODEX, context.config.hands.codex.path)
    own = is_persons(root)
    folder = os.path.dirname(codex_config()) if own else os.path.join(root, HOSTS[_CODEX].folder)
    listed = list_hooks(codex, context.project.root if own else root)
    # A key begins with the file that the hook stands in: a project's and the person's may be the same command.
    here = [hook for hook in listed if hook.key.startswith(os.path.realpath(folder) + os.sep)]
    mine = [hook for hook in here if f"{hook.command} ".startswith(f"{shlex.quote(program)} ")]
    return Trust(len(mine), sum(hook.trust_status == "trusted" for hook in mine))


def is_persons(root: str) -> bool:
    """Whether a place is the person's own, for all projects, and no project."""
    places = (os.path.expanduser("~"), os.path.dirname(codex_config()))
    return os.path.realpath(root) in map(os.path.realpath, places)


def distrust(context: "HomeContext", project: str) -> None:
    """Take out what was written down."""
    workspace = scope_workspace(context.home, _CODEX, "user", project)
    for owner in (_HOOKS, _PROJECT):
        remove(workspace, f"{owner} {project}")


def codex_config() -> str:
    """The person's own configuration of Codex."""
    return HOSTS[_CODEX].settings("user", "config.toml")


def _project_block(project: str) -> Artefact:
    table = f"[projects.{_quoted(project)}]"
    return toml_block(codex_config(), f"trust {project}", f'{table}\ntrust_level = "trusted"', taken=table)


def _hook_block(hook: CodexHook) -> Artefact:
    table = f"[hooks.state.{_quoted(hook.key)}]"
    text = f"{table}\ntrusted_hash = {_quoted(hook.current_hash)}"
    return toml_block(codex_config(), f"hook {hook.key}", text, taken=table)


def _quoted(text: str) -> str:
    """A TOML basic string: JSON's escapes are all known to it."""
    return json.dumps(text, ensure_ascii=False)
