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
    return _digest(names, event.tool_name, event.cwd, *_push_target(event, names), given)


# What a host adds to a command beside what is done.
_INCIDENTAL = ("description", "timeout", "run_in_background", "yield_time_ms", "max_output_tokens", "justification")


def _push_target(event: HookEvent, names: list[str]) -> tuple[str, ...]:
    """Return branch and configuration of the repository, for a push: the same words can push another one elsewhere."""
    from mi.governance.operations import OPERATIONS

    if not any(name in OPERATIONS and OPERATIONS[name].category == "push" for name in names):
        return ()
    from mi.kernel.files import read_bytes
    from mi.kernel.git import find_branch, find_git_folder, find_toplevel

    root = find_toplevel(event.cwd or ".")
    config = read_bytes(os.path.join(find_git_folder(root), "config")) if root else None
    return find_branch(event.cwd or "."), hash_sha256(config or b"")


def _digest(*parts: object) -> str:
    return hash_sha256(encode(parts))[:20]
