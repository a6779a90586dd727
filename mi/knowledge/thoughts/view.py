"""`view.sqlite`: the derived state of one store, caught up by byte offset; deletable, and in memory if it must be."""

import os
import sqlite3
from collections.abc import Callable
from typing import Any

from mi.kernel.files import read_only_uri
from mi.kernel.home import FILE_MODE, ThoughtFiles
from mi.kernel.jsontext import BadJson
from mi.kernel.notices import Notices
from mi.knowledge.thoughts.files import FileProgress, StoreFiles, Tally
from mi.knowledge.thoughts.intake import EMPTY, SCHEMA, VERSION, Intake, out_of
from mi.knowledge.thoughts.kinds import Kind
from mi.knowledge.thoughts.line_state import fields
from mi.knowledge.thoughts.redirects import Out

Progress = Callable[[int, int], None]  # bytes taken in, bytes there are
_PATIENCE_S = 10


class View:
    """An open view. It reads the files it was brought up to date with, even when they are replaced meanwhile."""

    def __init__(self, files: ThoughtFiles, notices: Notices, progress: Progress, save: bool = True) -> None:
        self._files = StoreFiles(files)
        self._path = files.view
        self._notices = notices
        self._progress = progress
        self._save = save
        self._db: sqlite3.Connection | None = None
        self._may_write = True
        self.refresh()

    def paths_of(self, *kinds: Kind) -> list[str]:
        """The files it is a view of."""
        return [self._files.paths[kind] for kind in kinds]

    def stamp(self) -> tuple[tuple[int, int], ...]:
        """The same as long as nothing was written."""
        return self._files.stamp()

    def query(self, sql: str, values: tuple[object, ...] = ()) -> list[Any]:
        """The rows of a query; a damaged view is built again and asked again."""
        try:
            return self._open_db().execute(sql, values).fetchall()
        except sqlite3.DatabaseError:
            self._start_over()
            return self._open_db().execute(sql, values).fetchall()

    @property
    def out(self) -> Out:
        """The newest standing redirect of an id."""
        return out_of(self._open_db())

    def line(self, kind: Kind, offset: int) -> bytes:
        """The stored line that begins at an offset."""
        return self._files.line(kind, offset)

    def raw(self, kind: Kind, offset: int) -> dict[str, Any]:
        """Every field of the stored line that begins at an offset."""
        try:
            return fields(self.line(kind, offset))
        except BadJson:  # the file was changed in place behind our back: the next command builds the view again
            return {}

    def refresh(self) -> None:
        """Take in what was appended since; costs as much as is new."""
        was_empty = not self._files
        self._files.open()
        if was_empty and self._files:
            self._forget_db()  # a store that was empty gets its stored view
        try:
            self._catch_up()
        except sqlite3.OperationalError:  # a lock held for long, a full or read-only disk: no reason not to answer
            self._use_memory()
        except sqlite3.DatabaseError:
            self._start_over()

    def close(self) -> None:
        """Let go of the files."""
        self._files.close()
        self._forget_db()

    def _forget_db(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _open_db(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = self._connect()
        return self._db

    def _connect(self) -> sqlite3.Connection:
        """The stored view; without one that can be used, or with nothing to keep, one in memory."""
        self._may_write = True
        if not self._files:
            return _made(sqlite3.connect(":memory:"))
        if not self._save or not os.access(os.path.dirname(self._path), os.W_OK):
            if not os.path.exists(self._path):
                return _made(sqlite3.connect(":memory:"))
            self._may_write = False
            return _checked(sqlite3.connect(read_only_uri(self._path), uri=True, timeout=_PATIENCE_S))
        try:
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE))
        except OSError:
            return _made(sqlite3.connect(":memory:"))
        return _made(sqlite3.connect(self._path, timeout=_PATIENCE_S))

    def _use_memory(self) -> None:
        self._forget_db()
        self._may_write = True
        self._db = _made(sqlite3.connect(":memory:"))
        self._catch_up()

    def _start_over(self) -> None:
        """Throw a view away that is damaged or of another version, and build it anew."""
        self._forget_db()
        try:
            if self._save:
                for suffix in ("", "-journal"):
                    if os.path.exists(self._path + suffix):
                        os.unlink(self._path + suffix)
                self._catch_up()
                return
        except (OSError, sqlite3.Error):
            pass
        self._use_memory()

    def _catch_up(self) -> None:
        db = self._open_db()
        known = _known(db)
        sound = self._files.are_sound(known)
        if not sound or any(self._files.has_more(kind, _upto(known, kind)) for kind in self._files.kinds()):
            if not self._may_write:
                db = self._copy_to_memory(db, sound)
            self._take_in_all(db)
        self._report(db)

    def _copy_to_memory(self, db: sqlite3.Connection, sound: bool) -> sqlite3.Connection:
        """A view that may only be read is brought up to date in memory."""
        copy = _made(sqlite3.connect(":memory:"))
        if sound:
            db.backup(copy)
        db.close()
        self._db = copy
        self._may_write = True
        return copy

    def _take_in_all(self, db: sqlite3.Connection) -> None:
        db.execute("BEGIN IMMEDIATE")
        try:
            known = _known(db)  # again, under the lock: another process may have been quicker
            if not self._files.are_sound(known):
                for statement in EMPTY:
                    db.execute(statement)
                known = {}
            intake = Intake(db)
            for kind in self._files.kinds():
                tally = Tally(known.get(kind, FileProgress()))
                intake.take_in(kind, self._files.new_lines(kind, tally, self._progress))
                row = (kind, *self._files.known(kind, tally))
                db.execute("INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?)", row)
            intake.put_in_order()
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise

    def _report(self, db: sqlite3.Connection) -> None:
        for kind, one in _known(db).items():
            path = self._files.paths[kind]
            if one.unreadable:
                self._notices.add("unreadable-lines", path, count=one.unreadable)
            torn = self._files.size(kind) - one.upto
            if torn and not self._files.has_more(kind, one.upto):
                self._notices.add("torn-line", path, size=torn)


def _known(db: sqlite3.Connection) -> dict[Kind, FileProgress]:
    return {kind: FileProgress(*rest) for kind, *rest in db.execute("SELECT * FROM file")}


def _upto(known: dict[Kind, FileProgress], kind: Kind) -> int:
    return known[kind].upto if kind in known else 0


def _made(db: sqlite3.Connection) -> sqlite3.Connection:
    """The database with its tables; DatabaseError when it is of another version."""
    db.isolation_level = None
    db.execute("PRAGMA synchronous = OFF")  # derived: after a power cut it is built again
    if _version(db) == 0:
        db.execute("PRAGMA cache_size = -32768")
        db.execute("BEGIN IMMEDIATE")
        if _version(db) == 0:
            for statement in (*SCHEMA, f"PRAGMA user_version = {VERSION}"):
                db.execute(statement)
        db.execute("COMMIT")
    return _checked(db)


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _checked(db: sqlite3.Connection) -> sqlite3.Connection:
    if _version(db) != VERSION:
        raise sqlite3.DatabaseError(f"view of another version: {_version(db)}")
    return db
