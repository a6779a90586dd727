"""Taking changes into the tables: documents with their neighbours and date."""

import sqlite3
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from mi.kernel.lookup import among
from mi.kernel.secrets import Hints, hints_in, redact
from mi.memory import tables
from mi.memory.corrections import correction, mark, unmark
from mi.memory.documents import MAX_TEXT, Change, Document, Gone, Mark, Unmark
from mi.memory.words import day_words, tokens

BEFORE, AFTER = 2, 1  # neighbours whose words help to find a document: an answer is found by its question
_NEIGHBOUR_CHARS = 400
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
        self._known: set[str] = set()  # ids of this source that are there, as far as this batch speaks of them
        self._marked: set[str] = set()  # ids that a mark speaks of, likewise

    def take_in(self, changes: Iterable[Change]) -> None:
        changes = self._safe([*changes])
        documents = [one for one in changes if isinstance(one, Document)]
        placed = _with_neighbours(self._db, documents)
        ids = [one.id for one in documents] + [one.document.id for one in placed.earlier]
        self._known = among(self._db, "SELECT id FROM document WHERE source = ? AND id", ids, self._source)
        self._marked = among(self._db, "SELECT target FROM mark WHERE target", ids)
        for earlier in placed.earlier:
            self._put(earlier, said=False)
        for one in changes:
            if isinstance(one, Document):
                self._put(placed.around.get(one.id) or _Placed(one))
            elif isinstance(one, Mark):
                mark(self._db, self._source, self._project_id, one)
                self._marked.add(one.target)
            elif isinstance(one, Unmark):
                unmark(self._db, self._source, one.id)
            elif isinstance(one, Gone):
                self._db.execute("DELETE FROM document WHERE id = ? AND source = ?", (one.id, self._source))
        for number, used in self._scopes.values():
            self._db.execute("UPDATE scope SET used = ? WHERE no = ?", (used, number))

    def _safe(self, changes: list[Change]) -> list[Change]:
        """The changes without any secret."""
        hints = hints_in(one.text for one in changes if isinstance(one, Document))
        return [self._redacted(one, hints) if isinstance(one, Document) else one for one in changes]

    def _redacted(self, one: Document, hints: Hints) -> Document:
        group = f"{self._source}/{one.group}" if one.group else ""
        tags = tuple(map(_safe_name, one.tags))
        text = redact(one.text[: MAX_TEXT + _MARGIN], hints)[:MAX_TEXT]
        return one._replace(text=text, title=_safe_name(one.title), tags=tags, group=group)

    def _put(self, placed: _Placed, said: bool = True) -> None:
        one = placed.document
        is_marked = one.id in self._marked
        if one.id in self._known:
            self._db.execute("DELETE FROM document WHERE id = ? AND source = ?", (one.id, self._source))
            if said and is_marked:  # said again, it stands again
                self._db.execute("DELETE FROM mark WHERE target = ? AND by = ''", (one.id,))
        self._known.add(one.id)
        corrected_by = correction(self._db, one.id, one.project_id) if is_marked else ""
        row = self._next_row(one.project_id)
        self._db.execute(_INSERT, (row, self._source, *tables.row_of(one), corrected_by))
        named = _short_words(" ".join((one.title, *one.tags)))
        words = (_words(one.text), _words(placed.before), _words(placed.after), named, _short_words(day_words(one.ts)))
        self._db.execute(_INSERT_WORDS[tables.shelf_of(one.kind)], (row, *words))

    def _next_row(self, project_id: str) -> int:
        if project_id not in self._scopes:
            self._db.execute("INSERT OR IGNORE INTO scope (project_id) VALUES (?)", (project_id,))
            query = "SELECT no, used FROM scope WHERE project_id = ?"
            self._scopes[project_id] = list(self._db.execute(query, (project_id,)).fetchone())
        scope = self._scopes[project_id]
        scope[1] += 1
        return (scope[0] << tables.SCOPE_BITS) + scope[1]


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
