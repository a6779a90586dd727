"""Append-only logs as SQLite views: caught up from where they stopped, built again when damaged, in memory if need be.

A view gives its tables and a fold that says how lines change them. Cursors, versions, whether a log is still the same,
locks, damage and disks that cannot be written are dealt with here, the same for all.
"""

import os
import sqlite3
from binascii import crc32
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from mi.kernel import files, jsonl
from mi.kernel.home import FILE_MODE, make_place
from mi.kernel.jsontext import BadJson, encode

T = TypeVar("T")
R = TypeVar("R")
Progress = Callable[[int, int], None]  # taken in, of how much there is
Trouble = Literal["broken", "unwritable"]
Report = Callable[[Trouble, Exception], None]
ReadLine = Callable[[jsonl.Line], Iterable[T]]  # what a line changes; BadJson when it cannot be read
_PROOF = "\x1f"  # what follows it in a cursor is for its source alone
_PATIENCE_S = 10.0  # for another process that writes the view
_TAIL = 1024  # bytes before the known end of a log that must not have changed
_PIECE = 1 << 18
_LINE, _MOST = 4096, 1 << 24  # read at once to find the end of a line
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)  # the last: a table is missing
_SOURCES = "CREATE TABLE source (no INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, cursor TEXT NOT NULL DEFAULT '')"


class Batch(NamedTuple, Generic[T]):
    """Changes in their order, and the cursor from which to go on after them."""

    changes: list[T]
    cursor: str
    done: int = 0  # how far the source is, of `total`, in its own measure
    total: int = 0
    anew: bool = False  # what came from this source before is void: it was replaced


class Source(Protocol[T]):
    """Hands over what is new since a cursor that it gave earlier; "" is the beginning."""

    source: str  # names what is read, the same in every process

    def read(self, cursor: str) -> Iterator[Batch[T]]:
        """Everything since a cursor, in batches; bounded memory however much it is."""
        ...


class Fold(Protocol[T]):
    """How changes of a source change the tables of a view, inside the caller's transaction."""

    def take_in(self, db: sqlite3.Connection, source: int, changes: list[T]) -> None:
        """Apply changes in their order."""
        ...

    def forget(self, db: sqlite3.Connection, source: int) -> None:
        """Remove what came from a source."""
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
    return cursor.partition(_PROOF)[0] == end


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
        """Everything since a cursor, in batches; all of it when the log is another one than that of the cursor."""
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


class Tables(NamedTuple):
    """The tables of a view; a stored view of another version is built again."""

    version: int
    statements: tuple[str, ...]


class OtherVersion(sqlite3.DatabaseError):
    """A stored view has tables of another version."""


class LogView:
    """A view in a file, derived and deletable; without a path it lives as long as the process.

    With `saves` off nothing is written: what is stored is read, and brought up to date in memory.
    """

    def __init__(self, path: str, tables: Tables, report: Report = lambda trouble, error: None) -> None:
        self.path = path
        self.saves = bool(path)
        self._tables = tables
        self._report = report
        self._reported: set[Trouble] = set()
        self._db: sqlite3.Connection | None = None

    @property
    def db(self) -> sqlite3.Connection:
        """The open database."""
        if self._db is None:
            self._db = self._open()
        return self._db

    def run(self, work: Callable[[sqlite3.Connection], R]) -> R:
        """Do some work on the view; one that is broken or cannot be written costs time, never the answer.

        The work is begun again with another database when the first fails, so it must catch up before it reads.
        """
        try:
            return work(self.db)
        except (sqlite3.Error, OSError) as error:
            self.close()
            others = self._others(error)
        for db in others:
            self._db = db
            try:
                return work(db)
            except (sqlite3.Error, OSError):
                self.close()
        self._db = self._prepared(":memory:")
        return work(self._db)

    def look(self, work: Callable[[sqlite3.Connection], R]) -> R | None:
        """Do some work on the view as it is stored; None when there is none of this version. Raise sqlite3.Error."""
        try:
            stored = self._stored()
        except OtherVersion:
            return None
        if stored is None:
            return None
        with closing(stored):
            return work(stored)

    def cursors(self) -> dict[str, str]:
        """Return how far each source was taken in."""
        return dict(self.db.execute("SELECT name, cursor FROM source"))

    def cursor(self, source: str) -> str:
        """Return how far a source was taken in."""
        return cursor_of(self.db, source)

    def catch_up(self, source: Source[T], fold: Fold[T], progress: Progress) -> None:
        """Take in what is new of a source."""
        name = source.source
        take_in(source, lambda: self.cursor(name), lambda since, batch: self.apply(name, since, batch, fold), progress)

    def apply(self, source: str, since: str, batch: Batch[T], fold: Fold[T]) -> bool:
        """Take in a batch read from `since`, wholly or not at all; False when another process was faster."""
        with self.transaction() as db:
            row = db.execute("SELECT no, cursor FROM source WHERE name = ?", (source,)).fetchone()
            if (row[1] if row else "") != since:
                return False
            no = row[0] if row else db.execute("INSERT INTO source (name) VALUES (?)", (source,)).lastrowid or 0
            if batch.anew:
                fold.forget(db, no)
            fold.take_in(db, no, batch.changes)
            db.execute("UPDATE source SET cursor = ? WHERE no = ?", (batch.cursor, no))
        return True

    def forget(self, source: str, fold: Fold[T]) -> None:
        """Remove a source with everything that came from it."""
        with self.transaction() as db:
            row = db.execute("SELECT no FROM source WHERE name = ?", (source,)).fetchone()
            if row:
                fold.forget(db, row[0])
                db.execute("DELETE FROM source WHERE no = ?", row)

    def clear(self) -> None:
        """Make every table anew."""
        with self.transaction() as db:
            for kind in ("VIEW", "VIRTUAL TABLE", "TABLE"):  # a virtual table takes its own tables with it
                named = "SELECT name FROM sqlite_master WHERE sql LIKE ? AND name NOT LIKE 'sqlite_%'"
                for (name,) in db.execute(named, (f"CREATE {kind} %",)).fetchall():
                    db.execute(f"DROP {kind.split()[-1]} {name}")
            self._create(db)

    @contextmanager
    def transaction(self, kind: Literal["IMMEDIATE", "DEFERRED"] = "IMMEDIATE") -> Iterator[sqlite3.Connection]:
        """Make what is done with the database happen wholly or not at all; inside another, as part of that."""
        db = self.db
        if db.in_transaction:
            yield db
            return
        db.execute(f"BEGIN {kind}")
        try:
            yield db
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:  # a full disk ends it by itself
                db.execute("ROLLBACK")
            raise

    def discard(self) -> None:
        """Delete the stored view."""
        self.close()
        for suffix in ("", "-journal"):
            files.remove_if_there(self.path + suffix)

    def close(self) -> None:
        """Let go of the file; the next work opens it again."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def __del__(self) -> None:
        self.close()  # in whichever thread it is let go: the connections are opened for that

    def _open(self) -> sqlite3.Connection:
        if self.saves:
            try:
                make_place(self.path)
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE))
                return self._prepared(self.path)
            except OSError as error:
                self._say("unwritable", error)
        return self._stored() or self._prepared(":memory:")

    def _stored(self) -> sqlite3.Connection | None:
        """The stored view, for reading alone; None when there is none."""
        if not os.path.isfile(self.path):
            return None
        db = sqlite3.connect(files.read_only_uri(self.path), uri=True, timeout=_PATIENCE_S, check_same_thread=False)
        return self._checked(db)

    def _prepared(self, path: str) -> sqlite3.Connection:
        """The database at a path, its tables made if there are none."""
        db = sqlite3.connect(path, timeout=_PATIENCE_S, isolation_level=None, check_same_thread=False)
        try:
            db.execute("PRAGMA synchronous = OFF")  # derived: after a power cut it is built again
            db.execute("PRAGMA cache_size = -32768")  # what is new leads anywhere: what it touches is read once
            if _version(db) == 0:
                db.execute("BEGIN IMMEDIATE")
                if _version(db) == 0:  # nobody else made them meanwhile
                    self._create(db)
                db.execute("COMMIT")
        except BaseException:
            db.close()
            raise
        return self._checked(db)

    def _create(self, db: sqlite3.Connection) -> None:
        for statement in (_SOURCES, *self._tables.statements, f"PRAGMA user_version = {self._tables.version}"):
            db.execute(statement)

    def _checked(self, db: sqlite3.Connection) -> sqlite3.Connection:
        try:
            if _version(db) != self._tables.version:
                raise OtherVersion(f"view of another version: {_version(db)}")
        except BaseException:
            db.close()
            raise
        return db

    def _others(self, error: Exception) -> Iterator[sqlite3.Connection]:
        """What else to work with, best first: the file made anew, a copy of what can be read of it."""
        if self.saves and _is_broken(error):
            if not isinstance(error, OtherVersion):
                self._say("broken", error)
            try:
                self.discard()
                yield self._open()
            except (sqlite3.Error, OSError):
                pass  # then without the file
        if self.saves:
            self._say("unwritable", error)
        try:
            yield self._copied()
        except sqlite3.Error:
            pass  # not readable either: everything is read again, into memory

    def _copied(self) -> sqlite3.Connection:
        """What is stored, to go on with in memory."""
        stored = self._stored()
        if stored is None:
            return self._prepared(":memory:")
        with closing(stored):
            db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            try:
                stored.backup(db)
            except BaseException:
                db.close()
                raise
        return db

    def _say(self, trouble: Trouble, error: Exception) -> None:
        if trouble not in self._reported:
            self._reported.add(trouble)
            self._report(trouble, error)


def cursor_of(db: sqlite3.Connection, source: str) -> str:
    """Return how far a source was taken into a view."""
    row = db.execute("SELECT cursor FROM source WHERE name = ?", (source,)).fetchone()
    return str(row[0]) if row else ""


def take_in(
    source: Source[T], cursor: Callable[[], str], apply: Callable[[str, Batch[T]], bool], progress: Progress
) -> None:
    """Apply what is new of a source; when another process was faster, go on from where it is."""
    since = cursor()
    while True:
        for batch in source.read(since):
            if not apply(since, batch):
                since = cursor()
                break
            since = batch.cursor
            if batch.done < batch.total:
                progress(batch.done, batch.total)
        else:
            return


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _is_broken(error: Exception) -> bool:
    """Whether the file itself is damaged; a lock, a full or a read-only disk is something else."""
    if isinstance(error, sqlite3.OperationalError):
        return error.sqlite_errorcode & 0xFF in _BROKEN
    return isinstance(error, sqlite3.DatabaseError)


def among(db: sqlite3.Connection, select: str, ids: list[str], *values: object) -> set[str]:
    """Return what a query for one column finds whose last condition is that a column be one of the ids."""
    return {found for (found,) in rows_among(db, select, ids, *values)}


def rows_among(db: sqlite3.Connection, select: str, ids: list[str], *values: object) -> list[Any]:
    """Return the rows of a query whose last condition is that a column be one of the ids."""
    if not ids:
        return []
    # One list as JSON: a statement with a parameter for each takes longer to prepare than to answer.
    plain = [name for name in ids if "\0" not in name]  # where SQLite would end a text in JSON
    asked = encode(plain).decode()
    found = db.execute(f"{select} IN (SELECT value FROM json_each(?))", (*values, asked)).fetchall()
    for name in ids if len(plain) < len(ids) else ():
        if "\0" in name:
            found += db.execute(f"{select} = ?", (*values, name))
    return found
