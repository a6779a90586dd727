"""Which files a tool call of a host would change: edits by their path, patches and shell commands by what they say."""

import os
import re
import shlex

from mi.hooks.event import HookEvent

_EDITORS = {"Edit": "file_path", "MultiEdit": "file_path", "Write": "file_path", "NotebookEdit": "notebook_path"}
_SHELLS = ("Bash", "exec_command", "shell", "local_shell", "unified_exec")
_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$", re.MULTILINE)
# Commands that change the files they name; of those with a number, only the words from there on.
_ALL_WORDS = frozenset("rm rmdir unlink mv touch truncate tee mkdir shred ln".split())
_LAST_WORD = frozenset("cp install rsync".split())
_IN_PLACE = {"sed": ("-i", "--in-place"), "perl": ("-i", "-pi"), "ruby": ("-i",), "gofmt": ("-w",)}
_GIT = frozenset(
    "apply am checkout cherry-pick clean merge mv pull rebase reset restore revert rm stash switch".split()
)
_NOWHERE = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty")


def touched(event: HookEvent) -> list[str]:
    """The files that a call would change, as absolute paths; empty for a call that only looks."""
    return [os.path.normpath(os.path.join(event.cwd or ".", os.path.expanduser(path))) for path in _named(event)]


def is_change(event: HookEvent) -> bool:
    """Whether a call would change any file at all."""
    return bool(_named(event))


def _named(event: HookEvent) -> list[str]:
    given = event.tool_input
    if event.tool_name in _EDITORS:
        return [str(given.get(_EDITORS[event.tool_name]) or ".")]
    text = command_of(event)
    if event.tool_name == "apply_patch":
        return _PATCHED.findall(text) or ["."]
    if event.tool_name in _SHELLS:
        return _by_shell(text)
    return []


def command_of(event: HookEvent) -> str:
    """The command line or the patch of a call; '' for one that has neither."""
    given = event.tool_input
    command = given.get("command") or given.get("cmd") or given.get("input") or ""
    if isinstance(command, list):
        return shlex.join(map(str, command)) if len(command) > 1 else "".join(map(str, command))
    return str(command)


def _by_shell(text: str) -> list[str]:
    from mi.kernel.shell import simple_commands

    found: list[str] = []
    for one in simple_commands(text):
        found += [path for path in one.writes if path not in _NOWHERE and not path.startswith("&")]
        if one.argv:
            found += _by_command(one.name, list(one.argv[1:]))
    if "apply_patch" in text:
        found += _PATCHED.findall(text)
    return found


def _by_command(name: str, words: list[str]) -> list[str]:
    plain = [word for word in words if not word.startswith("-")]
    if name in _ALL_WORDS:
        return plain or ["."]
    if name in _LAST_WORD:
        return plain[-1:] or ["."]
    if name == "dd":
        return [word.removeprefix("of=") for word in words if word.startswith("of=")]
    if name == "patch":
        return plain[:1] or ["."]
    if name == "git":
        return ["."] if plain and plain[0] in _GIT else []
    if any(word.startswith(flag) for flag in _IN_PLACE.get(name, ()) for word in words):
        return plain or ["."]
    return []
