"""Pulling what others share: into files beside the home's own logs, each record once and in its order."""

import os
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from mi.hub.state import HubState
from mi.kernel import jsonl
from mi.kernel.home import Home
from mi.kernel.jsontext import BadJson, decode, decode_stored, encode
from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.search.teammates import GLOBAL

if TYPE_CHECKING:
    from mi.hub.connection import Connection

Progress = Callable[[int, int], None]
_BATCH_ROWS = 2000
_LOGS = """SELECT log.id, log.home, home.member, log.path, log.project, log.seq
    FROM mi_hub.log JOIN mi_hub.home ON home.id = log.home
    WHERE log.home <> %s AND home.member <> %s AND log.seq > 0 ORDER BY log.id"""
_RECORDS = "SELECT seq, body FROM mi_hub.record WHERE log = %s AND seq > %s AND reach = 'team' ORDER BY seq LIMIT %s"
_NAMES = ("claims.jsonl", "nodes.jsonl", "edges.jsonl")
_SAFE = r"[A-Za-z0-9_]{1,60}"  # what a name from elsewhere may be made of


class SharedLog(NamedTuple):
    """A log of another home, as the hub has it."""

    id: int
    home_id: str
    member: str
    path: str
    project: str
    seq: int

    def find_place(self, home: Home) -> str:
        """Return the file that it is kept in."""
        return os.path.join(home.teammates, self.home_id, self.project or GLOBAL, os.path.basename(self.path))

    @property
    def is_known(self) -> bool:
        """Return whether it is one that this version keeps, under a name that stays in its folder."""
        names_are_safe = all(re.fullmatch(_SAFE, one) for one in (self.home_id, self.project or GLOBAL))
        return names_are_safe and os.path.basename(self.path) in _NAMES


class HubPull:
    """Pulls what others share and this home does not have."""

    def __init__(self, connection: "Connection", home: Home, state: HubState) -> None:
        self._connection = connection
        self._home = home
        self._state = state

    def run(self, progress: Progress = lambda done, total: None) -> int:
        """Pull everything; return how many records came."""
        waiting = [*self.list_behind()]
        total, done = sum(behind for _, _, behind in waiting), 0
        for log, since, _ in waiting:
            for count in self._pull_log(log, since):
                done += count
                progress(done, max(total, done))
        return done

    def list_behind(self) -> Iterator[tuple[SharedLog, int, int]]:
        """Yield the logs with something new, up to where they are here, and how many records that is at most."""
        but = self._state.member if self._state.devices else ""  # the person's own homes are taken in otherwise
        for row in self._connection.execute(_LOGS, (self._state.home_id, but)).fetchall():
            log = SharedLog(*row)
            if log.is_known:
                since = read_last_seq(log.find_place(self._home))
                if log.seq > since:
                    yield log, since, log.seq - since

    def _pull_log(self, log: SharedLog, since: int) -> Iterator[int]:
        place = log.find_place(self._home)
        while rows := self._connection.execute(_RECORDS, (log.id, since, _BATCH_ROWS)).fetchall():
            jsonl.append(place, *(_mark(seq, log.member, body) for seq, body in rows), sealed=True)
            since = rows[-1][0]
            yield len(rows)
            if len(rows) < _BATCH_ROWS:
                return


def _mark(seq: int, member: str, body: str) -> bytes:
    """Return a record as it is kept: with its number, by which the next pull goes on, and whose word it is.

    What is no record is kept as nothing but that, so that the numbers go on; nobody can say who they are themselves.
    """
    own: dict[str, Any] = {"hub_seq": seq, "hub_by": member}
    try:
        said = decode_stored(body.encode(), dict[str, Any])
    except BadJson:
        said = {}
    return encode(own | {name: value for name, value in said.items() if name not in own})


def read_last_seq(place: str) -> int:
    """Return the number of the last record that is kept whole; 0 where there is none."""
    for line in jsonl.read_backward(place):
        if line.complete:
            try:
                return int(decode(line.data[:200].partition(b",")[0] + b"}", dict[str, int])["hub_seq"])
            except (BadJson, KeyError):
                continue
    return 0
