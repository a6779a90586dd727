"""Connections to a hub: by libpq's own ways, and with what goes wrong told in one line."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mi.hub.schema import check_version
from mi.hub.state import HubState, read_password
from mi.kernel.errors import Blocked, MiError, UsageError
from mi.kernel.home import Home

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

_PATIENCE_S = 10
_KEEPALIVES = {"keepalives_idle": 20, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 30_000}
_REASONS = {  # by SQLSTATE, else by its class
    "28": "hub-locked",
    "42501": "hub-no-permission",
    "3F000": "hub-missing",
    "42P01": "hub-missing",
    "42883": "hub-missing",
    "3D000": "hub-unreachable",
    "53100": "hub-full",
    "53300": "hub-busy",
    "55P03": "hub-held-up",
    "57": "hub-cut",
    "08": "hub-cut",
}


def load_psycopg() -> Any:
    """Return the driver; MiError that says how to get it where it is missing."""
    try:
        import psycopg
    except ImportError as error:
        raise MiError("hub-extra-missing", reason=str(error).splitlines()[0]) from None
    return psycopg


def parse_dsn(dsn: str) -> dict[str, str]:
    """Return the parts of a DSN; UsageError for what is none, and for one that holds a password."""
    psycopg = load_psycopg()
    try:
        parts = {
            name: str(value) for name, value in psycopg.conninfo.conninfo_to_dict(dsn).items() if value is not None
        }
    except psycopg.ProgrammingError as error:
        raise UsageError("hub-bad-dsn", reason=tell_first_line(error)) from None
    if "password" in parts or "sslpassword" in parts:
        raise UsageError("hub-password-in-dsn")
    return parts


def make_dsn(parts: dict[str, str]) -> str:
    """Return the parts as one text that can be kept."""
    return str(load_psycopg().conninfo.make_conninfo("", **parts))


@contextmanager
def connect(dsn: str, password: str = "", patience_s: int = _PATIENCE_S) -> Iterator["Connection"]:
    """Open a connection in which each statement stands for itself; whatever fails is one line with the way out."""
    psycopg = load_psycopg()
    parts: dict[str, Any] = {"connect_timeout": str(patience_s), "application_name": "mi", **_KEEPALIVES}
    parts |= parse_dsn(dsn)
    if password:
        parts["password"] = password
    with explain_failures(dsn):
        connection = psycopg.connect(**parts, autocommit=True)
    with explain_failures(dsn, "hub-cut"), connection:
        yield connection


@contextmanager
def connect_owner(dsn: str) -> Iterator["Connection"]:
    """Open a connection as the hub's owner, who calls nothing by a name that somebody else gave a meaning.

    In a server of 14, or one that was brought up from there, all may put functions into the schema `public`.
    """
    parts = parse_dsn(dsn)
    parts["options"] = f"{parts.get('options', '')} -c search_path=pg_catalog".strip()
    with connect(make_dsn(parts)) as connection:
        yield connection


@contextmanager
def connect_home(home: Home, state: HubState, patience_s: int = _PATIENCE_S) -> Iterator["Connection"]:
    """Open a connection to the hub that a home joined, as its member."""
    with connect(state.dsn, read_password(home), patience_s) as connection:
        check_version(connection)
        yield connection


@contextmanager
def explain_failures(dsn: str, without_state: str = "") -> Iterator[None]:
    """Turn what PostgreSQL or the way to it says into one line; what comes from the way has no SQLSTATE."""
    psycopg = load_psycopg()
    try:
        yield
    except psycopg.Error as error:
        raise _explain(error, dsn, without_state) from None


def _explain(error: Any, dsn: str, without_state: str) -> MiError:
    reason, state = tell_first_line(error), str(error.sqlstate or "")
    code = (
        _REASONS.get(state)
        or _REASONS.get(state[:2])
        or ("hub-error" if state else without_state or _tell_apart(reason))
    )
    kind = Blocked if code in ("hub-locked", "hub-no-permission") else MiError
    return kind(code, where=describe_place(dsn), reason=reason)


def _tell_apart(reason: str) -> str:
    """Return what went wrong before there was a connection, where libpq has no code for it."""
    low = reason.lower()
    if "ssl" in low or "certificate" in low or "tls" in low or "no encryption" in low:
        return "hub-tls"
    if "password" in low or "not permitted to log in" in low or "authentication" in low:
        return "hub-locked"
    return "hub-unreachable"


def describe_place(dsn: str) -> str:
    """Return where a hub is, for people: host, port and database."""
    parts = parse_dsn(dsn)
    if "service" in parts:
        return f"service {parts['service']}"
    place = f"{parts.get('host', 'localhost')}:{parts.get('port', '5432')}"
    return f"{place}/{parts.get('dbname', '')}"


def tell_first_line(error: Exception) -> str:
    """Return the first line of what an error says."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
