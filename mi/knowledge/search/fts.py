"""The memory backends on SQLite's full-text search: `sqlite_fts` in a file, `in_memory` for as long as the process."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Literal

from mi.kernel.files import read_only_uri
from mi.kernel.home import FILE_MODE, make_place
from mi.knowledge.search import query as search
from mi.knowledge.search import tables
from mi.knowledge.search.backend import Hit, Query, Status
from mi.knowledge.search.corrections import newly_corrected, put_in_order, unmark
from mi.knowledge.search.documents import DocumentChanges

_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)  # the last: a table is missing
_PATIENCE_S = 30.0


class FtsBackend:
    """Documents and their words in one SQLite database."""

    def __init__(self, db: sqlite3.Connection, name: str) -> None:
        self.name = name
        self._db = db

    def cursors(self) -> dict[str, str]:
        return dict(self._db.execute("SELECT name, cursor FROM source"))

    def apply(self, source: str, project_id: str, since: str, batch: DocumentChanges) -> bool:
        from mi.knowledge.search import intake  # most searches find nothing new

        with self._transaction():
            row = self._db.execute("SELECT no, cursor FROM source WHERE name = ?", (source,)).fetchone()
            if (row[1] if row else "") != since:
                return False
            if row and batch.anew:
                self._remove(row[0])
                row = None
            no = int(row[0]) if row else self._new_source(source)
            intake.take_in(self._db, no, project_id, batch.changes)
            self._db.execute("UPDATE source SET cursor = ? WHERE no = ?", (batch.cursor, no))
        return True

    def _new_source(self, name: str) -> int:
        return self._db.execute("INSERT INTO source (name) VALUES (?)", (name,)).lastrowid or 0

    def forget(self, source: str) -> None:
        with self._transaction():
            row = self._db.execute("SELECT no FROM source WHERE name = ?", (source,)).fetchone()
            if row:
                self._remove(row[0])

    def _remove(self, no: int) -> None:
        unmark(self._db, no, [one for (one,) in self._db.execute("SELECT id FROM every_mark WHERE source = ?", (no,))])
        self._db.execute("DELETE FROM document WHERE source = ?", (no,))
        self._db.execute("DELETE FROM source WHERE no = ?", (no,))

    def search(self, query: Query) -> list[Hit]:
        with self._transaction("DEFERRED"):  # all that is read is of one moment
            hits = search.search(self._db, query)
        if hits is None:
            with self._transaction():
                put_in_order(self._db)
                hits = search.search(self._db, query)
        return hits or []

    def status(self) -> Status:
        count = self._db.execute
        noted = count("SELECT count(*) FROM document WHERE corrected_by != ''").fetchone()[0]
        return Status(
            documents=dict(count("SELECT kind, count(*) FROM document GROUP BY kind ORDER BY kind")),
            corrected=noted + newly_corrected(self._db),
            sources=count("SELECT count(*) FROM source").fetchone()[0],
            bytes=count("PRAGMA page_count").fetchone()[0] * count("PRAGMA page_size").fetchone()[0],
        )

    def wasted(self) -> bool:
        """Whether most of the stored words belong to documents that were removed: time to build it again."""
        used = self._db.execute("SELECT coalesce(sum(used), 0) FROM scope").fetchone()[0]
        there = used - self._db.execute("SELECT documents FROM removed").fetchone()[0]
        return bool(used > 2 * there + 10_000)

    def clear(self) -> None:
        with self._transaction():
            tables.create(self._db)

    def close(self) -> None:
        self._db.close()

    def __del__(self) -> None:
        self._db.close()  # in whichever thread it is let go: the connections are opened for that

    @contextmanager
    def _transaction(self, kind: Literal["IMMEDIATE", "DEFERRED"] = "IMMEDIATE") -> Iterator[None]:
        self._db.execute(f"BEGIN {kind}")
        try:
            yield
        except BaseException:
            if self._db.in_transaction:  # a full disk ends it by itself
                self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")


def in_memory() -> FtsBackend:
    """An index that lives as long as the process."""
    return FtsBackend(tables.prepared(sqlite3.connect(":memory:", check_same_thread=False)), "in_memory")


def open_file(path: str) -> FtsBackend:
    """The index in a file, made when missing."""
    make_place(path)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE))
    db = sqlite3.connect(path, timeout=_PATIENCE_S, check_same_thread=False)
    try:
        return FtsBackend(tables.prepared(db), "sqlite_fts")
    except BaseException:
        db.close()
        raise


def open_to_look(path: str) -> FtsBackend | None:
    """The index in a file, for reading alone; None when it is of another version. sqlite3.Error when unreadable."""
    db = sqlite3.connect(read_only_uri(path), uri=True, check_same_thread=False)
    try:
        if db.execute("PRAGMA user_version").fetchone()[0] == tables.VERSION:
            return FtsBackend(db, "sqlite_fts")
    except BaseException:
        db.close()
        raise
    db.close()
    return None


def copy_into_memory(path: str) -> FtsBackend:
    """What a file that cannot be written holds, to go on with in memory; sqlite3.Error when it is unreadable, too."""
    db = sqlite3.connect(":memory:", check_same_thread=False)
    try:
        with closing(sqlite3.connect(read_only_uri(path), uri=True)) as stored:
            stored.backup(db)
        return FtsBackend(tables.prepared(db), "sqlite_fts")
    except BaseException:
        db.close()
        raise


def is_broken(error: sqlite3.Error) -> bool:
    """Whether the file itself is damaged; a lock, a full or a read-only disk is something else."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _BROKEN


def discard(path: str) -> None:
    """Delete an index file; it is built again from the logs."""
    for suffix in ("", "-journal"):
        if os.path.exists(path + suffix):
            os.unlink(path + suffix)
