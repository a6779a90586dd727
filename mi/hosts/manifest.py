"""The manifest of one place: everything MI put there, and how each file of the user's was before."""

import os
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Struct

from mi.kernel import inside
from mi.kernel.errors import StorageError
from mi.kernel.jsontext import BadJson, decode

T = TypeVar("T", bound=Struct)


class PlacedEntry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that MI put somewhere, and what is needed to know it again."""

    owner: str
    kind: Literal["file", "link", "block", "entry", "item"]
    path: str
    sha256: str = ""  # file: of the bytes written
    target: str = ""  # link
    copied: dict[str, str] = {}  # link that had to be a copy: file → sha256
    name: str = ""  # block
    comment: str = ""
    lead: str = ""
    keys: tuple[str, ...] = ()  # entry, item
    value: Any = None
    found: bool = False  # it stood there already: it stays

    @property
    def identity(self) -> tuple[object, ...]:
        """What makes it the same thing when it is placed again."""
        item = msgspec.json.encode(self.value) if self.kind == "item" else b""
        return self.kind, self.path, self.name, self.keys, item


class Former(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A file of the user's that MI writes into: as it was, and the hash of what MI left."""

    existed: bool
    sha256: str = ""
    content: bytes = b""
    written: str = ""
    edited: bool = False  # someone else changed it since: the former bytes are no longer the way back


class WorkspaceManifest(Struct, frozen=True, kw_only=True):
    """Everything MI put into one workspace."""

    version: str = "v1"
    root: str = ""  # of the workspace when this was written
    mark: str = ""  # also in the workspace: by it one that was moved is known again
    entries: list[PlacedEntry] = []
    files: dict[str, Former] = {}
    folders: list[str] = []  # made by MI, outermost first


def parsed(data: bytes, shape: type[T], where: str) -> T:
    """Return what a file of MI's says; StorageError when it cannot be read."""
    try:
        return decode(data, shape)
    except BadJson as error:
        raise StorageError("host-manifest-broken", path=where, reason=str(error)) from None


def parsed_manifest(data: bytes, where: str) -> WorkspaceManifest:
    """Return the manifest in a file; StorageError when it cannot be read, or a path in it leads out or below `.git`."""
    found = parsed(data, WorkspaceManifest, where)
    targets = [entry.target for entry in found.entries if entry.kind == "link"]
    check_paths([*(entry.path for entry in found.entries), *targets, *found.files, *found.folders], where)
    return found


def check_paths(paths: list[str], where: str) -> None:
    """Raise unless each path that a file of MI's names stays in its workspace and out of git's own folder."""
    for path in paths:
        if os.path.isabs(path) or os.path.normpath(path) != path or path.split(os.sep, 1)[0] in (".", ".."):
            raise StorageError("host-manifest-broken", path=where, reason=path)
        if inside.names_git(path):
            raise StorageError("below-git", path=path)
