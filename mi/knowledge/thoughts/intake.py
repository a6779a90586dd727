"""The tables of a store's view, and how its lines change them."""

import sqlite3
from collections.abc import Iterable, Iterator

from mi.kernel.log_view import Tables, among
from mi.knowledge import status
from mi.knowledge.status import RETRACTED, Correction, Corrections
from mi.knowledge.thoughts.kinds import KINDS, REDIRECTS, STATUSES, Kind, kind_of
from mi.knowledge.thoughts.line_state import EARLIEST, LineState, Placed

BATCH = 4000  # lines taken in at once
_COLUMNS = """seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, type TEXT, offset INTEGER, first_offset INTEGER,
    first_ts INTEGER, valid_from INTEGER, valid_to INTEGER, status INTEGER DEFAULT 0, lines INTEGER DEFAULT 1,
    from_id TEXT NOT NULL, to_id TEXT NOT NULL, tags TEXT NOT NULL, by_agent INTEGER DEFAULT 0"""
TABLES = Tables(
    6,
    (
        *(f"CREATE TABLE {kind} ({_COLUMNS})" for kind in KINDS),
        """CREATE TABLE history (kind TEXT, id TEXT, offset INTEGER, asserts INTEGER, ts INTEGER,
            PRIMARY KEY (kind, id, offset)) WITHOUT ROWID""",
        "CREATE TABLE tag (kind TEXT, tag TEXT, seq INTEGER, PRIMARY KEY (kind, tag, seq)) WITHOUT ROWID",
        "CREATE TABLE edge_end (id TEXT, seq INTEGER, PRIMARY KEY (id, seq)) WITHOUT ROWID",
        "CREATE TABLE ordered (kind TEXT PRIMARY KEY, upto INTEGER) WITHOUT ROWID",
        *(f"INSERT INTO ordered VALUES ('{kind}', 0)" for kind in KINDS),
        *status.STATEMENTS,
    ),
)
# Made after the first load: sorting once is much cheaper than keeping it in order line by line.
# Agents may say very much: what others said is found without passing all that.
_INDEXES = {
    "claim_type": "claim (type)",
    "claim_said": "claim (type) WHERE by_agent = 0",
    "confirmed": "edge (to_id) WHERE type = 'supports'",
}
CONFIRMED = "id IN (SELECT to_id FROM edge WHERE type = 'supports')"
_EMPTY = (
    *(f"DROP INDEX IF EXISTS {name}" for name in _INDEXES),
    *(f"DELETE FROM {table}" for table in (*KINDS, "history", "tag", "edge_end")),
    *status.EMPTY,
    "UPDATE ordered SET upto = 0",
    "UPDATE source SET cursor = ''",
)
# Edges lead anywhere and tags are many: putting each into its place at once would touch a page of the file for each.
# The latest ones wait, few enough to look through, until it is worth it.
_WAITING = 2000
EDGES_AT = """seq IN (SELECT seq FROM edge_end WHERE id = ?1 UNION ALL
    SELECT seq FROM edge WHERE seq > (SELECT upto FROM ordered WHERE kind = 'edge') AND (from_id = ?1 OR to_id = ?1))"""
_TAGGED = """seq IN (SELECT seq FROM tag WHERE kind = '{kind}' AND {sorted} UNION ALL
    SELECT seq FROM {kind} WHERE seq > (SELECT upto FROM ordered WHERE kind = '{kind}')
    AND tags != '' AND instr({tags}, char(10) || ?{end}))"""
_ORDERED_AT_ONCE = 50_000
# To hand None to SQLite takes Python longer than a number that stands for it.
_NEVER = EARLIEST
_INSERT = f"""INSERT INTO {{}}
    (id, type, offset, first_offset, first_ts, valid_from, valid_to, from_id, to_id, tags, by_agent)
    VALUES (?, ?, ?, ?, ?, nullif(?, {_NEVER}), nullif(?, {_NEVER}), ?, ?, ?, ?)"""
_REASSERT = """UPDATE {} SET type = ?, offset = ?, valid_from = ?, valid_to = ?, from_id = ?, to_id = ?,
    tags = ?, by_agent = ?, lines = lines + 1 WHERE id = ?"""


def tagged(kind: Kind, tag: str) -> tuple[str, tuple[str, ...]]:
    """Return the condition for thoughts with a tag (one ending in `*`: with that prefix), and its values."""
    if tag.endswith("*"):
        start = tag[:-1]
        condition = _TAGGED.format(kind=kind, sorted="tag >= ? AND tag < ?", tags="char(10) || tags", end="")
        return condition, (start, start + "\U0010ffff", start)
    whole = {"sorted": "tag = ?", "tags": "char(10) || tags || char(10)", "end": " || char(10)"}
    return _TAGGED.format(kind=kind, **whole), (tag, tag)


class LineIntake:
    """Takes in lines of one kind, in the order of their file."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind

    def take_in(self, db: sqlite3.Connection, source: int, changes: list[Placed]) -> None:
        """Bring the tables up to date with further lines."""
        known = _known(db, self._kind, [entry.id for _, entry in changes])
        for fresh, run in _runs(changes, known):
            if fresh:
                self._insert(db, source, run)
            else:
                for offset, entry in run:
                    self._change(db, source, offset, entry)

    def forget(self, db: sqlite3.Connection, source: int) -> None:
        """Empty the whole view: what one file said may have changed what the others mean."""
        for statement in _EMPTY:
            db.execute(statement)

    def _insert(self, db: sqlite3.Connection, source: int, run: list[Placed]) -> None:
        rows = [(e.id, e.type, at, at, e.ts, *_times(e), *_rest(e)) for at, e in run]
        db.executemany(_INSERT.format(self._kind), rows)
        if self._kind == "edge":
            _redirect(db, source, [entry for _, entry in run if entry.type in REDIRECTS])
        else:  # corrections may have been known before the thought they replace
            _note_status(db, Corrections(db).targets([entry.id for _, entry in run]))

    def _change(self, db: sqlite3.Connection, source: int, offset: int, entry: LineState) -> None:
        """Take a further line about a known id: said again, or taken back."""
        kind, corrections = self._kind, Corrections(db)
        row = (kind, entry.id, offset, int(entry.asserts), entry.ts)
        db.execute("INSERT INTO history VALUES (?, ?, ?, ?, ?)", row)
        if entry.asserts:
            corrections.stand_again(source, entry.id)
            self._say_again(db, offset, entry)
        else:
            db.execute(f"UPDATE {kind} SET lines = lines + 1 WHERE id = ?", (entry.id,))
            corrections.add(source, "", [Correction(f"retract:{entry.id}", entry.id)])
        _note_status(db, [entry.id])
        if kind == "edge" and entry.asserts and entry.type in REDIRECTS:
            _redirect(db, source, [entry])
        elif kind == "edge":
            _note_status(db, corrections.remove(source, [entry.id]))

    def _say_again(self, db: sqlite3.Connection, offset: int, entry: LineState) -> None:
        kind = self._kind
        seq, tags = db.execute(f"SELECT seq, tags FROM {kind} WHERE id = ?", (entry.id,)).fetchone()
        rest = _rest(entry)
        times = (entry.valid_from, entry.valid_to)
        db.execute(_REASSERT.format(kind), (entry.type, offset, *times, *rest, entry.id))
        former = [(kind, tag, seq) for tag in tags.split("\n")]
        db.executemany("DELETE FROM tag WHERE kind = ? AND tag = ? AND seq = ?", former)
        now = [(kind, tag, seq) for tag in rest[2].split("\n") if tag]
        db.executemany("INSERT OR IGNORE INTO tag VALUES (?, ?, ?)", now)
        if kind == "edge":
            ends = [(entry.from_id, seq), (entry.to_id, seq)]
            db.executemany("INSERT OR IGNORE INTO edge_end VALUES (?, ?)", ends)


def put_in_order(db: sqlite3.Connection) -> None:
    """Make the ends of edges, the tags and the corrections findable once enough of them wait."""
    for kind, upto in db.execute("SELECT kind, upto FROM ordered").fetchall():
        (last,) = db.execute(f"SELECT coalesce(max(seq), 0) FROM {kind}").fetchone()
        if last - upto <= _WAITING:
            continue
        if kind == "edge":
            ends = "SELECT from_id, seq FROM edge WHERE seq > ?1 UNION ALL SELECT to_id, seq FROM edge WHERE seq > ?1"
            db.execute(f"INSERT OR IGNORE INTO edge_end {ends} ORDER BY 1, 2", (upto,))
        for start in range(upto, last, _ORDERED_AT_ONCE):
            _order_tags(db, kind, start)
        db.execute("UPDATE ordered SET upto = ? WHERE kind = ?", (last, kind))
    if Corrections(db).are_many_waiting():
        Corrections(db).put_in_order()
    for name, columns in _INDEXES.items():
        db.execute(f"CREATE INDEX IF NOT EXISTS {name} ON {columns}")


def _order_tags(db: sqlite3.Connection, kind: Kind, start: int) -> None:
    query = f"SELECT seq, tags FROM {kind} WHERE seq > ? AND seq <= ? AND tags != ''"
    rows = db.execute(query, (start, start + _ORDERED_AT_ONCE))
    found = sorted((tag, seq) for seq, tags in rows for tag in tags.split("\n"))
    db.executemany("INSERT OR IGNORE INTO tag VALUES (?, ?, ?)", [(kind, *one) for one in found])


def _known(db: sqlite3.Connection, kind: Kind, ids: list[str]) -> set[str]:
    """Return which of the ids are there. New ones are in the order of time: those after the last need no look."""
    last = db.execute(f"SELECT max(id) FROM {kind}").fetchone()[0] or ""
    return among(db, f"SELECT id FROM {kind} WHERE id", [one for one in ids if one <= last])


def _redirect(db: sqlite3.Connection, source: int, edges: list[LineState]) -> None:
    """Edges that replace where they come from."""
    corrections = [Correction(edge.id, edge.from_id, edge.to_id) for edge in edges]
    concerned = Corrections(db).add(source, "", corrections)
    _note_status(db, {*concerned, *(one.target for one in corrections)})


def _note_status(db: sqlite3.Connection, ids: Iterable[str]) -> None:
    """Note at thoughts what became of them; an edge can be taken back, nothing replaces it."""
    asked = [(one, "") for one in ids]
    rows: dict[Kind, list[tuple[int, str]]] = {kind: [] for kind in KINDS}
    for (one, _), by in zip(asked, Corrections(db).corrected_by(asked), strict=True):
        kind = kind_of(one)
        if kind is not None:
            found = "retracted" if by == RETRACTED else "superseded" if by and kind != "edge" else "active"
            rows[kind].append((STATUSES.index(found), one))
    for kind, noted in rows.items():
        db.executemany(f"UPDATE {kind} SET status = ?1 WHERE id = ?2 AND status != ?1", noted)


def _runs(batch: list[Placed], known: set[str]) -> Iterator[tuple[bool, list[Placed]]]:
    """Yield the batch in order, cut where lines about new ids and lines about known ids meet.

    Moot retractions left out.
    """
    run: list[Placed] = []
    fresh = True
    for offset, entry in batch:
        if not entry.asserts and entry.id not in known:
            continue  # nothing is there yet to be taken back, and what comes later is said later
        is_new = entry.id not in known
        known.add(entry.id)
        if is_new != fresh and run:
            yield fresh, run
            run = []
        fresh = is_new
        run.append((offset, entry))
    if run:
        yield fresh, run


def _times(entry: LineState) -> tuple[int, int]:
    since, until = entry.valid_from, entry.valid_to
    return _NEVER if since is None else since, _NEVER if until is None else until


def _rest(entry: LineState) -> tuple[str, str, str, int]:
    """Return ends, tags and whose word it is. A tag is one line: they are kept as lines of one text."""
    tags = "\n".join([" ".join(tag.split("\n")) for tag in entry.tags]) if entry.tags else ""
    return entry.from_id, entry.to_id, tags, int(entry.by_agent)
