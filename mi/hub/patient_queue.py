"""The hub's queue as a worker asks it: what fails since the hub is away is asked again until it is back."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from mi.hub.procrastinate_queue import ProcrastinateQueue
from mi.kernel.errors import MiError

if TYPE_CHECKING:
    from mi.fleet.queue import ClaimRules, JobClaim, Queue

T = TypeVar("T")
_PASSING = ("hub-cut", "hub-unreachable", "hub-busy", "hub-held-up", "hub-full")
_LOOK_S = 0.2
_LONGEST_S = 10.0
_ASKED_ANEW_S = 3.0  # for a job, where the hub told of none


class PatientQueue:
    """Asks a queue; while nothing is told of, it is not asked for a job more often than every few seconds."""

    def __init__(self, queue: ProcrastinateQueue, is_over: Callable[[], bool], fail: Callable[[MiError], None]) -> None:
        """`fail` hears once of each time that the hub is away."""
        self._queue = queue
        self._is_over = is_over
        self._fail = fail
        self._empty_since = 0.0

    def claim(self, worker: str, rules: "ClaimRules") -> "JobClaim | None":
        if time.monotonic() - self._empty_since < _ASKED_ANEW_S and not self.ask(lambda: self._queue.wait(0.0)):
            return None
        found = self.ask(lambda: self._queue.claim(worker, rules))
        self._empty_since = 0.0 if found else time.monotonic()
        return found

    def __getattr__(self, name: str) -> Any:
        return lambda *words, **named: self.ask(lambda: getattr(self._queue, name)(*words, **named))

    def ask(self, call: Callable[[], T]) -> T:
        """Return what a call of the hub returns, once it can be reached."""
        failures = 0
        while True:
            try:
                return call()
            except MiError as error:
                if error.code not in _PASSING or self._is_over():
                    raise
                if not failures:
                    self._fail(error)
                failures += 1
                self._queue.close()
            until = time.monotonic() + min(0.5 * 2**failures, _LONGEST_S)
            while time.monotonic() < until and not self._is_over():
                time.sleep(_LOOK_S)


def as_queue(patient: PatientQueue) -> "Queue":
    """Return it as what it offers: all that a queue does."""
    return cast("Queue", patient)
