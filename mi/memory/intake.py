"""Taking changes into the tables: documents with their neighbours and date, corrections and their undoing."""

import sqlite3
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from mi.kernel.secrets import redact
from mi.memory import tables
from mi.memory.documents import MAX_TEXT, Change, Document, Gone, Mark, Unmark
from mi.memory.words import day_words, tokens

BEFORE, AFTER = 2, 1  # neighbours whose words help to find a document: an answer is found by its question
_NEIGHBOUR_CHARS = 400
_MAX_CHAIN = 1000
_MARGIN = 4096  # read beyond the cut, so that half a secret is recognised as one
_INSERT = f"INSERT INTO document (row, source, {tables.FIELDS}, corrected_by) VALUES ({', '.join('?' * 16)})"

_INSERT_WORDS = {
    shelf: f"INSERT INTO {shelf} (rowid, {', '.join(tables.COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?)"
    for shelf in tables.SHELVES
}


class _Placed(NamedTuple):
    """A document with the texts around it."""

    document: Document
    before: str = ""
    after: str = ""


def take_in(db: sqlite3.Connection, source: int, project_id: str, changes: Iterable[Change]) -> None:
    """Apply changes in their order, inside the caller's transaction."""
    _Intake(db, source, project_id).take_in(changes)


class _Intake:
    def __init__(self, db: sqlite3.Connection, source: int, project_id: str) -> None:
        self._db = db
        self._source = source
        self._project_id = project_id
        self._scopes: dict[str, list[int]] = {}  # project → its number, row ids used
        self._any_marks = db.execute("SELECT 1 FROM mark LIMIT 1").fetchone() is not None
        self._any_documents = db.execute("SELECT 1 FROM document WHERE source = ? LIMIT 1", (source,)).fetchone()
        self._fresh: set[str] = set()

    def take_in(self, changes: Iterable[Change]) -> None:
        changes = [self._safe(one) if isinstance(one, Document) else one for one in changes]
        placed = _with_neighbours(self._db, [one for one in changes if isinstance(one, Document)])
        for earlier in placed.earlier:
            self._put(earlier, said=False)
        for one in changes:
            if isinstance(one, Document):
                self._put(placed.around.get(one.id) or _Placed(one))
            elif isinstance(one, Mark):
                self._mark(one)
            elif isinstance(one, Unmark):
                unmark(self._db, self._source, one.id)
            elif isinstance(one, Gone):
                self._db.execute("DELETE FROM document WHERE id = ? AND source = ?", (one.id, self._source))
        for number, used in self._scopes.values():
            self._db.execute("UPDATE scope SET used = ? WHERE no = ?", (used, number))

    def _safe(self, one: Document) -> Document:
        group = f"{self._source}/{one.group}" if one.group else ""
        tags = tuple(map(_safe_name, one.tags))
        text = redact(one.text[: MAX_TEXT + _MARGIN])[:MAX_TEXT]
        return one._replace(text=text, title=_safe_name(one.title), tags=tags, group=group)

    def _put(self, placed: _Placed, said: bool = True) -> None:
        one = placed.document
        known = self._any_documents or one.id in self._fresh
        if known and self._replace(one) and said and self._any_marks:
            self._db.execute("DELETE FROM mark WHERE target = ? AND by = ''", (one.id,))  # said again, it stands again
        self._fresh.add(one.id)
        corrected_by = correction(self._db, one.id, one.project_id) if self._any_marks else ""
        row = self._next_row(one.project_id)
        self._db.execute(_INSERT, (row, self._source, *tables.row_of(one), corrected_by))
        named = _short_words(" ".join((one.title, *one.tags)))
        words = (_words(one.text), _words(placed.before), _words(placed.after), named, _short_words(day_words(one.ts)))
        self._db.execute(_INSERT_WORDS[tables.shelf_of(one.kind)], (row, *words))

    def _replace(self, one: Document) -> bool:
        deleted = self._db.execute("DELETE FROM document WHERE id = ? AND source = ?", (one.id, self._source))
        return deleted.rowcount > 0

    def _next_row(self, project_id: str) -> int:
        if project_id not in self._scopes:
            self._db.execute("INSERT OR IGNORE INTO scope (project_id) VALUES (?)", (project_id,))
            query = "SELECT no, used FROM scope WHERE project_id = ?"
            self._scopes[project_id] = list(self._db.execute(query, (project_id,)).fetchone())
        scope = self._scopes[project_id]
        scope[1] += 1
        return (scope[0] << tables.SCOPE_BITS) + scope[1]

    def _mark(self, mark: Mark) -> None:
        if mark.target == mark.by:
            return
        self._any_marks = True
        unmark(self._db, self._source, mark.id)
        former = _circle(self._db, mark.target)  # a newer correction may open a circle as well as close one
        query = "INSERT INTO mark (id, source, project_id, target, by) VALUES (?, ?, ?, ?, ?)"
        self._db.execute(query, (mark.id, self._source, self._project_id, mark.target, mark.by))
        _settle(self._db, mark.target, former)


def unmark(db: sqlite3.Connection, source: int, mark_id: str) -> None:
    """A correction no longer holds."""
    row = db.execute("SELECT at, target FROM mark WHERE id = ? AND source = ?", (mark_id, source)).fetchone()
    if row:
        circle = _circle(db, row[1])
        db.execute("DELETE FROM mark WHERE at = ?", (row[0],))
        _settle(db, row[1], circle)


def correction(db: sqlite3.Connection, thought_id: str, project_id: str) -> str:
    """What replaced a document, `retracted`, or "" while it stands; a project does not correct another's, nor all."""
    query = "SELECT by FROM mark WHERE target = ? AND project_id IN ('', ?) ORDER BY at DESC"
    found = [by for (by,) in db.execute(query, (thought_id, project_id))]
    if "" in found:
        return "retracted"
    return str(found[0]) if found and not _stands_in_circle(db, thought_id) else ""


def _settle(db: sqlite3.Connection, target: str, former_circle: list[str]) -> None:
    """Note who stands, after a correction of `target` came or went."""
    circle = _circle(db, target)
    db.executemany("DELETE FROM ring WHERE id = ?", [(one,) for one in former_circle])
    db.executemany("INSERT OR IGNORE INTO ring VALUES (?)", [(one,) for one in circle])
    for one in {target, *former_circle, *circle}:
        for row, project_id in db.execute("SELECT row, project_id FROM document WHERE id = ?", (one,)).fetchall():
            corrected_by = correction(db, one, project_id)
            db.execute("UPDATE document SET corrected_by = ? WHERE row = ?", (corrected_by, row))


def _stands_in_circle(db: sqlite3.Connection, thought_id: str) -> bool:
    """Of thoughts that replace each other in a circle, the one that the newest correction leads to stands."""
    if db.execute("SELECT 1 FROM ring WHERE id = ?", (thought_id,)).fetchone() is None:
        return False
    steps = [_newest(db, one) for one in _circle(db, thought_id)]
    return bool(steps) and max(step for step in steps if step)[1] == thought_id


def _circle(db: sqlite3.Connection, start: str) -> list[str]:
    """The thoughts that replace each other in a circle with this one; none when it is in no circle."""
    if db.execute("SELECT 1 FROM mark WHERE by = ? LIMIT 1", (start,)).fetchone() is None:
        return []  # nothing leads to it: asking that first keeps long chains cheap
    seen: dict[str, None] = {}
    at = start
    while at not in seen and len(seen) < _MAX_CHAIN:
        seen[at] = None
        step = _newest(db, at)
        if step is None:
            return []
        at = step[1]
    return list(seen) if at == start else []


def _newest(db: sqlite3.Connection, thought_id: str) -> tuple[int, str] | None:
    query = "SELECT at, by FROM mark WHERE target = ? AND by != '' ORDER BY at DESC LIMIT 1"
    found: tuple[int, str] | None = db.execute(query, (thought_id,)).fetchone()
    return found


def _words(text: str) -> str:
    return " ".join(tokens(text)) if text else ""


# Dates, tags and names come again and again.
_short_words = lru_cache(maxsize=4096)(_words)
_safe_name = lru_cache(maxsize=4096)(redact)


class _Neighbourhood(NamedTuple):
    around: dict[str, _Placed]
    earlier: list[_Placed]  # documents already there that gained a neighbour


def _with_neighbours(db: sqlite3.Connection, documents: list[Document]) -> _Neighbourhood:
    groups: dict[str, list[Document]] = {}
    for one in documents:
        if one.group:
            groups.setdefault(one.group, []).append(one)
    around: dict[str, _Placed] = {}
    earlier: list[_Placed] = []
    for group, members in groups.items():
        members.sort(key=lambda one: one.position)
        former = _last_of(db, group, members[0].position)
        row = former + members
        placed = [_place(row, at) for at in range(len(row))]
        if former:
            earlier.append(placed[len(former) - 1])
        around |= {one.document.id: one for one in placed[len(former) :]}
    return _Neighbourhood(around, earlier)


def _last_of(db: sqlite3.Connection, group: str, position: int) -> list[Document]:
    query = f"""SELECT {tables.FIELDS} FROM document WHERE grp = ? AND position < ?
        ORDER BY position DESC LIMIT {BEFORE + 1}"""
    return [tables.document_of(row) for row in db.execute(query, (group, position))][::-1]


def _place(row: list[Document], at: int) -> _Placed:
    before = " ".join(one.text[:_NEIGHBOUR_CHARS] for one in row[max(0, at - BEFORE) : at])
    after = " ".join(one.text[:_NEIGHBOUR_CHARS] for one in row[at + 1 : at + 1 + AFTER])
    return _Placed(row[at], before, after)
