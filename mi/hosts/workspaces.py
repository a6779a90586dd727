"""Where artefacts are placed: a workspace or the user's own folder, each with one manifest of what is MI's there."""

import os
from typing import Any, Literal

import msgspec
from msgspec import Struct

from mi.kernel import files
from mi.kernel.errors import NotFound, StorageError
from mi.kernel.home import Home
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.notices import Notices, PrintingNotices
from mi.kernel.state import encode_pretty, read_state, update_state

OWN = ".mi"  # of a workspace: everything in it is MI's
_IGNORE = b"*\n"


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
    entries: list[PlacedEntry] = []
    files: dict[str, Former] = {}
    folders: list[str] = []  # made by MI, outermost first


class KnownWorkspaces(Struct, frozen=True, kw_only=True):
    """The workspaces with a manifest, so that all can be cleared."""

    version: str = "v1"
    roots: list[str] = []


class Workspace:
    """A folder that MI places things into, and the manifest of them."""

    def __init__(self, root: str, manifest: str, home: Home) -> None:
        self.root = root
        self.manifest_path = manifest
        self.home = home

    @classmethod
    def at(cls, root: str, home: Home) -> "Workspace":
        """The workspace at a folder; NotFound when there is none."""
        root = os.path.abspath(os.path.expanduser(root))
        if not os.path.isdir(root):
            raise NotFound("no-workspace", path=root)
        return cls(root, os.path.join(root, OWN, "manifest.json"), home)

    @classmethod
    def of_user(cls, home: Home) -> "Workspace":
        """The user's own folder, for what holds in every project; its manifest lies in the MI home."""
        return cls(os.path.expanduser("~"), home.path("hosts", "manifest.json"), home)

    @property
    def is_users(self) -> bool:
        return self.manifest_path == self.home.path("hosts", "manifest.json")

    @property
    def journal_path(self) -> str:
        """Where a change that is under way is noted."""
        if self.is_users:
            return os.path.join(os.path.dirname(self.manifest_path), "underway.json")
        return self.real(os.path.join(OWN, "underway.json"))

    def relative(self, path: str) -> str:
        """A path as the manifest names it; StorageError when it leads out of the workspace."""
        inside = os.path.relpath(os.path.join(self.root, path), self.root)
        if inside == os.curdir or inside.split(os.sep, 1)[0] == os.pardir:
            raise StorageError("host-outside", path=path, root=self.root)
        return inside

    def real(self, path: str, follow: bool = True) -> str:
        """Where a path really is; StorageError when a link on the way leads out of the workspace."""
        whole = os.path.join(self.root, path)
        parent, name = os.path.split(whole)
        real = os.path.realpath(whole) if follow else os.path.join(os.path.realpath(parent), name)
        root = os.path.realpath(self.root)
        if real != root and not real.startswith(root.rstrip("/") + "/"):
            raise StorageError("host-outside", path=path, root=self.root)
        return real

    def read(self) -> WorkspaceManifest:
        """What is MI's here, by the home's copy where the manifest is lost; StorageError when neither can be read."""
        try:
            found = self._parsed(self._manifest())
        except StorageError:
            copied = self._parsed(self._copy)
            if copied is None:
                raise  # nothing could be taken back after it
            return copied
        return found or self._parsed(self._copy) or WorkspaceManifest()

    def _parsed(self, path: str) -> WorkspaceManifest | None:
        data = files.read_bytes(path)
        if data is None:
            return None
        try:
            found = decode(data, WorkspaceManifest)
        except BadJson as error:
            raise StorageError("host-manifest-broken", path=path, reason=str(error)) from None
        check_paths([*(entry.path for entry in found.entries), *found.files, *found.folders], path)
        return found

    def write(self, manifest: WorkspaceManifest) -> None:
        """Store what is MI's here, as the end of a change; once nothing is, the manifest goes, too."""
        if manifest.entries:
            self.open()
            data = encode_pretty(manifest)
            files.write_atomic(self._manifest(), data)
            if not self.is_users:
                files.write_atomic(self._copy, data)
            files.remove_if_there(self.journal_path)
        else:
            self._close()

    @property
    def _copy(self) -> str:
        """In the home: a workspace is cleaned of ignored files now and then, what MI put into tracked ones stays."""
        return self.home.path("hosts", "copies", digest(os.fsencode(self.root))[:16] + ".json")

    def open(self) -> None:
        """Make MI's own folder, which this home knows of from now on."""
        if self.is_users:
            return
        folder = self.real(OWN)
        _remember(self.home, self.root, True)
        os.makedirs(folder, exist_ok=True)
        ignore = os.path.join(folder, ".gitignore")
        if not os.path.lexists(ignore):
            files.write_atomic(ignore, _IGNORE, 0o666)

    def _manifest(self) -> str:
        return self.manifest_path if self.is_users else self.real(os.path.join(OWN, "manifest.json"))

    def _close(self) -> None:
        files.remove_if_there(self._manifest())
        files.remove_if_there(self.journal_path)
        if self.is_users:
            return
        files.remove_if_there(self._copy)
        folder = self.real(OWN)
        ignore = os.path.join(folder, ".gitignore")
        if os.path.isdir(folder) and os.listdir(folder) == [".gitignore"] and files.read_bytes(ignore) == _IGNORE:
            files.remove_if_there(ignore)
        remove_empty(folder)
        _remember(self.home, self.root, False)


def check_paths(paths: list[str], where: str) -> None:
    """Raise unless each path that a file of MI's names stays in its workspace."""
    for path in paths:
        if os.path.isabs(path) or os.path.normpath(path) != path or path.split(os.sep, 1)[0] in (".", ".."):
            raise StorageError("host-manifest-broken", path=where, reason=path)


def known_workspaces(home: Home, notices: Notices) -> list[str]:
    """The folders that hold something of MI's, as far as this home knows."""
    return read_state(_known(home), KnownWorkspaces, notices).roots


def forget_workspace(home: Home, root: str) -> None:
    """Drop a workspace from the list."""
    _remember(home, root, False)


def digest(data: bytes | None) -> str:
    """The SHA-256 of a file's content, empty when there is no file."""
    from mi.kernel.digest import sha256_hex

    return "" if data is None else sha256_hex(data)


def remove_empty(folder: str) -> None:
    """Remove a folder when nothing is in it."""
    try:
        os.rmdir(folder)
    except OSError:
        pass  # something of the user's is in it, or it is gone


def _known(home: Home) -> str:
    return home.path("hosts", "workspaces.json")


def _remember(home: Home, root: str, there: bool) -> None:
    def change(known: KnownWorkspaces) -> KnownWorkspaces:
        others = [one for one in known.roots if one != root]
        return msgspec.structs.replace(known, roots=[*others, root] if there else others)

    if (root in known_workspaces(home, Notices())) != there:
        update_state(_known(home), KnownWorkspaces, change, PrintingNotices())
