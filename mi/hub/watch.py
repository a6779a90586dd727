"""Waiting until there is something to share: the hub tells of others, the sizes of the logs of one's own."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from mi.hub.outgoing import list_logs
from mi.hub.state import HubState
from mi.kernel import jsonl
from mi.kernel.home import Home
from mi.kernel.notices import Notices

if TYPE_CHECKING:
    from mi.hub.connection import Connection

_LOOK_S = 0.25
_LONGEST_S = 30.0  # until a round is made whatever was heard


class HubWatch:
    """Listens on a connection that nothing else uses meanwhile; what is told before the first wait is not missed."""

    def __init__(self, connection: "Connection", home: Home, state: HubState, notices: Notices) -> None:
        self._connection = connection
        self._home = home
        self._state = state
        self._notices = notices
        connection.execute("LISTEN mi_hub")
        self._sizes = self._measure()

    def wait(self, is_over: Callable[[], bool]) -> None:
        """Return once something is new, a while has passed, or it is over."""
        until = time.monotonic() + _LONGEST_S
        while not is_over() and time.monotonic() < until:
            told = [*self._connection.notifies(timeout=_LOOK_S, stop_after=1)]
            sizes = self._measure()
            if sizes != self._sizes or any(one.payload != self._state.home_id for one in told):
                break
        self._sizes = self._measure()

    def _measure(self) -> list[int]:
        logs = list_logs(self._home, self._notices, self._state.runs_since)
        return [jsonl.measure_size(log.place) for log in logs]
