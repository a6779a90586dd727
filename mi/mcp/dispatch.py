"""The dispatcher: from a message of the client to the reply, whatever carries them."""

import os
from collections.abc import Callable
from typing import Any

import msgspec

from mi import __version__
from mi.mcp import wire
from mi.mcp.registry import Offer
from mi.mcp.session import ToolSession
from mi.mcp.wire import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, RpcError, RpcMessage

LATEST = "2025-11-25"
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", LATEST)
_WITH_BATCHES = ("2024-11-05", "2025-03-26")  # later versions took them out again
_SLOW = ("tools/call", "resources/list", "resources/templates/list", "resources/read")  # they work in the rooms
Params = dict[str, Any]


class Job:
    """What one line or body asks for; `slow`: it works in the rooms, and may be cancelled before or meanwhile."""

    def __init__(self, run: Callable[[], bytes | None], slow: bool, method: str = "") -> None:
        self.run = run
        self.slow = slow
        self.method = method


class Dispatcher:
    """Answers the messages of one connection."""

    def __init__(self, session: ToolSession, offer: Offer) -> None:
        self.session = session
        self.version = ""
        self._offer = offer
        session.offered = frozenset(offer.names)
        self._pending: set[int | str] = set()
        self._cancelled: set[int | str] = set()

    def receive(self, data: bytes) -> Job:
        """Return what a line or a body asks for; errors are answers, too."""
        try:
            parsed = wire.parse(data)
            if isinstance(parsed, list):
                return self._batch(parsed)
            parsed.check()
        except RpcError as error:
            return Job(lambda error=error: wire.build_failure(_id_in(data), error), slow=False)  # type: ignore[misc]
        return self._job(parsed)

    def _job(self, message: RpcMessage) -> Job:
        slow = message.is_request and message.method in _SLOW
        if slow:
            self._pending.add(message.id)
        return Job(lambda: self._answer(message), slow, message.method if message.method is not msgspec.UNSET else "")

    def _batch(self, parts: list[RpcMessage | RpcError]) -> Job:
        if self.version not in _WITH_BATCHES:
            raise RpcError(INVALID_REQUEST, f"version {self.version or LATEST} of the protocol knows no batches")
        if not parts:
            raise RpcError(INVALID_REQUEST, "a batch must not be empty")
        jobs = [self._part(part) for part in parts]

        def run() -> bytes | None:
            replies = [answer for job in jobs if (answer := job.run()) is not None]
            return b"[" + b",".join(replies) + b"]" if replies else None

        return Job(run, slow=any(job.slow for job in jobs))

    def _part(self, part: RpcMessage | RpcError) -> Job:
        try:
            if isinstance(part, RpcError):
                raise part
            part.check()
        except RpcError as error:
            message_id = part.id if isinstance(part, RpcMessage) else None
            return Job(lambda error=error: wire.build_failure(message_id, error), slow=False)  # type: ignore[misc]
        return self._job(part)

    def _answer(self, message: RpcMessage) -> bytes | None:
        if not message.is_request:
            if message.method == "notifications/cancelled":
                self._cancel(message)
            return None
        if message.id in self._cancelled:
            return self._settled(message.id, None)
        try:
            answer = wire.reply(message.id, self._result(message.method, message.arguments()))
        except RpcError as error:
            answer = wire.build_failure(message.id, error)
        except Exception as error:  # one broken answer must not end the connection
            if os.environ.get("MI_TRACEBACK"):
                raise
            answer = wire.build_failure(message.id, RpcError(INTERNAL_ERROR, f"{type(error).__name__}: {error}"))
        return self._settled(message.id, answer)

    def _settled(self, message_id: int | str, answer: bytes | None) -> bytes | None:
        """Return the answer, unless the client no longer wants it."""
        self._pending.discard(message_id)
        if message_id in self._cancelled:
            self._cancelled.discard(message_id)
            return None
        return answer

    def _cancel(self, message: RpcMessage) -> None:
        try:
            wanted = message.arguments().get("requestId")
        except RpcError:
            return  # a notification has no answer
        if isinstance(wanted, int | str) and wanted in self._pending:
            self._cancelled.add(wanted)

    def _result(self, method: str, params: Params) -> bytes:
        match method:
            case "initialize":
                return self._initialize(params)
            case "ping":
                return b"{}"
            case "tools/list":
                self._one_page(params)
                return b'{"tools":[' + b",".join(self._offer.tools) + b"]}"
            case "tools/call":
                return self._call(params)
        if method.startswith("resources/") and self._offer.has_resources:
            from mi.mcp.calling import answer_resources

            self._one_page(params)
            return answer_resources(self.session, self._offer, method, params)
        raise RpcError(METHOD_NOT_FOUND, f"unknown method {method!r}")

    def _one_page(self, params: Params) -> None:
        if params.get("cursor") is not None:
            raise RpcError(INVALID_PARAMS, f"cursor {params['cursor']!r} is unknown: everything is on the first page")

    def _initialize(self, params: Params) -> bytes:
        if self.version:
            raise RpcError(INVALID_REQUEST, "this connection is initialized already")
        wanted = params.get("protocolVersion")
        if not isinstance(wanted, str):
            raise RpcError(INVALID_PARAMS, f"protocolVersion must be a string, such as {LATEST!r}")
        self.version = wanted if wanted in VERSIONS else LATEST
        about = params.get("clientInfo")
        about = about if isinstance(about, dict) else {}
        self.session.introduce(str(about.get("name") or ""), str(about.get("version") or ""))
        capabilities: Params = {"tools": {"listChanged": False}}
        if self._offer.has_resources:
            capabilities["resources"] = {"subscribe": False, "listChanged": False}
        answer = {
            "protocolVersion": self.version,
            "capabilities": capabilities,
            "serverInfo": {"name": "mind-incarnation", "title": "Mind Incarnation", "version": __version__},
        }
        return msgspec.json.encode(answer | ({"instructions": text} if (text := self._offer.instructions) else {}))

    def _call(self, params: Params) -> bytes:
        from mi.mcp.calling import call

        name, arguments = params.get("name"), params.get("arguments")
        if not isinstance(name, str):
            raise RpcError(INVALID_PARAMS, "name must be the name of a tool")
        if arguments is not None and not isinstance(arguments, dict):
            raise RpcError(INVALID_PARAMS, "arguments must be an object")
        toolset = self._offer.module_of(name)
        if toolset is None:
            raise RpcError(INVALID_PARAMS, f"unknown tool {name!r} (there are: {', '.join(self._offer.names)})")
        return call(self.session, next(one for one in toolset.TOOLS if one.name == name), arguments or {})


def _id_in(data: bytes) -> Any:
    """Return the id of a message that is wrong otherwise; None where there is none to be seen."""
    try:
        parsed = wire.parse(data)
    except RpcError:
        return None
    return parsed.id if isinstance(parsed, RpcMessage) else None
