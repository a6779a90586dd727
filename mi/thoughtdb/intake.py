"""Taking stored lines into the tables of a view, in the order of the file."""

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import islice

from mi.thoughtdb.kinds import KIND_OF_PREFIX, REDIRECTS, Kind
from mi.thoughtdb.lines import Entry
from mi.thoughtdb.redirects import Out, Step, cycle_through, head

VERSION = 2
_COLUMNS = """seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, type TEXT, offset INTEGER, first_offset INTEGER,
    first_ts INTEGER, valid_from INTEGER, valid_to INTEGER, retracted INTEGER DEFAULT 0, superseded INTEGER DEFAULT 0,
    lines INTEGER DEFAULT 1, from_id TEXT, to_id TEXT, tags TEXT"""
SCHEMA = (
    """CREATE TABLE file (kind TEXT PRIMARY KEY, upto INTEGER, inode INTEGER, tail INTEGER, mtime INTEGER,
        unreadable INTEGER)""",
    f"CREATE TABLE claim ({_COLUMNS})",
    f"CREATE TABLE node ({_COLUMNS})",
    f"CREATE TABLE edge ({_COLUMNS})",
    """CREATE TABLE history (kind TEXT, id TEXT, offset INTEGER, asserts INTEGER, ts INTEGER,
        PRIMARY KEY (kind, id, offset)) WITHOUT ROWID""",
    "CREATE TABLE tag (kind TEXT, tag TEXT, seq INTEGER, PRIMARY KEY (kind, tag, seq)) WITHOUT ROWID",
    """CREATE TABLE redirect (from_id TEXT, at INTEGER, to_id TEXT, seq INTEGER, stands INTEGER,
        PRIMARY KEY (from_id, at)) WITHOUT ROWID""",
    "CREATE INDEX redirect_to ON redirect (to_id) WHERE stands = 1",
    "CREATE TABLE edge_end (id TEXT, seq INTEGER, PRIMARY KEY (id, seq)) WITHOUT ROWID",
    "CREATE TABLE sorted_edges (upto INTEGER)",
    "INSERT INTO sorted_edges VALUES (0)",
)
# Made after the first load: sorting once is much cheaper than keeping them in order line by line.
INDEXES = ("CREATE INDEX IF NOT EXISTS claim_standing ON claim (type) WHERE retracted = 0 AND superseded = 0",)
EMPTY = (
    "DROP INDEX IF EXISTS claim_standing",
    *(f"DELETE FROM {table}" for table in ("file", "claim", "node", "edge", "history", "tag", "redirect", "edge_end")),
    "UPDATE sorted_edges SET upto = 0",
)
# Edges lead anywhere: putting each into its place at once would touch a page of the file for each end. The latest ones
# wait, few enough to look through, until it is worth it.
EDGES_AT = """seq IN (SELECT seq FROM edge_end WHERE id = ?1 UNION ALL
    SELECT seq FROM edge WHERE seq > (SELECT upto FROM sorted_edges) AND (from_id = ?1 OR to_id = ?1))"""
_WAITING_EDGES = 2000
_BATCH = 4000
_ID_CHUNK = 500
_INSERT = """INSERT INTO {} (id, type, offset, first_offset, first_ts, valid_from, valid_to, from_id, to_id, tags)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_REASSERT = """UPDATE {} SET type = ?, offset = ?, valid_from = ?, valid_to = ?, from_id = ?, to_id = ?,
    tags = ?, retracted = 0, lines = lines + 1 WHERE id = ?"""

Placed = tuple[int, Entry]  # the offset of a line and what it says


def take_in(db: sqlite3.Connection, kind: Kind, lines: Iterable[Placed]) -> None:
    """Bring the tables up to date with further lines of the file of a kind."""
    rest = iter(lines)
    while batch := list(islice(rest, _BATCH)):
        known = _known(db, kind, {entry.id for _, entry in batch})
        for fresh, run in _runs(batch, known):
            if fresh:
                _insert(db, kind, run)
            else:
                for offset, entry in run:
                    _change(db, kind, offset, entry)


def sort_edges(db: sqlite3.Connection) -> None:
    """Make the ends of edges findable once enough of them wait."""
    (upto,) = db.execute("SELECT upto FROM sorted_edges").fetchone()
    (last,) = db.execute("SELECT coalesce(max(seq), 0) FROM edge").fetchone()
    if last - upto > _WAITING_EDGES:
        ends = "SELECT from_id, seq FROM edge WHERE seq > ?1 UNION ALL SELECT to_id, seq FROM edge WHERE seq > ?1"
        db.execute(f"INSERT OR IGNORE INTO edge_end {ends} ORDER BY 1, 2", (upto,))
        db.execute("UPDATE sorted_edges SET upto = ?", (last,))


def _known(db: sqlite3.Connection, kind: Kind, ids: set[str]) -> set[str]:
    found: set[str] = set()
    wanted = list(ids)
    for start in range(0, len(wanted), _ID_CHUNK):
        chunk = wanted[start : start + _ID_CHUNK]
        marks = ",".join("?" * len(chunk))
        found.update(row[0] for row in db.execute(f"SELECT id FROM {kind} WHERE id IN ({marks})", chunk))
    return found


def _runs(batch: list[Placed], known: set[str]) -> Iterator[tuple[bool, list[Placed]]]:
    """The batch in order, cut where lines about new ids and lines about known ids meet; moot retractions left out."""
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


def _insert(db: sqlite3.Connection, kind: Kind, run: list[Placed]) -> None:
    start = db.execute(f"SELECT coalesce(max(seq), 0) + 1 FROM {kind}").fetchone()[0]
    rows = [(e.id, e.type, at, at, e.ts, e.valid_from, e.valid_to, *_ends_and_tags(e)) for at, e in run]
    db.executemany(_INSERT.format(kind), rows)
    tags = [(kind, tag, start + place) for place, (_, entry) in enumerate(run) for tag in entry.tags]
    db.executemany("INSERT OR IGNORE INTO tag VALUES (?, ?, ?)", tags)
    if kind == "edge":
        for seq, (offset, entry) in enumerate(run, start):
            if entry.type in REDIRECTS and entry.from_id != entry.to_id:
                _redirect(db, entry.from_id, (offset, entry.to_id, seq), None)
    else:
        _mark_arrivals(db, [entry.id for _, entry in run])


def _ends_and_tags(entry: Entry) -> tuple[str | None, str | None, str | None]:
    return entry.from_id or None, entry.to_id or None, "\n".join(entry.tags) or None


def _mark_arrivals(db: sqlite3.Connection, ids: list[str]) -> None:
    """Redirects may have been known before the thought they replace."""
    if not db.execute("SELECT 1 FROM redirect LIMIT 1").fetchone():
        return
    out = out_of(db)
    heads: dict[str, str] = {}  # of the members of each cycle that was met
    for one in ids:
        if out(one) is None:
            continue
        if one not in heads and _is_led_to(db, one) and (cycle := cycle_through(one, out)):
            heads |= dict.fromkeys(cycle, head(one, out))
        _mark(db, one, heads.get(one) != one)


def _change(db: sqlite3.Connection, kind: Kind, offset: int, entry: Entry) -> None:
    """A further line about a known id: said again, or taken back."""
    row = (kind, entry.id, offset, int(entry.asserts), entry.ts)
    db.execute("INSERT INTO history VALUES (?, ?, ?, ?, ?)", row)
    query = f"SELECT seq, offset, type, from_id, tags FROM {kind} WHERE id = ?"
    seq, former_offset, former_type, former_from, tags = db.execute(query, (entry.id,)).fetchone()
    if not entry.asserts:
        db.execute(f"UPDATE {kind} SET retracted = 1, lines = lines + 1 WHERE id = ?", (entry.id,))
    else:
        times = (entry.valid_from, entry.valid_to)
        db.execute(_REASSERT.format(kind), (entry.type, offset, *times, *_ends_and_tags(entry), entry.id))
        former_tags = [(kind, tag, seq) for tag in (tags or "").split("\n")]
        db.executemany("DELETE FROM tag WHERE kind = ? AND tag = ? AND seq = ?", former_tags)
        db.executemany("INSERT OR IGNORE INTO tag VALUES (?, ?, ?)", [(kind, tag, seq) for tag in entry.tags])
    if kind == "edge":
        if entry.asserts:
            db.executemany("INSERT OR IGNORE INTO edge_end VALUES (?, ?)", [(entry.from_id, seq), (entry.to_id, seq)])
        if former_type in REDIRECTS:
            _redirect(db, former_from, None, former_offset)
        if entry.asserts and entry.type in REDIRECTS and entry.from_id != entry.to_id:
            _redirect(db, entry.from_id, (offset, entry.to_id, seq), None)


def _redirect(db: sqlite3.Connection, from_id: str, added: tuple[int, str, int] | None, removed: int | None) -> None:
    """A redirect stands or no longer stands: mark whoever is superseded by that, or no longer."""
    out = out_of(db)
    led_to = _is_led_to(db, from_id)
    broken = cycle_through(from_id, out) if led_to else []
    if removed is not None:
        db.execute("UPDATE redirect SET stands = 0 WHERE from_id = ? AND at = ?", (from_id, removed))
    if added is not None:
        db.execute("INSERT OR REPLACE INTO redirect VALUES (?, ?, ?, ?, 1)", (from_id, *added))
    closed = dict.fromkeys(cycle_through(from_id, out)) if led_to else {}
    stands = head(from_id, out) if closed else ""
    for one in {from_id, *broken, *closed}:
        _mark(db, one, one != stands if one in closed else out(one) is not None)


def _is_led_to(db: sqlite3.Connection, thought_id: str) -> bool:
    """Only an id that something leads to can be in a cycle: asking that first keeps long chains cheap."""
    query = "SELECT 1 FROM redirect WHERE to_id = ? AND stands = 1 LIMIT 1"
    return db.execute(query, (thought_id,)).fetchone() is not None


def _mark(db: sqlite3.Connection, thought_id: str, superseded: bool) -> None:
    kind = KIND_OF_PREFIX.get(thought_id.partition("_")[0])
    if kind is not None and kind != "edge":
        db.execute(f"UPDATE {kind} SET superseded = ? WHERE id = ?", (int(superseded), thought_id))


def out_of(db: sqlite3.Connection) -> Out:
    """The newest standing redirect of an id, from the tables."""

    def out(thought_id: str) -> Step | None:
        query = "SELECT to_id, at FROM redirect WHERE from_id = ? AND stands = 1 ORDER BY at DESC LIMIT 1"
        row = db.execute(query, (thought_id,)).fetchone()
        return Step(*row) if row else None

    return out
