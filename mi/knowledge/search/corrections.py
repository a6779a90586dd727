"""What was taken back or replaced, by what, and for whom: marks, chains and circles of them."""

import sqlite3
from collections.abc import Iterable

from mi.kernel.lookup import among, rows_among
from mi.knowledge.search.documents import Correction
from mi.knowledge.search.tables import MARKS

_MAX_CHAIN = 1000
_NEW = 2000
_NOTED = "SELECT row, id, project_id, corrected_by FROM document WHERE id"


def mark(db: sqlite3.Connection, source: int, project_id: str, marks: list[Correction]) -> None:
    """Corrections hold from now on. They lead anywhere: each place is looked up for all of them together."""
    held = among(db, "SELECT id FROM every_mark WHERE source = ? AND id", [one.id for one in marks], source)
    led_to = among(db, "SELECT by FROM every_mark WHERE by", [one.target for one in marks if one.by])
    touched: set[str] = set()
    at = max(db.execute(f"SELECT coalesce(max(at), 0) FROM {table}").fetchone()[0] for table in MARKS)
    for one in marks:
        if one.target == one.by:
            continue
        if one.id in held:
            touched |= _take_out(db, source, one.id)
        former = _circle(db, one.target) if one.target in led_to else []
        at += 1
        row = (at, one.id, source, project_id, one.target, one.by)
        db.execute("INSERT INTO new_mark VALUES (?, ?, ?, ?, ?, ?)", row)
        circle = _circle(db, one.target) if one.target in led_to else []  # opened by it, or closed
        touched |= _turned(db, former, circle)
        held.add(one.id)
        led_to.add(one.by)
    _settle(db, touched)
    if db.execute("SELECT count(*) FROM new_mark").fetchone()[0] > _NEW:
        put_in_order(db)


def put_in_order(db: sqlite3.Connection) -> None:
    """Note the newest corrections at what they correct; until then a search looks them up."""
    targets = [target for (target,) in db.execute("SELECT DISTINCT target FROM new_mark")]
    db.execute("INSERT INTO mark SELECT * FROM new_mark")
    db.execute("DELETE FROM new_mark")
    _settle(db, targets)


def newly_corrected(db: sqlite3.Connection) -> int:
    """How many documents more are corrected than it is noted at them."""
    found = rows_among(db, _NOTED, [target for (target,) in db.execute("SELECT DISTINCT target FROM new_mark")])
    now = corrections(db, [(thought_id, project_id) for _, thought_id, project_id, _ in found])
    return sum(bool(by) - bool(noted) for (*_, noted), by in zip(found, now, strict=True))


def unmark(db: sqlite3.Connection, source: int, ids: list[str]) -> None:
    """Corrections no longer hold."""
    touched: set[str] = set()
    for mark_id in ids:
        touched |= _take_out(db, source, mark_id)
    _settle(db, touched)


def unretract(db: sqlite3.Connection, source: int, thought_id: str) -> None:
    """What was taken back is said again where it was taken back: it stands again."""
    for table in MARKS:
        db.execute(f"DELETE FROM {table} WHERE target = ? AND by = '' AND source = ?", (thought_id, source))
    _settle(db, [thought_id])


def _take_out(db: sqlite3.Connection, source: int, mark_id: str) -> set[str]:
    row = db.execute("SELECT at, target FROM every_mark WHERE id = ? AND source = ?", (mark_id, source)).fetchone()
    if row is None:
        return set()
    at, target = row
    former = _circle(db, target)
    for table in MARKS:
        db.execute(f"DELETE FROM {table} WHERE at = ?", (at,))
    return {target} | _turned(db, former, _circle(db, target))


def _turned(db: sqlite3.Connection, former: list[str], circle: list[str]) -> set[str]:
    """Note who is in a circle after a correction came or went; whoever that may concern."""
    if former or circle:
        db.executemany("DELETE FROM ring WHERE id = ?", [(one,) for one in former])
        db.executemany("INSERT OR IGNORE INTO ring VALUES (?)", [(one,) for one in circle])
    return {*former, *circle}


def _settle(db: sqlite3.Connection, ids: Iterable[str]) -> None:
    """Note at the documents with these ids whether they stand."""
    found = rows_among(db, _NOTED, sorted(ids))
    if not found:
        return
    now = corrections(db, [(thought_id, project_id) for _, thought_id, project_id, _ in found])
    changed = [(by, row) for (row, _, _, former), by in zip(found, now, strict=True) if by != former]
    db.executemany("UPDATE document SET corrected_by = ? WHERE row = ?", changed)


def corrections(db: sqlite3.Connection, asked: list[tuple[str, str]]) -> list[str]:
    """For each id, as a project sees it: what replaced it, `retracted`, or "" while it stands.

    A project does not correct another's, nor what is there for all.
    """
    ids = list({thought_id for thought_id, _ in asked})
    marks: dict[str, list[tuple[int, str, str]]] = {}
    for target, *rest in rows_among(db, "SELECT target, at, project_id, by FROM every_mark WHERE target", ids):
        marks.setdefault(target, []).append(tuple(rest))
    in_ring = among(db, "SELECT id FROM ring WHERE id", list(marks))
    found: list[str] = []
    for thought_id, project_id in asked:
        by = [one for _, whose, one in sorted(marks.get(thought_id, ()), reverse=True) if whose in ("", project_id)]
        stands = thought_id in in_ring and _stands_in_circle(db, thought_id)
        found.append("retracted" if "" in by else by[0] if by and not stands else "")
    return found


def _stands_in_circle(db: sqlite3.Connection, thought_id: str) -> bool:
    """Of thoughts that replace each other in a circle, the one that the newest correction leads to stands."""
    steps = [_newest(db, one) for one in _circle(db, thought_id)]
    return bool(steps) and max(step for step in steps if step)[1] == thought_id


def _circle(db: sqlite3.Connection, start: str) -> list[str]:
    """The thoughts that replace each other in a circle with this one; none when it is in no circle."""
    if db.execute("SELECT 1 FROM every_mark WHERE by = ? LIMIT 1", (start,)).fetchone() is None:
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
    query = "SELECT at, by FROM every_mark WHERE target = ? AND by != '' ORDER BY at DESC LIMIT 1"
    found: tuple[int, str] | None = db.execute(query, (thought_id,)).fetchone()
    return found
