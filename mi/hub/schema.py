"""The tables of a hub: made and brought up to date by named SQL files, each applied once and known by its digest."""

import os
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from mi.kernel import ids
from mi.kernel.digest import hash_sha256
from mi.kernel.errors import MiError
from mi.kernel.named_tuple import NamedTuple

if TYPE_CHECKING:
    from mi.hub.connection import Connection

OLDEST_SERVER = 140_000
_FOLDER = os.path.join(os.path.dirname(__file__), "migrations")
_EVERYBODY = ":everybody"
_PROCRASTINATE, _PROCRASTINATE_VERSION, _PROCRASTINATE_MAJOR = ":procrastinate_schema", ":procrastinate_version", "3"
_TABLE = """CREATE TABLE IF NOT EXISTS mi_hub.migration (number int PRIMARY KEY, name text NOT NULL,
    digest text NOT NULL, applied timestamptz NOT NULL DEFAULT now())"""


class Migration(NamedTuple):
    """One step of the schema."""

    number: int
    name: str
    text: str

    @property
    def digest(self) -> str:
        return hash_sha256(self.text.encode())


@cache
def list_migrations() -> tuple[Migration, ...]:
    """Return the steps that this version knows, in order."""
    found = [one for name in sorted(os.listdir(_FOLDER)) if (one := re.fullmatch(r"(\d{4})_(\w+)\.sql", name))]
    return tuple(Migration(int(one[1]), one[0], _read(one[0])) for one in found)


def _read(name: str) -> str:
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
        return file.read()


def prepare(connection: "Connection") -> tuple[str, list[str]]:
    """Make the hub of a database, or bring it up to date; return its id and the steps that were applied."""
    if connection.info.server_version < OLDEST_SERVER:
        raise MiError(
            "hub-old-server", version=connection.info.server_version // 10_000, oldest=OLDEST_SERVER // 10_000
        )
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(hashtext('mi_hub.prepare'))")
        connection.execute("CREATE SCHEMA IF NOT EXISTS mi_hub")
        connection.execute(_TABLE)
        applied = _check_applied(connection, may_be_older=True)
        everybody = _find_everybody(connection) or _make_everybody(connection)
        new = [one for one in list_migrations() if one.number > applied]
        for one in new:
            connection.execute(_fill_in(one.text, everybody).encode())
            row = (one.number, one.name, one.digest)
            connection.execute("INSERT INTO mi_hub.migration (number, name, digest) VALUES (%s, %s, %s)", row)
        if not applied:
            hub_id = ids.make_id("hub")
            connection.execute("INSERT INTO mi_hub.hub (id, everybody) VALUES (%s, %s)", (hub_id, everybody))
    return read_hub_id(connection), [one.name for one in new]


def _fill_in(text: str, everybody: str) -> str:
    """Return a step with what is known only here: the group of all members, and procrastinate's own tables."""
    text = text.replace(_EVERYBODY, everybody)
    if _PROCRASTINATE not in text:
        return text
    try:
        from procrastinate import __version__ as version
        from procrastinate.schema import SchemaManager
    except ImportError as error:
        raise MiError("hub-extra-missing", reason=str(error).splitlines()[0]) from None
    if version.split(".")[0] != _PROCRASTINATE_MAJOR:
        raise MiError("hub-other-procrastinate", version=version, known=_PROCRASTINATE_MAJOR)
    return text.replace(_PROCRASTINATE, SchemaManager.get_schema()).replace(_PROCRASTINATE_VERSION, version)


def _find_everybody(connection: "Connection") -> str:
    if connection.execute("SELECT to_regclass('mi_hub.hub')").fetchone() == (None,):
        return ""
    row = connection.execute("SELECT everybody FROM mi_hub.hub").fetchone()
    return str(row[0]) if row else ""


def _make_everybody(connection: "Connection") -> str:
    """Make the group of all members: roles are the whole server's, so that each hub has a name of its own."""
    name = f"mi_{ids.make_id('x')[-8:]}"
    connection.execute(f"CREATE ROLE {name} NOLOGIN".encode())
    return name


def check_version(connection: "Connection") -> None:
    """Raise where the hub and this version do not know the same tables."""
    _check_applied(connection, may_be_older=False)


def _check_applied(connection: "Connection", *, may_be_older: bool) -> int:
    """Return the last step that was applied."""
    rows: list[Any] = connection.execute("SELECT number, name, digest FROM mi_hub.migration ORDER BY number").fetchall()
    known = {one.number: one for one in list_migrations()}
    newest, applied = max(known), rows[-1][0] if rows else 0
    if applied > newest:
        raise MiError("hub-newer", version=applied, known=newest)
    for number, name, digest in rows:
        if known[number].digest != digest:
            raise MiError("hub-other-schema", name=name)
    if applied < newest and not may_be_older:
        raise MiError("hub-older", version=applied, known=newest)
    return int(applied)


def read_hub_id(connection: "Connection") -> str:
    """Return the id of the hub in a database."""
    row = connection.execute("SELECT id FROM mi_hub.hub").fetchone()
    return str(row[0]) if row else ""
