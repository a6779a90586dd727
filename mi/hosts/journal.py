"""A change of a workspace that is under way: what was there is noted first, and put back after a kill or a refusal."""

import os
import re
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct

from mi.hosts.manifest import WorkspaceManifest, check_paths, parsed
from mi.hosts.own_shape import OWN
from mi.hosts.workspaces import Workspace, digest, remove_empty
from mi.kernel import files
from mi.kernel.errors import StorageError
from mi.kernel.state import encode_pretty

if TYPE_CHECKING:
    from mi.hosts.placement_plan import Draft

_TEMPORARY = re.compile(r"\.tmp\.\d+")


class FileBefore(Struct, frozen=True, kw_only=True):
    """A file as it was, None when there was none, and the hash of what comes instead."""

    content: bytes | None
    mode: int
    written: str


class Journal(Struct, frozen=True, kw_only=True):
    """What is needed to go back to where a change began."""

    manifest: WorkspaceManifest
    files: dict[str, FileBefore]
    links: dict[str, tuple[str, str]]  # path → what the link said and what it will say; empty: no link
    folders: list[str]


def note(workspace: Workspace, draft: "Draft") -> None:
    """Write down what the draft is about to change."""
    workspace.open()
    changes = {path: _change(workspace.real(path), data) for path, data in draft.writes.items()}
    links = {path: (_said(workspace.real(path, follow=False)) or "", text) for path, text in draft.links.items()}
    noted = Journal(manifest=draft.before, files=changes, links=links, folders=draft.after.folders)
    files.write_atomic(workspace.journal_path, encode_pretty(noted))


def take_back(workspace: Workspace) -> None:
    """Undo a change that did not come to its end; whatever someone else changed since stays."""
    _sweep(os.path.dirname(workspace.journal_path), os.path.basename(workspace.journal_path))
    if not workspace.is_users:
        _sweep(workspace.real(OWN))
    data = files.read_bytes(workspace.journal_path)
    if data is None:
        if not workspace.read().entries:
            workspace.write(WorkspaceManifest())
        return
    noted = parsed(data, Journal, workspace.journal_path)
    check_paths([*noted.links, *noted.files, *noted.folders], workspace.journal_path)
    for path, (before, after) in noted.links.items():
        _relink(workspace.real(path, follow=False), before, after)
    for path, change in noted.files.items():
        _restore(workspace.real(path), change)
    prune(workspace, [folder for folder in noted.folders if folder not in noted.manifest.folders])
    workspace.write(noted.manifest)


def write(path: str, data: bytes | None) -> None:
    """Replace a file, keeping its mode; None removes it."""
    if data is None:
        with suppress(FileNotFoundError):
            os.unlink(path)
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    mode = stat.S_IMODE(os.stat(path).st_mode) if os.path.exists(path) else None
    files.write_atomic(path, data, 0o666)
    if mode is not None:
        os.chmod(path, mode)


def prune(workspace: Workspace, folders: list[str]) -> list[str]:
    """Remove the empty ones of MI's folders; those that are still there."""
    for folder in sorted(folders, key=len, reverse=True):
        with suppress(StorageError):  # a link stands in its place
            remove_empty(workspace.real(folder, follow=False))
    return [folder for folder in folders if os.path.isdir(os.path.join(workspace.root, folder)) and folder != OWN]


def _change(path: str, data: bytes | None) -> FileBefore:
    content = files.read_bytes(path)
    mode = stat.S_IMODE(os.stat(path).st_mode) if content is not None else 0
    return FileBefore(content=content, mode=mode, written=digest(data))


def _restore(path: str, change: FileBefore) -> None:
    folder = os.path.dirname(path)
    if os.path.isdir(folder):
        _sweep(folder, os.path.basename(path))
    if digest(files.read_bytes(path)) != change.written:
        return
    write(path, change.content)
    if change.content is not None:
        os.chmod(path, change.mode)


def _relink(path: str, before: str, after: str) -> None:
    if _said(path) != after:
        return
    if after:
        os.unlink(path)
    if before:
        os.symlink(before, path)


def _said(path: str) -> str | None:
    """Return what a link says; empty when nothing is there, None when something else is."""
    if os.path.islink(path):
        return os.readlink(path)
    return None if os.path.lexists(path) else ""


def _sweep(folder: str, name: str = "") -> None:
    """Remove what a killed writer left beside the file of a name, or beside any of MI's own."""
    if not os.path.isdir(folder):
        return
    for one in os.listdir(folder):
        begin = _TEMPORARY.search(one)
        if begin and begin.end() == len(one) and (not name or one[: begin.start()] == name):
            os.unlink(os.path.join(folder, one))
