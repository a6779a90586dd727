"""Homes of 0.1 have no marker: known by what is in their files, and only that is taken as MI's."""

import os
from typing import Any

from mi.kernel import files, jsonl, layout
from mi.kernel.home import Home, hears_of, read_marker
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.seal import SUFFIX, seal_anew

_HEAD = 1 << 16  # bytes: enough for the first record of a log


def find_own(root: str) -> list[str] | None:
    """Return the paths in a folder without a marker that MI made, folders that are all MI's as one.

    None for no home.
    """
    config, log = os.path.join(root, "config.json"), os.path.join(root, "global", "evidence.jsonl")
    if not (_is_config(config) or _is_log(log)):
        return None
    found: list[str] = []
    for name in _names(root):
        found += _own_in(root, name)[1]
    return found


def seal_logs(root: str) -> None:
    """Seal every log of a home as it is, once: what was written before there were seals counts as MI's."""
    marker = read_marker(root)
    if marker.read().sealed or not os.path.isdir(root):
        return
    notices, was_marked = hears_of(root), bool(marker.id)
    unsealed = [log for log in Home(root).logs() if not os.path.lexists(log + SUFFIX)]
    if was_marked and notices is not None and any(map(os.path.getsize, unsealed)):
        notices.add("home-sealed", root, count=len(unsealed))  # a home of 0.1 is told of as a whole
    marker.note_sealing(notices)
    for log in unsealed:
        with jsonl.keep_writers_out(log):
            if not os.path.lexists(log + SUFFIX):
                seal_anew(log)
    marker.note_sealed()


def _own_in(root: str, relative: str) -> tuple[bool, list[str]]:
    """Return whether a path is all MI's, and the paths that are."""
    path = os.path.join(root, relative)
    if os.path.islink(path) or not os.path.isdir(path):
        own = layout.is_file(relative) and not os.path.islink(path) and _reads_as(path, relative)
        return own, [relative] * own
    if not layout.is_folder(relative) or not _is_known(path, relative):
        return False, []
    if layout.is_opaque(relative):
        return True, [relative]
    inside = [_own_in(root, os.path.join(relative, name)) for name in _names(path)]
    if inside and all(own for own, _ in inside):
        return True, [relative]
    return False, [one for _, found in inside for one in found]


def _is_known(path: str, relative: str) -> bool:
    """Return whether a folder that could be anybody's by its name holds what only MI writes."""
    match relative.split(os.sep):
        case ["projects", project_id]:
            known = _object(os.path.join(path, "overlay.json")).get("project_id")
            return known == project_id or _is_log(os.path.join(path, "evidence.jsonl"))
        case ["demo"]:
            return _is_config(os.path.join(path, "home", "config.json"))
        case ["persona"]:
            return all(os.path.isfile(os.path.join(path, one)) for one in ("core/boot.md", "indexes/card-index.yaml"))
    return True


def _reads_as(path: str, relative: str) -> bool:
    """Return whether a file of the layout holds what MI writes there, as far as its first bytes tell."""
    if not os.path.isfile(path):
        return False
    if relative == "config.json":
        return _is_config(path)
    if relative.endswith(".jsonl"):
        return "version" in (first := _first(path)) or "kind" in first or "type" in first or not os.path.getsize(path)
    if relative.endswith(".json"):
        return bool(_object(path))
    start = {".sqlite": b"SQLite format 3\0", ".gz": b"\x1f\x8b"}.get(os.path.splitext(relative)[1], b"")
    return _head(path).startswith(start)


def _is_config(path: str) -> bool:
    raw = _object(path)
    sides = [one for one in (raw.get("mind"), raw.get("hands")) if isinstance(one, dict)]
    return any("provider" in one for one in sides) or (raw.get("version") == "v1" and "runtime" in raw)


def _is_log(path: str) -> bool:
    first = _first(path)
    return str(first.get("event_id", "")).startswith("ev_") and "kind" in first and "ts" in first


def _first(path: str) -> dict[str, Any]:
    """Return the first record of a log; of none, or one that is too long, an empty one."""
    return _parsed(_head(path).split(b"\n", 1)[0])


def _object(path: str) -> dict[str, Any]:
    try:
        return _parsed(files.read_bytes(path) or b"")
    except OSError:
        return {}


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        return decode(data, dict[str, Any])
    except BadJson:
        return {}


def _head(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(_HEAD)
    except OSError:
        return b""


def _names(path: str) -> list[str]:
    try:
        return sorted(os.listdir(path))
    except OSError:
        return []
