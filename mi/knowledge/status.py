"""What is retracted, superseded or the same as another, by what and for whom: the one place that says so.

A view takes these tables in beside its own and notes the answers where it looks them up. Chains of corrections end; of
thoughts that replace each other in a circle, the one stands that the newest correction leads to.
"""

import sqlite3
from collections.abc import Callable, Iterable

from mi.kernel.log_view import among, rows_among
from mi.kernel.named_tuple import NamedTuple

RETRACTED = "retracted"
WAITING = 2000
# Corrections lead anywhere, so each touches other pages of its indexes: the latest ones wait in a table of their own,
# whose indexes have few pages, until it is worth it.
_WAITING_TABLE = "new_correction"
_BOTH = ("correction", _WAITING_TABLE)
_TABLE = (
    """CREATE TABLE {0} (at INTEGER PRIMARY KEY, id TEXT NOT NULL, source INTEGER NOT NULL, project_id TEXT NOT NULL,
        target TEXT NOT NULL, by TEXT NOT NULL, UNIQUE (id, source))""",
    "CREATE INDEX {0}_target ON {0} (target)",
    "CREATE INDEX {0}_by ON {0} (by)",
)
STATEMENTS = (
    *(statement.format(table) for table in _BOTH for statement in _TABLE),
    f"CREATE VIEW every_correction AS {' UNION ALL '.join(f'SELECT * FROM {table}' for table in _BOTH)}",
    # Who is in a circle, and who stands there: found when it closes, not whenever somebody asks.
    "CREATE TABLE circle (id TEXT PRIMARY KEY, standing TEXT NOT NULL) WITHOUT ROWID",
    "CREATE INDEX circle_standing ON circle (standing)",
)
EMPTY = tuple(f"DELETE FROM {table}" for table in (*_BOTH, "circle"))


class Correction(NamedTuple):
    """A correction: `target` no longer stands; `by` replaces it, "" when it was taken back."""

    id: str
    target: str
    by: str = ""


class RedirectStep(NamedTuple):
    """The newest redirect of an id: where it leads, and its place in the order of redirects."""

    to: str
    at: int


Out = Callable[[str], RedirectStep | None]


def head(start: str, out: Out) -> str:
    """Return the thought that stands for `start`; itself when nothing replaces it."""
    path: dict[str, RedirectStep] = {}
    at = start
    while at not in path:
        step = out(at)
        if step is None:
            return at
        path[at] = step
        at = step.to
    return _standing([*path.values()][[*path].index(at) :])


def _standing(circle: Iterable[RedirectStep]) -> str:
    return max(circle, key=lambda step: step.at).to


class Corrections:
    """The corrections in the tables of a view, inside the caller's transaction."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def add(self, source: int, project_id: str, corrections: list[Correction]) -> set[str]:
        """Let corrections hold from now on; return who else is concerned: members of circles, and former targets."""
        ends = list({end for one in corrections for end in (one.target, one.by)})
        held = among(
            self._db, "SELECT id FROM every_correction WHERE source = ? AND id", [one.id for one in corrections], source
        )
        led_to = among(self._db, "SELECT by FROM every_correction WHERE by", ends)
        leading = among(self._db, "SELECT target FROM every_correction WHERE by != '' AND target", ends)
        concerned: set[str] = set()
        rows: list[tuple[object, ...]] = []
        for at, one in enumerate(corrections, self._last() + 1):
            if one.id in held:
                self._insert(rows)
                concerned |= self.remove(source, [one.id])
            if one.target == one.by:
                continue
            rows.append((at, one.id, source, project_id, one.target, one.by))
            # Only what is led to and leads on can be in a circle: asking that first keeps long chains cheap.
            if one.by and one.target in led_to and (one.target in leading or one.by in leading):
                self._insert(rows)
                concerned |= self._turn(one.target)
            held.add(one.id)
            led_to.add(one.by)
            leading.add(one.target if one.by else "")
        self._insert(rows)
        return concerned

    def remove(self, source: int, ids: Iterable[str]) -> set[str]:
        """Let corrections no longer hold; return who is concerned."""
        concerned: set[str] = set()
        for one in ids:
            query = "SELECT at, target FROM every_correction WHERE id = ? AND source = ?"
            for at, target in self._db.execute(query, (one, source)).fetchall():
                for table in _BOTH:
                    self._db.execute(f"DELETE FROM {table} WHERE at = ?", (at,))
                concerned |= {target} | self._turn(target)
        return concerned

    def forget(self, source: int) -> set[str]:
        """Remove every correction of a source; return who is concerned."""
        query = "SELECT id FROM every_correction WHERE source = ?"
        return self.remove(source, [one for (one,) in self._db.execute(query, (source,)).fetchall()])

    def stand_again(self, source: int, thought_id: str) -> None:
        """Drop the retraction of what is said again where it was taken back."""
        for table in _BOTH:
            query = f"DELETE FROM {table} WHERE target = ? AND by = '' AND source = ?"
            self._db.execute(query, (thought_id, source))

    def waiting(self) -> list[str]:
        """Return the targets of the corrections that wait to be put in order."""
        return [target for (target,) in self._db.execute(f"SELECT DISTINCT target FROM {_WAITING_TABLE}")]

    def is_waiting(self, ids: list[str]) -> set[str]:
        """Return those of the ids that are targets of waiting corrections."""
        return among(self._db, f"SELECT target FROM {_WAITING_TABLE} WHERE target", ids)

    def are_many_waiting(self) -> bool:
        """Return whether it is worth it to put the waiting corrections in order."""
        return bool(self._db.execute(f"SELECT count(*) FROM {_WAITING_TABLE}").fetchone()[0] > WAITING)

    def put_in_order(self) -> None:
        """Move the waiting corrections to the others."""
        self._db.execute(f"INSERT INTO correction SELECT * FROM {_WAITING_TABLE}")
        self._db.execute(f"DELETE FROM {_WAITING_TABLE}")

    def targets(self, ids: list[str], project_id: str | None = None) -> set[str]:
        """Return those of the ids that are corrected, whoever by; or by a project."""
        if project_id is None:
            return among(self._db, "SELECT target FROM every_correction WHERE target", ids)
        query = "SELECT target FROM every_correction WHERE project_id = ? AND target"
        return among(self._db, query, ids, project_id)

    def corrected_by(self, asked: list[tuple[str, str]]) -> list[str]:
        """Return for each id, as a project sees it, what replaced it, RETRACTED, or "" while it stands.

        A project does not correct another's, nor what is there for all.
        """
        ids = list({thought_id for thought_id, _ in asked})
        query = "SELECT target, at, project_id, by FROM every_correction WHERE target"
        corrections: dict[str, list[tuple[int, str, str]]] = {}
        for target, *rest in rows_among(self._db, query, ids):
            corrections.setdefault(target, []).append(tuple(rest))
        standing = among(self._db, "SELECT id FROM circle WHERE id = standing AND id", list(corrections))
        found: list[str] = []
        for thought_id, project_id in asked:
            newest_first = sorted(corrections.get(thought_id, ()), reverse=True)
            by = [one for _, whose, one in newest_first if whose in ("", project_id)]
            found.append(RETRACTED if "" in by else by[0] if by and thought_id not in standing else "")
        return found

    def out(self, thought_id: str) -> RedirectStep | None:
        """Return the newest redirect of an id."""
        query = "SELECT by, at FROM every_correction WHERE target = ? AND by != '' ORDER BY at DESC LIMIT 1"
        row = self._db.execute(query, (thought_id,)).fetchone()
        return RedirectStep(*row) if row else None

    def _turn(self, thought_id: str) -> set[str]:
        """Note anew who is in a circle with a thought of which a correction came or went; return whom it concerns."""
        query = "SELECT id FROM circle WHERE standing = (SELECT standing FROM circle WHERE id = ?)"
        former = self._db.execute(query, (thought_id,)).fetchall()
        self._db.executemany("DELETE FROM circle WHERE id = ?", former)
        steps = self._circle(thought_id)
        if steps:
            standing = _standing(steps.values())
            self._db.executemany("INSERT INTO circle VALUES (?, ?)", [(one, standing) for one in steps])
        return {*steps, *(one for (one,) in former)}

    def _circle(self, start: str) -> dict[str, RedirectStep]:
        """Return the thoughts that replace each other in a circle with this one; none when it is in no circle."""
        seen: dict[str, RedirectStep] = {}
        if not self._db.execute("SELECT 1 FROM every_correction WHERE by = ? LIMIT 1", (start,)).fetchone():
            return seen  # nothing leads to it
        at = start
        while at not in seen:
            step = self.out(at)
            if step is None:
                return {}
            seen[at] = step
            at = step.to
        return seen if at == start else {}

    def _last(self) -> int:
        last = "SELECT coalesce(max(at), 0) FROM {}"
        return max(int(self._db.execute(last.format(table)).fetchone()[0]) for table in _BOTH)

    def _insert(self, rows: list[tuple[object, ...]]) -> None:
        self._db.executemany(f"INSERT INTO {_WAITING_TABLE} VALUES (?, ?, ?, ?, ?, ?)", rows)
        rows.clear()
