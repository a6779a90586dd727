"""The open files of one store: lines by offset, whole lines that are new, and whether a file is still the same."""

import os
from binascii import crc32
from collections.abc import Callable, Iterator
from typing import NamedTuple

from mi.kernel.home import ThoughtFiles
from mi.kernel.jsontext import BadJson
from mi.knowledge.thoughts.kinds import Kind
from mi.knowledge.thoughts.line_state import LineState, parse

MAX_LINE = 1 << 30  # a thought is never read cut: what is missing would be lost to whoever acts by it
_TAIL = 1024  # bytes before the known end that must not have changed
_BUFFER = 1 << 18
_LINE = 4096
_MOST = 1 << 24
_REPORT_EVERY = 4096

Placed = tuple[int, LineState]  # the offset of a line and what it says


class FileProgress(NamedTuple):
    """How far a file was taken in, and by what it is recognised."""

    upto: int = 0
    inode: int = 0
    tail: int = 0
    mtime: int = 0  # 0: more was appended while it was taken in
    unreadable: int = 0


class StoreFiles:
    """Holds the files open, so that offsets stay true even when a file is replaced meanwhile."""

    def __init__(self, files: ThoughtFiles) -> None:
        self.paths: dict[Kind, str] = {"claim": files.claims, "node": files.nodes, "edge": files.edges}
        self._fds: dict[Kind, int] = {}

    def __bool__(self) -> bool:
        return bool(self._fds)

    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of which there is a file."""
        return tuple(self._fds)

    def open(self) -> None:
        """Open what is there now; a file that was replaced is opened anew."""
        for kind, path in self.paths.items():
            fd = self._fds.get(kind)
            if fd is not None and not _is_still(fd, path):
                os.close(self._fds.pop(kind))
                fd = None
            if fd is None:
                try:
                    self._fds[kind] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
                except (FileNotFoundError, NotADirectoryError):
                    pass

    def close(self) -> None:
        """Let go of the files."""
        for fd in self._fds.values():
            os.close(fd)
        self._fds = {}

    def __del__(self) -> None:
        self.close()  # file descriptors, unlike files, do not close themselves

    def size(self, kind: Kind) -> int:
        """How long a file is now."""
        return os.fstat(self._fds[kind]).st_size

    def stamp(self) -> tuple[tuple[int, int], ...]:
        """The same as long as nothing was written."""
        stats = map(os.fstat, self._fds.values())
        return tuple((stat.st_ino, stat.st_size) for stat in stats)

    def line(self, kind: Kind, offset: int) -> bytes:
        """The stored line that begins at an offset."""
        parts: list[bytes] = []
        size = _LINE
        while more := os.pread(self._fds[kind], size, offset):
            offset += len(more)
            end = more.find(b"\n")
            parts.append(more if end < 0 else more[:end])
            if end >= 0:
                break
            size = min(size * 4, _MOST)  # most lines are short, and one of 50 MB is read in few steps
        return b"".join(parts)

    def are_sound(self, known: dict[Kind, FileProgress]) -> bool:
        """Whether every file is the one that was taken in, perhaps grown; a replaced one may be another altogether."""
        return all(kind in self._fds and self._is_sound(kind, one) for kind, one in known.items())

    def _is_sound(self, kind: Kind, known: FileProgress) -> bool:
        stat = os.fstat(self._fds[kind])
        if stat.st_ino != known.inode or stat.st_size < known.upto:
            return False
        if stat.st_size == known.upto and known.mtime and stat.st_mtime_ns != known.mtime:
            return False  # not longer, yet written to: changed in place
        return self._tail(kind, known.upto) == known.tail

    def has_more(self, kind: Kind, upto: int) -> bool:
        """Whether a whole line follows; half of one waits for its end."""
        fd, size = self._fds[kind], self.size(kind)
        return any(b"\n" in os.pread(fd, min(_BUFFER, size - at), at) for at in range(upto, size, _BUFFER))

    def new_lines(self, kind: Kind, tally: "Tally", progress: Callable[[int, int], None]) -> Iterator[Placed]:
        """What the whole lines after the known end say; those that cannot be read are counted."""
        size = self.size(kind)
        with open(self._fds[kind], "rb", buffering=_BUFFER, closefd=False) as file:
            file.seek(tally.upto)
            while data := file.readline(MAX_LINE):
                length, last = len(data), data
                while not last.endswith(b"\n") and (last := file.readline(_BUFFER)):
                    length += len(last)
                if not last.endswith(b"\n"):
                    return
                offset = tally.upto
                tally.upto += length
                try:
                    entry = parse(data, kind) if data.strip() else None
                except BadJson:
                    tally.unreadable += 1
                    continue
                if entry is not None:
                    yield offset, entry
                tally.lines += 1
                if tally.lines % _REPORT_EVERY == 0:
                    progress(tally.upto, size)

    def known(self, kind: Kind, tally: "Tally") -> FileProgress:
        """By what the file will be recognised, taken in as far as the tally says."""
        stat = os.fstat(self._fds[kind])
        mtime = stat.st_mtime_ns if stat.st_size == tally.upto else 0
        return FileProgress(tally.upto, stat.st_ino, self._tail(kind, tally.upto), mtime, tally.unreadable)

    def _tail(self, kind: Kind, upto: int) -> int:
        start = max(0, upto - _TAIL)
        return crc32(os.pread(self._fds[kind], upto - start, start))


class Tally:
    """How far reading came, and how many lines could not be read."""

    def __init__(self, known: FileProgress) -> None:
        self.upto = known.upto
        self.unreadable = known.unreadable
        self.lines = 0


def _is_still(fd: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except OSError:
        return False
