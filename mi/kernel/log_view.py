"""Append-only logs as SQLite views: caught up from where they stopped, built again when damaged, in memory if need be.

A view gives its tables and a fold that says how lines change them. Cursors, versions, locks, damage and disks that
cannot be written are dealt with here, the same for all; what is new in a log is told by `log_source`.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from typing import Any, Literal, Protocol, TypeVar

from mi.kernel import files
from mi.kernel.home import FILE_MODE, make_place
from mi.kernel.jsonl import measure_size
from mi.kernel.jsontext import encode
from mi.kernel.log_source import Batch, LogSource
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.view_seal import NotSealed, compare_seal, is_sealed, keep_seal, read_inode, remove_view
from mi.kernel.view_watch import begin_write, end_write

T = TypeVar("T")
R = TypeVar("R")
Progress = Callable[[int, int], None]  # taken in, of how much there is
Trouble = Literal["broken", "unwritable"]
Report = Callable[[Trouble, Exception], None]
_PATIENCE_S = 10.0  # for another process that writes the view
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)  # the last: a table is missing
_TRIES = 5  # with a view that other processes remove again and again; then without it
_SOURCES = "CREATE TABLE source (no INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, cursor TEXT NOT NULL DEFAULT '')"


class Fold(Protocol[T]):
    """How changes of a source change the tables of a view, inside the caller's transaction."""

    def take_in(self, db: sqlite3.Connection, source: int, changes: list[T]) -> None:
        """Apply changes in their order."""
        ...

    def forget(self, db: sqlite3.Connection, source: int) -> None:
        """Remove what came from a source."""
        ...


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
        self._inode = 0  # of the file that is open

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
        others: Iterator[sqlite3.Connection] = iter(())
        for _ in range(_TRIES):
            try:
                return work(self.db)
            except (sqlite3.Error, OSError) as error:
                self.close()
                if not self._is_made_anew(error):
                    others = self._others(error)
                    break
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
        except (OtherVersion, NotSealed):
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

    def catch_up(self, source: LogSource[T], fold: Fold[T], progress: Progress) -> None:
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
        in_file = _is_file(db)
        if in_file:
            self._check_seal()
        with keep_seal(self.path, self._inode) if in_file and kind == "IMMEDIATE" else nullcontext():
            db.execute(f"BEGIN {kind}")
            begin_write(self.path)
            try:
                yield db
                db.execute("COMMIT")
                end_write(self.path)
            except BaseException:
                if db.in_transaction:  # a full disk ends it by itself
                    db.execute("ROLLBACK")
                raise

    def _check_seal(self) -> None:
        """Raise for a file that is not as MI left it."""
        state = compare_seal(self.path)
        if state == "touched" and not _is_other_version(self.path, self._tables.version):
            raise sqlite3.DatabaseError("another program wrote to it")
        if state != "same":
            raise NotSealed("its seal is of another file")

    def discard(self) -> None:
        """Delete the stored view."""
        self.close()
        remove_view(self.path)

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
                self._make_file()
                return self._prepared(self.path)
            except OSError as error:
                self._say("unwritable", error)
        return self._stored() or self._prepared(":memory:")

    def _make_file(self) -> None:
        """Make the file if it is missing; OSError when it cannot be written."""
        flags = os.O_RDWR | os.O_CLOEXEC
        try:
            os.close(os.open(self.path, flags))
        except FileNotFoundError:
            make_place(self.path)
            os.close(os.open(self.path, flags | os.O_CREAT, FILE_MODE))

    def _stored(self) -> sqlite3.Connection | None:
        """Return the stored view, for reading alone; None when there is none."""
        if not os.path.isfile(self.path):
            return None
        self._check_seal()
        db = sqlite3.connect(files.read_only_uri(self.path), uri=True, timeout=_PATIENCE_S, check_same_thread=False)
        return self._checked(db)

    def _prepared(self, path: str) -> sqlite3.Connection:
        """Return the database at a path, its tables made if there are none."""
        in_file = path == self.path
        if in_file and measure_size(path):
            self._check_seal()
        inode = read_inode(path) if in_file else 0
        db = sqlite3.connect(path, timeout=_PATIENCE_S, isolation_level=None, check_same_thread=False)
        try:
            db.execute("PRAGMA synchronous = OFF")  # derived: after a power cut it is built again
            db.execute("PRAGMA journal_mode = MEMORY")  # and after a kill: no file is left that a later view may meet
            db.execute("PRAGMA cache_size = -32768")  # what is new leads anywhere: what it touches is read once
            if _version(db) == 0:
                with keep_seal(path, inode) if in_file else nullcontext():
                    db.execute("BEGIN IMMEDIATE")
                    if _version(db) == 0:  # nobody else made them meanwhile
                        self._create(db)
                    db.execute("COMMIT")
            if in_file and read_inode(path) != inode:
                raise NotSealed("another one took its place")
            self._inode = inode
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

    def _is_made_anew(self, error: Exception) -> bool:
        """Return whether a view that is not as it was left was removed: another process may have done so before."""
        if not self.saves or not isinstance(error, NotSealed):
            return False
        try:
            remove_view(self.path, lambda: is_sealed(self.path))
        except OSError:
            return False
        return True

    def _others(self, error: Exception) -> Iterator[sqlite3.Connection]:
        """Yield what else to work with, best first: the file made anew, a copy of what can be read of it."""
        if self.saves and _is_broken(error):
            if not isinstance(error, OtherVersion | NotSealed):
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
        """Return what is stored, to go on with in memory."""
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
    source: LogSource[T], cursor: Callable[[], str], apply: Callable[[str, Batch[T]], bool], progress: Progress
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


def _is_other_version(path: str, version: int) -> bool:
    """Return whether a whole view is of another version, by its header: SQLite would begin to mend the file."""
    with open(path, "rb") as file:
        header = file.read(64)
    return header.startswith(b"SQLite format 3\0") and int.from_bytes(header[60:], "big") != version


def _is_file(db: sqlite3.Connection) -> bool:
    """Return whether a database is stored, and does not live in memory alone."""
    return bool(db.execute("PRAGMA database_list").fetchone()[2])


def _is_broken(error: Exception) -> bool:
    """Return whether the file itself is damaged; a lock, a full or a read-only disk is something else."""
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
