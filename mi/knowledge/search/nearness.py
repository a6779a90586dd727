"""Nearness of documents to a question by their vectors, which are kept in the index: only what is new is embedded.

A vector is that of a document's own words and, with less weight, of its neighbours' in a conversation or run. A word
counts by how rare it is among the documents there were when their words were counted. Another model, or twice as many
documents while there are few, begins anew.
"""

import sqlite3

import numpy as np

from mi.kernel.log_view import LogView, Progress
from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.search import tables
from mi.knowledge.search.model import Array, Model, to_length_one

BATCH = 500  # documents that are embedded in one transaction
COUNTED = 5000  # documents whose words are counted; with as many, the counts are settled
_FEW = 100
_NEIGHBOURS = ((-2, 0.25), (-1, 0.5), (1, 0.35))  # as in the text index, those before and the one after
_SCALE = 127  # a vector is kept in a byte for each dimension
_PIECE = 20_000  # vectors that are compared at once


class Near(NamedTuple):
    """How near each document of a range is: by how many standard deviations nearer than the mean."""

    rows: Array
    deviations: Array


class _Part(NamedTuple):
    """The documents of one scope on one shelf: how they were counted, and how far they were embedded."""

    scope: int
    used: int  # rows that were ever given out
    model: str | None  # of the vectors that are kept; None: there are none
    counted: int  # rows that were given out when words were counted
    upto: int  # the last row that was taken in
    weights: bytes  # of each word of the model

    @property
    def end(self) -> int:
        return (self.scope << tables.SCOPE_BITS) + self.used

    def is_void(self, model: str) -> bool:
        """Return whether its vectors are of another model, or were counted among far fewer documents."""
        return self.model != model or (self.counted < COUNTED and self.used > 2 * self.counted + _FEW)


class Nearness:
    """Vectors of one model in a text index."""

    def __init__(self, model: Model, progress: Progress = lambda done, total: None) -> None:
        self._model = model
        self._progress = progress

    def catch_up(self, view: LogView, shelf: str, rows: tuple[int, int]) -> None:
        """Embed what is new in a range, in several transactions: others who write wait for one batch."""
        while (behind := self._find_behind(view.db, shelf, rows)) is not None:
            self._progress(max(0, behind.upto - (behind.scope << tables.SCOPE_BITS)), behind.used)
            with view.transaction() as db:
                part = self._find_behind(db, shelf, rows)
                if part is not None:
                    self._take_in(db, shelf, part)

    def measure(self, db: sqlite3.Connection, shelf: str, question: str, rows: tuple[int, int]) -> Near:
        """Return how near the documents of a range are to a question."""
        numbers, near = list[int](), [np.zeros(0, dtype=np.float32)]
        for part in _list_parts(db, shelf, rows):
            if part.model != self._model.name:
                continue
            (asked,) = self._model.embed([question], _read_weights(part.weights))
            query = f"SELECT row, vector FROM {tables.VECTORS[shelf]} WHERE row BETWEEN ? AND ?"
            found = db.execute(query, (part.scope << tables.SCOPE_BITS, part.end))
            while piece := found.fetchmany(_PIECE):
                numbers += [row for row, _ in piece]
                vectors = np.frombuffer(b"".join(vector for _, vector in piece), dtype=np.int8)
                near.append(vectors.reshape(len(piece), -1).astype(np.float32) @ asked)
        measured = np.concatenate(near)
        spread = float(measured.std()) if len(measured) else 0.0
        deviations = (measured - measured.mean()) / spread if spread else np.zeros(len(measured))
        return Near(np.array(numbers, dtype=np.int64), deviations)

    def _find_behind(self, db: sqlite3.Connection, shelf: str, rows: tuple[int, int]) -> _Part | None:
        """Return the first part with something new."""
        parts = _list_parts(db, shelf, rows)
        return next((one for one in parts if one.is_void(self._model.name) or one.upto < one.end), None)

    def _take_in(self, db: sqlite3.Connection, shelf: str, part: _Part) -> None:
        """Embed the next batch of a part, all of it anew where what is kept is void."""
        if part.is_void(self._model.name):
            part = self._count(db, shelf, part)
        query = f"""SELECT row, title, text, grp, position FROM document
            WHERE row > ? AND row <= ? AND (kind = 'evidence') = ? ORDER BY row LIMIT {BATCH}"""
        found = db.execute(query, (part.upto, part.end, shelf == tables.SHELVES[1])).fetchall()
        self._embed(db, shelf, found, _read_weights(part.weights))
        upto = found[-1][0] if len(found) == BATCH else part.end
        state = (part.scope, shelf, self._model.name, part.counted, upto, part.weights)
        db.execute("INSERT OR REPLACE INTO vector_state VALUES (?, ?, ?, ?, ?, ?)", state)

    def _count(self, db: sqlite3.Connection, shelf: str, part: _Part) -> _Part:
        """Forget the vectors of a part, and count the words of its latest documents."""
        first = part.scope << tables.SCOPE_BITS
        db.execute(f"DELETE FROM {tables.VECTORS[shelf]} WHERE row BETWEEN ? AND ?", (first, part.end))
        query = f"""SELECT title, text FROM document WHERE row BETWEEN ? AND ? AND (kind = 'evidence') = ?
            ORDER BY row DESC LIMIT {COUNTED}"""
        texts = [_say(*row) for row in db.execute(query, (first, part.end, shelf == tables.SHELVES[1]))]
        counts = np.zeros(self._model.size, dtype=np.float32)
        for ids in self._model.cut(texts):
            counts[list(set(ids))] += 1
        weights = np.log(1 + (len(texts) - counts + 0.5) / (counts + 0.5)).astype(np.float16)
        return part._replace(counted=part.used, upto=first, weights=weights.tobytes())

    def _embed(
        self, db: sqlite3.Connection, shelf: str, found: list[tuple[int, str, str, str | None, int]], weights: Array
    ) -> None:
        around = [_neighbours(db, group, position) if group else {} for *_, group, position in found]
        texts = list({text for near in around for text in near.values()} | {_say(row[1], row[2]) for row in found})
        vectors = dict(zip(texts, self._model.embed(texts, weights), strict=True))
        rows = []
        for (row, title, text, *_), near in zip(found, around, strict=True):
            vector = vectors[_say(title, text)] + sum(
                share * vectors[near[at]] for at, share in _NEIGHBOURS if at in near
            )
            kept = np.rint(to_length_one(vector[None, :])[0] * _SCALE).astype(np.int8)
            rows.append((row, kept.tobytes()))
        db.executemany(f"INSERT OR REPLACE INTO {tables.VECTORS[shelf]} VALUES (?, ?)", rows)


def _say(title: str, text: str) -> str:
    return f"{title}: {text}" if title else text


def _neighbours(db: sqlite3.Connection, group: str, position: int) -> dict[int, str]:
    """Return the texts around a document, by how far they are from it."""
    before = """SELECT title, text FROM document WHERE grp = ? AND position < ? ORDER BY position DESC LIMIT 2"""
    after = """SELECT title, text FROM document WHERE grp = ? AND position > ? ORDER BY position LIMIT 1"""
    found = {-at: _say(*row) for at, row in enumerate(db.execute(before, (group, position)), 1)}
    return found | {at: _say(*row) for at, row in enumerate(db.execute(after, (group, position)), 1)}


def _read_weights(kept: bytes) -> Array:
    return np.frombuffer(kept, dtype=np.float16).astype(np.float32)


def _list_parts(db: sqlite3.Connection, shelf: str, rows: tuple[int, int]) -> list[_Part]:
    """Return what lies in a range of rows, by scope."""
    query = """SELECT no, used, model, coalesce(counted, 0), coalesce(upto, 0), coalesce(weights, x'') FROM scope
        LEFT JOIN vector_state ON scope = no AND shelf = ? WHERE no BETWEEN ? AND ? AND used > 0"""
    low, high = (row >> tables.SCOPE_BITS for row in rows)
    return [_Part(*row) for row in db.execute(query, (shelf, low, high))]
