"""Finding an event by its id, or the open questions of a log, without reading the log: `indexes/evidence.sqlite`."""

import os
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from typing import NamedTuple, TypeVar

from msgspec import defstruct

from mi.evidence.reader import Event, parse, read_at, whole
from mi.evidence.records.table import LANDMARKS
from mi.kernel import files, jsonl
from mi.kernel.home import FILE_MODE, Home, make_place
from mi.kernel.jsontext import BadJson, decode_stored

T = TypeVar("T")
Progress = Callable[[int, int], None]  # bytes taken in, bytes there are
_VERSION = 3
_SCHEMA = """
CREATE TABLE IF NOT EXISTS log
    (id INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, upto INTEGER NOT NULL, seal INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS event
    (log INTEGER, event_id TEXT, offset INTEGER, PRIMARY KEY (log, event_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS landmark
    (log INTEGER, kind TEXT, offset INTEGER, ref TEXT, PRIMARY KEY (log, kind, offset)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS pair ON landmark (log, kind, ref);
"""
_BATCH = 1000  # events between two commits: what is held in memory at most
_SEALED = 4096  # bytes before the known end that tell whether a log is still the one that was indexed
_Ref = defstruct("_Ref", [(name, str, "") for name in sorted({*LANDMARKS.values()} - {""})])


class _Known(NamedTuple):
    """What the index knows of a log: its number there, and up to which offset; 0 when another log took its place."""

    log_id: int
    upto: int


class _Rows:
    """What a stretch of a log adds to the index."""

    def __init__(self, log_id: int) -> None:
        self.log_id = log_id
        self.events: list[tuple[int, str, int]] = []
        self.landmarks: list[tuple[int, str, int, str]] = []

    def add(self, event: Event) -> None:
        if event.head.event_id:
            self.events.append((self.log_id, event.head.event_id, event.offset))
        if event.head.kind in LANDMARKS:
            self.landmarks.append((self.log_id, event.head.kind, event.offset, ref_of(event)))

    def __len__(self) -> int:
        return len(self.events) + len(self.landmarks)


class EvidenceIndex:
    """A derived view of every log: deletable, caught up from where it stopped."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._path = home.evidence_index

    def find(self, log: str, event_id: str, progress: Progress) -> Event | None:
        """The event of that id in a log; catches up with what is new only when the id is not known yet."""

        def work(db: sqlite3.Connection) -> Event | None:
            event = self._lookup(db, log, event_id)
            if event is None and self._behind(db, log):
                self._catch_up(db, log, progress)
                event = self._lookup(db, log, event_id)
            return event

        return self._with_db(work)

    def latest(self, log: str, kind: str, progress: Progress) -> int | None:
        """The offset of the latest event of a landmark kind."""

        def work(db: sqlite3.Connection) -> int | None:
            self._catch_up(db, log, progress)
            query = "SELECT max(offset) FROM landmark WHERE log = ? AND kind = ?"
            offset: int | None = db.execute(query, (self._known(db, log).log_id, kind)).fetchone()[0]
            return offset

        return self._with_db(work)

    def all_of(self, log: str, kinds: Iterable[str], progress: Progress) -> list[int]:
        """The offsets of all events of some landmark kinds, in order."""
        wanted = tuple(kinds)
        marks = ", ".join("?" * len(wanted))
        query = f"SELECT offset FROM landmark WHERE log = ? AND kind IN ({marks}) ORDER BY offset"

        def work(db: sqlite3.Connection) -> list[int]:
            self._catch_up(db, log, progress)
            return [row[0] for row in db.execute(query, (self._known(db, log).log_id, *wanted))]

        return self._with_db(work)

    def referring(self, log: str, kind: str, ref: str, progress: Progress) -> int | None:
        """The offset of the latest event of a landmark kind that carries a reference, e.g. the question `qu_…`."""
        query = "SELECT max(offset) FROM landmark WHERE log = ? AND kind = ? AND ref = ?"

        def work(db: sqlite3.Connection) -> int | None:
            self._catch_up(db, log, progress)
            offset: int | None = db.execute(query, (self._known(db, log).log_id, kind, ref)).fetchone()[0]
            return offset

        return self._with_db(work)

    def catch_up(self, log: str, progress: Progress) -> None:
        """Take in what was appended since the last time."""
        self._with_db(lambda db: self._catch_up(db, log, progress))

    def unsettled(self, log: str, pairs: dict[str, str]) -> tuple[list[int], int]:
        """Read-only: offsets of asked events without their answer, and up to which offset the index knows the log."""
        if not os.path.exists(self._path):
            return [], 0
        query = """SELECT offset FROM landmark AS a WHERE log = ?1 AND kind = ?2 AND NOT EXISTS
            (SELECT 1 FROM landmark AS b WHERE b.log = ?1 AND b.kind = ?3 AND b.ref = a.ref)"""
        try:
            with closing(sqlite3.connect(files.read_only_uri(self._path), uri=True)) as db:
                known = self._known(db, log)
                if not known.upto:
                    return [], 0
                found = [row[0] for pair in pairs.items() for row in db.execute(query, (known.log_id, *pair))]
                return sorted(found), known.upto
        except sqlite3.Error:
            return [], 0

    def seen_last(self, log: str, kinds: Iterable[str]) -> int | None:
        """Read-only: the offset of the latest event of some landmark kinds, as far as the index knows the log."""
        wanted = tuple(kinds)
        marks = ", ".join("?" * len(wanted))
        query = f"SELECT max(offset) FROM landmark WHERE log = ? AND kind IN ({marks})"
        try:
            with closing(sqlite3.connect(files.read_only_uri(self._path), uri=True)) as db:
                offset: int | None = db.execute(query, (self._known(db, log).log_id, *wanted)).fetchone()[0]
                return offset
        except sqlite3.Error:
            return None

    def _with_db(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do some work on the index; one that is broken, full or not writable costs time, never the answer."""
        for _ in range(2):
            try:
                with closing(self._connect()) as db:
                    return work(db)
            except OSError:
                break
            except sqlite3.Error as error:
                if _is_passing(error):
                    break
                self._discard()  # and once more, with a new one
        with closing(_prepared(sqlite3.connect(":memory:"))) as db:
            return work(db)

    def _connect(self) -> sqlite3.Connection:
        make_place(self._path)
        os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE))
        return _prepared(sqlite3.connect(self._path, timeout=10))

    def _discard(self) -> None:
        for suffix in ("", "-journal"):
            files.remove_if_there(self._path + suffix)

    def _lookup(self, db: sqlite3.Connection, log: str, event_id: str) -> Event | None:
        query = "SELECT offset FROM event WHERE log = (SELECT id FROM log WHERE path = ?) AND event_id = ?"
        row = db.execute(query, (self._home.relative(log), event_id)).fetchone()
        if row is None:
            return None
        event = read_at(log, row[0])
        if event is not None and event.head.event_id == event_id:
            return event
        self._forget(db, log)  # the log was replaced under the same name
        return None

    def _forget(self, db: sqlite3.Connection, log: str) -> None:
        for statement in (
            "DELETE FROM event WHERE log",
            "DELETE FROM landmark WHERE log",
            "UPDATE log SET upto = 0, seal = 0 WHERE id",
        ):
            db.execute(f"{statement} = ?", (self._known(db, log).log_id,))

    def _known(self, db: sqlite3.Connection, log: str) -> _Known:
        query = "SELECT id, upto, seal FROM log WHERE path = ?"
        row = db.execute(query, (self._home.relative(log),)).fetchone()
        if row is None:
            return _Known(-1, 0)
        return _Known(row[0], row[1] if row[2] == _seal(log, row[1]) else 0)

    def _behind(self, db: sqlite3.Connection, log: str) -> bool:
        return self._known(db, log).upto != jsonl.size(log)

    def _catch_up(self, db: sqlite3.Connection, log: str, progress: Progress) -> None:
        db.execute("INSERT OR IGNORE INTO log (path, upto, seal) VALUES (?, 0, 0)", (self._home.relative(log),))
        (log_id, end), size = self._known(db, log), jsonl.size(log)
        if end == 0:
            self._forget(db, log)
        rows = _Rows(log_id)
        for line in jsonl.read_forward(log, end, 1 << 18):
            if not line.complete:
                break
            end = line.offset + line.length + 1
            if (event := parse(line)) is not None:
                rows.add(whole(log, event) if event.head.kind in LANDMARKS else event)
            if len(rows) >= _BATCH:
                _store(db, log, rows, end)
                rows = _Rows(log_id)
                progress(end, size)
        _store(db, log, rows, end)


def _is_passing(error: sqlite3.Error) -> bool:
    """Whether an index is only locked, full or read-only; tables that are missing are damage."""
    return isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode != sqlite3.SQLITE_ERROR


def _prepared(db: sqlite3.Connection) -> sqlite3.Connection:
    try:
        db.execute("PRAGMA synchronous = OFF")  # derived: after a power cut it is built again
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            db.executescript(_SCHEMA + f"PRAGMA user_version = {_VERSION};")
        elif version != _VERSION:
            raise sqlite3.DatabaseError(f"index of another version: {version}")
    except sqlite3.Error:
        db.close()
        raise
    return db


def ref_of(event: Event) -> str:
    """What joins a landmark to its counterpart: a question's id in the question and in its answer."""
    name = LANDMARKS[event.head.kind]
    try:
        return getattr(decode_stored(event.raw, _Ref), name) or event.head.event_id if name else ""
    except BadJson:
        return ""


def _store(db: sqlite3.Connection, log: str, rows: _Rows, upto: int) -> None:
    db.executemany("INSERT OR IGNORE INTO event VALUES (?, ?, ?)", rows.events)
    db.executemany("INSERT OR IGNORE INTO landmark VALUES (?, ?, ?, ?)", rows.landmarks)
    db.execute("UPDATE log SET upto = ?, seal = ? WHERE id = ?", (upto, _seal(log, upto), rows.log_id))
    db.commit()


def _seal(log: str, upto: int) -> int:
    """A checksum of the last bytes before an offset of a log."""
    from zlib import crc32

    return crc32(jsonl.read_range(log, max(0, upto - _SEALED), upto))
