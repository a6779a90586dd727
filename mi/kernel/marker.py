"""The marker of a home: its id, and each path that MI made in it, noted before it is made."""

import errno
import os
from typing import Any

from mi.kernel import files, layout
from mi.kernel.home import FILE_MODE, SEAL, Home
from mi.kernel.jsontext import BadJson, decode, encode
from mi.kernel.notices import Notices, PrintingNotices

NAME = ".mi-home.jsonl"


class Marker:
    """What the marker of one folder says; of a folder without one, that MI made nothing in it."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.path = os.path.join(root, NAME)
        self.id = ""
        self.made: set[str] = set()
        self.sealed = False  # each log has its seal
        self._sealing = False  # whoever began that may have been stopped
        self._seen: tuple[int, int] | None = None

    def read(self) -> "Marker":
        """Read the file anew, when there is one; a line that is none of ours is passed over."""
        self.id, self.made, self.sealed, self._sealing, self._seen = "", set(), False, False, self._state()
        for line in (_content(self.path) or b"").splitlines():
            try:
                self._take(decode(line, dict[str, Any]))
            except BadJson:
                continue
        self.sealed = self.sealed or self._has_seals()
        return self

    def covers(self, relative: str) -> bool:
        """Return whether MI made the path or a folder above it."""
        while relative and relative not in self.made:
            relative = os.path.dirname(relative)
        return relative != ""

    def note(self, relative: str, notices: Notices | None, anew: bool = False) -> None:
        """Say that MI makes a path of the layout, before it does; nothing is written for what is there or known."""
        if self._seen is None or (anew and self._seen != self._state()):
            self.read()
        if (self.id and self.covers(relative)) or not (layout.is_file(relative) or layout.is_folder(relative)):
            return
        if self._seen != self._state():
            self.read()
        if not self.id:
            self._begin(notices)
        if not self.covers(relative) and not os.path.lexists(os.path.join(self.root, relative)):
            self._append({"made": relative})

    def note_sealing(self, notices: Notices | None) -> None:
        """Say that the logs are about to be sealed."""
        if not self.id:
            self._begin(notices)
        self._append({"sealing": True})

    def note_sealed(self) -> None:
        """Say that every log has its seal from now on."""
        self._append({"sealed": True})

    def _has_seals(self) -> bool:
        """Return whether there is what only came with the seals: taking some of it away makes no home an older one."""
        home = Home(self.root)
        return os.path.lexists(home.written) or (
            not self._sealing and any(os.path.lexists(log + SEAL) for log in home.logs())
        )

    def drop(self, relative: str) -> None:
        """Say that a path was taken away: whatever lies there later is not MI's."""
        if relative in self.read().made:
            self._append({"gone": relative})

    def _begin(self, notices: Notices | None) -> None:
        """Mark a folder that has no marker: a home of 0.1 with what is MI's in it, another one with nothing yet."""
        from mi.kernel.adoption import find_own

        own = find_own(self.root)
        self._append(_header(adopted=own is not None), *({"made": one} for one in own or []))
        if own not in (None, ["config.json"]):  # a person's own first configuration needs no word
            told = PrintingNotices() if notices is None else notices
            told.add("home-adopted", self.root, count=len(own or []), marker=NAME)

    def _take(self, line: dict[str, Any]) -> None:
        match line:
            case {"mi_home": str(), "id": str(own)}:
                self.id = self.id or own
            case {"sealed": True}:
                self.sealed = True
            case {"sealing": True}:
                self._sealing = True
            case {"made": str(path)}:
                self.made.add(path)
            case {"gone": str(path)}:
                self.made.discard(path)

    def _append(self, *lines: dict[str, Any]) -> None:
        """Add lines in one write: several processes may do so at once, and one that was cut off spoils only itself."""
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(self.path, flags, FILE_MODE)
        try:
            size = os.fstat(fd).st_size
            torn = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
            files.write_all(fd, b"\n" * torn + b"".join(encode(one) + b"\n" for one in lines))
            os.fsync(fd)
        except OSError as error:
            error.filename = self.path
            raise
        finally:
            os.close(fd)
        if not size:
            files.sync_folder(self.root)
        for one in lines:
            self._take(one)
        self._seen = self._state()

    def _state(self) -> tuple[int, int]:
        try:
            found = os.lstat(self.path)
        except OSError:
            return 0, 0
        return found.st_ino, found.st_size


def _content(path: str) -> bytes | None:
    """Return the marker's bytes; a link in its place is none."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            return None
        raise
    with open(fd, "rb") as file:
        return file.read()


def _header(adopted: bool) -> dict[str, Any]:
    from mi.kernel import clock, ids

    return {"mi_home": "v1", "id": ids.make_id("hm"), "ts": clock.now()} | ({"adopted": True} if adopted else {})
