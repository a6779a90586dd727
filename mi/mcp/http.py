"""`mi mcp serve --http`: Streamable HTTP on loopback, for clients that start no process; a token opens it."""

import hmac
import os
import secrets
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import TYPE_CHECKING

from mi.kernel.errors import StorageError
from mi.kernel.files import read_bytes, write_atomic
from mi.kernel.home import Home, make_dirs
from mi.mcp.dispatch import VERSIONS, Dispatcher
from mi.mcp.registry import Offer
from mi.mcp.session import ToolSession
from mi.mcp.worker import ToolThread

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext

ADDRESS = "127.0.0.1"
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_MOST_BYTES = 64_000_000
_MOST_SESSIONS = 100


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
    """A listener and its sessions; each session is one connection of a client."""

    def __init__(self, context: "HomeContext", offer: Offer, port: int, token: str) -> None:
        self._context = context
        self._offer = offer
        self.token = token
        self._worker = ToolThread()
        self._sessions: dict[str, Dispatcher] = {}
        self._lock = Lock()
        handler = type("Handler", (_Handler,), {"door": self})
        try:
            self._server = ThreadingHTTPServer((ADDRESS, port), handler)
        except OSError as error:
            reason = error.strerror or str(error)
            raise StorageError("os-error", path=f"{ADDRESS}:{port}", reason=reason) from None
        self._server.daemon_threads = True

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def run(self) -> None:
        """Serve until `stop` is called or the process is interrupted."""
        try:
            self._server.serve_forever(poll_interval=0.2)
        finally:
            self._server.server_close()
            for dispatcher in self._sessions.values():
                self._worker.add(dispatcher.session.close)
            self._worker.finish()

    def stop(self) -> None:
        self._server.shutdown()

    def find(self, session_id: str) -> Dispatcher | None:
        """Return the session of an id; it is the youngest from then on."""
        with self._lock:
            found = self._sessions.pop(session_id, None)
            if found is not None:
                self._sessions[session_id] = found
            return found

    def fresh(self) -> Dispatcher:
        """Return a connection that nobody has introduced yet."""
        return Dispatcher(ToolSession(self._context.for_agent()), self._offer)

    def open(self, dispatcher: Dispatcher) -> str:
        """Keep an introduced connection; of too many the one that was not used for longest goes."""
        session_id = secrets.token_hex(16)
        with self._lock:
            self._sessions[session_id] = dispatcher
            oldest = next(iter(self._sessions)) if len(self._sessions) > _MOST_SESSIONS else ""
        if oldest:
            self.close(oldest)
        return session_id

    def close(self, session_id: str) -> bool:
        """End a session; False when there is none of that id."""
        with self._lock:
            found = self._sessions.pop(session_id, None)
        if found is not None:
            self._worker.add(found.session.close)
        return found is not None

    def answer(self, dispatcher: Dispatcher, body: bytes) -> bytes | None:
        """Return the reply to a body; what works in the rooms waits its turn."""
        job = dispatcher.receive(body)
        return self._worker.ask(job.run) if job.slow else job.run()


class _Refused(Exception):
    """A request that is not let in: HTTP status and why."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class _Handler(BaseHTTPRequestHandler):
    """One HTTP request."""

    door: HttpDoor
    protocol_version = "HTTP/1.1"
    server_version = "mi"
    sys_version = ""

    def do_POST(self) -> None:
        try:
            self._let_in()
            body = self._body()
            self._post(body)
        except _Refused as refused:
            self._refuse(refused)

    def do_DELETE(self) -> None:
        try:
            self._let_in()
            if not self.door.close(self.headers.get("Mcp-Session-Id", "")):
                raise _Refused(404, "there is no such session")
            self._send(204)
        except _Refused as refused:
            self._refuse(refused)

    def do_GET(self) -> None:
        """Refuse: there is nothing that the server would say unasked."""
        try:
            self._let_in()
            self._send(405, headers={"Allow": "POST, DELETE"})
        except _Refused as refused:
            self._refuse(refused)

    def _post(self, body: bytes) -> None:
        session_id = self.headers.get("Mcp-Session-Id", "")
        if not session_id:
            self._introduce(body)
            return
        dispatcher = self.door.find(session_id)
        if dispatcher is None:
            raise _Refused(404, "there is no such session: initialize again")
        version = self.headers.get("MCP-Protocol-Version")
        if version is not None and version not in VERSIONS:
            raise _Refused(400, f"MCP-Protocol-Version {version!r} is not known (there are: {', '.join(VERSIONS)})")
        reply = self.door.answer(dispatcher, body)
        if reply is None:
            self._send(202)
        else:
            self._send(200, reply)

    def _introduce(self, body: bytes) -> None:
        dispatcher = self.door.fresh()
        job = dispatcher.receive(body)
        if job.method not in ("initialize", "") or job.slow:
            raise _Refused(400, "Mcp-Session-Id is missing: initialize first")
        reply = job.run()
        if not dispatcher.version:  # no session came of it: unreadable, or asked for wrongly
            self._send(400, reply or b"")
            return
        self._send(200, reply or b"", {"Mcp-Session-Id": self.door.open(dispatcher)})

    def _let_in(self) -> None:
        """Let in only calls from this machine, by no foreign page, with the token."""
        host = self.headers.get("Host", "")
        if not _is_loopback(host):
            raise _Refused(403, f"Host {host!r} is not this machine")
        origin = self.headers.get("Origin")
        if origin is not None and not _is_loopback(origin.partition("://")[2]):
            raise _Refused(403, f"Origin {origin!r} is not this machine")
        path = self.path.partition("?")[0].strip("/").split("/")
        given = path.pop(0) if len(path) == 2 else _bearer(self.headers.get("Authorization", ""))
        if not hmac.compare_digest(given.encode(), self.door.token.encode()):
            raise _Refused(401, "the token is missing or wrong: Authorization: Bearer <token>, or /<token>/mcp")
        if path != ["mcp"]:
            raise _Refused(404, "the address is /mcp")

    def _body(self) -> bytes:
        if "application/json" not in self.headers.get("Content-Type", "application/json"):
            raise _Refused(415, "Content-Type must be application/json")
        accepted = self.headers.get("Accept", "*/*")
        if not any(kind in accepted for kind in ("application/json", "application/*", "*/*")):
            raise _Refused(406, "Accept must allow application/json")
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            raise _Refused(411, "Content-Length is missing")
        if int(length) > _MOST_BYTES:
            raise _Refused(413, f"at most {_MOST_BYTES} bytes")
        return self.rfile.read(int(length))

    def _refuse(self, refused: _Refused) -> None:
        self.close_connection = True  # the body may not have been read
        headers = {"WWW-Authenticate": "Bearer"} if refused.status == 401 else {}
        self._send(refused.status, refused.reason.encode(), headers, "text/plain; charset=utf-8")

    def _send(
        self, status: int, body: bytes = b"", headers: dict[str, str] | None = None, kind: str = "application/json"
    ) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if body:
            self.send_header("Content-Type", kind)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing: the path may hold the token."""


def _bearer(header: str) -> str:
    kind, _, token = header.partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def _is_loopback(host: str) -> bool:
    name = host.rstrip("/").rpartition("@")[2]  # what stands before an @ is no host
    name = name[: name.index("]") + 1] if name.startswith("[") and "]" in name else name.partition(":")[0]
    return name in _LOOPBACK
