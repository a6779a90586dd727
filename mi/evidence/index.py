"""Finding an event by its id, or the open questions of a log, without reading the log: `indexes/evidence.sqlite`."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import TypeVar

from msgspec import Struct

from mi.evidence.reader import Event, parse, read_at
from mi.kernel import jsonl
from mi.kernel.home import FILE_MODE, Home, make_dirs
from mi.kernel.jsontext import BadJson, decode

T = TypeVar("T")
Progress = Callable[[int, int], None]  # bytes taken in, bytes there are
_VERSION = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS log (id INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, upto INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS event
    (log INTEGER, event_id TEXT, offset INTEGER, PRIMARY KEY (log, event_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS landmark
    (log INTEGER, kind TEXT, offset INTEGER, ref TEXT, PRIMARY KEY (log, kind, offset)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS pair ON landmark (log, kind, ref);
"""
_BATCH = 1000  # events between two commits: what is held in memory at most
# Kinds that are looked up by kind, with the field that joins a question to its answer.
LANDMARKS = {
    "hands_input": "",
    "run_start": "",
    "question": "id",
    "user_input": "question_id",
    "learn_suggested": "id",
    "learn_applied": "suggestion_id",
    "state_corrupt": "",
}


class _Ref(Struct):
    id: str = ""
    question_id: str = ""
    suggestion_id: str = ""


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
            offset: int | None = db.execute(query, (self._log_id(db, log), kind)).fetchone()[0]
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
            with closing(sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)) as db:
                log_id = self._log_id(db, log)
                found = [row[0] for pair in pairs.items() for row in db.execute(query, (log_id, *pair))]
                return sorted(found), self._upto(db, log)
        except sqlite3.Error:
            return [], 0

    def _with_db(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do some work on the index; one that is broken, full or not writable costs time, never the answer."""
        try:
            with closing(self._connect()) as db:
                return work(db)
        except sqlite3.Error as error:
            if not isinstance(error, sqlite3.OperationalError):  # those are locks and full disks, not damage
                self._discard()
        except OSError:
            pass
        with closing(_prepared(sqlite3.connect(":memory:"))) as db:
            return work(db)

    def _connect(self) -> sqlite3.Connection:
        make_dirs(self._home.indexes)
        os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE))
        return _prepared(sqlite3.connect(self._path, timeout=10))

    def _discard(self) -> None:
        for suffix in ("", "-journal"):
            if os.path.exists(self._path + suffix):
                os.unlink(self._path + suffix)

    def _lookup(self, db: sqlite3.Connection, log: str, event_id: str) -> Event | None:
        query = "SELECT offset FROM event WHERE log = ? AND event_id = ?"
        row = db.execute(query, (self._log_id(db, log), event_id)).fetchone()
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
            "UPDATE log SET upto = 0 WHERE id",
        ):
            db.execute(f"{statement} = ?", (self._log_id(db, log),))

    def _log_id(self, db: sqlite3.Connection, log: str) -> int:
        row = db.execute("SELECT id FROM log WHERE path = ?", (self._home.relative(log),)).fetchone()
        return int(row[0]) if row else -1

    def _upto(self, db: sqlite3.Connection, log: str) -> int:
        row = db.execute("SELECT upto FROM log WHERE path = ?", (self._home.relative(log),)).fetchone()
        return int(row[0]) if row else 0

    def _behind(self, db: sqlite3.Connection, log: str) -> bool:
        return self._upto(db, log) != jsonl.size(log)

    def _catch_up(self, db: sqlite3.Connection, log: str, progress: Progress) -> None:
        db.execute("INSERT OR IGNORE INTO log (path, upto) VALUES (?, 0)", (self._home.relative(log),))
        log_id, start, size = self._log_id(db, log), self._upto(db, log), jsonl.size(log)
        if start > size:
            self._forget(db, log)
            start = 0
        events: list[Event] = []
        end = start
        for line in jsonl.read_forward(log, start, 1 << 18):
            if not line.complete:
                break
            end = line.offset + line.length + 1
            if (event := parse(line)) is not None:
                events.append(event)
            if len(events) >= _BATCH:
                _store(db, log_id, events, end)
                events = []
                progress(end, size)
        _store(db, log_id, events, end)


def _prepared(db: sqlite3.Connection) -> sqlite3.Connection:
    db.execute("PRAGMA synchronous = OFF")  # derived: after a power cut it is built again
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version == 0:
        db.executescript(_SCHEMA + f"PRAGMA user_version = {_VERSION};")
    elif version != _VERSION:
        raise sqlite3.DatabaseError(f"index of another version: {version}")
    return db


def ref_of(event: Event) -> str:
    """What joins a landmark to its counterpart: a question's id in the question and in its answer."""
    name = LANDMARKS[event.head.kind]
    try:
        return getattr(decode(event.raw, _Ref), name) or event.head.event_id if name else ""
    except BadJson:
        return ""


def _store(db: sqlite3.Connection, log_id: int, events: list[Event], upto: int) -> None:
    named = [(log_id, event.head.event_id, event.offset) for event in events if event.head.event_id]
    landmarks = [event for event in events if event.head.kind in LANDMARKS]
    marked = [(log_id, event.head.kind, event.offset, ref_of(event)) for event in landmarks]
    db.executemany("INSERT OR IGNORE INTO event VALUES (?, ?, ?)", named)
    db.executemany("INSERT OR IGNORE INTO landmark VALUES (?, ?, ?, ?)", marked)
    db.execute("UPDATE log SET upto = ? WHERE id = ?", (upto, log_id))
    db.commit()
