"""Which calls are the same: the same operation on the same target, in the same place."""

import os
import re
from collections.abc import Iterable

from mi.hooks.answer import AskedOperation
from mi.hooks.changed_files import find_changed_files, find_command
from mi.hooks.event import HookEvent
from mi.kernel.digest import hash_sha256
from mi.kernel.jsontext import encode

_FILE_TOOLS = ("Edit", "MultiEdit", "Write", "NotebookEdit")
_BETWEEN_WORDS = re.compile(r"[\s'\"=;&|()<>{}]+")
_MOST_WORDS = 200
_WHERE_TO = r"^(remote|url|push|branch|core\.(sshcommand|gitproxy|hookspath))\."  # settings that say where a push goes
_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): .+?$", re.MULTILINE)


def identify_call(event: HookEvent, asked: Iterable[AskedOperation]) -> str:
    """Return a key that is the same for the same operations on the same target, whatever else a call says.

    An edit is told by its file, a patch by its files and what happens to each, everything else by all it is given.
    """
    names = [one.operation for one in asked]
    if event.tool_name in _FILE_TOOLS:
        return _digest(names, "edit", *find_changed_files(event))
    if event.tool_name == "apply_patch":
        headers = _PATCHED.findall(find_command(event))
        return _digest(names, "patch", event.cwd, *(headers or [find_command(event)]))
    given = {name: value for name, value in event.tool_input.items() if name not in _INCIDENTAL}
    return _digest(names, event.tool_name, event.cwd, *_list_push_targets(event, names), given)


# What a host adds to a command beside what is done.
_INCIDENTAL = ("description", "timeout", "run_in_background", "yield_time_ms", "max_output_tokens", "justification")


def _list_push_targets(event: HookEvent, names: list[str]) -> list[str]:
    """Return branch and remotes of the repositories that a push is about: the same words can push another elsewhere."""
    from mi.governance.operations import OPERATIONS

    if not any(name in OPERATIONS and OPERATIONS[name].category == "push" for name in names):
        return []
    from mi.kernel.git import run

    found = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("GIT_")]
    for folder in _list_folders(event):
        env = {"GIT_DIR": folder} if os.path.isfile(os.path.join(folder, "HEAD")) else {}
        settings = run(folder, "config", "--get-regexp", _WHERE_TO, env=env).output
        found += [folder, run(folder, "symbolic-ref", "-q", "HEAD", env=env).output, hash_sha256(settings.encode())]
    return found


def _list_folders(event: HookEvent) -> list[str]:
    """Return the folders that a command may run in, or names: `cd sub`, `-C sub`, `GIT_DIR=sub/.git`."""
    from mi.kernel.shell import simple_commands

    text, here = find_command(event), os.path.abspath(event.cwd or ".")
    places = [here, *(one.folder for one in simple_commands(text, here) if one.folder and os.path.isabs(one.folder))]
    words = [os.path.expanduser(word) for word in _BETWEEN_WORDS.split(text)[:_MOST_WORDS]]
    named = [os.path.join(place, word) for place in dict.fromkeys(places) for word in words if word]
    return [one for one in dict.fromkeys(map(os.path.normpath, [*places, *named])) if os.path.isdir(one)]


def _digest(*parts: object) -> str:
    return hash_sha256(encode(parts))[:20]
