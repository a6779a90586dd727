"""The listener on 127.0.0.1: builds the one app that MI serves, and runs it until it is stopped."""

import asyncio
import logging
import socket
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp
from uvicorn import Config, Server

from mi.app.loopback.access import OwnersOnly
from mi.app.loopback.connection import BoundedConnection
from mi.app.loopback.limits import Limits
from mi.kernel.errors import StorageError
from mi.kernel.named_tuple import NamedTuple

ADDRESS = "127.0.0.1"
_SECOND = 1.0
_LAST_ANSWERS_S = 10  # what is being answered when the listener stops


def build_app(routes: Sequence[Route], token: str, limits: Limits, lifespan: Any = None) -> ASGIApp:
    """Return the routes as one app that only owners of the token reach."""
    served = Starlette(routes=routes, lifespan=lifespan, exception_handlers={Exception: _tell_failure})
    names = tuple(route.path.strip("/").split("/")[0] for route in routes)
    return OwnersOnly(served, token, names, limits.head_bytes)


def bind_port(port: int, address: str = ADDRESS) -> socket.socket:
    """Return a socket that listens at a port; StorageError when it is taken."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        return socket.create_server((address, port), family=family, backlog=1024)
    except OSError as error:
        raise StorageError("os-error", path=f"{address}:{port}", reason=error.strerror or str(error)) from None


class Certificate(NamedTuple):
    """What a listener shows whoever connects over TLS: two files."""

    certificate: str
    key: str


class LoopbackServer:
    """A bound port, from the start on; `run` answers there."""

    def __init__(
        self, app: ASGIApp, port: int | socket.socket, limits: Limits, certificate: Certificate | None = None
    ) -> None:
        self._socket = port if isinstance(port, socket.socket) else bind_port(port)
        bounded = type("Bounded", (BoundedConnection,), {"limits": limits.fit_process()})
        self._server = _QuietServer(_configure(app, bounded, limits, certificate))

    @property
    def port(self) -> int:
        return int(self._socket.getsockname()[1])

    def run(self) -> None:
        """Serve until `stop` is called or a signal comes, which is raised again at the end."""
        try:
            self._server.run([self._socket])
        finally:
            self._socket.close()

    def stop(self) -> None:
        """End `run`, which another thread is in."""
        self._server.should_exit = True


class _QuietServer(Server):
    """A server that sleeps until it is asked or stopped; the one of uvicorn wakes ten times a second."""

    _loop: asyncio.AbstractEventLoop | None = None
    _is_stopped = False

    @property
    def should_exit(self) -> bool:
        """Return whether it ends; set by a signal or another thread, it wakes up."""
        return self._is_stopped

    @should_exit.setter
    def should_exit(self, value: bool) -> None:
        self._is_stopped = value
        if value and self._loop is not None:
            self._loop.call_soon_threadsafe(self._woken.set)

    async def main_loop(self) -> None:
        self._woken = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        while not await self.on_tick(0):  # tells answers what time it is
            with suppress(TimeoutError):
                async with asyncio.timeout(_SECOND):
                    await self._woken.wait()


def _configure(
    app: ASGIApp, connection: type[BoundedConnection], limits: Limits, certificate: Certificate | None
) -> Config:
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # connections that break are no news to the owner
    return Config(
        app,
        http=connection,
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        log_level="critical",
        access_log=False,  # a path may hold the token
        proxy_headers=False,
        server_header=False,
        headers=[("Server", "mi")],
        backlog=1024,
        timeout_keep_alive=int(limits.idle_s) + 1,
        timeout_graceful_shutdown=_LAST_ANSWERS_S,
        h11_max_incomplete_event_size=limits.head_bytes,
        ssl_certfile=certificate and certificate.certificate,
        ssl_keyfile=certificate and certificate.key,
    )


async def _tell_failure(request: Request, error: Exception) -> PlainTextResponse:
    return PlainTextResponse(f"{type(error).__name__}: {error}", 500, {"Connection": "close"})
