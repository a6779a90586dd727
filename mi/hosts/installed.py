"""Which commands of MI hosts will start, in every workspace this home knows: a moved installation leaves them dead."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from typing import NamedTuple

from mi.hosts import marked_block
from mi.hosts.hook_line import read_hook_line
from mi.hosts.manifest import PlacedEntry
from mi.hosts.workspaces import Workspace, list_known_workspaces
from mi.kernel import files
from mi.kernel.errors import MiError
from mi.kernel.home import Home
from mi.kernel.notices import Notices

_ENFORCE = re.compile(r"--enforce[ =]([a-z,-]+)")
_TOML_COMMAND = re.compile(r'^command = (".*")\r?$', re.MULTILINE)


class Installed(NamedTuple):
    """A program that a host starts; `owner` says who entered it, such as `hook codex`."""

    root: str
    owner: str
    program: str

    @property
    def works(self) -> bool:
        return shutil.which(self.program) is not None


def find_installed_commands(home: Home, notices: Notices) -> Iterator[Installed]:
    """Yield every program that was entered in a host, each once per place and owner."""
    places = [Workspace.of_user(home)]
    for root in list_known_workspaces(home, notices):
        if os.path.isdir(root):
            places.append(Workspace.at(root, home))
    for place in places:
        found = {
            Installed(place.root, entry.owner, program): None
            for entry in place.read().entries
            if entry.owner.split(" ", 1)[0] in ("hook", "mcp") and (program := _program(place, entry))
        }
        yield from found


def is_enforced(home: Home, root: str, client: str, part: str) -> bool:
    """Return whether hooks that MI placed for a client's host, in a project or for the user, enforce a part."""
    for place in (Workspace.at(root, home), Workspace.of_user(home)):
        for entry in place.read().entries:
            kind, _, host = entry.owner.partition(" ")
            if kind == "hook" and client.startswith(host or " ") and part in _read_enforced(entry.value):
                return True
    return False


def _read_enforced(value: object) -> list[str]:
    """Return the parts that a hook's entry enforces."""
    match value:
        case {"hooks": [{"command": str(line)}, *_]}:
            found = _ENFORCE.search(line)
            return found[1].split(",") if found else []
    return []


def _program(place: Workspace, entry: PlacedEntry) -> str:
    match entry.value:
        case {"hooks": [{"command": str(line)}, *_]}:
            return next(iter(read_hook_line(line)), "")
        case {"command": str(program)} | {"command": [str(program), *_]}:
            return program
    if entry.kind != "block":
        return ""
    try:
        text = (files.read_bytes(place.real(entry.path)) or b"").decode("utf-8", "replace")
    except (OSError, MiError):
        return ""
    where = marked_block.find(text, entry.name, entry.comment)
    command = _TOML_COMMAND.search(text[slice(*where)]) if where else None
    return str(json.loads(command[1])) if command else ""
