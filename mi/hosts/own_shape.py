"""What is MI's by its own shape alone: a list that came with a repository is believed no further than this."""

import os
import re
from typing import Any

import msgspec

from mi.hosts import jsonfile, marked_block
from mi.hosts.hook_line import read_hook_line
from mi.hosts.manifest import Former, PlacedEntry, WorkspaceManifest
from mi.kernel import files, inside
from mi.kernel.digest import hash_sha256
from mi.kernel.errors import MiError

OWN = ".mi"  # of a workspace: everything in it is MI's
_BLOCK_FILES = {"#": (".toml",), "<!-- -->": (".md", ".mdc", ".txt", "rules")}
_LEAD = re.compile(r"(?:\r?\n){0,2}")


def is_own(path: str) -> bool:
    """Tell whether a path of a workspace lies in MI's own folder."""
    return path.startswith(OWN + os.sep)


def own_part(root: str, listed: WorkspaceManifest) -> WorkspaceManifest:
    """Return of a list only what stands in the workspace in MI's own shape; no former content is taken from it."""
    entries = [_harmless(entry) for entry in listed.entries if _stands(root, entry)]
    edited = {entry.path for entry in entries if entry.kind in ("block", "entry", "item")}
    formers = {path: Former(existed=_existed(listed.files.get(path)), edited=True) for path in sorted(edited)}
    needed = [os.path.dirname(entry.path) + os.sep for entry in entries]
    folders = [
        folder
        for folder in listed.folders
        if is_own(folder) or any(path.startswith(folder + os.sep) for path in needed)
    ]
    return WorkspaceManifest(entries=entries, files=formers, folders=folders)


def _existed(former: Former | None) -> bool:
    return former is None or former.existed


def _harmless(entry: PlacedEntry) -> PlacedEntry:
    """Return an entry without what could take more away than was put in."""
    lead = entry.lead if _LEAD.fullmatch(entry.lead) else ""
    return msgspec.structs.replace(entry, lead=lead, copied={})


def _stands(root: str, entry: PlacedEntry) -> bool:
    """Tell whether an entry is found in the workspace as MI would have put it there."""
    try:
        match entry.kind:
            case "file":
                return is_own(entry.path) and _digest(inside.read_bytes(root, entry.path)) == entry.sha256
            case "link":
                return is_own(entry.target) and _leads_to(root, entry.path) == os.path.join(
                    os.path.realpath(root), entry.target
                )
            case "block":
                text = (inside.read_bytes(root, entry.path) or b"").decode("utf-8", "surrogateescape")
                fits = entry.path.endswith(_BLOCK_FILES.get(entry.comment, ()))
                return fits and marked_block.find(text, entry.name, entry.comment) is not None
            case "entry" | "item":
                return not entry.found and (is_own(entry.path) or is_own_command(entry.value)) and _holds(root, entry)
    except (OSError, MiError):
        return False


def _leads_to(root: str, path: str) -> str:
    place = inside.real_path(root, path, follow=False)
    if not os.path.islink(place) or os.path.isabs(os.readlink(place)):
        return ""
    return os.path.normpath(os.path.join(os.path.dirname(place), os.readlink(place)))


def _holds(root: str, entry: PlacedEntry) -> bool:
    document = jsonfile.parse(files.read_bytes(inside.real_path(root, entry.path)), entry.path)
    value = jsonfile.get(document, entry.keys)
    return value == entry.value if entry.kind == "entry" else isinstance(value, list) and entry.value in value


def is_own_command(value: Any) -> bool:
    """Tell whether a value in a host's settings starts MI's hooks or its server, and nothing else."""
    match value:
        case {"hooks": [{"command": str(line)}]}:
            return _starts(read_hook_line(line), "hook")
        case {"command": [*words]}:
            return _starts([str(word) for word in words], "mcp")
        case {"command": str(program), "args": [*words]}:
            return _starts([program, *map(str, words)], "mcp")
    return False


def _starts(words: list[str], command: str) -> bool:
    """Tell whether words are MI's own command: the program, perhaps its home, and what it shall do."""
    if os.path.basename(words[0] if words else "") == "mi":
        rest = words[1:]
    elif words[1:4] == ["-P", "-m", "mi"]:
        rest = words[4:]
    else:
        return False
    return (rest[2:] if rest[:1] == ["--home"] else rest)[:1] == [command]


def _digest(data: bytes | None) -> str:
    return "" if data is None else hash_sha256(data)
