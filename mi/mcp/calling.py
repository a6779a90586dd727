"""What works in the rooms: a tool call or a resource method, checked, done, and whatever came of it as a result."""

import os
import re
from typing import Any

import msgspec

from mi.kernel.errors import MiError, UsageError, from_os_error
from mi.kernel.jsontext import encode
from mi.kernel.secrets import redact
from mi.kernel.text import shorten
from mi.mcp.registry import Offer
from mi.mcp.session import ToolSession
from mi.mcp.tool import Json, Resources, Tool, ToolFailure
from mi.mcp.wire import INVALID_PARAMS, METHOD_NOT_FOUND, RpcError

_PLACE = re.compile(r"^(?P<reason>.*?)(?: - at `\$(?P<path>[^`]*)`)?$", re.DOTALL)
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")
_NOT_FOUND = -32002


def call(session: ToolSession, tool: Tool[Any, Any], arguments: Json) -> bytes:
    """Return the result of `tools/call`, failures included: a model reads them and can do better."""
    session.refresh()
    try:
        if tool.person_only:
            from mi.app.speaker import Speaker, refuse

            tried = f"{tool.name} {encode(arguments).decode()}"
            refuse(session.context, Speaker("agent", "tool", session.client), tool.name, tried, "mcp")
        content, failed = encode(tool.call(session, check_arguments(tool, arguments))), False
    except ToolFailure as refused:
        content, failed = encode(refused.content()), True
    except MiError as error:
        content, failed = _told(error, session), True
    except OSError as error:
        content, failed = _told(from_os_error(error), session), True
    except Exception as error:
        if os.environ.get("MI_TRACEBACK"):
            raise
        content, failed = _told(MiError("internal", what=f"{type(error).__name__}: {error}"), session), True
    if failed or not tool.redacted:
        content = redact(content.decode()).encode()
    return _result(content, failed, session.notices())


def check_arguments(tool: Tool[Any, Any], arguments: Json) -> msgspec.Struct:
    """Return the arguments as the tool's type; UsageError with the field and its value."""
    if tool.parse is not None:
        given: msgspec.Struct = tool.parse(arguments)
        return given
    known = [field.encode_name for field in msgspec.structs.fields(tool.input)]
    for name in arguments:
        if name not in known:
            raise UsageError(
                "bad-arguments-unknown", field=shorten(redact(name), 60), tool=tool.name, known=", ".join(known)
            )
    try:
        made: msgspec.Struct = msgspec.convert(arguments, tool.input)
        return made
    except msgspec.ValidationError as error:
        found = _PLACE.match(str(error))
        reason, path = (found["reason"], found["path"] or "") if found else (str(error), "")
        value = shorten(redact(encode(_at(arguments, path)).decode()), 80)
        raise UsageError(
            "bad-arguments", tool=tool.name, field=path.lstrip(".") or "-", value=value, reason=reason
        ) from None


def _at(arguments: Json, path: str) -> Any:
    value: Any = arguments
    for name, index in _STEP.findall(path):
        try:
            value = value[name] if name else value[int(index)]
        except (KeyError, IndexError, TypeError):
            break
    return value


def _told(error: MiError, session: ToolSession) -> bytes:
    code = error.code.upper().replace("-", "_")
    return encode(ToolFailure(code, error.line(session.context.quiet_language)).content())


def _result(content: bytes, failed: bool, notices: list[str]) -> bytes:
    """Structured content, and the same as text for hosts that read only that."""
    texts = [content.decode(), *notices]
    blocks = encode([{"type": "text", "text": text} for text in texts])
    flag = b',"isError":true}' if failed else b',"isError":false}'
    return b'{"content":' + blocks + b',"structuredContent":' + content + flag


def answer_resources(session: ToolSession, offer: Offer, method: str, params: dict[str, Any]) -> bytes:
    """Return the result of a resources method; each toolset answers for its own addresses."""
    offered: list[Resources] = [toolset.RESOURCES for toolset in offer.with_resources]
    session.refresh()
    match method:
        case "resources/list":
            return encode({"resources": [one for part in offered for one in part.list(session)]})
        case "resources/templates/list":
            return encode({"resourceTemplates": [one for part in offered for one in part.templates]})
        case "resources/read":
            return redact(encode({"contents": [_read(session, offered, params.get("uri"))]}).decode()).encode()
    raise RpcError(METHOD_NOT_FOUND, f"unknown method {method!r}")


def _read(session: ToolSession, offered: list[Resources], uri: Any) -> Any:
    if not isinstance(uri, str):
        raise RpcError(INVALID_PARAMS, "uri must be a string")
    try:
        for part in offered:
            if (text := part.read(session, uri)) is not None:
                return text
    except MiError as error:
        raise RpcError(INVALID_PARAMS, error.line(session.context.quiet_language), {"uri": uri}) from None
    raise RpcError(_NOT_FOUND, "nothing stands at this address", {"uri": uri})
