"""A way to the server that can be cut: it carries bytes until so many went, then does what a test wants."""

import socket
import threading
import time
from collections.abc import Callable


class Wire:
    """A port of its own that leads to the server; after `limit` bytes in a direction `cut` is called, once."""

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self._port = port
        self._listener = socket.create_server((host, 0))
        self.port = int(self._listener.getsockname()[1])
        self._limit, self._counted, self._cuts_out, self._is_over = 0, True, True, False
        self._cut: Callable[[], None] = lambda: None
        self._open: list[socket.socket] = []
        self.pause_s = 0.0  # before each piece of at most 16 KiB: a slow link
        threading.Thread(target=self._serve, daemon=True).start()

    def cut_after(
        self, limit: int, cut: Callable[[], None] = lambda: None, *, out: bool = True, answer: bool = False
    ) -> None:
        """Carry so many bytes, to the server if `out`, then call `cut` and end the connection.

        With `answer` the server still gets everything, and what it answers next is lost.
        """
        self._limit, self._counted, self._cut = limit, out, cut
        self._cuts_out, self._is_over = out and not answer, False

    def close(self) -> None:
        self._listener.close()
        for one in self._open:
            one.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self._port))
            except OSError:  # nobody is there now
                client.close()
                continue
            self._open += [client, server]
            for source, goal, is_out in ((client, server, True), (server, client, False)):
                threading.Thread(target=self._carry, args=(source, goal, is_out), daemon=True).start()

    def _carry(self, source: socket.socket, goal: socket.socket, is_out: bool) -> None:
        carried = 0
        try:
            while data := source.recv(1 << 14):
                carried += len(data)
                time.sleep(self.pause_s)
                if is_out == self._counted and 0 < self._limit < carried:
                    self._is_over = True
                if self._is_over and is_out == self._cuts_out:
                    self._limit, self._is_over = 0, False
                    self._cut()
                    break
                goal.sendall(data)
        except OSError:
            pass  # the other side is gone
        for one in (source, goal):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
