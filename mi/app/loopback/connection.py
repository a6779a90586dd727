"""One connection to a listener: closed when it stands still, and when others need its place."""

from asyncio import TimerHandle, Transport

from uvicorn.protocols.http.h11_impl import H11Protocol

from mi.app.loopback.limits import Limits

KNOWN = "known"  # in the state of a request that showed the token


class BoundedConnection(H11Protocol):
    """Uvicorn's HTTP/1.1, which alone would wait for a request for ever."""

    limits = Limits()
    _deadline: TimerHandle | None = None
    _in_head = True
    _since = 0.0

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as in the base class
        has_room = len(self.connections) < self.limits.connections or self._make_room()
        super().connection_made(transport)
        self._wait(self.limits.head_s if has_room else 0)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self._in_head and not self._is_answering:
            self._in_head = True  # from the first byte of a request; later ones do not prolong it
            self._wait(self.limits.head_s)
        super().data_received(data)
        if self._is_answering:
            self._in_head = False
            self._stop_waiting()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self._is_answering:
            self._in_head = bool(self.conn.trailing_data[0])  # the next request came with this one, in part
            self._wait(self.limits.head_s if self._in_head else self.limits.idle_s)

    @property
    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def _is_known(self) -> bool:
        return self.scope is not None and KNOWN in self.scope["state"]

    def _make_room(self) -> bool:
        """Close who stood still for longest, first of those that never showed the token; False when all are answered.

        The newest gets the place: else whoever opens enough connections would lock the owner out.
        """
        others = [one for one in self.connections if isinstance(one, BoundedConnection)]
        idle = [one for one in others if not (one._is_answering and one._is_known)]
        if idle:
            last = min(idle, key=lambda one: (one._is_known, one._since))
            self.connections.discard(last)
            last.transport.abort()
        return bool(idle)

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self._since = self.loop.time()
        self._deadline = self.loop.call_later(seconds, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
