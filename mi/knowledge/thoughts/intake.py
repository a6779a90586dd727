"""Taking stored lines into the tables of a view, in the order of the file."""

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import islice

from mi.kernel.lookup import among
from mi.knowledge.thoughts.files import Placed
from mi.knowledge.thoughts.kinds import KIND_OF_PREFIX, REDIRECTS, Kind
from mi.knowledge.thoughts.line_state import EARLIEST, LineState
from mi.knowledge.thoughts.redirects import Out, RedirectStep, cycle_through, head

VERSION = 5
_COLUMNS = """seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, type TEXT, offset INTEGER, first_offset INTEGER,
    first_ts INTEGER, valid_from INTEGER, valid_to INTEGER, retracted INTEGER DEFAULT 0, superseded INTEGER DEFAULT 0,
    lines INTEGER DEFAULT 1, from_id TEXT NOT NULL, to_id TEXT NOT NULL, tags TEXT NOT NULL,
    by_agent INTEGER DEFAULT 0"""
_KINDS: tuple[Kind, ...] = ("claim", "node", "edge")
_REDIRECTS = ("redirect", "new_redirect")
SCHEMA = (
    """CREATE TABLE file (kind TEXT PRIMARY KEY, upto INTEGER, inode INTEGER, tail INTEGER, mtime INTEGER,
        unreadable INTEGER)""",
    *(f"CREATE TABLE {kind} ({_COLUMNS})" for kind in _KINDS),
    """CREATE TABLE history (kind TEXT, id TEXT, offset INTEGER, asserts INTEGER, ts INTEGER,
        PRIMARY KEY (kind, id, offset)) WITHOUT ROWID""",
    "CREATE TABLE tag (kind TEXT, tag TEXT, seq INTEGER, PRIMARY KEY (kind, tag, seq)) WITHOUT ROWID",
    *(
        f"""CREATE TABLE {table} (from_id TEXT, at INTEGER, to_id TEXT, seq INTEGER, stands INTEGER,
            PRIMARY KEY (from_id, at)) WITHOUT ROWID"""
        for table in _REDIRECTS
    ),
    "CREATE INDEX led_to ON new_redirect (to_id)",
    f"CREATE VIEW every_redirect AS {' UNION ALL '.join(f'SELECT * FROM {table}' for table in _REDIRECTS)}",
    "CREATE TABLE edge_end (id TEXT, seq INTEGER, PRIMARY KEY (id, seq)) WITHOUT ROWID",
    "CREATE TABLE ordered (kind TEXT PRIMARY KEY, upto INTEGER) WITHOUT ROWID",
    *(f"INSERT INTO ordered VALUES ('{kind}', 0)" for kind in _KINDS),
)
# Made after the first load: sorting once is much cheaper than keeping it in order line by line.
# Agents may say very much: what others said is found without passing all that.
_INDEXES = {
    "claim_type": "claim (type)",
    "claim_said": "claim (type) WHERE by_agent = 0",
    "confirmed": "edge (to_id) WHERE type = 'supports'",
}
CONFIRMED = "id IN (SELECT to_id FROM edge WHERE type = 'supports')"
EMPTY = (
    *(f"DROP INDEX IF EXISTS {name}" for name in _INDEXES),
    *(f"DELETE FROM {table}" for table in ("file", *_KINDS, "history", "tag", *_REDIRECTS, "edge_end")),
    "UPDATE ordered SET upto = 0",
)
# Edges lead anywhere and tags are many: putting each into its place at once would touch a page of the file for each.
# The latest ones wait, few enough to look through, until it is worth it; the latest redirects in a small table.
_WAITING = 2000
EDGES_AT = """seq IN (SELECT seq FROM edge_end WHERE id = ?1 UNION ALL
    SELECT seq FROM edge WHERE seq > (SELECT upto FROM ordered WHERE kind = 'edge') AND (from_id = ?1 OR to_id = ?1))"""
_TAGGED = """seq IN (SELECT seq FROM tag WHERE kind = '{kind}' AND {sorted} UNION ALL
    SELECT seq FROM {kind} WHERE seq > (SELECT upto FROM ordered WHERE kind = '{kind}')
    AND tags != '' AND instr({tags}, char(10) || ?{end}))"""
_BATCH = 4000
_ORDERED_AT_ONCE = 50_000
# To hand None to SQLite takes Python longer than a number that stands for it.
_NEVER = EARLIEST
_INSERT = f"""INSERT INTO {{}}
    (id, type, offset, first_offset, first_ts, valid_from, valid_to, from_id, to_id, tags, by_agent)
    VALUES (?, ?, ?, ?, ?, nullif(?, {_NEVER}), nullif(?, {_NEVER}), ?, ?, ?, ?)"""
_REASSERT = """UPDATE {} SET type = ?, offset = ?, valid_from = ?, valid_to = ?, from_id = ?, to_id = ?,
    tags = ?, by_agent = ?, retracted = 0, lines = lines + 1 WHERE id = ?"""


def tagged(kind: Kind, tag: str) -> tuple[str, tuple[str, ...]]:
    """The condition for thoughts with a tag (one ending in `*`: with that prefix), and its values."""
    if tag.endswith("*"):
        start = tag[:-1]
        condition = _TAGGED.format(kind=kind, sorted="tag >= ? AND tag < ?", tags="char(10) || tags", end="")
        return condition, (start, start + "\U0010ffff", start)
    whole = {"sorted": "tag = ?", "tags": "char(10) || tags || char(10)", "end": " || char(10)"}
    return _TAGGED.format(kind=kind, **whole), (tag, tag)


_Redirect = tuple[str, int, str, int]  # from, the offset of the line that says so, to, seq of the edge


class Intake:
    """One catch-up, inside the caller's transaction."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._out = out_of(db)

    def take_in(self, kind: Kind, lines: Iterable[Placed]) -> None:
        """Bring the tables up to date with further lines of the file of a kind."""
        rest = iter(lines)
        while batch := list(islice(rest, _BATCH)):
            known = self._known(kind, [entry.id for _, entry in batch])
            for fresh, run in _runs(batch, known):
                if fresh:
                    self._insert(kind, run)
                else:
                    for offset, entry in run:
                        self._change(kind, offset, entry)

    def _known(self, kind: Kind, ids: list[str]) -> set[str]:
        """Which of the ids are there. New ones are in the order of time: those after the last need no look."""
        last = self._db.execute(f"SELECT max(id) FROM {kind}").fetchone()[0] or ""
        return among(self._db, f"SELECT id FROM {kind} WHERE id", [one for one in ids if one <= last])

    def put_in_order(self) -> None:
        """Make the ends of edges and the tags findable once enough of them wait."""
        for kind, upto in self._db.execute("SELECT kind, upto FROM ordered").fetchall():
            (last,) = self._db.execute(f"SELECT coalesce(max(seq), 0) FROM {kind}").fetchone()
            said_again = self._db.execute("SELECT count(*) FROM new_redirect").fetchone()[0] if kind == "edge" else 0
            if max(last - upto, said_again) <= _WAITING:
                continue
            if kind == "edge":
                ends = (
                    "SELECT from_id, seq FROM edge WHERE seq > ?1 UNION ALL SELECT to_id, seq FROM edge WHERE seq > ?1"
                )
                self._db.execute(f"INSERT OR IGNORE INTO edge_end {ends} ORDER BY 1, 2", (upto,))
                self._db.execute("INSERT OR REPLACE INTO redirect SELECT * FROM new_redirect")
                self._db.execute("DELETE FROM new_redirect")
            for start in range(upto, last, _ORDERED_AT_ONCE):
                self._order_tags(kind, start)
            self._db.execute("UPDATE ordered SET upto = ? WHERE kind = ?", (last, kind))
        for name, columns in _INDEXES.items():
            self._db.execute(f"CREATE INDEX IF NOT EXISTS {name} ON {columns}")

    def _order_tags(self, kind: Kind, start: int) -> None:
        query = f"SELECT seq, tags FROM {kind} WHERE seq > ? AND seq <= ? AND tags != ''"
        rows = self._db.execute(query, (start, start + _ORDERED_AT_ONCE))
        found = sorted((tag, seq) for seq, tags in rows for tag in tags.split("\n"))
        self._db.executemany("INSERT OR IGNORE INTO tag VALUES (?, ?, ?)", [(kind, *one) for one in found])

    def _insert(self, kind: Kind, run: list[Placed]) -> None:
        start = self._db.execute(f"SELECT coalesce(max(seq), 0) + 1 FROM {kind}").fetchone()[0]
        rows = [(e.id, e.type, at, at, e.ts, *_times(e), *_rest(e)) for at, e in run]
        self._db.executemany(_INSERT.format(kind), rows)
        if kind == "edge":
            self._lead_on(
                [
                    (entry.from_id, offset, entry.to_id, seq)
                    for seq, (offset, entry) in enumerate(run, start)
                    if entry.type in REDIRECTS and entry.from_id != entry.to_id
                ]
            )
        else:
            self._mark_arrivals([entry.id for _, entry in run])

    def _mark_arrivals(self, ids: list[str]) -> None:
        """Redirects may have been known before the thought they replace."""
        heads: dict[str, str] = {}  # of the members of each cycle that was met
        for one in among(self._db, "SELECT from_id FROM every_redirect WHERE stands = 1 AND from_id", ids):
            if one not in heads and self._is_led_to(one) and (cycle := cycle_through(one, self._out)):
                heads |= dict.fromkeys(cycle, head(one, self._out))
            self._mark(one, heads.get(one) != one)

    def _change(self, kind: Kind, offset: int, entry: LineState) -> None:
        """A further line about a known id: said again, or taken back."""
        db = self._db
        row = (kind, entry.id, offset, int(entry.asserts), entry.ts)
        db.execute("INSERT INTO history VALUES (?, ?, ?, ?, ?)", row)
        query = f"SELECT seq, offset, type, from_id, tags FROM {kind} WHERE id = ?"
        seq, former_offset, former_type, former_from, tags = db.execute(query, (entry.id,)).fetchone()
        if not entry.asserts:
            db.execute(f"UPDATE {kind} SET retracted = 1, lines = lines + 1 WHERE id = ?", (entry.id,))
        else:
            rest = _rest(entry)
            times = (entry.valid_from, entry.valid_to)
            db.execute(_REASSERT.format(kind), (entry.type, offset, *times, *rest, entry.id))
            former = [(kind, tag, seq) for tag in tags.split("\n")]
            db.executemany("DELETE FROM tag WHERE kind = ? AND tag = ? AND seq = ?", former)
            now = [(kind, tag, seq) for tag in rest[2].split("\n") if tag]
            db.executemany("INSERT OR IGNORE INTO tag VALUES (?, ?, ?)", now)
        if kind == "edge":
            self._change_edge(entry, offset, seq, (former_type, former_from, former_offset))

    def _change_edge(self, entry: LineState, offset: int, seq: int, former: tuple[str, str, int]) -> None:
        if entry.asserts:
            ends = [(entry.from_id, seq), (entry.to_id, seq)]
            self._db.executemany("INSERT OR IGNORE INTO edge_end VALUES (?, ?)", ends)
        former_type, former_from, former_offset = former
        if former_type in REDIRECTS:
            self._redirect(former_from, None, former_offset)
        if entry.asserts and entry.type in REDIRECTS and entry.from_id != entry.to_id:
            self._redirect(entry.from_id, (offset, entry.to_id, seq), None)

    def _lead_on(self, redirects: list[_Redirect]) -> None:
        """New redirects, in their order. Most close no circle and open none, which is seen for all of them at once."""
        leading = among(
            self._db,
            "SELECT from_id FROM every_redirect WHERE stands = 1 AND from_id",
            list({end for one in redirects for end in (one[0], one[2])}),
        )
        may_lead = leading | {one[0] for one in redirects}
        led_to = self._led_to([one[0] for one in redirects if one[2] in may_lead or one[0] in leading])
        plain: list[_Redirect] = []
        for one in redirects:
            from_id, at, to_id, seq = one
            if from_id in led_to and (from_id in leading or to_id in leading):
                self._add(plain)
                plain = []
                self._redirect(from_id, (at, to_id, seq), None)
            else:
                plain.append(one)
            leading.add(from_id)
            led_to.add(to_id)
        self._add(plain)

    def _add(self, redirects: list[_Redirect]) -> None:
        """Redirects that are part of no circle: each replaces where it comes from."""
        self._db.executemany("INSERT OR REPLACE INTO new_redirect VALUES (?, ?, ?, ?, 1)", redirects)
        for kind in ("claim", "node"):
            replaced = [(one[0],) for one in redirects if _kind_of(one[0]) == kind]
            self._db.executemany(f"UPDATE {kind} SET superseded = 1 WHERE id = ? AND superseded = 0", replaced)

    def _redirect(self, from_id: str, added: tuple[int, str, int] | None, removed: int | None) -> None:
        """A redirect stands or no longer stands: mark whoever is superseded by that, or no longer."""
        may_circle = self._out(from_id) is not None or (added is not None and self._out(added[1]) is not None)
        led_to = may_circle and self._is_led_to(from_id)
        broken = cycle_through(from_id, self._out) if led_to else []
        if removed is not None:
            for table in _REDIRECTS:
                query = f"UPDATE {table} SET stands = 0 WHERE from_id = ? AND at = ?"
                self._db.execute(query, (from_id, removed))
        if added is not None:
            self._db.execute("INSERT OR REPLACE INTO new_redirect VALUES (?, ?, ?, ?, 1)", (from_id, *added))
        closed = dict.fromkeys(cycle_through(from_id, self._out)) if led_to else {}
        stands = head(from_id, self._out) if closed else ""
        for one in {from_id, *broken, *closed}:
            leads_on = (added is not None and one == from_id) or self._out(one) is not None
            self._mark(one, one != stands if one in closed else leads_on)

    def _is_led_to(self, thought_id: str) -> bool:
        """Whether it can be in a cycle: asking that first keeps long chains cheap."""
        return bool(self._led_to([thought_id]))

    def _led_to(self, ids: list[str]) -> set[str]:
        """Those to which a redirect leads, or once led."""
        waiting = among(self._db, "SELECT to_id FROM new_redirect WHERE to_id", ids)
        query = """SELECT edge_end.id FROM edge_end CROSS JOIN edge ON edge.seq = edge_end.seq
            WHERE edge.to_id = edge_end.id AND edge.type IN ('supersedes', 'same_as') AND edge_end.id"""
        return waiting | among(self._db, query, [*{*ids} - waiting])

    def _mark(self, thought_id: str, superseded: bool) -> None:
        kind = _kind_of(thought_id)
        if kind is not None and kind != "edge":
            query = f"UPDATE {kind} SET superseded = ?1 WHERE id = ?2 AND superseded != ?1"
            self._db.execute(query, (int(superseded), thought_id))


def _kind_of(thought_id: str) -> Kind | None:
    return KIND_OF_PREFIX.get(thought_id.partition("_")[0])


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


def _times(entry: LineState) -> tuple[int, int]:
    since, until = entry.valid_from, entry.valid_to
    return _NEVER if since is None else since, _NEVER if until is None else until


def _rest(entry: LineState) -> tuple[str, str, str, int]:
    """Ends, tags and whose word it is. A tag is one line: they are kept as lines of one text."""
    tags = "\n".join([" ".join(tag.split("\n")) for tag in entry.tags]) if entry.tags else ""
    return entry.from_id, entry.to_id, tags, int(entry.by_agent)


def out_of(db: sqlite3.Connection) -> Out:
    """The newest standing redirect of an id, from the tables."""

    def out(thought_id: str) -> RedirectStep | None:
        query = "SELECT to_id, at FROM every_redirect WHERE from_id = ? AND stands = 1 ORDER BY at DESC LIMIT 1"
        row = db.execute(query, (thought_id,)).fetchone()
        return RedirectStep(*row) if row else None

    return out
