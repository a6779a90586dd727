"""The memory backends on SQLite's full-text search: `sqlite_fts` in a file, `in_memory` for as long as the process."""

import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from mi.kernel.log_view import LogView, Report
from mi.knowledge.search import query as search
from mi.knowledge.search.backend import Hit, Query, Status
from mi.knowledge.search.documents import DocumentChanges
from mi.knowledge.search.tables import TABLES, shelf_of

if TYPE_CHECKING:  # imported where it is on
    from mi.knowledge.search.nearness import Nearness

T = TypeVar("T")


class FtsBackend:
    """Documents and their words in one SQLite database."""

    def __init__(
        self,
        path: str = "",
        report: Report = lambda trouble, error: None,
        find_nearness: "Callable[[], Nearness | None]" = lambda: None,  # called when something is searched for
    ) -> None:
        self.name = "sqlite_fts" if path else "in_memory"
        self._find_nearness = find_nearness
        self._view = LogView(path, TABLES, report)

    def run(self, work: Callable[[], T]) -> T:
        """Do some work on the index; one that is broken or cannot be written costs time, never the answer."""
        return self._view.run(lambda db: work())

    def cursors(self) -> dict[str, str]:
        return self._view.cursors()

    def apply(self, source: str, project_id: str, since: str, batch: DocumentChanges) -> bool:
        from mi.knowledge.search.intake import DocumentIntake  # most searches find nothing new

        return self._view.apply(source, since, batch, DocumentIntake(project_id))

    def forget(self, source: str) -> None:
        from mi.knowledge.search.intake import DocumentIntake

        self._view.forget(source, DocumentIntake())

    def search(self, query: Query) -> list[Hit]:
        nearness = self._find_nearness() if query.tokens and query.limit else None
        if nearness is not None:
            for shelf in dict.fromkeys(map(shelf_of, query.kinds)):
                for rows in search.find_ranges(self._view.db, query):
                    nearness.catch_up(self._view, shelf, rows)
        measure = nearness.measure if nearness is not None else None
        with self._view.transaction("DEFERRED") as db:  # all that is read is of one moment
            hits = search.search(db, query, measure)
        if hits is None:
            from mi.knowledge.search.intake import put_in_order

            with self._view.transaction() as db:
                put_in_order(db)
                hits = search.search(db, query, measure)
        return hits or []

    def newest(self, query: Query) -> list[Hit]:
        with self._view.transaction("DEFERRED") as db:
            return search.find_newest(db, query)

    def count(self, query: Query) -> int:
        with self._view.transaction("DEFERRED") as db:
            return search.count_newest(db, query)

    def status(self) -> Status:
        return _status(self._view.db)

    def look(self) -> tuple[Status, dict[str, str]] | None:
        """Return what is stored, and how far each source was taken in; None when there is nothing of this version."""
        sources = "SELECT name, cursor FROM source"
        return self._view.look(lambda db: (_status(db), dict(db.execute(sources))))

    def wasted(self) -> bool:
        """Return whether most of the stored words belong to documents that were removed: time to build it again."""
        used = self._view.db.execute("SELECT coalesce(sum(used), 0) FROM scope").fetchone()[0]
        there = used - self._view.db.execute("SELECT documents FROM removed").fetchone()[0]
        return bool(used > 2 * there + 10_000)

    def clear(self) -> None:
        self._view.clear()

    def discard(self) -> None:
        """Delete the file; it is built again from the logs."""
        self._view.discard()

    def close(self) -> None:
        self._view.close()


def _status(db: sqlite3.Connection) -> Status:
    from mi.knowledge.search.intake import count_unnoted

    count = db.execute
    noted = count("SELECT count(*) FROM document WHERE corrected_by != ''").fetchone()[0]
    return Status(
        documents=dict(count("SELECT kind, count(*) FROM document GROUP BY kind ORDER BY kind")),
        corrected=noted + count_unnoted(db),
        sources=count("SELECT count(*) FROM source").fetchone()[0],
        bytes=count("PRAGMA page_count").fetchone()[0] * count("PRAGMA page_size").fetchone()[0],
    )
