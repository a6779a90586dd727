"""What the person's other devices know: taken into the home's own stores, each thing once, with where it came from."""

import os
import re
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from mi.app.home_context import HomeContext
from mi.app.thoughts import build_thoughts
from mi.evidence.records.thoughts import DeviceCame
from mi.hub.outgoing import MINE
from mi.hub.state import HubState
from mi.kernel.jsontext import BadJson, decode_stored
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.state import read_state, update_state
from mi.knowledge.thoughts.kinds import KINDS, Kind
from mi.knowledge.thoughts.store import ThoughtStore, also_citing
from mi.knowledge.thoughts.store_state import Filter

if TYPE_CHECKING:
    from mi.hub.connection import Connection

_BATCH = 2000  # records
_LOGS = f"""SELECT log.id, log.home, log.path, log.project, log.seq
    FROM mi_hub.log JOIN mi_hub.home ON home.id = log.home
    WHERE home.member = %s AND log.home <> %s AND log.seq > 0 AND log.path LIKE '%%{MINE}' ORDER BY log.path, log.id"""
_RECORDS = "SELECT seq, body FROM mi_hub.record WHERE log = %s AND seq > %s ORDER BY seq LIMIT %s"
_ID = re.compile(r"(cl|nd|ed)_[A-Za-z0-9_]{4,80}")


class HubDevices(Struct, frozen=True, kw_only=True):
    """The file `hub/devices.json`: up to which record each log of another device was taken in, by the log's number."""

    version: str = "v1"
    taken: dict[str, int] = {}


class _DeviceLog(NamedTuple):
    id: int
    home_id: str
    path: str
    project: str
    seq: int


def pull_devices(context: HomeContext, connection: "Connection", state: HubState) -> int:
    """Take in what the person's other devices know and this home does not; return how many records that is."""
    home, notices = context.home, context.notices
    taken, count = read_state(home.hub_devices, HubDevices, notices).taken, 0
    for row in connection.execute(_LOGS, (state.member, state.home_id)).fetchall():
        log = _DeviceLog(*row)
        shutil.rmtree(os.path.join(home.teammates, log.home_id), ignore_errors=True)  # those were somebody's words
        if log.project and log.project not in home.project_ids():
            continue  # it comes when the project does
        since = taken.get(str(log.id), 0)
        while since < log.seq:
            rows = connection.execute(_RECORDS, (log.id, since, _BATCH)).fetchall()
            count += _take_in(context, log, [body for _, body in rows])
            since = rows[-1][0] if rows else log.seq
            _note_taken(context, log, since)
    return count


def _note_taken(context: HomeContext, log: _DeviceLog, upto: int) -> None:
    def change(old: HubDevices) -> HubDevices:
        return msgspec.structs.replace(old, taken=old.taken | {str(log.id): upto})

    update_state(context.home.hub_devices, HubDevices, change, context.notices)


def _take_in(context: HomeContext, log: _DeviceLog, bodies: list[str]) -> int:
    """Store what is not known here, after the event that says where it comes from."""
    thoughts, home = build_thoughts(context), context.home
    store = thoughts.open_store(log.project) if log.project else thoughts.shared
    new = [*_choose_new(store, bodies)]
    if not new:
        return 0
    place = home.project(log.project).evidence if log.project else home.evidence
    came = context.evidence_writer(place).append(
        DeviceCame(device=log.home_id, ids=[_find_id(one) for one in new]), sync=True
    )
    store.take_in(also_citing(one, came.event_id) | {"device": log.home_id} for one in new)
    for older, younger in _find_same(store, new):
        store.take_in([_as_raw(store, older, younger, came.event_id) | {"device": log.home_id}])
    if log.project:
        store.close()
    return len(new)


def _choose_new(store: ThoughtStore, bodies: list[str]) -> Iterator[dict[str, Any]]:
    reading, seen = store.read(), set[str]()
    for body in bodies:
        try:
            raw = decode_stored(body.encode(), dict[str, Any])
        except BadJson:
            continue
        kind, thought_id = str(raw.get("kind") or ""), _find_id(raw)
        if kind.removesuffix("_retract") not in KINDS or not _ID.fullmatch(thought_id):
            continue
        known = reading.get(thought_id)
        is_known = known is not None and (not kind.endswith("_retract") or known.status == "retracted")
        if not is_known and kind + thought_id not in seen:
            seen.add(kind + thought_id)
            yield raw


def _find_id(raw: dict[str, Any]) -> str:
    kind = str(raw.get("kind") or "").removesuffix("_retract")
    return str(raw.get(f"{kind}_id") or "")


def _find_same(store: ThoughtStore, new: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield what two devices have in the same words: the older one, which stays, and the younger."""
    kinds: tuple[Kind, ...] = ("claim", "node")
    came = {_find_id(one): _say_plainly(one) for one in new if one.get("kind") in kinds}
    own: dict[str, list[tuple[str, str]]] = {}
    for one in (one for kind in kinds for one in store.read().find(kind, Filter())) if came else ():
        own.setdefault(_say_plainly(one.raw), []).append((str(one.raw.get("asserted_ts") or ""), one.id))
    for said in dict.fromkeys(came.values()):
        first, *others = sorted(own.get(said, [("", "")]))
        yield from ((first[1], one) for _, one in others if {first[1], one} & came.keys())


def _say_plainly(raw: dict[str, Any]) -> str:
    """Return what makes two thoughts the same."""
    return " ".join(f"{raw.get('kind')} {raw.get('title') or ''} {raw.get('text') or ''}".casefold().split())


def _as_raw(store: ThoughtStore, older: str, younger: str, event_id: str) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(store.new_edge("same_as", younger, older, event_id, "user"))
    return found
