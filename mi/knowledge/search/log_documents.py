"""Documents from append-only logs: read from a byte offset on, and anew when the log was replaced."""

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from mi.knowledge.search.documents import PROOF, Change, DocumentChanges

if TYPE_CHECKING:
    from mi.kernel.jsonl import Line

ReadLine = Callable[["Line"], Iterable[Change]]
_BATCH = 2000  # lines that tell something, between two commits
_MAX_LINE = 1 << 18
_TAIL = 512  # bytes before an offset that must not have changed


class LogProducer:
    """A log whose lines become changes, by a reader fetched when there is something new.

    The cursor is an offset, the number of the file it is an offset of, and a checksum of what stands before it: a
    log that was put back from a copy and written on may be as long as before, and is another all the same.
    """

    def __init__(
        self,
        path: str,
        source: str,
        project_id: str,
        kinds: frozenset[str],
        reader: Callable[[], ReadLine],
        max_line: int = _MAX_LINE,  # more of a line is not handed to the reader
    ) -> None:
        self.source = source
        self.project_id = project_id
        self.kinds = kinds
        self._path = path
        self._reader = reader
        self._max_line = max_line

    def end(self) -> str:
        """Where the log ends now; "" while there is none."""
        try:
            found = os.stat(self._path)
        except (FileNotFoundError, NotADirectoryError):
            return ""
        return _cursor(found.st_size, found.st_ino) if found.st_size else ""

    def read(self, cursor: str) -> Iterator[DocumentChanges]:
        from mi.kernel.jsonl import read_forward  # most searches find nothing new

        read_line = self._reader()
        end = self.end()
        start, anew = self._start(cursor, end)
        if anew and not end:
            yield DocumentChanges([], "", anew=True)
        total, _, inode = end.partition(":")
        changes: list[Change] = []
        upto = start
        for line in read_forward(self._path, start, self._max_line) if end else ():
            if not line.complete:
                break
            upto = line.offset + line.length + 1
            changes.extend(read_line(line))
            if len(changes) >= _BATCH:
                yield DocumentChanges(changes, self._proved(upto, inode), upto, int(total), anew)
                changes, anew = [], False
        if end and (changes or anew or upto > start):
            yield DocumentChanges(changes, self._proved(upto, inode), upto, int(total), anew)

    def _start(self, cursor: str, end: str) -> tuple[int, bool]:
        """The offset to read from, and whether the log is another one than that of the cursor."""
        if not cursor:
            return 0, False
        place, _, proof = cursor.partition(PROOF)
        offset, _, inode = place.partition(":")
        size, _, now = end.partition(":")
        if inode != now or int(size or 0) < int(offset) or (proof and proof != self._checksum(int(offset))):
            return 0, True
        return int(offset), False

    def _proved(self, offset: int, inode: str) -> str:
        return f"{_cursor(offset, inode)}{PROOF}{self._checksum(offset)}"

    def _checksum(self, offset: int) -> str:
        """Of the bytes before an offset."""
        from binascii import crc32

        from mi.kernel.jsonl import read_range

        return f"{crc32(read_range(self._path, max(0, offset - _TAIL), offset)):x}"


def _cursor(offset: int, inode: int | str) -> str:
    return f"{offset}:{inode}"
