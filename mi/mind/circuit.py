"""When to stop asking a Mind that keeps failing, and when to try it again."""

import time
from collections.abc import Callable

THRESHOLD = 2
REST_S = 60.0


class Circuit:
    """Opens after consecutive real failures; after a rest one call is let through, and its success closes it again.

    A vendor's "not now" (HTTP 429) is no failure: it is waited for and never opens the circuit.
    """

    def __init__(self, threshold: int = THRESHOLD, clock: Callable[[], float] = time.monotonic) -> None:
        self.threshold = threshold
        self.failures_total = 0
        self.failures_consecutive = 0
        self._clock = clock
        self._opened_at: float | None = None

    @property
    def open(self) -> bool:
        return self._opened_at is not None

    def allows(self) -> bool:
        """Return whether a call may be made now."""
        return self._opened_at is None or self._clock() - self._opened_at >= REST_S

    def succeeded(self) -> bool:
        """Count a success; True when it closed the circuit."""
        self.failures_consecutive = 0
        was_open, self._opened_at = self.open, None
        return was_open

    def failed(self) -> bool:
        """Count a failure; True when it opened the circuit."""
        self.failures_total += 1
        self.failures_consecutive += 1
        if self.open:
            self._opened_at = self._clock()
            return False
        if self.failures_consecutive >= self.threshold:
            self._opened_at = self._clock()
        return self.open
