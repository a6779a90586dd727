"""Projects that were used before: their identity is computed once and remembered by where they are."""

import os
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.kernel.state import read_state, update_state
from mi.project.identity import Project, find_main_root, identify, make_project_id


class KnownProject(Struct, frozen=True, kw_only=True):
    """A remembered project root; the inode numbers tell whether another folder took its place."""

    key: str
    project_id: str
    inode: int = 0
    git_inode: int = 0


class _KnownProjects(Struct, frozen=True, kw_only=True):
    version: str = "v1"
    roots: dict[str, KnownProject] = {}


class KnownProjects:
    """The remembered projects of a home; a derived file, built again from the overlays when it is gone."""

    def __init__(self, home: Home, notices: Notices) -> None:
        self._home = home
        self._notices = notices
        self._roots: dict[str, KnownProject] | None = None
        self._rebuilt = False

    @property
    def roots(self) -> dict[str, KnownProject]:
        if self._roots is None:
            stored = read_state(self._home.known_projects, _KnownProjects, self._notices).roots
            self._rebuilt = not stored
            self._roots = stored or dict(self._from_overlays())
        return self._roots

    def open(self, root: str) -> Project:
        """Return the project at a root, without remembering it; of a linked work tree the main one's."""
        known, main = self.roots.get(root), find_main_root(root)
        if main:
            project = self.open(main)
            if known is None or known.project_id == project.project_id:
                return msgspec.structs.replace(project, root=root, linked_to=main)
        if known is None or not _same_place(root, known):
            identity = identify(root)
            if known is None or not _became_a_repository(root, known):
                return Project(root=root, project_id=make_project_id(identity.key), key=identity.key)
        return Project(root=root, project_id=known.project_id, key=known.key)

    def remember(self, project: Project) -> None:
        """Keep a project's identity for the next time, by where the person has it."""
        root = project.main_root
        inode, git_inode = _inodes(root)
        known = KnownProject(key=project.key, project_id=project.project_id, inode=inode, git_inode=git_inode)
        if self.roots.get(root) == known and not self._rebuilt:
            return
        change = lambda state: msgspec.structs.replace(state, roots=self.roots | state.roots | {root: known})  # noqa: E731
        self._roots = update_state(self._home.known_projects, _KnownProjects, change, self._notices).roots

    def _from_overlays(self) -> Iterator[tuple[str, KnownProject]]:
        from mi.project.overlay import Overlay  # needed only when the file is gone

        for known_id in self._home.project_ids():
            overlay = read_state(self._home.project(known_id).overlay, Overlay, self._notices)
            if overlay.root_path and overlay.identity_key:
                inode, git_inode = _inodes(overlay.root_path)
                entry = KnownProject(key=overlay.identity_key, project_id=known_id, inode=inode, git_inode=git_inode)
                yield overlay.root_path, entry


def _same_place(root: str, known: KnownProject) -> bool:
    return _inodes(root) == (known.inode, known.git_inode)


def _became_a_repository(root: str, known: KnownProject) -> bool:
    """Return whether a folder was used before `git init`: it keeps its identity and what MI knows of it."""
    return known.key.startswith("path:") and _inodes(root)[0] == known.inode


def _inodes(root: str) -> tuple[int, int]:
    return _inode(root), _inode(os.path.join(root, ".git"))


def _inode(path: str) -> int:
    try:
        return os.lstat(path).st_ino
    except OSError:
        return 0
