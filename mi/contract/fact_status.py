"""How each fact stands: the evidence it was written with and what became of it, as far as the log tells.

A derived view of the project's log: deletable, caught up from a byte offset.
"""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

import msgspec

from mi.contract.fact_evidence import CheckedEvidence
from mi.evidence.reader import parse, whole
from mi.evidence.records.governed import MemoryVerify, MemoryWrite
from mi.kernel import files, jsonl
from mi.kernel.home import FILE_MODE, make_place
from mi.kernel.jsontext import encode

T = TypeVar("T")
_VERSION = 1
_SCHEMA = (
    "CREATE TABLE upto (offset INTEGER, inode INTEGER)",
    "INSERT INTO upto VALUES (0, 0)",
    """CREATE TABLE fact (id TEXT PRIMARY KEY, event_id TEXT, proofs BLOB, checked TEXT, stale INTEGER, why TEXT)
        WITHOUT ROWID""",
    "CREATE INDEX fact_checked ON fact (checked)",
    f"PRAGMA user_version = {_VERSION}",
)
_WANTED = (b'"memory_write"', b'"memory_verify"')
_MAX_IDS = 500


class Truth(NamedTuple):
    """The evidence of one record: when it was last checked, and why it no longer holds, if it does not."""

    id: str
    event_id: str
    proofs: list[CheckedEvidence]
    checked: str
    stale: bool
    why: str


class Truths:
    """The truths of one project's log."""

    def __init__(self, log: str, path: str) -> None:
        self._log = log
        self._path = path
        self._db: sqlite3.Connection | None = None
        self._seen = (-1, -1)
        self._taken = 0

    def generation(self) -> int:
        """A number that changes whenever the evidence of a record, or what is known about it, does."""
        self._ask(lambda db: None)
        return self._taken

    def of(self, ids: Iterable[str]) -> dict[str, Truth]:
        """What is known about records; those without evidence are not in it."""
        wanted = list(ids)[:_MAX_IDS]
        if not wanted:
            return {}
        marks = ", ".join("?" * len(wanted))
        query = f"SELECT id, event_id, proofs, checked, stale, why FROM fact WHERE id IN ({marks})"
        return {one.id: one for one in map(_truth, self._ask(lambda db: db.execute(query, wanted).fetchall()))}

    def oldest(self) -> Iterator[str]:
        """The ids of all records with evidence, those first whose last check is longest ago."""
        for (record_id,) in self._ask(lambda db: db.execute("SELECT id FROM fact ORDER BY checked, id").fetchall()):
            yield record_id

    def stale(self) -> list[str]:
        """The ids of the records whose evidence no longer holds."""
        return [row[0] for row in self._ask(lambda db: db.execute("SELECT id FROM fact WHERE stale = 1").fetchall())]

    def close(self) -> None:
        """Let go of the file."""
        if self._db is not None:
            self._db.close()
            self._db = None
        self._seen = (-1, -1)

    def _ask(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do some work on the view, caught up; one that is damaged or cannot be kept is made anew, or in memory."""
        for _ in range(2):
            try:
                return self._caught_up(work)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:
                    break
                self._discard()
            except sqlite3.DatabaseError:
                self._discard()
            except OSError:
                break
        self.close()
        self._db = _prepared(sqlite3.connect(":memory:", check_same_thread=False))
        return self._caught_up(work)

    def _caught_up(self, work: Callable[[sqlite3.Connection], T]) -> T:
        if self._db is None:
            self._db = self._open()
        now = _stamp(self._log)
        if now != self._seen:
            self._catch_up(self._db, now)
            self._seen = now
        return work(self._db)

    def _open(self) -> sqlite3.Connection:
        make_place(self._path)
        os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE))
        db = sqlite3.connect(self._path, timeout=10, check_same_thread=False)
        try:
            return _prepared(db)
        except BaseException:
            db.close()
            raise

    def _discard(self) -> None:
        self.close()
        for suffix in ("", "-journal"):
            files.remove_if_there(self._path + suffix)

    def _catch_up(self, db: sqlite3.Connection, now: tuple[int, int]) -> None:
        size, inode = now
        db.execute("BEGIN IMMEDIATE")
        try:
            offset, known = db.execute("SELECT offset, inode FROM upto").fetchone()
            if known != inode or size < offset:  # another log took its place
                db.execute("DELETE FROM fact")
                offset = 0
            for line in jsonl.read_forward(self._log, offset):
                if not line.complete:
                    break
                offset = line.offset + line.length + 1
                if any(kind in line.data[:4096] for kind in _WANTED):
                    self._take_in(db, line)
            db.execute("UPDATE upto SET offset = ?, inode = ?", (offset, inode))
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise

    def _take_in(self, db: sqlite3.Connection, line: jsonl.Line) -> None:
        event = parse(line)
        record = whole(self._log, event).record() if event else None
        if isinstance(record, MemoryWrite) and record.evidence and record.record_id:
            row = (record.record_id, record.event_id, encode(record.evidence), record.ts)
            db.execute("INSERT OR REPLACE INTO fact VALUES (?, ?, ?, ?, 0, '')", row)
            self._taken += 1
        elif isinstance(record, MemoryVerify):
            self._taken += 1
            for one in record.results:
                values = (record.ts, bool(one.get("stale")), str(one.get("why") or ""), one.get("id"))
                db.execute("UPDATE fact SET checked = ?, stale = ?, why = ? WHERE id = ?", values)


def _truth(row: tuple[str, str, bytes, str, int, str]) -> Truth:
    record_id, event_id, proofs, checked, stale, why = row
    try:
        known = msgspec.json.decode(proofs, type=list[CheckedEvidence])
    except msgspec.DecodeError:  # a kind that a newer version knows: then there is nothing to check here
        known = []
    return Truth(record_id, event_id, known, checked, bool(stale), why)


def _prepared(db: sqlite3.Connection) -> sqlite3.Connection:
    db.isolation_level = None
    db.execute("PRAGMA synchronous = OFF")  # derived: after a power cut it is built again
    if db.execute("PRAGMA user_version").fetchone()[0] == 0:
        db.execute("BEGIN IMMEDIATE")
        if db.execute("PRAGMA user_version").fetchone()[0] == 0:
            for statement in _SCHEMA:
                db.execute(statement)
        db.execute("COMMIT")
    if db.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
        raise sqlite3.DatabaseError("view of another version")
    return db


def _stamp(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0
    return found.st_size, found.st_ino
