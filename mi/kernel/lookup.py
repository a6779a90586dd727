"""Many ids looked up in a table together: a statement takes only so many, and one for each would be slow."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

_AT_ONCE = 500


def among(db: "sqlite3.Connection", select: str, ids: list[str], *values: object) -> set[str]:
    """What a query finds whose last condition is that a column be one of the ids."""
    found: set[str] = set()
    for start in range(0, len(ids), _AT_ONCE):
        chunk = ids[start : start + _AT_ONCE]
        rows = db.execute(f"{select} IN ({','.join('?' * len(chunk))})", (*values, *chunk))
        found.update(one for (one,) in rows)
    return found
