"""Taking changes into the tables: documents with their neighbours and date."""

import sqlite3
from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby
from typing import Any

from mi.kernel.log_view import among, rows_among
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import Hints, Redacted, find_hints, redact, redact_start
from mi.knowledge.search import tables
from mi.knowledge.search.documents import MAX_TEXT, Change, Document, Gone, Unmark
from mi.knowledge.search.words import day_words, tokens
from mi.knowledge.status import Corrections

BEFORE, AFTER = 2, 1  # neighbours whose words help to find a document: an answer is found by its question
_NEIGHBOUR_CHARS = 400
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


class DocumentIntake:
    """Takes in what a producer of a project hands over."""

    def __init__(self, project_id: str = "") -> None:
        self._project_id = project_id

    def take_in(self, db: sqlite3.Connection, source: int, changes: list[Change]) -> None:
        """Apply changes in their order."""
        _Intake(db, source, self._project_id).take_in(changes)

    def forget(self, db: sqlite3.Connection, source: int) -> None:
        """Remove the documents and corrections of a source."""
        _note_corrections(db, Corrections(db).forget(source))
        db.execute("DELETE FROM document WHERE source = ?", (source,))


class _Intake:
    def __init__(self, db: sqlite3.Connection, source: int, project_id: str) -> None:
        self._db = db
        self._source = source
        self._project_id = project_id
        self._scopes: dict[str, list[int]] = {}  # project → its number, row ids used
        self._known: set[str] = set()  # ids of this source that are there, as far as this batch speaks of them
        self._corrections = Corrections(db)
        self._corrected: set[str] = set()  # ids that a correction speaks of, likewise

    def take_in(self, changes: Iterable[Change]) -> None:
        changes = self._safe([*changes])
        documents = [one for one in changes if isinstance(one, Document)]
        around, earlier = _with_neighbours(self._db, documents)
        ids = [one.id for one in documents] + [one.document.id for one in earlier]
        self._known = among(self._db, "SELECT id FROM document WHERE source = ? AND id", ids, self._source)
        self._corrected = self._corrections.targets(ids)
        self._put([(one, False) for one in earlier])
        for kind, run in groupby(changes, type):
            self._apply(kind, [*run], around)
        for number, used in self._scopes.values():
            self._db.execute("UPDATE scope SET used = ? WHERE no = ?", (used, number))

    def _apply(self, kind: type, run: list[Any], around: dict[str, _Placed]) -> None:
        if kind is Document:
            self._put([(around.get(one.id) or _Placed(one), True) for one in run])
        elif kind is Gone:
            gone = [(one.id, self._source) for one in run]
            self._db.executemany("DELETE FROM document WHERE id = ? AND source = ?", gone)
        elif kind is Unmark:
            _note_corrections(self._db, self._corrections.remove(self._source, [one.id for one in run]))
        else:
            _note_corrections(self._db, self._corrections.add(self._source, self._project_id, run))
            self._corrected.update(one.target for one in run)
            if self._corrections.are_many_waiting():
                put_in_order(self._db)

    def _safe(self, changes: list[Change]) -> list[Change]:
        """Return the changes without any secret."""
        documents = [one for one in changes if isinstance(one, Document)]
        names = {name for one in documents for name in (one.title, *one.tags)}
        hints = find_hints([*(one.text for one in documents), *names])
        safe_names = {name: redact(name, hints) for name in names}
        return [self._redacted(one, hints, safe_names) if isinstance(one, Document) else one for one in changes]

    def _redacted(self, one: Document, hints: Hints, names: dict[str, Redacted]) -> Document:
        group = f"{self._source}/{one.group}" if one.group else ""
        text = redact_start(one.text, MAX_TEXT, hints)
        title, tags = names[one.title], tuple([names[tag] for tag in one.tags])
        if (text, title, tags, group) == (one.text, one.title, one.tags, one.group):
            return one
        return one._replace(text=text, title=title, tags=tags, group=group)

    def _put(self, run: list[tuple[_Placed, bool]]) -> None:
        """Store documents; those of which it is said so stand again if they were taken back."""
        documents: list[tuple[object, ...]] = []
        words: dict[str, list[tuple[object, ...]]] = {shelf: [] for shelf in tables.SHELVES}
        for placed, said in run:
            one = placed.document
            if one.id in self._known:
                self._store(documents, words)  # it may be among them
                self._replace(one.id, said)
            self._known.add(one.id)
            by = self._corrections.corrected_by([(one.id, one.project_id)])[0] if one.id in self._corrected else ""
            row = self._next_row(one.project_id)
            documents.append((row, self._source, *tables.row_of(one), by))
            words[tables.shelf_of(one.kind)].append((row, *_words_of(placed)))
        self._store(documents, words)

    def _replace(self, document_id: str, said: bool) -> None:
        self._db.execute("DELETE FROM document WHERE id = ? AND source = ?", (document_id, self._source))
        if said and document_id in self._corrected:  # said again, it stands again
            self._corrections.stand_again(self._source, document_id)
            _note_corrections(self._db, [document_id])

    def _store(self, documents: list[tuple[object, ...]], words: dict[str, list[tuple[object, ...]]]) -> None:
        self._db.executemany(_INSERT, documents)
        documents.clear()
        for shelf, rows in words.items():
            self._db.executemany(_INSERT_WORDS[shelf], rows)
            rows.clear()

    def _next_row(self, project_id: str) -> int:
        if project_id not in self._scopes:
            self._db.execute("INSERT OR IGNORE INTO scope (project_id) VALUES (?)", (project_id,))
            query = "SELECT no, used FROM scope WHERE project_id = ?"
            self._scopes[project_id] = list(self._db.execute(query, (project_id,)).fetchone())
        scope = self._scopes[project_id]
        scope[1] += 1
        return (scope[0] << tables.SCOPE_BITS) + scope[1]


def put_in_order(db: sqlite3.Connection) -> None:
    """Note the newest corrections at what they correct; until then a search looks them up."""
    corrections = Corrections(db)
    targets = corrections.waiting()
    corrections.put_in_order()
    _note_corrections(db, targets)


def count_unnoted(db: sqlite3.Connection) -> int:
    """Return how many documents more are corrected than it is noted at them."""
    return sum(bool(by) - bool(noted) for _, noted, by in _correction_notes(db, Corrections(db).waiting()))


def _note_corrections(db: sqlite3.Connection, ids: Iterable[str]) -> None:
    """Note at the documents with these ids whether they stand."""
    changed = [(by, row) for row, noted, by in _correction_notes(db, ids) if by != noted]
    db.executemany("UPDATE document SET corrected_by = ? WHERE row = ?", changed)


def _correction_notes(db: sqlite3.Connection, ids: Iterable[str]) -> list[tuple[int, str, str]]:
    """Return the rows of documents, what is noted at them, and by what they are corrected now."""
    found = rows_among(db, "SELECT row, corrected_by, id, project_id FROM document WHERE id", sorted(ids))
    now = Corrections(db).corrected_by([(thought_id, project_id) for *_, thought_id, project_id in found])
    return [(row, noted, by) for (row, noted, *_), by in zip(found, now, strict=True)]


def _words_of(placed: _Placed) -> tuple[str, ...]:
    """Return what the columns of a table of words hold."""
    one = placed.document
    named = _short_words(" ".join((one.title, *one.tags)))
    return _words(one.text), _words(placed.before), _words(placed.after), named, _short_words(_day(one.ts[:10]))


def _words(text: str) -> str:
    return " ".join(tokens(text)) if text else ""


# Dates, tags and names come again and again.
_short_words = lru_cache(maxsize=4096)(_words)
_day = lru_cache(maxsize=64)(day_words)


def _with_neighbours(db: sqlite3.Connection, documents: list[Document]) -> tuple[dict[str, _Placed], list[_Placed]]:
    """Return the documents that have neighbours, by their ids; and those already there that gained one."""
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
    return around, earlier


def _last_of(db: sqlite3.Connection, group: str, position: int) -> list[Document]:
    query = f"""SELECT {tables.FIELDS} FROM document WHERE grp = ? AND position < ?
        ORDER BY position DESC LIMIT {BEFORE + 1}"""
    return [tables.document_of(row) for row in db.execute(query, (group, position))][::-1]


def _place(row: list[Document], at: int) -> _Placed:
    before = " ".join(one.text[:_NEIGHBOUR_CHARS] for one in row[max(0, at - BEFORE) : at])
    after = " ".join(one.text[:_NEIGHBOUR_CHARS] for one in row[at + 1 : at + 1 + AFTER])
    return _Placed(row[at], before, after)
