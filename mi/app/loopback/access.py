"""Who is let in to what MI serves: calls from this machine, from no foreign page, with the token."""

import hmac
import re

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from mi.app.loopback.connection import KNOWN

_LOOPBACK = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{1,5})?", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


class OwnersOnly:
    """Answers strangers itself, before any of their body is read, and hands the rest on.

    The token stands in the header Authorization or before the path, where it is taken off.
    """

    def __init__(self, app: ASGIApp, token: str, names: tuple[str, ...], head_bytes: int) -> None:
        self._app = app
        self._token = token.encode()
        self._names = names  # the first words of paths: before them stands no token
        self._head_bytes = head_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers, path = Headers(scope=scope), scope["path"].strip("/").split("/")
        with_token = len(path) > 1 and path[0] not in self._names
        given = path.pop(0) if with_token else _read_bearer(headers.get("Authorization", ""))
        refusal = self._refuse_length(scope) or _refuse_place(headers) or self._refuse_token(given)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        scope["state"][KNOWN] = True
        scope["path"] = "/" + "/".join(path)
        await self._app(scope, receive, send)

    def _refuse_length(self, scope: Scope) -> PlainTextResponse | None:
        """Refuse a head that is too long though it came at once: the server counts only what it waits for."""
        length = len(scope["raw_path"]) + sum(len(name) + len(value) for name, value in scope["headers"])
        return _refuse(431, f"at most {self._head_bytes} bytes of headers") if length > self._head_bytes else None

    def _refuse_token(self, given: str) -> PlainTextResponse | None:
        if hmac.compare_digest(given.encode("utf-8", "replace"), self._token):
            return None
        reason = "the token is missing or wrong: Authorization: Bearer <token>, or /<token>/mcp"
        return _refuse(401, reason, {"WWW-Authenticate": "Bearer"})


def _refuse_place(headers: Headers) -> PlainTextResponse | None:
    for host in headers.getlist("Host") or [""]:
        if not _LOOPBACK.fullmatch(host):
            return _refuse(403, f"Host {host!r} is not this machine")
    for origin in headers.getlist("Origin"):
        scheme = _SCHEME.match(origin)
        if scheme is None or not _LOOPBACK.fullmatch(origin, scheme.end()):
            return _refuse(403, f"Origin {origin!r} is not this machine")
    return None


def _refuse(status: int, reason: str, headers: dict[str, str] | None = None) -> PlainTextResponse:
    return PlainTextResponse(reason, status, {"Connection": "close"} | (headers or {}))


def _read_bearer(header: str) -> str:
    kind, _, token = header.partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""
