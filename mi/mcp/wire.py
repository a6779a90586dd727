"""JSON-RPC 2.0 as MCP uses it: messages as they come in, replies as they go out."""

import re
from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")  # half a surrogate pair as JavaScript writes it


class RpcError(Exception):
    """A request that cannot be answered, in the protocol's own terms."""

    def __init__(self, code: int, message: str, data: Any = UNSET) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class RpcMessage(Struct, frozen=True):
    """One message of the client; what it lacks or has wrong is judged by `check`."""

    jsonrpc: Any = UNSET
    id: Any = UNSET
    method: Any = UNSET
    params: Raw | UnsetType = UNSET
    result: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET

    @property
    def is_request(self) -> bool:
        return self.id is not UNSET and self.method is not UNSET

    def check(self) -> None:
        """RpcError when it is no message of the protocol."""
        if self.jsonrpc != "2.0":
            raise RpcError(INVALID_REQUEST, f'jsonrpc must be "2.0", not {_shown(self.jsonrpc)}')
        if self.id is not UNSET and (isinstance(self.id, bool) or not isinstance(self.id, int | str)):
            raise RpcError(INVALID_REQUEST, f"id must be a string or an integer, not {_shown(self.id)}")
        answers = self.method is UNSET and (self.result is not UNSET or self.error is not UNSET)
        if not isinstance(self.method, str) and not answers:
            raise RpcError(INVALID_REQUEST, f"method must be a string, not {_shown(self.method)}")

    def arguments(self) -> dict[str, Any]:
        """Return the parameters, which MCP always names; null is none."""
        if self.params is UNSET:
            return {}
        try:
            return msgspec.json.decode(self.params, type=dict[str, Any] | None) or {}
        except msgspec.ValidationError:
            raise RpcError(INVALID_PARAMS, "params must be an object") from None


def parse(data: bytes) -> "RpcMessage | list[RpcMessage | RpcError]":
    """Return what a line or a request body holds: one message, or a batch of them."""
    try:
        raw = _readable(data)
        first = bytes(raw).lstrip()[:1]
        if first == b"[":
            return [_one(part) for part in msgspec.json.decode(raw, type=list[Raw])]
        return msgspec.json.decode(raw, type=RpcMessage)
    except msgspec.ValidationError:
        raise RpcError(INVALID_REQUEST, "a message must be a JSON object") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RpcError(PARSE_ERROR, f"not JSON: {error}") from None


def _readable(data: bytes) -> Raw:
    """Return the JSON; of a text that a client cut in the middle of a character, the half that is left is replaced."""
    try:
        return msgspec.json.decode(data, type=Raw)
    except msgspec.DecodeError:
        if not _HALF.search(data):
            raise
    import json

    try:
        mended = json.dumps(json.loads(data), ensure_ascii=False).encode("utf-8", "replace")
    except ValueError:
        mended = data
    return msgspec.json.decode(mended, type=Raw)


def _one(part: Raw) -> "RpcMessage | RpcError":
    try:
        return msgspec.json.decode(part, type=RpcMessage)
    except msgspec.ValidationError:
        return RpcError(INVALID_REQUEST, "a message must be a JSON object")


def reply(message_id: Any, result: bytes) -> bytes:
    """Return the answer to a request; `result` is JSON already."""
    return b'{"jsonrpc":"2.0","id":' + msgspec.json.encode(message_id) + b',"result":' + result + b"}"


def build_failure(message_id: Any, error: RpcError) -> bytes:
    """Return the error that answers a request, or, with no id, a message that could not be read."""
    told = {"code": error.code, "message": error.message} | ({} if error.data is UNSET else {"data": error.data})
    answered = message_id if isinstance(message_id, int | str) and not isinstance(message_id, bool) else None
    return msgspec.json.encode({"jsonrpc": "2.0", "id": answered, "error": told})


def _shown(value: Any) -> str:
    from mi.kernel.secrets import redact
    from mi.kernel.text import shorten

    return "missing" if value is UNSET else shorten(redact(msgspec.json.encode(value).decode()), 60)
