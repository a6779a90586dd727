"""Which commands of MI hosts will start, in every workspace this home knows: a moved installation leaves them dead."""

import json
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from typing import Any

from mi.hosts import marked_block
from mi.hosts.adapters import HOOK_HOSTS, HOSTS
from mi.hosts.hook_line import read_hook_line
from mi.hosts.manifest import PlacedEntry
from mi.hosts.own_shape import is_own_command
from mi.hosts.workspaces import Workspace, list_known_workspaces
from mi.kernel import files, inside
from mi.kernel.config.profiles import PROFILES
from mi.kernel.errors import MiError
from mi.kernel.home import Home
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices

_ENFORCE = re.compile(r"--(enforce|profile)[ =]([a-z,-]+)")
_TOML_SERVER = re.compile(r'^\[mcp_servers\.mi\]\r?\ncommand = (".*")\r?\nargs = (\[.*\])\r?$', re.MULTILINE)
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


class ProjectEntry(NamedTuple):
    """A hook or a server of MI in a file of the project that a host reads, whoever put it there."""

    host: str
    kind: str  # hook, mcp
    path: str
    words: tuple[str, ...]

    @property
    def enforced(self) -> list[str]:
        return find_enforced(shlex.join(self.words))


def find_project_entries(root: str) -> Iterator[ProjectEntry]:
    """Yield the entries of MI that a project brings along: a clone has them without any list of its own."""
    for host in (HOSTS[name] for name in HOOK_HOSTS):
        path = host.settings("project", host.hook_files[0])
        hooks = _read_json(root, path).get("hooks")
        lists = hooks.values() if isinstance(hooks, dict) else ()
        for item in [one for kept in lists if isinstance(kept, list) for one in kept]:
            if is_own_command(item):
                yield ProjectEntry(host.name, "hook", path, tuple(read_hook_line(item["hooks"][0]["command"])))
        for words in _read_servers(root, host.servers):
            yield ProjectEntry(host.name, "mcp", host.servers, words)


def _read_servers(root: str, path: str) -> Iterator[tuple[str, ...]]:
    """Yield the command of each server of MI in a file of JSON or TOML."""
    if path.endswith(".toml"):
        text = (_read(root, path) or b"").decode("utf-8", "replace")
        if command := _TOML_SERVER.search(text):
            yield tuple(map(str, (json.loads(command[1]), *json.loads(command[2]))))
        return
    servers = _read_json(root, path).get("mcpServers")
    for server in servers.values() if isinstance(servers, dict) else ():
        if is_own_command(server):
            yield (server["command"], *server["args"])


def _read(root: str, path: str) -> bytes | None:
    try:
        return inside.read_bytes(root, path)
    except (OSError, MiError):
        return None


def _read_json(root: str, path: str) -> dict[str, Any]:
    try:
        return decode(_read(root, path) or b"{}", dict[str, Any])
    except BadJson:
        return {}


def is_enforced(home: Home, root: str, client: str, part: str) -> bool:
    """Return whether hooks of MI for a client's host enforce a part: placed from here, or brought by the project."""
    for one in find_project_entries(root):
        if one.kind == "hook" and client.startswith(one.host) and part in one.enforced:
            return True
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
            return find_enforced(line)
    return []


def find_enforced(line: str) -> list[str]:
    """Return the parts that the line of a hook enforces, by their names or by a profile."""
    found = _ENFORCE.search(line)
    if found and found[1] == "profile":
        return list(PROFILES.get(found[2], {}).get("hooks", {}).get("enforce", []))
    return found[2].split(",") if found else []


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
