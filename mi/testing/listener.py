"""The loopback listener of a scripted model, and the connections that end with it."""

from __future__ import annotations

import socket
import sys
import threading
from http.server import ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from mi.testing.connection import Connection

if TYPE_CHECKING:
    from mi.testing.server import ScriptedServer


class Listener(ThreadingHTTPServer):
    """The listener: loopback only, a port of its own, and connections that end with it."""

    daemon_threads = True

    def __init__(self, scripted: ScriptedServer) -> None:
        self.scripted = scripted
        self._open: set[Any] = set()
        self._ended = threading.Condition()
        super().__init__(("127.0.0.1", 0), Connection)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._ended:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        with self._ended:
            self._open.discard(request)
            self._ended.notify_all()

    def end_connections(self, timeout_s: float) -> None:
        """Break what is still open and wait for its threads, a bounded time."""
        with self._ended:
            for connection in self._open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass  # the agent was faster
            self._ended.wait_for(lambda: not self._open, timeout_s)

    def handle_error(self, request: Any, client_address: Any) -> None:
        error = sys.exception()
        if not isinstance(error, ConnectionError):  # an agent that was stopped leaves in the middle of a reply
            self.scripted.problems.append(f"scripted server: {type(error).__name__}: {error}")
