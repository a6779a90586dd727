"""Waiting until there is something to share: the hub tells of others, the logs of one's own."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from mi.evidence.inbox import find_logs
from mi.hub.outgoing import list_logs
from mi.hub.state import HubState
from mi.kernel import jsonl
from mi.kernel.home import Home
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices

if TYPE_CHECKING:
    from mi.hub.connection import Connection

_LOOK_S = 0.25
_LONGEST_S = 30.0  # until a round is made whatever was heard
_QUESTION = "question "  # begins what the hub tells of questions; whom it concerns follows
_SIGNS = (b'"question"', b'"user_input"')
_READ = 1 << 20  # bytes of what is new in a log, looked through for questions


class HubNews(NamedTuple):
    """What there may be to do."""

    records: bool = True
    questions: bool = True


class HubWatch:
    """Listens on a connection that nothing else uses meanwhile; what is told before the first wait is not missed."""

    def __init__(self, connection: "Connection", home: Home, state: HubState, notices: Notices) -> None:
        self._connection = connection
        self._home = home
        self._state = state
        self._notices = notices
        connection.execute("LISTEN mi_hub")
        self._sizes = self._measure()
        self._evidence = self._measure_evidence()

    def wait(self, is_over: Callable[[], bool]) -> HubNews:
        """Return once something is new, a while has passed, or it is over."""
        until = time.monotonic() + _LONGEST_S
        while not is_over() and time.monotonic() < until:
            told = [one.payload for one in self._connection.notifies(timeout=_LOOK_S, stop_after=1)]
            sizes, of_questions = self._measure(), [one for one in told if one.startswith(_QUESTION)]
            others = [one for one in told if one not in of_questions and one != self._state.home_id]
            records = sizes != self._sizes or bool(others)
            questions = self._has_new_question() or any(map(self._concerns, of_questions))
            self._sizes = sizes
            if records or questions:
                return HubNews(records, questions)
        return HubNews()

    def _concerns(self, told: str) -> bool:
        return not {self._state.home_id, self._state.member}.isdisjoint(told.split())

    def _measure(self) -> list[int]:
        logs = list_logs(self._home, self._notices, self._state.runs_since)
        return [jsonl.measure_size(log.place) for log in logs]

    def _measure_evidence(self) -> dict[str, int]:
        return {log: jsonl.measure_size(log) for _, log in find_logs(self._home)}

    def _has_new_question(self) -> bool:
        """Return whether what is new in the logs asks or answers something."""
        known, self._evidence = self._evidence, self._measure_evidence()
        grown = [(log, known.get(log, 0), size) for log, size in self._evidence.items() if size != known.get(log, 0)]
        return any(_is_about_questions(log, max(since, size - _READ), size) for log, since, size in grown)


def _is_about_questions(log: str, since: int, upto: int) -> bool:
    if upto < since:  # written anew
        return True
    new = jsonl.read_range(log, since, upto)
    return any(sign in new for sign in _SIGNS)
