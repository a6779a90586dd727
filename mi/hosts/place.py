"""Placing artefacts into a workspace and taking them out again: nothing of the user's is overwritten or lost."""

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

import msgspec

from mi.hosts.artefacts import Artefact
from mi.hosts.draft import Draft, changed_copies, link_text
from mi.hosts.workspaces import OWN, Entry, Manifest, Workspace, digest, remove_empty
from mi.kernel import files
from mi.kernel.errors import StorageError
from mi.kernel.locks import folder_lock

COPY_MARK = ".mi-copy"


class Placed(NamedTuple):
    """What was done, by path: written or linked, removed, left alone because someone else changed it."""

    changed: list[str]
    removed: list[str]
    kept: list[str]


def place(workspace: Workspace, owner: str, artefacts: Sequence[Artefact]) -> Placed:
    """Make the workspace hold exactly these artefacts of an owner; StorageError, and no change, when one is refused."""
    try:
        with folder_lock(workspace.root):
            draft = Draft(workspace)
            draft.place(owner, artefacts)
            return _apply(workspace, draft)
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageError("host-cannot-write", path=error.filename or workspace.root, reason=reason) from None


def remove(workspace: Workspace, owner: str) -> Placed:
    """Take out everything of an owner."""
    return place(workspace, owner, [])


def remove_all(workspace: Workspace) -> Placed:
    """Take out everything of MI's."""
    done = Placed([], [], [])
    for owner in owners(workspace):
        one = remove(workspace, owner)
        done = Placed(done.changed + one.changed, done.removed + one.removed, done.kept + one.kept)
    return done


def owners(workspace: Workspace) -> list[str]:
    """Who placed something there."""
    return list(dict.fromkeys(entry.owner for entry in workspace.read().entries))


def _apply(workspace: Workspace, draft: Draft) -> Placed:
    after = draft.after
    if after == draft.before and not draft.writes and not draft.links:
        return Placed([], [], draft.kept)
    # First what is about to be there: after a crash in between it is known and can be taken back.
    workspace.write(
        Manifest(entries=[*after.entries, *draft.gone], files=draft.before.files | after.files, folders=after.folders)
    )
    done = Placed([], [], draft.kept)
    for path, target in draft.links.items():
        if target is None:
            _unlink(workspace, next(entry for entry in draft.gone if entry.kind == "link" and entry.path == path))
            done.removed.append(path)
    for path, data in draft.writes.items():
        _write(workspace.real(path), data)
        (done.removed if data is None else done.changed).append(path)
    entries = list(after.entries)
    for path, target in draft.links.items():
        if target is not None:
            where = next(number for number, one in enumerate(entries) if one.kind == "link" and one.path == path)
            entries[where] = _link(workspace, entries[where])
            done.changed.append(path)
    folders = _pruned(workspace, after.folders)
    workspace.write(msgspec.structs.replace(after, entries=entries, folders=folders))
    return done


def _write(path: str, data: bytes | None) -> None:
    if data is None:
        with suppress(FileNotFoundError):
            os.unlink(path)
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    mode = stat.S_IMODE(os.stat(path).st_mode) if os.path.exists(path) else None
    files.write_atomic(path, data, 0o666)
    if mode is not None:
        os.chmod(path, mode)


def _link(workspace: Workspace, entry: Entry) -> Entry:
    path = workspace.real(entry.path, follow=False)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not entry.copied:
        try:
            os.symlink(link_text(workspace, entry), path)
            return entry
        except FileExistsError:
            raise
        except OSError:
            pass  # a file system without links
    return _copy(workspace, entry, path)


def _copy(workspace: Workspace, entry: Entry, path: str) -> Entry:
    source = workspace.real(entry.target)
    edited = set(changed_copies(workspace, entry)) if entry.copied else set()
    contents = {COPY_MARK: f"A copy of {entry.target}, made by MI: the next sync replaces it.\n".encode()}
    for folder, _, names in os.walk(source):
        for name in names:
            whole = os.path.join(folder, name)
            contents[os.path.relpath(whole, source)] = files.read_bytes(whole) or b""
    copied = {}
    for inside, data in contents.items():
        if os.path.join(entry.path, inside) not in edited:
            _write(os.path.join(path, inside), data)
            copied[inside] = digest(data)
    for inside in entry.copied.keys() - contents.keys():
        if os.path.join(entry.path, inside) not in edited:
            _write(os.path.join(path, inside), None)
    return msgspec.structs.replace(entry, copied=copied)


def _unlink(workspace: Workspace, entry: Entry) -> None:
    path = workspace.real(entry.path, follow=False)
    if os.path.islink(path):
        os.unlink(path)
        return
    edited = set(changed_copies(workspace, entry))
    for inside in entry.copied:
        if os.path.join(entry.path, inside) not in edited:
            _write(os.path.join(path, inside), None)
    for folder, _, _ in os.walk(path, topdown=False):
        remove_empty(folder)


def _pruned(workspace: Workspace, folders: list[str]) -> list[str]:
    """The folders that are still there after the empty ones of MI's are gone."""
    for folder in sorted(folders, key=len, reverse=True):
        remove_empty(os.path.join(workspace.root, folder))
    return [folder for folder in folders if os.path.isdir(os.path.join(workspace.root, folder)) and folder != OWN]
