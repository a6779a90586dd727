"""What can be read by address: `resources/list`, `resources/templates/list`, `resources/read`."""

from typing import Any

from mi.kernel.errors import MiError
from mi.kernel.jsontext import encode
from mi.kernel.secrets import redact
from mi.mcp.registry import Offer
from mi.mcp.session import ToolSession
from mi.mcp.tool import Resources
from mi.mcp.wire import INVALID_PARAMS, METHOD_NOT_FOUND, RpcError

_NOT_FOUND = -32002


def answer(session: ToolSession, offer: Offer, method: str, params: dict[str, Any]) -> bytes:
    """The result of a resources method; each toolset answers for its own addresses."""
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
