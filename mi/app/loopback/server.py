"""The listener on 127.0.0.1: builds the one app that MI serves, and runs it until it is stopped."""

import logging
import socket
from collections.abc import Sequence
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

ADDRESS = "127.0.0.1"
_LAST_ANSWERS_S = 10  # what is being answered when the listener stops


def build_app(routes: Sequence[Route], token: str, limits: Limits, lifespan: Any = None) -> ASGIApp:
    """Return the routes as one app that only owners of the token reach."""
    served = Starlette(routes=routes, lifespan=lifespan, exception_handlers={Exception: _tell_failure})
    names = tuple(route.path.strip("/").split("/")[0] for route in routes)
    return OwnersOnly(served, token, names, limits.head_bytes)


class LoopbackServer:
    """A bound port, from the start on; `run` answers there."""

    def __init__(self, app: ASGIApp, port: int, limits: Limits) -> None:
        try:
            self._socket = socket.create_server((ADDRESS, port), backlog=1024)
        except OSError as error:
            raise StorageError("os-error", path=f"{ADDRESS}:{port}", reason=error.strerror or str(error)) from None
        bounded = type("Bounded", (BoundedConnection,), {"limits": limits.fit_process()})
        self._server = Server(_configure(app, bounded, limits))

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


def _configure(app: ASGIApp, connection: type[BoundedConnection], limits: Limits) -> Config:
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
    )


async def _tell_failure(request: Request, error: Exception) -> PlainTextResponse:
    return PlainTextResponse(f"{type(error).__name__}: {error}", 500, {"Connection": "close"})
