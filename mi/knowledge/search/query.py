"""Searching the tables: which documents match, how well, and what stands before what.

A document scores by BM25 over its own words, those of its neighbours, its title and its date. Two things
are added that BM25 does not know: a document in a conversation or run that matches all over is likelier
meant, and so is one whose title (or speaker) the question names. Where documents have vectors, the nearness
of theirs to the question's adds to that, and finds some that have none of its words.
"""

import sqlite3
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.search import tables
from mi.knowledge.search.backend import Hit, Query
from mi.knowledge.search.documents import Document
from mi.knowledge.search.words import tokens
from mi.knowledge.status import Corrections

if TYPE_CHECKING:  # imported where it is on
    from mi.knowledge.search.nearness import Near

Measure = Callable[[sqlite3.Connection, str, str, tuple[int, int]], "Near"]

EXACT = 6000  # matches that are ranked one and all; more of them are narrowed first
COMMON = 1500  # in a large store: a word with more matches tells little, and scoring it would read them all
_COMMON_SCORE = 0.1  # what such a word adds
_CANDIDATES = 100
_GROUP_SHARE = 0.3  # how much of its group's score a document is given
_GROUP_FADE = 0.5  # each further match of a group counts half
_TITLE_BONUS = 1.2
_NEAR_SHARE = 0.1  # of the best score by words, what each standard deviation of nearness adds
_NEAR_ALONE = 2.5  # deviations by which something is near enough to be found by none of the words
_SCORE = f"-bm25({{}}, {', '.join(map(str, tables.WEIGHTS))}) * d.weight"
_RANGE = (1 << tables.SCOPE_BITS) - 1


class _Found(NamedTuple):
    row: int
    score: float
    group: str | None
    title: str
    ts: str
    id: str
    project_id: str
    corrected_by: str  # as far as corrections are in order
    complete: bool = False  # in a large store: it has all the words


def search(db: sqlite3.Connection, query: Query, measure: Measure | None = None) -> list[Hit] | None:
    """Return the best matches of a query, best first.

    None if corrections that are not in order yet hide others from sight.
    """
    wanted = _expressions(query.tokens)
    if not wanted or query.limit < 1:
        return []
    corrections = Corrections(db)
    found: dict[int, _Found] = {}
    nearness: dict[int, float] = {}
    for shelf in dict.fromkeys(map(tables.shelf_of, query.kinds)):
        for low, high in find_ranges(db, query):
            part = _Shelf(db, shelf, query, low, high)
            there = part.candidates(wanted)
            if measure is not None:
                there += part.find_near(
                    measure(db, shelf, query.text or " ".join(query.tokens), (low, high)), there, nearness
                )
            new = corrections.is_waiting([one.id for one in there])
            seen = _corrected(corrections, query, there, new)
            if new and len(seen) < query.limit <= len(there):
                return None
            for one in seen:
                found.setdefault(one.row, one)  # found with all the words before it was found with the rarest
    ranked = _ranked(list(found.values()), query.tokens)
    return _hits(db, (_add_nearness(ranked, nearness) if measure is not None else ranked)[: query.limit])


def find_newest(db: sqlite3.Connection, query: Query) -> list[Hit]:
    """Return the documents of the query's kinds in its projects, the newest first; corrected ones where wanted."""
    where, values = _wanted_rows(db, query)
    statement = f"""SELECT row, 0.0, grp, title, ts, id, project_id, corrected_by FROM document AS d
        WHERE {where} ORDER BY ts DESC, row DESC LIMIT ?"""
    corrections, most = Corrections(db), query.limit
    while True:
        there = [_Found(*row) for row in db.execute(statement, (*values, most))]
        seen = _corrected(corrections, query, there, corrections.is_waiting([one.id for one in there]))
        if len(seen) >= query.limit or len(there) < most:
            return _hits(db, [(0.0, one) for one in seen[: query.limit]])
        most *= 2  # whatever was corrected is read again: a few times, not once for each that is wanted


def count_newest(db: sqlite3.Connection, query: Query) -> int:
    """Return how many there are of them."""
    where, values = _wanted_rows(db, query)
    return int(db.execute(f"SELECT count(*) FROM document AS d WHERE {where}", values).fetchone()[0])


def _wanted_rows(db: sqlite3.Connection, query: Query) -> tuple[str, list[object]]:
    ranges = find_ranges(db, query)
    rows = " OR ".join("row BETWEEN ? AND ?" for _ in ranges) or "0"
    kinds = ", ".join("?" * len(query.kinds))
    chosen, more = _chosen(query)
    stands = "" if query.corrected else " AND corrected_by = ''"
    where = f"kind IN ({kinds}){stands} AND ({rows}){chosen}"
    return where, [*query.kinds, *(number for both in ranges for number in both), *more]


def _chosen(query: Query) -> tuple[str, list[object]]:
    """Return the conditions by tags and sources."""
    where = ""
    if query.tags:
        each = " OR ".join("instr(char(10) || d.tags || char(10), ?)" for _ in query.tags)
        where += f" AND ({each})"
    if query.sources is not None:
        names = ", ".join("?" * len(query.sources))
        where += f" AND d.source IN (SELECT no FROM source WHERE name IN ({names}))"
    return where, [*(f"\n{tag}\n" for tag in query.tags), *(query.sources or ())]


def _expressions(words: tuple[str, ...]) -> list[str]:
    """Return every token as a quoted string, so that none can be syntax; a single CJK character begins a pair."""
    safe = [word for word in words if word and '"' not in word and "\0" not in word]
    return [f'"{word}"*' if len(word) == 1 and not word.isascii() else f'"{word}"' for word in safe]


def find_ranges(db: sqlite3.Connection, query: Query) -> list[tuple[int, int]]:
    """Return the row ids to look at: of the project and the global part, or all."""
    if not query.only_project or query.project_id is None:
        return [(0, 1 << 62)]
    projects = [""] if query.without_project else ["", query.project_id]
    numbers = db.execute("SELECT no FROM scope WHERE project_id IN (?, ?)", (projects[0], projects[-1]))
    return [(no << tables.SCOPE_BITS, (no << tables.SCOPE_BITS) + _RANGE) for (no,) in numbers]


class _Shelf:
    """One table of words, within one range of rows, as one query sees it."""

    def __init__(self, db: sqlite3.Connection, shelf: str, query: Query, low: int, high: int) -> None:
        self._db = db
        self._shelf = shelf
        self._query = query
        self._rows = (low, high)

    def candidates(self, wanted: list[str]) -> list[_Found]:
        """Return the best matches. In a large store those with all the words first, and common words are not scored."""
        if self._size() <= EXACT:
            return self._best(" OR ".join(wanted))
        counts = {word: self._count(word) for word in wanted}
        known = sorted((word for word in wanted if counts[word]), key=counts.__getitem__)
        if not known:
            return []
        rare = _rare(known, counts)
        if rare == known:
            return self._best(" OR ".join(rare))
        found: dict[int, _Found] = {}
        for matches in self._ever_wider(rare, known[len(rare) :]):
            for one in matches:
                found.setdefault(one.row, one)
            if len(found) >= max(self._query.limit, 10):
                break
        return list(found.values())

    def find_near(self, near: "Near", there: list[_Found], nearness: dict[int, float]) -> list[_Found]:
        """Return what is near and has none of the words; note how near that and what is `there` is."""
        deviations = dict(zip(near.rows.tolist(), near.deviations.tolist(), strict=True))
        nearness |= {one.row: deviations.get(one.row, 0.0) for one in there}
        known = {one.row for one in there}
        rows = [row for row in near.rows[near.deviations >= _NEAR_ALONE].tolist() if row not in known]
        where, values = self._conditions()
        limit = max(_CANDIDATES, 2 * self._query.limit)
        listed = ", ".join(map(str, sorted(rows, key=deviations.__getitem__, reverse=True)[: 4 * limit]))
        query = f"""SELECT d.row, 0.0, d.grp, d.title, d.ts, d.id, d.project_id, d.corrected_by
            FROM document AS d WHERE d.row IN ({listed}){where}"""
        found = [_Found(*row) for row in self._db.execute(query, values)]
        found = sorted(found, key=lambda one: -deviations[one.row])[:limit]
        nearness |= {one.row: deviations[one.row] for one in found}
        return found

    def _ever_wider(self, rare: list[str], common: list[str]) -> Iterator[list[_Found]]:
        """Return matches of all the words, of the rare ones, of the common ones, of the least common."""
        every = " AND ".join([*rare, *common])
        matches = self._best(" OR ".join(rare), within=every) if rare else self._newest(every, len(common))
        yield [one._replace(complete=True) for one in matches]
        if rare:
            yield self._best(" OR ".join(rare))
            yield self._newest(" AND ".join(common), len(common))
        yield self._newest(common[0], 1)

    def _size(self) -> int:
        low, high = self._rows
        query = "SELECT coalesce(sum(used), 0) FROM scope WHERE no BETWEEN ? AND ?"
        bounds = (low >> tables.SCOPE_BITS, high >> tables.SCOPE_BITS)
        return int(self._db.execute(query, bounds).fetchone()[0])

    def _count(self, word: str) -> int:
        """Return how many match a word; counting stops where it is too many."""
        query = f"""SELECT count(*) FROM
            (SELECT 1 FROM {self._shelf} WHERE {self._shelf} MATCH ? AND rowid BETWEEN ? AND ? LIMIT {COMMON + 1})"""
        return int(self._db.execute(query, (word, *self._rows)).fetchone()[0])

    def _best(self, match: str, within: str | None = None) -> list[_Found]:
        """Return the matches that score best, among those that also match `within`."""
        where, values = self._conditions()
        if within is not None:
            where += f" AND w.rowid IN (SELECT rowid FROM {self._shelf} WHERE {self._shelf} MATCH ?"
            where += " AND rowid BETWEEN ? AND ?)"
            values += [within, *self._rows]
        return self._select(match, _SCORE.format(self._shelf), where, values, "score")

    def _newest(self, match: str, words: int) -> list[_Found]:
        """Return the latest matches of common words."""
        return self._select(match, str(_COMMON_SCORE * words), *self._conditions(), "w.rowid")

    def _select(self, match: str, score: str, where: str, values: list[object], order: str) -> list[_Found]:
        shelf = self._shelf
        limit = max(_CANDIDATES, 2 * self._query.limit)
        query = f"""SELECT d.row, {score} AS score, d.grp, d.title, d.ts, d.id, d.project_id,
            d.corrected_by
            FROM {shelf} AS w CROSS JOIN document AS d ON d.row = w.rowid
            WHERE {shelf} MATCH ? AND w.rowid BETWEEN ? AND ?{where} ORDER BY {order} DESC LIMIT {limit}"""
        return [_Found(*row) for row in self._db.execute(query, (match, *self._rows, *values))]

    def _conditions(self) -> tuple[str, list[object]]:
        query = self._query
        where = f" AND d.kind IN ({', '.join('?' * len(query.kinds))})"
        values: list[object] = [*query.kinds]
        chosen, more = _chosen(query)
        where, values = where + chosen, values + more
        if not query.corrected:
            where += " AND d.corrected_by = ''"
        if query.without_project and query.project_id is not None:
            where += " AND d.project_id != ?"
            values.append(query.project_id)
        if query.now is not None:
            where += " AND (d.valid_from IS NULL OR d.valid_from <= ?) AND (d.valid_to IS NULL OR d.valid_to > ?)"
            values += [query.now, query.now]
        return where, values


def _rare(known: list[str], counts: dict[str, int]) -> list[str]:
    """Return the words whose matches can all be ranked, rarest first."""
    rare: list[str] = []
    total = 0
    for word in known:
        total += counts[word]
        if counts[word] > COMMON or total > EXACT:
            break
        rare.append(word)
    return rare


def _corrected(corrections: Corrections, query: Query, found: list[_Found], new: set[str]) -> list[_Found]:
    """Return the candidates as they are corrected by now; what a project corrected of the global part, for it alone."""
    asked = [(one.id, one.project_id) for one in found if one.id in new]
    if query.project_id:
        ids = [one.id for one in found if not one.corrected_by and not one.project_id]
        asked += [(one, query.project_id) for one in corrections.targets(ids, query.project_id)]
    by = dict(zip(asked, corrections.corrected_by(asked), strict=True)) if asked else {}
    seen: list[_Found] = []
    for one in found:
        for_project = by.get((one.id, query.project_id or "")) if not one.project_id else ""
        now = by.get((one.id, one.project_id)) or for_project or one.corrected_by
        if now == one.corrected_by:
            seen.append(one)
        elif query.corrected:
            seen.append(one._replace(corrected_by=now))
    return seen


def _ranked(found: list[_Found], words: tuple[str, ...]) -> list[tuple[float, _Found]]:
    """Return the candidates in their final order.

    What stands before what was corrected, by score, of equals the newer.
    """
    found.sort(key=lambda one: -one.score)
    groups: dict[str, list[float]] = {}
    for one in found:
        if one.group:
            groups.setdefault(one.group, []).append(one.score)
    shares = {
        group: _GROUP_SHARE * sum(score * _GROUP_FADE**place for place, score in enumerate(scores))
        for group, scores in groups.items()
    }
    asked = set(words)
    scored = []
    for one in found:
        score = one.score + shares.get(one.group or "", 0.0)
        if one.title and not asked.isdisjoint(tokens(one.title)):
            score *= _TITLE_BONUS
        scored.append((score, one))
    scored.sort(key=_order, reverse=True)
    return scored


def _add_nearness(ranked: list[tuple[float, _Found]], nearness: dict[int, float]) -> list[tuple[float, _Found]]:
    """Return the candidates in their order when the nearness of each counts, too."""
    unit = _NEAR_SHARE * (max((score for score, _ in ranked), default=0.0) or 1.0)
    scored = [(max(0.0, score + unit * nearness.get(one.row, 0.0)), one) for score, one in ranked]
    return sorted(scored, key=_order, reverse=True)


def _order(scored: tuple[float, _Found]) -> tuple[bool, bool, float, str, int]:
    score, one = scored
    return not one.corrected_by, one.complete, float(f"{score:.9g}"), one.ts, one.row


def _hits(db: sqlite3.Connection, ranked: list[tuple[float, _Found]]) -> list[Hit]:
    rows = ", ".join(str(one.row) for _, one in ranked)
    found = {row[0]: row[1:] for row in db.execute(f"SELECT row, {tables.FIELDS} FROM document WHERE row IN ({rows})")}
    return [_hit(tables.document_of(found[one.row]), score, one) for score, one in ranked]


def _hit(document: Document, score: float, one: _Found) -> Hit:
    group = document.group.partition("/")[2]
    return Hit(document._replace(group=group), float(f"{score:.4g}"), one.corrected_by)
