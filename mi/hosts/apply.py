"""Placing artefacts into a workspace and taking them out again: nothing of the user's is overwritten or lost."""

import os
from collections.abc import Sequence

import msgspec

from mi.hosts import journal
from mi.hosts.artefacts import Artefact
from mi.hosts.placement_plan import Draft
from mi.hosts.workspaces import Workspace
from mi.kernel.errors import StorageError
from mi.kernel.locks import lock_folder
from mi.kernel.named_tuple import NamedTuple


class Placed(NamedTuple):
    """What was done, by path: written or linked, removed, left alone because someone else changed it."""

    changed: list[str]
    removed: list[str]
    kept: list[str]


class _NoLinks(Exception):
    """A file system without links."""


def place(workspace: Workspace, owner: str, artefacts: Sequence[Artefact], apply: bool = True) -> Placed:
    """Make the workspace hold exactly these artefacts of an owner; StorageError, and no change, when one is refused.

    Without `apply` only say what would change.
    """
    return _placed(workspace, [(owner, artefacts)], apply)


def remove(workspace: Workspace, owner: str) -> Placed:
    """Take out everything of an owner."""
    return place(workspace, owner, [])


def remove_all(workspace: Workspace, apply: bool = True) -> Placed:
    """Take out everything of MI's; without `apply` only say what would go."""
    if not os.path.isdir(workspace.root):
        return Placed([], [], [])
    return _placed(workspace, [(owner, []) for owner in list_owners(workspace)], apply)


def list_owners(workspace: Workspace) -> list[str]:
    """Return who placed something there."""
    return list(dict.fromkeys(entry.owner for entry in workspace.read().entries))


def _placed(workspace: Workspace, wanted: list[tuple[str, Sequence[Artefact]]], apply: bool = True) -> Placed:
    try:
        with lock_folder(workspace.root):
            if not apply:
                return _said(_drafted(workspace, wanted, copying=False))
            journal.take_back(workspace)
            try:
                return _apply(workspace, _drafted(workspace, wanted, copying=False))
            except _NoLinks:
                journal.take_back(workspace)
                return _apply(workspace, _drafted(workspace, wanted, copying=True))
            except OSError:
                journal.take_back(workspace)
                raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageError("host-cannot-write", path=error.filename or workspace.root, reason=reason) from None


def _drafted(workspace: Workspace, wanted: list[tuple[str, Sequence[Artefact]]], copying: bool) -> Draft:
    draft = Draft(workspace, copying)
    for owner, artefacts in wanted:
        draft.place(owner, artefacts)
    return draft


def _apply(workspace: Workspace, draft: Draft) -> Placed:
    after = draft.after
    if after == draft.before and not draft.writes and not draft.links:
        if not after.entries:
            workspace.write(after)  # what a kill left of MI's own folder
        return _said(draft)
    journal.note(workspace, draft)
    for path, text in draft.links.items():
        if not text:
            os.unlink(workspace.real(path, follow=False))
    for path, data in draft.writes.items():
        journal.write(workspace.real(path), data)
    for path, text in draft.links.items():
        if text:
            _link(workspace.real(path, follow=False), text)
    workspace.write(msgspec.structs.replace(after, folders=journal.prune(workspace, after.folders)))
    return _said(draft)


def _said(draft: Draft) -> Placed:
    done = Placed([], [], draft.kept)
    for path, there in [*draft.links.items(), *((path, data is not None) for path, data in draft.writes.items())]:
        (done.changed if there else done.removed).append(path)
    return done


def _link(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        os.symlink(text, path)
    except FileExistsError:
        raise
    except OSError:
        raise _NoLinks from None
