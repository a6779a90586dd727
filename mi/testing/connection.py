"""One agent's connection to a scripted model: reads requests, writes replies, breaks off where the script says so."""

from __future__ import annotations

import json
import select
import socket
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any, cast

from mi.testing.replies import Failure, Turn
from mi.testing.requests import Request
from mi.testing.wire import ReplyPlace

if TYPE_CHECKING:
    from mi.testing.server import ScriptedServer

_LOOK_S = 0.05


class Connection(BaseHTTPRequestHandler):
    """HTTP/1.1 with chunked streams, so that a cut is a broken transfer and no tidy end."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def _scripted(self) -> ScriptedServer:
        return cast("ScriptedServer", self.server.scripted)  # type: ignore[attr-defined]

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing: the requests are kept instead."""

    def do_HEAD(self) -> None:
        self._stray()
        self._send(200, b"")

    def do_GET(self) -> None:
        if self._path() == "/v1/models":
            return self._send_json(200, {"object": "list", "data": [{"id": "scripted", "object": "model"}]})
        self._stray()
        return self._not_here()

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self._path() != self._scripted.wire.path:
            self._stray()
            return self._not_here()
        body = _object(data)
        if body is None:
            return self._fail(Failure(status=400, message="scripted server: the request body is no JSON object"))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = self._scripted.record(self.path, headers, body)
        reply = self._scripted.reply(request)
        if isinstance(reply, Failure):
            return self._fail(reply)
        return self._stream(reply, request) if body.get("stream") else self._whole(reply, request)

    def _path(self) -> str:
        return self.path.partition("?")[0]

    def _stray(self) -> None:
        from mi.testing.server import Stray

        self._scripted.strays.append(Stray(self.command, self.path))

    def _not_here(self) -> None:
        wire = self._scripted.wire
        self._fail(Failure(status=404, message=f"scripted server: the {wire.name} is at {wire.path}, not {self.path}"))

    def _fail(self, failure: Failure) -> None:
        if failure.body is None:
            return self._send_json(failure.status, self._scripted.wire.error_body(failure), failure.headers)
        return self._send(failure.status, failure.body.encode(), failure.headers)

    def _send_json(self, status: int, body: dict[str, Any], headers: Mapping[str, str] | None = None) -> None:
        self._send(status, json.dumps(body, ensure_ascii=False).encode(), headers)

    def _send(self, status: int, data: bytes, headers: Mapping[str, str] | None = None) -> None:
        given = {"Content-Type": "application/json", **(headers or {}), "Content-Length": str(len(data))}
        self.send_response(status)
        for name, value in given.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _whole(self, turn: Turn, request: Request) -> None:
        if turn.pause_s and self._scripted.closing.wait(turn.pause_s):
            return self._break_off()
        match turn.ending:
            case "complete" | "stopped":
                place = ReplyPlace(request.number, request.body)
                return self._send_json(200, self._scripted.wire.whole(turn, place))
            case "error":
                return self._fail(Failure(status=500, message=turn.message, kind=turn.code))
            case "hang":
                self._idle()
        return self._break_off()

    def _stream(self, turn: Turn, request: Request) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in self._scripted.events(turn, request):
            if turn.pause_s and self._scripted.closing.wait(turn.pause_s):
                break
            self._chunk(event)
        self._scripted.closing.wait(turn.pause_s)
        if turn.ending in ("complete", "stopped", "error"):
            return self._chunk(b"")
        if turn.ending == "hang":
            self._idle()
        return self._break_off()

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _idle(self) -> None:
        """Stay silent until the agent hangs up or the server closes."""
        while not self._scripted.closing.wait(_LOOK_S):
            if select.select([self.connection], [], [], 0)[0] and not self.connection.recv(1, socket.MSG_PEEK):
                return

    def _break_off(self) -> None:
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the agent was faster


def _object(data: bytes) -> dict[str, Any] | None:
    try:
        body = json.loads(data)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None
