"""Many ids looked up in a table together: a statement takes only so many, and one for each would be slow."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sqlite3

_AT_ONCE = 500


def among(db: "sqlite3.Connection", select: str, ids: list[str], *values: object) -> set[str]:
    """What a query for one column finds whose last condition is that a column be one of the ids."""
    return {one for (one,) in rows_among(db, select, ids, *values)}


def rows_among(db: "sqlite3.Connection", select: str, ids: list[str], *values: object) -> list[Any]:
    """The rows of a query whose last condition is that a column be one of the ids."""
    found: list[Any] = []
    for start in range(0, len(ids), _AT_ONCE):
        chunk = ids[start : start + _AT_ONCE]
        found += db.execute(f"{select} IN ({','.join('?' * len(chunk))})", (*values, *chunk))
    return found
