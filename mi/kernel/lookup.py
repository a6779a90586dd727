"""Many ids looked up in a table together: one question for each would be slow."""

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    import sqlite3


def among(db: "sqlite3.Connection", select: str, ids: list[str], *values: object) -> set[str]:
    """What a query for one column finds whose last condition is that a column be one of the ids."""
    return {one for (one,) in rows_among(db, select, ids, *values)}


def rows_among(db: "sqlite3.Connection", select: str, ids: list[str], *values: object) -> list[Any]:
    """The rows of a query whose last condition is that a column be one of the ids."""
    if not ids:
        return []
    # One list as JSON: a statement with a parameter for each takes longer to prepare than to answer.
    plain = [one for one in ids if "\0" not in one]  # where SQLite would end a text in JSON
    asked = msgspec.json.encode(plain).decode()
    found = db.execute(f"{select} IN (SELECT value FROM json_each(?))", (*values, asked)).fetchall()
    for one in ids if len(plain) < len(ids) else ():
        if "\0" in one:
            found += db.execute(f"{select} = ?", (*values, one))
    return found
