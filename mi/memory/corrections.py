"""What was taken back or replaced, by what, and for whom: marks, chains and circles of them."""

import sqlite3

from mi.memory.documents import Mark

_MAX_CHAIN = 1000


def mark(db: sqlite3.Connection, source: int, project_id: str, one: Mark) -> None:
    """A correction holds from now on."""
    if one.target == one.by:
        return
    unmark(db, source, one.id)
    former = _circle(db, one.target)  # a newer correction may open a circle as well as close one
    query = "INSERT INTO mark (id, source, project_id, target, by) VALUES (?, ?, ?, ?, ?)"
    db.execute(query, (one.id, source, project_id, one.target, one.by))
    _settle(db, one.target, former)


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
    if former_circle or circle:
        db.executemany("DELETE FROM ring WHERE id = ?", [(one,) for one in former_circle])
        db.executemany("INSERT OR IGNORE INTO ring VALUES (?)", [(one,) for one in circle])
    for one in {target, *former_circle, *circle}:
        for row, project_id in db.execute("SELECT row, project_id FROM document WHERE id = ?", (one,)).fetchall():
            corrected_by = correction(db, one, project_id)
            db.execute(
                "UPDATE document SET corrected_by = ?1 WHERE row = ?2 AND corrected_by != ?1", (corrected_by, row)
            )


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
