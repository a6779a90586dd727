"""Documents from append-only logs: read from a byte offset on, and anew when the log was replaced."""

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from mi.memory.documents import Batch, Change

if TYPE_CHECKING:
    from mi.kernel.jsonl import Line

ReadLine = Callable[["Line"], Iterator[Change]]
_BATCH = 2000  # lines that tell something, between two commits
_MAX_LINE = 1 << 18


class LogProducer:
    """A log whose lines become changes, by a reader fetched when there is something new.

    The cursor is an offset and the number of the file it is an offset of.
    """

    def __init__(
        self,
        path: str,
        source: str,
        project_id: str,
        kinds: frozenset[str],
        reader: Callable[[], ReadLine],
    ) -> None:
        self.source = source
        self.project_id = project_id
        self.kinds = kinds
        self._path = path
        self._reader = reader

    def end(self) -> str:
        """Where the log ends now; "" while there is none."""
        try:
            found = os.stat(self._path)
        except (FileNotFoundError, NotADirectoryError):
            return ""
        return _cursor(found.st_size, found.st_ino) if found.st_size else ""

    def read(self, cursor: str) -> Iterator[Batch]:
        from mi.kernel.jsonl import read_forward  # most searches find nothing new

        read_line = self._reader()
        end = self.end()
        start, anew = self._start(cursor, end)
        if anew and not end:
            yield Batch([], "", anew=True)
        total, _, inode = end.partition(":")
        changes: list[Change] = []
        upto = start
        for line in read_forward(self._path, start, _MAX_LINE) if end else ():
            if not line.complete:
                break
            upto = line.offset + line.length + 1
            changes.extend(read_line(line))
            if len(changes) >= _BATCH:
                yield Batch(changes, _cursor(upto, inode), upto, int(total), anew)
                changes, anew = [], False
        if end and (changes or anew or upto > start):
            yield Batch(changes, _cursor(upto, inode), upto, int(total), anew)

    def _start(self, cursor: str, end: str) -> tuple[int, bool]:
        """The offset to read from, and whether the log is another one than that of the cursor."""
        if not cursor:
            return 0, False
        offset, _, inode = cursor.partition(":")
        size, _, now = end.partition(":")
        if inode != now or int(size or 0) < int(offset):
            return 0, True
        return int(offset), False


def _cursor(offset: int, inode: int | str) -> str:
    return f"{offset}:{inode}"
