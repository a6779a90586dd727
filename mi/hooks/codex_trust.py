"""Codex runs only hooks it trusts and skips others in silence: installing MI's hooks includes asking and saying so."""

import json
import os
import subprocess
from collections.abc import Collection
from threading import Timer
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from mi import __version__
from mi.agents.find import find_native
from mi.hosts.adapters import HOSTS
from mi.hosts.apply import place, remove
from mi.hosts.artefacts import Artefact, render_toml_block
from mi.hosts.hook_line import read_hook_line
from mi.hosts.scopes import scope_workspace
from mi.kernel.errors import MiError
from mi.kernel.messages import NestedText
from mi.kernel.named_tuple import NamedTuple

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext

_CODEX = "codex"
_PROJECT, _HOOKS = "hook codex project", "hook codex hashes"
_PATIENCE_S = 30.0


class CodexHook(Struct, frozen=True, kw_only=True, rename="camel"):
    """A hook as Codex lists it; untrusted ones are skipped in silence."""

    key: str
    command: str = ""
    current_hash: str = ""
    trust_status: str = ""


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


def find_trusted(context: "HomeContext", root: str, program: str) -> Trust:
    """Return what Codex makes of the hooks that MI entered at a place, a project or the person's own; it is asked."""
    codex = find_native(_CODEX, context.config.hands.codex.path)
    own = is_persons(root)
    folder = os.path.dirname(find_codex_config()) if own else os.path.join(root, HOSTS[_CODEX].folder)
    listed = list_hooks(codex, context.project.root if own else root)
    # A key begins with the file that the hook stands in: a project's and the person's may be the same command.
    here = [hook for hook in listed if hook.key.startswith(os.path.realpath(folder) + os.sep)]
    mine = [hook for hook in here if read_hook_line(hook.command)[:1] == [program]]
    return Trust(len(mine), sum(hook.trust_status == "trusted" for hook in mine))


def is_persons(root: str) -> bool:
    """Return whether a place is the person's own, for all projects, and no project."""
    places = (os.path.expanduser("~"), os.path.dirname(find_codex_config()))
    return os.path.realpath(root) in map(os.path.realpath, places)


def distrust(context: "HomeContext", project: str) -> None:
    """Take out what was written down."""
    workspace = scope_workspace(context.home, _CODEX, "user", project)
    for owner in (_HOOKS, _PROJECT):
        remove(workspace, f"{owner} {project}")


def find_codex_config() -> str:
    """Return the person's own configuration of Codex."""
    return HOSTS[_CODEX].settings("user", "config.toml")


def _project_block(project: str) -> Artefact:
    table = f"[projects.{_quoted(project)}]"
    return render_toml_block(find_codex_config(), f"trust {project}", f'{table}\ntrust_level = "trusted"', taken=table)


def _hook_block(hook: CodexHook) -> Artefact:
    table = f"[hooks.state.{_quoted(hook.key)}]"
    text = f"{table}\ntrusted_hash = {_quoted(hook.current_hash)}"
    return render_toml_block(find_codex_config(), f"hook {hook.key}", text, taken=table)


def _quoted(text: str) -> str:
    """Return a TOML basic string: JSON's escapes are all known to it."""
    return json.dumps(text, ensure_ascii=False)


def list_hooks(codex: str, folder: str) -> list[CodexHook]:
    """Return the hooks that apply in a folder; those of a project that Codex does not trust are not among them."""
    try:
        process = subprocess.Popen(
            [codex, "app-server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise MiError("codex-hooks", reason=error.strerror or str(error)) from None
    watchdog = Timer(_PATIENCE_S, process.kill)
    watchdog.start()
    try:
        about = {"name": "mind-incarnation", "version": __version__}
        _ask(process, 1, "initialize", {"clientInfo": about})
        found = _ask(process, 2, "hooks/list", {"cwds": [os.path.realpath(folder)]})
        return [msgspec.convert(hook, CodexHook) for part in found["data"] for hook in part["hooks"]]
    except (KeyError, TypeError, OSError, msgspec.MsgspecError) as error:
        raise MiError("codex-hooks", reason=f"{type(error).__name__}: {error}") from None
    finally:
        watchdog.cancel()
        process.kill()
        process.communicate()


def _ask(process: "subprocess.Popen[bytes]", number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(msgspec.json.encode({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
    process.stdin.write(b"\n")
    process.stdin.flush()
    for line in process.stdout:
        answer = msgspec.json.decode(line, type=dict[str, Any])
        if answer.get("id") == number:
            if "result" not in answer:
                raise MiError("codex-hooks", reason=msgspec.json.encode(answer.get("error")).decode())
            result: dict[str, Any] = answer["result"]
            return result
    raise MiError("codex-hooks", reason=NestedText("reason.no-answer", to=method))
