"""How a host was started: whether it can put a question to somebody, and whether it runs for one prompt alone."""

import os
from typing import Any

from mi.hooks.event import HookEvent
from mi.hosts.adapters import HOSTS

_FIRST_LINE = 1 << 20  # bytes of a transcript in which its first line ends


def is_somebody_there(event: HookEvent) -> bool:
    """Return whether the host can put a question to a person.

    Codex's hooks cannot, nor can Claude Code in print mode.
    """
    variable = HOSTS[event.host].started_as
    if not variable or event.event != "pre-tool":
        return False
    started_as = os.environ.get(variable, "cli")  # cli, claude-vscode …; sdk-cli is print mode
    return not started_as.startswith("sdk") and event.permission_mode != "dontAsk"


def is_one_shot(event: HookEvent) -> bool:
    """Return whether the host runs for one prompt alone: its session can go on in another process."""
    host = HOSTS[event.host]
    if host.started_as:
        return os.environ.get(host.started_as, "").startswith("sdk")
    return _read_source(event.transcript_path) == "exec"


def _read_source(path: str) -> str:
    """Return how Codex says that it was started, in the first line of its transcript; '' where it does not."""
    from mi.kernel.jsontext import BadJson, decode

    try:
        with open(path, "rb") as file:
            found: Any = decode(file.readline(_FIRST_LINE), dict[str, Any])
        return str(found["payload"]["source"])
    except (OSError, BadJson, KeyError, TypeError):
        return ""
