"""The hub of a home: whether it shares, what it would, and one round of sharing."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from mi.app.home_context import HomeContext
from mi.kernel.home import Home

if TYPE_CHECKING:
    from mi.hub.push import Pushed
    from mi.hub.state import HubState

Progress = Callable[[int, int], None]


class SyncedHome(NamedTuple):
    """What one round brought there and here."""

    pushed: "Pushed"
    pulled: int


def is_sharing(context: HomeContext) -> bool:
    """Return whether the person's words for the team go to a hub."""
    from mi.hub.state import is_joined, read_hub

    home = context.home
    if not is_joined(home) or context.config.hub.share == "off":
        return False
    return bool(read_hub(home, context.notices).dsn)


def open_hub(context: HomeContext) -> "tuple[Home, HubState]":
    """Return the home and the hub that it joined."""
    from mi.hub.state import need_hub

    return context.home, need_hub(context.home, context.notices)


def sync(context: HomeContext, progress: Progress) -> SyncedHome:
    """Push what may leave, then pull what others share."""
    from mi.hub.connection import connect_home
    from mi.hub.pull import HubPull
    from mi.hub.push import HubPush, Pushed

    home, state = open_hub(context)
    with connect_home(home, state) as connection:
        pushed = Pushed()
        if is_sharing(context):
            pushed = HubPush(connection, home, state, context.notices).run(progress)
        return SyncedHome(pushed, HubPull(connection, home, state).run(progress))


class LeavingRecord(NamedTuple):
    """Something that the next push would send."""

    reach: str
    kind: str
    project_id: str
    text: str


def preview(context: HomeContext) -> list[LeavingRecord]:
    """Return what would leave this home now."""
    from mi.hub.connection import connect_home
    from mi.hub.push import HubPush
    from mi.kernel.jsontext import decode

    home, state = open_hub(context)
    if not is_sharing(context):
        return []
    with connect_home(home, state) as connection:
        found = [*HubPush(connection, home, state, context.notices).preview()]
    return [
        LeavingRecord(one.reach, one.kind, log.project, _tell_text(decode(one.body.encode(), dict[str, Any])))
        for log, one in found
    ]


def _tell_text(raw: dict[str, Any]) -> str:
    """Return what a record says, else which one it is about."""
    said = [str(raw[name]) for name in ("title", "text") if raw.get(name)]
    about = [str(raw[name]) for name in ("claim_id", "node_id", "edge_id") if raw.get(name)]
    return "\n".join(said or about)


class MemberLine(NamedTuple):
    """A member as everybody sees them."""

    name: str
    joined: str
    removed: str
    homes: int
    seen: str


class HubStatus(NamedTuple):
    """How a home stands with its hub."""

    hub_id: str
    member: str
    home_id: str
    where: str
    share: str
    tls: bool
    to_push: int
    to_pull: int
    members: list[MemberLine]


_MEMBERS = """SELECT name, coalesce(to_char(joined, 'YYYY-MM-DD'), ''), coalesce(to_char(removed, 'YYYY-MM-DD'), ''),
    count(home.id), coalesce(to_char(max(home.seen), 'YYYY-MM-DD HH24:MI'), '')
    FROM mi_hub.member LEFT JOIN mi_hub.home ON home.member = name GROUP BY name ORDER BY name"""


def read_status(context: HomeContext) -> HubStatus:
    """Return how this home stands with its hub."""
    from mi.hub.connection import connect_home, describe_place
    from mi.hub.pull import HubPull
    from mi.hub.push import HubPush

    home, state = open_hub(context)
    with connect_home(home, state) as connection:
        push = HubPush(connection, home, state, context.notices)
        return HubStatus(
            *(state.hub_id, state.member, state.home_id, describe_place(state.dsn), context.config.hub.share),
            tls=connection.pgconn.ssl_in_use,
            to_push=sum(1 for _ in push.preview()) if is_sharing(context) else 0,
            to_pull=sum(behind for _, _, behind in HubPull(connection, home, state).list_behind()),
            members=[MemberLine(*row) for row in connection.execute(_MEMBERS).fetchall()],
        )
