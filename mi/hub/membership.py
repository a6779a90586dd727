"""Who takes part: making a hub, inviting, joining, removing, leaving."""

import re
import secrets
from typing import TYPE_CHECKING

from mi.hub.connection import connect, connect_home, connect_owner, make_dsn, parse_dsn
from mi.hub.schema import check_version, prepare, read_hub_id
from mi.hub.state import HubState, change_hub, keep_password, need_hub, read_hub, read_password
from mi.kernel import believed, files, ids
from mi.kernel.errors import Blocked, MiError, NotFound, UsageError
from mi.kernel.home import Home
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices

if TYPE_CHECKING:
    from mi.hub.connection import Connection

_NAME = r"[a-z0-9][a-z0-9_-]{0,30}"


class Invitation(NamedTuple):
    """What a member needs to join, once and within a day."""

    dsn: str  # with their role, without a password
    secret: str


class MadeHub(NamedTuple):
    """A hub that was made or brought up to date, and what was applied to it."""

    hub_id: str
    steps: list[str]


def make_hub(home: Home, notices: Notices, dsn: str) -> MadeHub:
    """Make the hub of a database, or bring it up to date; the home remembers where it is, for invitations."""
    kept = make_dsn(parse_dsn(dsn))
    with connect_owner(dsn) as connection:
        made = MadeHub(*prepare(connection))
    change_hub(home, notices, owner_dsn=kept)
    return made


def invite(home: Home, notices: Notices, name: str, dsn: str = "") -> Invitation:
    """Make a login for a member."""
    if not re.fullmatch(_NAME, name):
        raise UsageError("hub-bad-member", name=name)
    owner_dsn = _find_owner_dsn(home, notices, dsn)
    secret = secrets.token_urlsafe(24)
    with connect_owner(owner_dsn) as connection:
        check_version(connection)
        row = connection.execute("SELECT mi_hub.invite(%s, %s)", (name, _make_verifier(connection, secret, name)))
        role = str((row.fetchone() or ("",))[0])
    return Invitation(make_dsn(parse_dsn(owner_dsn) | {"user": role}), secret)


def remove(home: Home, notices: Notices, name: str, dsn: str = "") -> int:
    """Lock a member out and end their connections; return how many there were."""
    with connect_owner(_find_owner_dsn(home, notices, dsn)) as connection:
        check_version(connection)
        (roles,) = connection.execute("SELECT mi_hub.remove(%s)", (name,)).fetchone() or (None,)
        if roles is None:
            raise NotFound("hub-no-member", name=name)
        ended = connection.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = ANY(%s::name[])", (roles,)
        ).fetchone()
    return int(ended[0]) if ended else 0


def _find_owner_dsn(home: Home, notices: Notices, dsn: str) -> str:
    found = dsn or read_hub(home, notices).owner_dsn
    if not found:
        raise UsageError("hub-needs-dsn")
    return found


def _make_verifier(connection: "Connection", secret: str, role: str) -> str:
    """Return what the server keeps of a password; the password itself is not sent."""
    return connection.pgconn.encrypt_password(secret.encode(), role.encode(), b"scram-sha-256").decode()


def join(home: Home, notices: Notices, dsn: str, secret: str) -> HubState:
    """Take part in a hub: the secret is used up, and what replaces it is known to this home alone.

    A home that was joined before gets an id of its own anew: it may be a copy of another one. One that was stopped
    after the hub's yes goes on with what it kept.
    """
    parts = parse_dsn(dsn)
    if "user" not in parts and "service" not in parts:
        raise UsageError("hub-needs-role")
    known, password = read_hub(home, notices), read_password(home)
    if known.home_id and not known.dsn and password:
        try:
            with connect(dsn, password) as connection:
                check_version(connection)
                (member,) = connection.execute("SELECT mi_hub.me()").fetchone() or (None,)
                if member is not None:
                    return _finish_joining(home, notices, connection, make_dsn(parts), str(member))
        except Blocked:
            pass  # the hub never heard of it: the secret is still good
    password = secrets.token_urlsafe(32)
    with connect(dsn, secret) as connection:
        check_version(connection)
        verifier = _make_verifier(connection, password, parts.get("user", ""))
        keep_password(home, password)  # before it is needed: a kill after the next lines would lock this home out
        change_hub(home, notices, home_id=ids.make_id("home"), mark_key=secrets.token_hex(16), dsn="")
        (member,) = connection.execute("SELECT mi_hub.join_hub(%s)", (verifier,)).fetchone() or ("",)
        return _finish_joining(home, notices, connection, make_dsn(parts), str(member))


def _finish_joining(home: Home, notices: Notices, connection: "Connection", dsn: str, member: str) -> HubState:
    """Make this home known to the hub that let it in, and keep where that is."""
    query = "INSERT INTO mi_hub.home (id, member) VALUES (%s, %s) ON CONFLICT DO NOTHING"
    connection.execute(query, (read_hub(home, notices).home_id, member))
    return change_hub(home, notices, hub_id=read_hub_id(connection), dsn=dsn, member=member)


def rejoin(home: Home, notices: Notices) -> HubState:
    """Give this home an id of its own at the hub that it joined: it is a copy of another home."""
    state = need_hub(home, notices)
    home_id = ids.make_id("home")
    with connect_home(home, state) as connection:
        connection.execute("INSERT INTO mi_hub.home (id, member) VALUES (%s, %s)", (home_id, state.member))
    return change_hub(home, notices, home_id=home_id, mark_key=secrets.token_hex(16))


def offer(home: Home, notices: Notices, is_offered: bool) -> HubState:
    """Let workers of this member take up runs of others, who allowed it; or no more."""
    state = need_hub(home, notices)
    with connect_home(home, state) as connection:
        connection.execute("UPDATE mi_hub.member SET offers = %s WHERE name = %s", (is_offered, state.member))
    return state


def leave(home: Home, notices: Notices) -> HubState:
    """Forget the hub: what was pushed stays there, what was pulled stays here."""
    state = read_hub(home, notices)
    if not state.dsn and not state.owner_dsn:
        raise MiError("hub-not-joined")
    files.remove_if_there(home.hub_password)
    files.remove_if_there(home.hub_questions)
    believed.remove(home.hub)
    return state
