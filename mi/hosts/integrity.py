"""Whether the hooks that MI entered are still as it left them: a change of their files is told, whoever made it."""

import os

from mi.hosts import jsonfile
from mi.hosts.manifest import PlacedEntry
from mi.hosts.workspaces import Workspace, digest
from mi.kernel import files
from mi.kernel.errors import MiError
from mi.kernel.home import Home
from mi.kernel.named_tuple import NamedTuple


class ChangedHookFile(NamedTuple):
    """A file with MI's hooks that is not as MI left it; `missing` of its `entered` hooks are gone."""

    path: str
    missing: int
    entered: int


def find_changed_hooks(home: Home, root: str) -> list[ChangedHookFile]:
    """Return the hook files of a project and of the user that were changed since MI wrote them."""
    places = [Workspace.of_user(home)]
    if os.path.isdir(root) and (here := Workspace.at(root, home)).is_recorded:
        places.insert(0, here)
    return [found for place in places for found in _in(place)]


def _in(place: Workspace) -> list[ChangedHookFile]:
    manifest = place.read()
    entries: dict[str, list[PlacedEntry]] = {}
    for entry in manifest.entries:
        if entry.owner.startswith("hook ") and entry.kind == "item":
            entries.setdefault(entry.path, []).append(entry)
    found = []
    for path, mine in entries.items():
        former = manifest.files.get(path)
        data = _content(place, path)
        if former is not None and former.written and digest(data) != former.written:
            found.append(ChangedHookFile(os.path.join(place.root, path), _missing(data, path, mine), len(mine)))
    return found


def _content(place: Workspace, path: str) -> bytes | None:
    try:
        return files.read_bytes(place.real(path))
    except (OSError, MiError):
        return None  # a link to somewhere else stands in its place: nothing of MI's is there


def _missing(data: bytes | None, path: str, mine: list[PlacedEntry]) -> int:
    try:
        document = jsonfile.parse(data, path)
    except MiError:
        return len(mine)
    lists = [(jsonfile.get(document, entry.keys), entry.value) for entry in mine]
    return sum(1 for items, value in lists if not isinstance(items, list) or value not in items)
