"""Logs as sources of changes: what is new since a cursor, and whether a log is still the one the cursor tells of."""

import os
from binascii import crc32
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

from mi.kernel import jsonl
from mi.kernel.jsontext import BadJson
from mi.kernel.named_tuple import NamedTuple

T = TypeVar("T")
ReadLine = Callable[[jsonl.Line], Iterable[T]]  # what a line changes; BadJson when it cannot be read
_PROOF = "\x1f"  # what follows it in a cursor is for its source alone
_TAIL = 1024  # bytes before the known end of a log that must not have changed
_PIECE = 1 << 18
_LINE, _MOST = 4096, 1 << 24  # read at once to find the end of a line


class Batch(NamedTuple, Generic[T]):
    """Changes in their order, and the cursor from which to go on after them."""

    changes: list[T]
    cursor: str
    done: int = 0  # how far the source is, of `total`, in its own measure
    total: int = 0
    anew: bool = False  # what came from this source before is void: it was replaced


class LogSource(Protocol[T]):
    """Hands over what is new since a cursor that it gave earlier; "" is the beginning."""

    source: str  # names what is read, the same in every process

    def read(self, cursor: str) -> Iterator[Batch[T]]:
        """Return everything since a cursor, in batches; bounded memory however much it is."""
        ...


class Cursor(NamedTuple):
    """How far a log was taken in, and by what it is recognised."""

    upto: int = 0
    inode: int = 0
    mtime: int = 0  # 0: more followed when it was taken in
    tail: int = -1  # a checksum of the bytes before `upto`; -1: not known
    unreadable: int = 0  # lines that told nothing

    def __str__(self) -> str:
        place = f"{self.upto}:{self.inode}:{self.mtime}"
        return f"{place}{_PROOF}{self.tail}:{self.unreadable}" if self.upto else ""

    @classmethod
    def parse(cls, text: str) -> "Cursor":
        """Return the cursor that a text stands for."""
        return cls(*map(int, text.replace(_PROOF, ":").split(":"))) if text else cls()


def is_at(cursor: str, end: str) -> bool:
    """Return whether nothing is new after a cursor."""
    return cursor == end or cursor.partition(_PROOF)[0] == end


class Log(Generic[T]):
    """A log as a source: what its whole lines change, by a reader that is fetched when there is something new.

    A log that was put back from a copy and written on may be as long as before, and is another all the same: it is
    recognised by its inode, the bytes before the known end and, while nothing follows them, its time.
    """

    def __init__(
        self,
        path: str,
        source: str,
        reader: Callable[[], ReadLine[T]],
        max_line: int = jsonl.MAX_LINE,  # more of a line is not handed to the reader
        batch: int = 2000,
    ) -> None:
        self.path = path
        self.source = source
        self._reader = reader
        self._max_line = max_line
        self._batch = batch
        self._held: int | None = None

    def hold(self) -> bool:
        """Keep the file open, so that offsets stay true when it is replaced; return whether there is one."""
        if self._held is not None and not _is_still(self._held, self.path):
            self.close()
        if self._held is None:
            self._held = jsonl.open_to_read(self.path)
        return self._held is not None

    def close(self) -> None:
        """Let go of the file."""
        if self._held is not None:
            os.close(self._held)
            self._held = None

    def __del__(self) -> None:
        self.close()  # file descriptors, unlike files, do not close themselves

    def end(self) -> str:
        """Return the cursor at which nothing is new; "" while there is nothing."""
        try:
            found = os.stat(self.path) if self._held is None else os.fstat(self._held)
        except (FileNotFoundError, NotADirectoryError):
            return ""
        return f"{found.st_size}:{found.st_ino}:{found.st_mtime_ns}" if found.st_size else ""

    def size(self) -> int:
        """Return how long the log is."""
        return Cursor.parse(self.end()).upto

    def is_known(self, cursor: str) -> bool:
        """Return whether the log is still the one of which a cursor tells."""
        with self._opened() as fd:
            return _is_same(fd, Cursor.parse(cursor)) if fd is not None else not cursor

    def has_news(self, cursor: str) -> bool:
        """Return whether a whole line follows a cursor, or the log is another one; half a line waits for its end."""
        with self._opened() as fd:
            if fd is None:
                return bool(cursor)
            known = Cursor.parse(cursor)
            return not _is_same(fd, known) or _has_newline(fd, known.upto)

    def line(self, offset: int) -> bytes:
        """Return the line that begins at an offset of a log that is held; b"" past its end."""
        parts: list[bytes] = []
        size = _LINE
        while self._held is not None and (more := os.pread(self._held, size, offset)):
            offset += len(more)
            end = more.find(b"\n")
            parts.append(more if end < 0 else more[:end])
            if end >= 0:
                break
            size = min(size * 4, _MOST)  # most lines are short, and one of 50 MB is read in few steps
        return b"".join(parts)

    def read(self, cursor: str) -> Iterator[Batch[T]]:
        """Yield everything since a cursor, in batches.

        All of it when the log is another one than that of the cursor.
        """
        with self._opened() as fd:
            if fd is not None:
                known = Cursor.parse(cursor)
                is_same = _is_same(fd, known)
                yield from self._batches(fd, known if is_same else Cursor(), not is_same)
            elif cursor:
                yield Batch([], "", anew=True)

    def _batches(self, fd: int, known: Cursor, anew: bool) -> Iterator[Batch[T]]:
        read_line, total = self._reader(), os.fstat(fd).st_size
        changes: list[T] = []
        upto, unreadable = known.upto, known.unreadable
        for line in jsonl.lines(fd, upto, self._max_line):
            if not line.complete:
                break
            upto = line.offset + line.length + 1
            try:
                changes += read_line(line)
            except BadJson:
                unreadable += 1
            if len(changes) >= self._batch:
                yield Batch(changes, str(_cursor(fd, upto, unreadable)), upto, total, anew)
                changes, anew = [], False
        if anew or changes or upto > known.upto:
            yield Batch(changes, str(_cursor(fd, upto, unreadable)), upto, total, anew)

    @contextmanager
    def _opened(self) -> Iterator[int | None]:
        fd = jsonl.open_to_read(self.path) if self._held is None else self._held
        try:
            yield fd
        finally:
            if fd is not None and fd != self._held:
                os.close(fd)


def _cursor(fd: int, upto: int, unreadable: int) -> Cursor:
    found = os.fstat(fd)
    return Cursor(upto, found.st_ino, found.st_mtime_ns if found.st_size == upto else 0, _tail(fd, upto), unreadable)


def _is_same(fd: int, known: Cursor) -> bool:
    found = os.fstat(fd)
    if not known.upto:
        return True
    if found.st_ino != known.inode or found.st_size < known.upto:
        return False
    if found.st_size == known.upto and known.mtime and found.st_mtime_ns != known.mtime:
        return False  # not longer, yet written to: changed in place
    return known.tail in (-1, _tail(fd, known.upto))


def _tail(fd: int, upto: int) -> int:
    start = max(0, upto - _TAIL)
    return crc32(os.pread(fd, upto - start, start))


def _has_newline(fd: int, start: int) -> bool:
    size = os.fstat(fd).st_size
    return any(b"\n" in os.pread(fd, min(_PIECE, size - at), at) for at in range(start, size, _PIECE))


def _is_still(fd: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except OSError:
        return False
