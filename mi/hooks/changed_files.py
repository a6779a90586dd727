"""Which files a tool call of a host would change: edits by their path, patches and shell commands by what they say."""

import os
import re
import shlex

from mi.hooks.event import HookEvent

_EDITORS = {"Edit": "file_path", "MultiEdit": "file_path", "Write": "file_path", "NotebookEdit": "notebook_path"}
_SHELLS = ("Bash", "exec_command", "shell", "local_shell", "unified_exec")
_PATCHED = r"(?m)^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.*\S)"
# Tools of other servers that change files, and where they say which.
_FILE_TOOL = r"mcp__(?!mi__).*_(?:write|edit|create|delete|move|rename|append|insert|patch|replace)(?:_|$)"
_FILE_FIELDS = ("path", "file_path", "filepath", "file", "filename", "source", "destination")


def find_changed_files(event: HookEvent) -> list[str]:
    """Return the files that a call would change, as absolute paths; empty for a call that only looks."""
    folder = event.cwd or "."
    if is_shell(event):
        return _by_shell(find_command(event), folder)
    return [os.path.normpath(os.path.join(folder, os.path.expanduser(path))) for path in _named(event)]


def is_shell(event: HookEvent) -> bool:
    """Return whether a call runs a command line."""
    return event.tool_name in _SHELLS


def is_change(event: HookEvent) -> bool:
    """Return whether a call would change any file at all."""
    return bool(find_changed_files(event))


def _named(event: HookEvent) -> list[str]:
    given = event.tool_input
    if event.tool_name in _EDITORS:
        return [str(given.get(_EDITORS[event.tool_name]) or ".")]
    if event.tool_name == "apply_patch":
        return re.findall(_PATCHED, find_command(event)) or ["."]
    if re.match(_FILE_TOOL, event.tool_name):
        return [str(given[name]) for name in _FILE_FIELDS if isinstance(given.get(name), str)]
    return []


def find_command(event: HookEvent) -> str:
    """Return the command line or the patch of a call; '' for one that has neither."""
    given = event.tool_input
    command = given.get("command") or given.get("cmd") or given.get("input") or ""
    if isinstance(command, list):
        return shlex.join(map(str, command)) if len(command) > 1 else "".join(map(str, command))
    return str(command)


def _by_shell(text: str, folder: str) -> list[str]:
    from mi.hooks.shell_changes import changed_files

    found = changed_files(text, folder)
    if "apply_patch" in text:
        found += [os.path.normpath(os.path.join(folder, path)) for path in re.findall(_PATCHED, text)]
    return found
