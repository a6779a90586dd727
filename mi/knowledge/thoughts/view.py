"""`view.sqlite`: the derived state of one store, caught up from where it stopped; deletable."""

import sqlite3
from collections.abc import Iterable
from functools import partial
from typing import Any

from mi.kernel.home import ThoughtFiles
from mi.kernel.jsonl import Line
from mi.kernel.jsontext import BadJson
from mi.kernel.log_source import Cursor, Log, ReadLine
from mi.kernel.log_view import LogView, Progress
from mi.kernel.notices import Notices
from mi.kernel.seal import find_foreign
from mi.knowledge.status import Corrections, RedirectStep
from mi.knowledge.thoughts.intake import BATCH, TABLES, LineIntake, put_in_order
from mi.knowledge.thoughts.kinds import Kind
from mi.knowledge.thoughts.line_state import MAX_LINE, Placed, fields, read_line


class View:
    """An open view. It reads the files it was brought up to date with, even when they are replaced meanwhile."""

    def __init__(self, files: ThoughtFiles, notices: Notices, progress: Progress, save: bool = True) -> None:
        paths: dict[Kind, str] = {"claim": files.claims, "node": files.nodes, "edge": files.edges}
        self._logs: dict[Kind, Log[Placed]] = {
            kind: Log(path, kind, partial(_open_reader, kind, path), MAX_LINE, BATCH) for kind, path in paths.items()
        }
        self._view = LogView(files.view, TABLES)
        self._notices = notices
        self._progress = progress
        self._save = save
        self._up_to_date: sqlite3.Connection | None = None
        self.refresh()

    def paths_of(self, *kinds: Kind) -> list[str]:
        """Return the files it is a view of."""
        return [self._logs[kind].path for kind in kinds]

    def stamp(self) -> tuple[str, ...]:
        """Return what stays the same as long as nothing was written."""
        return tuple(log.end() for log in self._logs.values())

    def query(self, sql: str, values: tuple[object, ...] = ()) -> list[Any]:
        """Return the rows of a query; a damaged view is built again and asked again."""
        return self._view.run(lambda db: self._caught_up(db).execute(sql, values).fetchall())

    def out(self, thought_id: str) -> RedirectStep | None:
        """Return the newest standing redirect of an id."""
        return self._view.run(lambda db: Corrections(self._caught_up(db)).out(thought_id))

    def line(self, kind: Kind, offset: int) -> bytes:
        """Return the stored line that begins at an offset."""
        return self._logs[kind].line(offset)

    def raw(self, kind: Kind, offset: int) -> dict[str, Any]:
        """Return every field of the stored line that begins at an offset."""
        try:
            return fields(self.line(kind, offset))
        except BadJson:  # the file was changed in place behind our back: the next command builds the view again
            return {}

    def refresh(self) -> None:
        """Take in what was appended since; costs as much as is new."""
        held = [log.hold() for log in self._logs.values()]
        saves = self._save and any(held)
        if saves and not self._view.saves:
            self._view.close()  # a store that was empty gets its stored view
        self._view.saves = saves
        self._up_to_date = None
        self._view.run(self._caught_up)
        self._report()

    def close(self) -> None:
        """Let go of the files."""
        for log in self._logs.values():
            log.close()
        self._view.close()

    def _caught_up(self, db: sqlite3.Connection) -> sqlite3.Connection:
        """Return the database with all that was in the files at the last refresh."""
        if db is self._up_to_date:
            return db
        known, logs = self._view.cursors(), self._logs.values()
        if any(log.has_news(known.get(log.source, "")) for log in logs):
            with self._view.transaction():
                for _ in range(2):  # when one file was replaced, the others are read again, too
                    for kind, log in self._logs.items():
                        self._view.catch_up(log, LineIntake(kind), self._progress)
                put_in_order(db)
        self._up_to_date = db
        return db

    def _report(self) -> None:
        cursors = self._view.cursors()
        for kind, log in self._logs.items():
            text = cursors.get(kind, "")
            known = Cursor.parse(text)
            if known.unreadable:
                self._notices.add("unreadable-lines", log.path, count=known.unreadable)
            torn = log.size() - known.upto
            if torn and not log.has_news(text):
                self._notices.add("torn-line", log.path, size=torn)


def _open_reader(kind: Kind, path: str) -> ReadLine[Placed]:
    """Return what reads a line of a log; lines that are not MI's tell nothing until the person accepts them."""
    foreign = find_foreign(path)
    if not foreign:
        return partial(read_line, kind)

    def read(line: Line) -> Iterable[Placed]:
        return [] if any(one.start <= line.offset < one.end for one in foreign) else read_line(kind, line)

    return read
