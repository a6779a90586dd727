"""Where artefacts are placed: a workspace or the user's own folder; what is MI's there is listed in the home."""

import os
from collections.abc import Iterator
from contextlib import suppress

import msgspec
from msgspec import Struct

from mi.hosts.manifest import WorkspaceManifest, parsed_manifest
from mi.hosts.own_shape import OWN, own_part
from mi.kernel import files, inside
from mi.kernel.digest import hash_sha256
from mi.kernel.errors import NotFound, StorageError
from mi.kernel.home import Home
from mi.kernel.notices import Notices, PrintingNotices
from mi.kernel.state import encode_pretty, read_state, update_state

_IGNORE = b"*\n!checks.toml\n!worktree.toml\n"  # but for the person's own files
_FORMER_IGNORE = b"*\n"
_IGNORE_FILE = os.path.join(OWN, ".gitignore")
_MARK = os.path.join(OWN, "mark")
_FIRST_MANIFEST = os.path.join(OWN, "manifest.json")
_FIRST_VERSION = (_FIRST_MANIFEST, os.path.join(OWN, "underway.json"))  # what 0.1 kept in the workspace itself


class KnownWorkspaces(Struct, frozen=True, kw_only=True):
    """The workspaces with a manifest, so that all can be cleared."""

    version: str = "v1"
    roots: list[str] = []


class Workspace:
    """A folder that MI places things into; what is MI's there is listed in the home, and nowhere else."""

    def __init__(self, root: str, home: Home, is_users: bool = False) -> None:
        self.root = root
        self.home = home
        self.is_users = is_users
        key = "" if is_users else digest(os.fsencode(os.path.realpath(root)))[:16]
        self.manifest_path = home.path("hosts", *(("manifests", f"{key}.json") if key else ("manifest.json",)))
        self.journal_path = home.path("hosts", *(("underway", f"{key}.json") if key else ("underway.json",)))

    @classmethod
    def at(cls, root: str, home: Home) -> "Workspace":
        """Return the workspace at a folder; NotFound when there is none."""
        root = os.path.abspath(os.path.expanduser(root))
        if not os.path.isdir(root):
            raise NotFound("no-workspace", path=root)
        return cls(root, home)

    @classmethod
    def of_user(cls, home: Home) -> "Workspace":
        """Return the user's own folder, for what holds in every project."""
        return cls(os.path.expanduser("~"), home, is_users=True)

    def relative(self, path: str) -> str:
        """Return a path as the manifest names it; StorageError when it leads out of the workspace or below `.git`."""
        within = os.path.relpath(os.path.join(self.root, path), self.root)
        if within == os.curdir or within.split(os.sep, 1)[0] == os.pardir:
            raise StorageError("host-outside", path=path, root=self.root)
        if inside.names_git(within):
            raise StorageError("below-git", path=path)
        return within

    def real(self, path: str, follow: bool = True) -> str:
        """Return where a path really is; StorageError when a link leads out of the workspace or below `.git`.

        In MI's own folder no link is followed at all: everything there is written over.
        """
        real = inside.real_path(self.root, path, follow)
        if path.split(os.sep, 1)[0] == OWN and real != os.path.join(os.path.realpath(self.root), path):
            raise StorageError("own-folder-link", path=os.path.join(self.root, path))
        return real

    @property
    def is_recorded(self) -> bool:
        """Whether the home knows of something here."""
        return any(map(os.path.lexists, (self.manifest_path, self.journal_path, self._copy)))

    def read(self) -> WorkspaceManifest:
        """Return what is MI's here, by the home.

        Of a list that lies in an unknown workspace only what is there as listed.
        """
        for path in (self.manifest_path, self._copy):
            if (data := files.read_bytes(path)) is not None:
                return parsed_manifest(data, path)
        if self.is_users or os.path.lexists(self.journal_path):
            return WorkspaceManifest()
        return self._moved() or self._of_first_version()

    @property
    def _copy(self) -> str:
        """Where 0.1 kept a second manifest in the home."""
        return self.home.path("hosts", "copies", digest(os.fsencode(self.root))[:16] + ".json")

    def _moved(self) -> WorkspaceManifest | None:
        """Return the home's manifest with the mark that stands here.

        The workspace was somewhere else when it was written.
        """
        mark = (files.read_bytes(self.real(_MARK)) or b"").decode("ascii", "replace")
        return next((found for _, found in _marked(self.home, mark)), None)

    def _of_first_version(self) -> WorkspaceManifest:
        """Return what 0.1 listed in the workspace.

        Only what is true by MI's own shape, unless the home says the same.
        """
        path = self.real(_FIRST_MANIFEST)
        data = files.read_bytes(path)
        if data is None:
            return WorkspaceManifest()
        listed = parsed_manifest(data, path)
        written_here = any(data == files.read_bytes(copy) for copy in _files_in(self.home.path("hosts", "copies")))
        return listed if written_here else own_part(self.root, listed)

    def write(self, manifest: WorkspaceManifest) -> None:
        """Store what is MI's here, as the end of a change; once nothing is, the manifest goes, too."""
        if manifest.entries:
            self._keep(manifest)
        else:
            self._close(manifest.mark)

    def _keep(self, manifest: WorkspaceManifest) -> None:
        self.open()
        mark = manifest.mark or os.urandom(16).hex()
        files.write_atomic(
            self.manifest_path, encode_pretty(msgspec.structs.replace(manifest, root=self.root, mark=mark))
        )
        files.remove_if_there(self._copy)
        if not self.is_users:
            if files.read_bytes(self.real(_MARK)) != mark.encode():
                files.write_atomic(self.real(_MARK), mark.encode())
            self._drop_first_version()
            self._drop_where_it_was(mark)
        files.remove_if_there(self.journal_path)

    def open(self) -> None:
        """Make MI's own folder, which this home knows of from now on."""
        if self.is_users:
            return
        folder = self.real(OWN)
        _remember(self.home, self.root, True)
        os.makedirs(folder, exist_ok=True)
        ignore = os.path.join(folder, ".gitignore")
        if not os.path.lexists(ignore) or files.read_bytes(ignore) == _FORMER_IGNORE:
            files.write_atomic(self.real(_IGNORE_FILE), _IGNORE, 0o666)

    def _drop_first_version(self) -> None:
        for name in _FIRST_VERSION:
            files.remove_if_there(self.real(name, follow=False))

    def _drop_where_it_was(self, mark: str) -> None:
        """Forget the place that this workspace was moved from."""
        for path, former in list(_marked(self.home, mark)):
            if path != self.manifest_path and not os.path.isdir(former.root):
                files.remove_if_there(path)
                forget_workspace(self.home, former.root)

    def _close(self, mark: str) -> None:
        if not self.is_users:
            self._close_folder()
            self._drop_where_it_was(mark)
            _remember(self.home, self.root, False)
        for path in (self.manifest_path, self._copy, self.journal_path):
            files.remove_if_there(path)

    def _close_folder(self) -> None:
        folder = self.real(OWN)
        self._drop_first_version()
        files.remove_if_there(self.real(_MARK, follow=False))
        ignore = os.path.join(folder, ".gitignore")
        ignored = files.read_bytes(ignore) if os.path.isdir(folder) and os.listdir(folder) == [".gitignore"] else None
        if ignored in (_IGNORE, _FORMER_IGNORE):
            files.remove_if_there(ignore)
        remove_empty(folder)


def list_known_workspaces(home: Home, notices: Notices) -> list[str]:
    """Return the folders that hold something of MI's, as far as this home knows."""
    return read_state(_known(home), KnownWorkspaces, notices).roots


def forget_workspace(home: Home, root: str) -> None:
    """Drop a workspace from the list."""
    _remember(home, root, False)


def _marked(home: Home, mark: str) -> Iterator[tuple[str, WorkspaceManifest]]:
    """Yield the home's manifests of workspaces with a mark, each with its path."""
    for path in _files_in(home.path("hosts", "manifests")) if mark else []:
        with suppress(StorageError):  # one that cannot be read keeps no other
            if (found := parsed_manifest(files.read_bytes(path) or b"", path)).mark == mark:
                yield path, found


def _files_in(folder: str) -> list[str]:
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [os.path.join(folder, name) for name in names if name.endswith(".json")]


def digest(data: bytes | None) -> str:
    """Return the SHA-256 of a file's content, empty when there is no file."""
    return "" if data is None else hash_sha256(data)


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

    if (root in list_known_workspaces(home, Notices())) != there:
        update_state(_known(home), KnownWorkspaces, change, PrintingNotices())
