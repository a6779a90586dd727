"""`view.sqlite`: the derived state of one store, caught up by byte offset; deletable, and in memory if it must be."""

import os
import sqlite3
from binascii import crc32
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from mi.kernel.home import FILE_MODE, ThoughtFiles
from mi.kernel.jsontext import BadJson
from mi.kernel.notices import Notices
from mi.thoughtdb.intake import EMPTY, INDEXES, SCHEMA, VERSION, Placed, out_of, sort_edges, take_in
from mi.thoughtdb.kinds import Kind
from mi.thoughtdb.lines import fields, parse
from mi.thoughtdb.redirects import Out

Progress = Callable[[int, int], None]  # bytes taken in, bytes there are
KINDS: tuple[Kind, ...] = ("claim", "node", "edge")
_TAIL = 1024  # bytes before the known end that must not have changed
MAX_LINE = 1 << 30  # a thought is never read cut: what is missing would be lost to whoever acts by it
_BUFFER = 1 << 18
_LINE = 4096
_PATIENCE_S = 10
_REPORT_EVERY = 4096


class _Known(NamedTuple):
    """How far a file was taken in, and by what it is recognised."""

    upto: int = 0
    inode: int = 0
    tail: int = 0
    mtime: int = 0  # 0: more was appended while it was taken in
    unreadable: int = 0


class View:
    """An open view. It reads the files it was brought up to date with, even when they are replaced meanwhile."""

    def __init__(self, files: ThoughtFiles, notices: Notices, progress: Progress, save: bool = True) -> None:
        self._paths: dict[Kind, str] = {"claim": files.claims, "node": files.nodes, "edge": files.edges}
        self._path = files.view
        self._notices = notices
        self._progress = progress
        self._save = save
        self._fds: dict[Kind, int] = {}
        self._db: sqlite3.Connection | None = None
        self._may_write = True
        self.refresh()

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
        found = b""
        while b"\n" not in found and (more := os.pread(self._fds[kind], _LINE, offset + len(found))):
            found += more
        return found.partition(b"\n")[0]

    def raw(self, kind: Kind, offset: int) -> dict[str, Any]:
        """Every field of the stored line that begins at an offset."""
        try:
            return fields(self.line(kind, offset))
        except BadJson:  # the file was changed in place behind our back: the next command builds the view again
            return {}

    def refresh(self) -> None:
        """Take in what was appended since; costs as much as is new."""
        self._open_files()
        try:
            self._catch_up()
        except sqlite3.OperationalError:  # a lock held for long, a full or read-only disk: no reason not to answer
            self._use_memory()
        except sqlite3.DatabaseError:
            self._start_over()

    def close(self) -> None:
        """Let go of the files."""
        for fd in self._fds.values():
            os.close(fd)
        self._fds = {}
        if self._db is not None:
            self._db.close()
            self._db = None

    def _open_files(self) -> None:
        """Open what is there now; a replaced file is opened anew, and a store that was empty gets its stored view."""
        was_empty = not self._fds
        for kind, path in self._paths.items():
            fd = self._fds.get(kind)
            if fd is not None and not _is_still(fd, path):
                os.close(self._fds.pop(kind))
                fd = None
            if fd is None:
                try:
                    self._fds[kind] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
                except (FileNotFoundError, NotADirectoryError):
                    pass
        if was_empty and self._fds and self._db is not None:
            self._db.close()
            self._db = None

    def _open_db(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = self._connect()
        return self._db

    def _connect(self) -> sqlite3.Connection:
        """The stored view; without one that can be used, or with nothing to keep, one in memory."""
        self._may_write = True
        if not self._fds:
            return _made(sqlite3.connect(":memory:"))
        if not self._save or not os.access(os.path.dirname(self._path), os.W_OK):
            if not os.path.exists(self._path):
                return _made(sqlite3.connect(":memory:"))
            self._may_write = False
            return _checked(sqlite3.connect(f"file:{_quoted(self._path)}?mode=ro", uri=True, timeout=_PATIENCE_S))
        try:
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE))
        except OSError:
            return _made(sqlite3.connect(":memory:"))
        return _made(sqlite3.connect(self._path, timeout=_PATIENCE_S))

    def _use_memory(self) -> None:
        if self._db is not None:
            self._db.close()
        self._may_write = True
        self._db = _made(sqlite3.connect(":memory:"))
        self._catch_up()

    def _start_over(self) -> None:
        """Throw a view away that is damaged or of another version, and build it anew."""
        if self._db is not None:
            self._db.close()
            self._db = None
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
        sound = self._all_sound(known)
        if not sound or any(self._has_more(kind, known.get(kind, _Known()).upto) for kind in self._fds):
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
            if not self._all_sound(known):
                for statement in EMPTY:
                    db.execute(statement)
                known = {}
            for kind, fd in self._fds.items():
                self._take_in(db, kind, fd, known.get(kind, _Known()))
            sort_edges(db)
            for statement in INDEXES:
                db.execute(statement)
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise

    def _take_in(self, db: sqlite3.Connection, kind: Kind, fd: int, known: _Known) -> None:
        tally = _Tally(known)
        size = os.fstat(fd).st_size
        take_in(db, kind, _entries(fd, kind, tally, lambda done: self._progress(done, size)))
        stat = os.fstat(fd)
        mtime = stat.st_mtime_ns if stat.st_size == tally.upto else 0
        row = (kind, tally.upto, stat.st_ino, _tail_of(fd, tally.upto), mtime, tally.unreadable)
        db.execute("INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?)", row)

    def _all_sound(self, known: dict[Kind, _Known]) -> bool:
        """Whether every file is the one that was taken in, perhaps grown; a replaced one may be another altogether."""
        return all(kind in self._fds and self._is_sound(kind, one) for kind, one in known.items())

    def _is_sound(self, kind: Kind, known: _Known) -> bool:
        stat = os.fstat(self._fds[kind])
        if stat.st_ino != known.inode or stat.st_size < known.upto:
            return False
        if stat.st_size == known.upto and known.mtime and stat.st_mtime_ns != known.mtime:
            return False  # not longer, yet written to: changed in place
        return _tail_of(self._fds[kind], known.upto) == known.tail

    def _has_more(self, kind: Kind, upto: int) -> bool:
        """Whether a whole line follows; half of one waits for its end."""
        fd = self._fds[kind]
        size = os.fstat(fd).st_size
        return any(b"\n" in os.pread(fd, min(_BUFFER, size - at), at) for at in range(upto, size, _BUFFER))

    def _report(self, db: sqlite3.Connection) -> None:
        for kind, one in _known(db).items():
            if one.unreadable:
                self._notices.add("unreadable-lines", self._paths[kind], count=one.unreadable)
            torn = os.fstat(self._fds[kind]).st_size - one.upto
            if torn and not self._has_more(kind, one.upto):
                self._notices.add("torn-line", self._paths[kind], size=torn)


class _Tally:
    """How far reading came, and how many lines could not be read."""

    def __init__(self, known: _Known) -> None:
        self.upto = known.upto
        self.unreadable = known.unreadable
        self.lines = 0


def _entries(fd: int, kind: Kind, tally: _Tally, progress: Callable[[int], None]) -> Iterator[Placed]:
    with open(fd, "rb", buffering=_BUFFER, closefd=False) as file:
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
                progress(tally.upto)


def _known(db: sqlite3.Connection) -> dict[Kind, _Known]:
    return {kind: _Known(*rest) for kind, *rest in db.execute("SELECT * FROM file")}


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


def _is_still(fd: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except OSError:
        return False


def _tail_of(fd: int, upto: int) -> int:
    start = max(0, upto - _TAIL)
    return crc32(os.pread(fd, upto - start, start))


def _quoted(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
