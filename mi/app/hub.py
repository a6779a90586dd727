"""The hub of a home: whether it shares, what it would, and one round of sharing."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.kernel import jsonl
from mi.kernel.errors import Blocked, MiError
from mi.kernel.home import Home
from mi.kernel.named_tuple import NamedTuple

if TYPE_CHECKING:
    from mi.app.hub_questions import CarriedQuestions
    from mi.hub.connection import Connection
    from mi.hub.push import Pushed
    from mi.hub.state import HubState
    from mi.hub.watch import HubNews

Progress = Callable[[int, int], None]
_LONGEST_PAUSE_S, _LOOK_S = 60, 0.2


class SyncedHome(NamedTuple):
    """What one round brought there and here."""

    pushed: "Pushed"
    pulled: int
    questions: "CarriedQuestions"


def is_sharing(context: HomeContext) -> bool:
    """Return whether the person's words for the team go to a hub."""
    from mi.hub.state import is_joined, read_hub

    home = context.home
    if not is_joined(home) or context.config.hub.share == "off":
        return False
    return bool(read_hub(home, context.notices).dsn)


def open_hub(context: HomeContext) -> "tuple[Home, HubState]":
    """Return the home and the hub that it joined; runs are shared from the first look on at which they are to be."""
    from mi.hub.state import change_hub, need_hub
    from mi.kernel import clock

    state = need_hub(context.home, context.notices)
    shares_runs, devices = context.config.hub.share == "runs", context.config.hub.devices
    if shares_runs != bool(state.runs_since):
        state = change_hub(context.home, context.notices, runs_since=clock.now() if shares_runs else "")
    if (devices == "on") != bool(state.devices):
        state = change_hub(context.home, context.notices, devices="on" if devices == "on" else "")
    return context.home, state


def sync(context: HomeContext, progress: Progress) -> SyncedHome:
    """Push what may leave, then pull what others share."""
    from mi.hub.connection import connect_home

    home, state = open_hub(context)
    with connect_home(home, state) as connection:
        return _sync_over(context, connection, state, progress)


def _sync_over(
    context: HomeContext, connection: "Connection", state: "HubState", progress: Progress, news: "HubNews | None" = None
) -> SyncedHome:
    """Do one round; of `news` only what they are about."""
    from mi.app.hub_questions import CarriedQuestions, carry_questions
    from mi.hub.pull import HubPull
    from mi.hub.push import HubPush, Pushed

    carried, pushed, pulled = CarriedQuestions(), Pushed(), 0
    if news is None or news.questions:
        carried = carry_questions(context, connection, state)
    if news is None or news.records:
        if is_sharing(context):
            pushed = HubPush(connection, context.home, state, context.notices).run(progress)
        pulled = HubPull(connection, context.home, state).run(progress)
        if state.devices:
            from mi.app.hub_devices import pull_devices

            pulled += pull_devices(context, connection, state)
    return SyncedHome(pushed, pulled, carried)


def watch(
    context: HomeContext,
    is_over: Callable[[], bool],
    tell: Callable[[SyncedHome], None],
    fail: Callable[[MiError], None],
    only_questions: bool = False,
) -> None:
    """Sync at once whenever something is new here or at the hub, until it is over; a cut way is tried again."""
    from mi.hub.connection import connect_home
    from mi.hub.watch import HubNews, HubWatch

    home, state = open_hub(context)
    failures = 0
    while not is_over():
        try:
            with connect_home(home, state) as connection:
                watching, news = HubWatch(connection, home, state, context.notices), HubNews()
                while not is_over():
                    news = news._replace(records=news.records and not only_questions)
                    tell(_sync_over(context, connection, state, lambda done, total: None, news))
                    failures = 0
                    news = watching.wait(is_over)
        except Blocked:  # a person is needed: locked out, a copied home
            raise
        except MiError as error:
            fail(error)
            failures += 1
            _wait(min(2**failures, _LONGEST_PAUSE_S), is_over)


def _wait(seconds: float, is_over: Callable[[], bool]) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until and not is_over():
        time.sleep(_LOOK_S)


class LeavingRecord(NamedTuple):
    """Something that the next push would send."""

    reach: str
    kind: str
    project_id: str
    text: str


def preview(context: HomeContext) -> list[LeavingRecord]:
    """Return what would leave this home now."""
    from mi.app.hub_questions import preview_questions
    from mi.hub.connection import connect_home
    from mi.hub.push import HubPush
    from mi.kernel.jsontext import decode

    home, state = open_hub(context)
    if not is_sharing(context):
        return []
    with connect_home(home, state) as connection:
        found = [*HubPush(connection, home, state, context.notices).preview()]
        asked = [*preview_questions(context, connection, state)]
    records = [
        LeavingRecord(one.reach, one.kind, log.project, _tell_text(decode(one.body.encode(), dict[str, Any])))
        for log, one in found
    ]
    return records + [LeavingRecord("question", "question", one.project_id, one.text) for one in asked]


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
    aside: int  # records that cannot be sent
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
            aside=sum(1 for _ in jsonl.read_forward(home.hub_aside)),
            members=[MemberLine(*row) for row in connection.execute(_MEMBERS).fetchall()],
        )
