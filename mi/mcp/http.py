"""`mi mcp serve --http`: Streamable HTTP on loopback, for clients that start no process; a token opens it."""

import asyncio
import os
import secrets
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mi.app.loopback.body import read_body
from mi.app.loopback.limits import Limits
from mi.app.loopback.server import LoopbackServer, build_app
from mi.app.telling_runs import keep_from_runs
from mi.kernel.files import read_bytes, write_atomic
from mi.kernel.home import Home, make_dirs
from mi.mcp.dispatch import VERSIONS, Dispatcher, Job
from mi.mcp.registry import Offer
from mi.mcp.session import ToolSession

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext

_MOST_SESSIONS = 100
_LIMITS = Limits()
_JSON = "application/json"


def find_token_file(home: Home) -> str:
    """Return where the token is kept: made once, so that a client configured with it stays so."""
    return home.path("mcp", "token")


def read_token(home: Home) -> str:
    """Return the token, made at the first use."""
    path = find_token_file(home)
    known = (read_bytes(path) or b"").strip()
    if len(known) < 32:
        make_dirs(os.path.dirname(path))
        known = secrets.token_hex(24).encode()
        write_atomic(path, known + b"\n")
    return known.decode("ascii", "replace")


class HttpDoor:
    """A listener that serves the endpoint alone."""

    def __init__(self, context: "HomeContext", offer: Offer, port: int, token: str, limits: Limits = _LIMITS) -> None:
        self.token = token
        self.endpoint = McpEndpoint(context, offer, limits)
        app = build_app([self.endpoint.route], token, limits, self.endpoint.lifespan)
        self._server = LoopbackServer(app, port, limits)

    @property
    def port(self) -> int:
        return self._server.port

    def run(self) -> None:
        """Serve until `stop` is called or the process is interrupted."""
        self._server.run()

    def stop(self) -> None:
        self._server.stop()


class McpEndpoint:
    """`/mcp` and its sessions; each session is one connection of a client."""

    def __init__(self, context: "HomeContext", offer: Offer, limits: Limits = _LIMITS) -> None:
        self._context = context
        self._offer = offer
        self._limits = limits
        # A database belongs to its thread. What agents write by it is no word of whoever started the server.
        self._rooms = ThreadPoolExecutor(1, "rooms", keep_from_runs)
        self.sessions: dict[str, Dispatcher] = {}
        self.route = Route("/mcp", self._answer, methods=["POST", "DELETE"])  # MI says nothing unasked: no GET

    @asynccontextmanager
    async def lifespan(self, app: object) -> AsyncIterator[None]:
        """End the sessions with the server."""
        try:
            yield
        finally:
            for dispatcher in self.sessions.values():
                self._rooms.submit(dispatcher.session.close)
            self._rooms.shutdown()

    async def _answer(self, request: Request) -> Response:
        session_id = request.headers.get("Mcp-Session-Id", "")
        if request.method == "DELETE":
            return self._close(session_id)
        _check_kinds(request)
        body = await read_body(request, self._limits)
        if not session_id:
            return self._introduce(body)
        dispatcher = self.sessions.pop(session_id, None)
        if dispatcher is None:
            raise HTTPException(404, "there is no such session: initialize again")
        self.sessions[session_id] = dispatcher  # it is the youngest from now on
        _check_version(request)
        reply = await self._run(dispatcher.receive(body))
        return Response(status_code=202) if reply is None else Response(reply, media_type=_JSON)

    def _introduce(self, body: bytes) -> Response:
        dispatcher = Dispatcher(ToolSession(self._context.for_agent()), self._offer)
        job = dispatcher.receive(body)
        if job.method not in ("initialize", "") or job.slow:
            raise HTTPException(400, "Mcp-Session-Id is missing: initialize first")
        reply = job.run() or b""
        if not dispatcher.version:  # no session came of it: unreadable, or asked for wrongly
            return Response(reply, 400, media_type=_JSON)
        return Response(reply, headers={"Mcp-Session-Id": self._open(dispatcher)}, media_type=_JSON)

    def _open(self, dispatcher: Dispatcher) -> str:
        """Keep an introduced connection; of too many the one that was not used for longest goes."""
        session_id = secrets.token_hex(16)
        self.sessions[session_id] = dispatcher
        if len(self.sessions) > _MOST_SESSIONS:
            self._close(next(iter(self.sessions)))
        return session_id

    def _close(self, session_id: str) -> Response:
        found = self.sessions.pop(session_id, None)
        if found is None:
            raise HTTPException(404, "there is no such session")
        self._rooms.submit(found.session.close)
        return Response(status_code=204)

    async def _run(self, job: Job) -> bytes | None:
        """Return the reply; what works in the rooms waits its turn there, and is done even if nobody waits for it."""
        if not job.slow:
            return job.run()
        return await asyncio.shield(asyncio.wrap_future(self._rooms.submit(job.run)))


def _check_kinds(request: Request) -> None:
    if _JSON not in request.headers.get("Content-Type", _JSON):
        raise HTTPException(415, "Content-Type must be application/json", {"Connection": "close"})
    accepted = request.headers.get("Accept", "*/*")
    if not any(kind in accepted for kind in (_JSON, "application/*", "*/*")):
        raise HTTPException(406, "Accept must allow application/json", {"Connection": "close"})


def _check_version(request: Request) -> None:
    version = request.headers.get("MCP-Protocol-Version")
    if version is not None and version not in VERSIONS:
        known = ", ".join(VERSIONS)
        raise HTTPException(400, f"MCP-Protocol-Version {version!r} is not known (there are: {known})")
