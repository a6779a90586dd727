"""Deleting what MI made in a home, by its marker: nothing else goes, and no link is followed."""

import os
import re
from stat import S_ISDIR, S_ISLNK

from mi.kernel import layout
from mi.kernel.adoption import find_own
from mi.kernel.errors import UsageError
from mi.kernel.files import read_bytes
from mi.kernel.home import Home
from mi.kernel.marker import NAME, Marker
from mi.kernel.named_tuple import NamedTuple

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Purge(NamedTuple):
    """The paths that go and those that stay; of somebody else's folder only its own name."""

    gone: list[str]
    kept: list[str]


def is_home(root: str) -> bool:
    """Return whether a folder is an MI home: marked, or one of 0.1 by its files."""
    return bool(Marker(root).read().id) or find_own(root) is not None


def made_in(root: str) -> set[str] | None:
    """Return the paths that MI made in a folder, None when it is no home.

    What leads out, or is not of the layout, is none.
    """
    marker = Marker(root).read()
    found = marker.made if marker.id else find_own(root)
    if found is None:
        return None
    own = {one for one in found if layout.is_inside(one) and (layout.is_file(one) or layout.is_folder(one))}
    if is_home(os.path.join(root, "demo", "home")):
        return own
    return {one for one in own if one.split(os.sep)[0] != "demo"}  # all in a demo goes: its name alone is not enough


def find_purge(home: Home) -> Purge:
    """List what a purge would delete; a home that is not there has nothing."""
    return _Walk(home).go(apply=False) if home.exists() else Purge([], [])


def purge(home: Home) -> Purge:
    """Delete it; the home itself goes when nothing is left in it, and so does a link that led to it."""
    return _Walk(home).go(apply=True) if home.exists() else Purge([], [])


class _Walk:
    """One way through a home, folder by open folder, so that nothing that is exchanged meanwhile leads elsewhere."""

    def __init__(self, home: Home) -> None:
        self._named = home.root
        self.root = os.path.realpath(home.root)
        made = made_in(self.root)
        if made is None:
            raise UsageError("purge-no-home", path=home.root)
        self._made = made
        self._is_marked = bool(Marker(self.root).read().id)
        self._above = {above for one in made for above in _folders_above(one)}
        self._mounts = _mount_points()
        self._gone: list[str] = []
        self._kept: list[str] = []

    def go(self, apply: bool) -> Purge:
        """Take everything out, or only look; the marker last: a purge that was cut short can be done again."""
        self._apply = apply
        fd = os.open(self.root, _DIRECTORY)
        try:
            self._device = os.fstat(fd).st_dev
            emptied = self._enter(fd, "", False)
            if self._is_marked:
                self._remove(fd, NAME, NAME, False)
        finally:
            os.close(fd)
        gone, kept = ([os.path.join(self._named, one) for one in part] for part in (self._gone, self._kept))
        return Purge([*gone, *(self._close() if emptied and _may_go(self.root) else [])], kept)

    def _close(self) -> list[str]:
        """Remove the emptied home and a link to it."""
        try:
            if self._apply:
                os.rmdir(self.root)
        except OSError:  # a disk of its own that does not look like one, or somebody put something there just now
            return []
        if not os.path.islink(self._named):
            return [self._named]
        if self._apply:
            os.unlink(self._named)
        return [self.root, self._named]

    def _enter(self, fd: int, folder: str, own: bool) -> bool:
        """Take what is MI's out of an open folder; whether that is all there was."""
        left = False
        for name in sorted(os.listdir(fd)):
            path = os.path.join(folder, name)
            if not (path == NAME and self._is_marked) and not self._take(fd, name, path, own or path in self._made):
                left = True
        return not left

    def _take(self, fd: int, name: str, path: str, own: bool) -> bool:
        found = os.lstat(name, dir_fd=fd)
        if S_ISDIR(found.st_mode):
            return self._take_folder(fd, name, path, own, found.st_dev)
        if own and (layout.is_file(path) or (S_ISLNK(found.st_mode) and layout.is_folder(path))):
            return self._remove(fd, name, path, False)
        return self._keep(path, own)

    def _take_folder(self, fd: int, name: str, path: str, own: bool, device: int) -> bool:
        """Remove a folder that MI made when nothing is left in it; one of another disk is not entered."""
        mounted = device != self._device or os.path.join(self.root, path) in self._mounts
        if mounted or not (path in self._above or (own and layout.is_folder(path))):
            return self._keep(path, own)
        inner = os.open(name, _DIRECTORY, dir_fd=fd)
        try:
            emptied = self._enter(inner, path, own)
        finally:
            os.close(inner)
        if not own:
            return self._keep(path, own)
        return emptied and self._remove(fd, name, path, True)

    def _keep(self, path: str, own: bool) -> bool:
        """Name what stays where only MI's things would be; not what lies in somebody else's folder."""
        if own or os.sep not in path:
            self._kept.append(path)
        return False

    def _remove(self, fd: int, name: str, path: str, is_folder: bool) -> bool:
        try:
            if self._apply:
                (os.rmdir if is_folder else os.unlink)(name, dir_fd=fd)
        except OSError as error:
            error.filename = os.path.join(self._named, path)
            raise
        self._gone.append(path)
        return True


def _may_go(root: str) -> bool:
    """Return whether an empty folder can go: the person's own one and a disk stay."""
    return (
        root != os.path.realpath(os.path.expanduser("~")) and root not in _mount_points() and not os.path.ismount(root)
    )


def _mount_points() -> set[str]:
    """Return where something is mounted, also a folder of the same disk; on systems that do not say so, nowhere."""
    found = set()
    for line in (read_bytes("/proc/self/mountinfo") or b"").splitlines():
        place = re.sub(rb"\\([0-7]{3})", lambda code: bytes([int(code[1], 8)]), line.split(b" ")[4])
        found.add(os.fsdecode(place))
    return found


def _folders_above(path: str) -> list[str]:
    parts = path.split(os.sep)
    return [os.sep.join(parts[:end]) for end in range(1, len(parts))]
