"""How each fact stands: the evidence it was written with and what became of it, as far as the log tells.

A derived view of the project's log: deletable, caught up from where it stopped.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from mi.contract.fact_evidence import CheckedEvidence
from mi.evidence.reader import parse, read_whole
from mi.evidence.records.base import Record
from mi.evidence.records.governed import MemoryVerify, MemoryWrite
from mi.kernel.jsonl import Line
from mi.kernel.jsontext import encode
from mi.kernel.log_source import Cursor, Log
from mi.kernel.log_view import LogView, Tables, rows_among
from mi.kernel.named_tuple import NamedTuple

_TABLES = Tables(
    2,
    (
        """CREATE TABLE fact
            (id TEXT PRIMARY KEY, event_id TEXT, proofs BLOB, checked TEXT, stale INTEGER, why TEXT) WITHOUT ROWID""",
        "CREATE INDEX fact_checked ON fact (checked)",
    ),
)
_WANTED = (b'"memory_write"', b'"memory_verify"')
_MOST_PASSED = 1 << 20  # bytes of such lines after which a cursor is stored all the same
_GATE = b'{"kind":"gate"'  # names the tool that was called
_WRITE, _NO_EVIDENCE = b'{"kind":"memory_write"', b'"evidence":[]'


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
        self._log = Log(log, "log", lambda: self._read)
        self._view = LogView(path, _TABLES)
        self._taken = 0
        self._passed = ("", "")  # after the stored cursor: how far nothing follows that tells

    def generation(self) -> int:
        """Return a number that changes whenever the evidence of a record, or what is known about it, does."""
        self._view.run(self._catch_up)
        return self._taken

    def of(self, ids: Iterable[str]) -> dict[str, Truth]:
        """Return what is known about records; those without evidence are not in it."""
        wanted = list(ids)
        query = "SELECT id, event_id, proofs, checked, stale, why FROM fact WHERE id"
        found = self._view.run(lambda db: rows_among(self._catch_up(db), query, wanted)) if wanted else []
        return {row[0]: _truth(row) for row in found}

    def oldest(self) -> Iterator[str]:
        """Yield the ids of all records with evidence, those first whose last check is longest ago."""
        yield from self._ids("SELECT id FROM fact ORDER BY checked, id")

    def stale(self) -> list[str]:
        """Return the ids of the records whose evidence no longer holds."""
        return self._ids("SELECT id FROM fact WHERE stale = 1")

    def close(self) -> None:
        """Let go of the file."""
        self._view.close()

    def take_in(self, db: sqlite3.Connection, source: int, changes: list[Record]) -> None:
        """Apply records in their order."""
        self._taken += len(changes)
        for record in changes:
            if isinstance(record, MemoryWrite):
                row = (record.record_id, record.event_id, encode(record.evidence), record.ts)
                db.execute("INSERT OR REPLACE INTO fact VALUES (?, ?, ?, ?, 0, '')", row)
            elif isinstance(record, MemoryVerify):
                results = [
                    (record.ts, bool(result.get("stale")), str(result.get("why") or ""), result.get("id"))
                    for result in record.results
                ]
                db.executemany("UPDATE fact SET checked = ?, stale = ?, why = ? WHERE id = ?", results)

    def forget(self, db: sqlite3.Connection, source: int) -> None:
        """Remove every fact."""
        db.execute("DELETE FROM fact")

    def _ids(self, query: str) -> list[str]:
        return [row[0] for row in self._view.run(lambda db: self._catch_up(db).execute(query).fetchall())]

    def _catch_up(self, db: sqlite3.Connection) -> sqlite3.Connection:
        """Return the database with all that the log tells; lines that tell nothing are passed over without a write."""
        stored = self._view.cursor(self._log.source)
        if self._passed[0] != stored:
            self._passed = stored, stored
        if not self._log.has_news(self._passed[1]):
            return db
        for batch in self._log.read(self._passed[1]):
            if not batch.changes and not batch.anew and batch.done - Cursor.parse(stored).upto < _MOST_PASSED:
                self._passed = stored, batch.cursor
            elif self._view.apply(self._log.source, stored, batch, self):
                stored = batch.cursor
            else:  # another process was faster
                return self._catch_up(db)
        return db

    def _read(self, line: Line) -> list[Record]:
        data = line.data
        if data.startswith(_GATE) or (data.startswith(_WRITE) and _NO_EVIDENCE in data):
            return []  # most lines, and told without parsing them
        if not any(kind in data[:4096] for kind in _WANTED):
            return []
        event = parse(line)
        record = read_whole(self._log.path, event).record() if event else None
        if isinstance(record, MemoryWrite):
            return [record] if record.evidence and record.record_id else []
        return [record] if isinstance(record, MemoryVerify) else []


def _truth(row: tuple[Any, ...]) -> Truth:
    record_id, event_id, proofs, checked, stale, why = row
    try:
        known = msgspec.json.decode(proofs, type=list[CheckedEvidence])
    except msgspec.DecodeError:  # a kind that a newer version knows: then there is nothing to check here
        known = []
    return Truth(record_id, event_id, known, checked, bool(stale), why)
