"""The Messages API, as Claude Code speaks it."""

import json
import shlex
from typing import Any

from mi.testing.replies import (
    AnswerJson,
    Ask,
    CallTool,
    Delete,
    Edit,
    Failure,
    Json,
    Part,
    Read,
    Run,
    Say,
    Think,
    Turn,
    Usage,
    Write,
)
from mi.testing.requests import RequestParts, ToolOutput
from mi.testing.wire import ReplyPlace, refuse, sse, texts_of

_ERROR_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}


class MessagesWire:
    """POST /v1/messages, streaming or whole."""

    name = "Messages API"
    path = "/v1/messages"
    base = ""

    def seen(self, body: Json) -> RequestParts:
        messages = [m for m in body.get("messages", ()) if isinstance(m, dict) and m.get("role") == "user"]
        blocks = [b for m in messages if isinstance(m.get("content"), list) for b in m["content"]]
        return RequestParts(
            user_texts=tuple(text for message in messages for text in texts_of(message.get("content"))),
            tool_outputs=tuple(_output(block) for block in blocks if block.get("type") == "tool_result"),
            tool_names=tuple(str(tool.get("name")) for tool in body.get("tools", ())),
            schema=_schema(body),
        )

    def opening(self, turn: Turn, place: ReplyPlace) -> list[bytes]:
        message = _message(place) | {"usage": _usage(turn.usage) | {"output_tokens": 1}}
        return [_event("message_start", message=message)]

    def part(self, part: Part, index: int, place: ReplyPlace) -> list[bytes]:
        block = _block(part, index, place)
        return [
            _event("content_block_start", index=index, content_block=block | _EMPTY[block["type"]]),
            *(_event("content_block_delta", index=index, delta=delta) for delta in _deltas(block)),
            _event("content_block_stop", index=index),
        ]

    def closing(self, turn: Turn, place: ReplyPlace) -> list[bytes]:
        delta = {"stop_reason": _stop(turn, place), "stop_sequence": None}
        return [_event("message_delta", delta=delta, usage=_usage(turn.usage)), _event("message_stop")]

    def breaking(self, turn: Turn, place: ReplyPlace) -> list[bytes]:
        return [_event("error", error={"type": turn.code, "message": turn.message})]

    def whole(self, turn: Turn, place: ReplyPlace) -> Json:
        blocks = [_block(part, index, place) for index, part in enumerate(turn.parts)]
        return _message(place) | {
            "content": blocks,
            "stop_reason": _stop(turn, place),
            "usage": _usage(turn.usage),
        }

    def error_body(self, failure: Failure) -> Json:
        kind = failure.kind or _ERROR_KINDS.get(failure.status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": failure.message}}


_EMPTY: dict[str, Json] = {
    "text": {"text": ""},
    "thinking": {"thinking": "", "signature": ""},
    "tool_use": {"input": {}},
}


def _block(part: Part, index: int, place: ReplyPlace) -> Json:
    match part:
        case Say(text=text):
            return {"type": "text", "text": text}
        case Think(text=text):
            return {"type": "thinking", "thinking": text, "signature": f"signature_{place.number}_{index}"}
        case _:
            name, arguments = _call(part)
            return {"type": "tool_use", "id": f"toolu_{place.call_id(index)}", "name": name, "input": arguments}


def _call(part: Part) -> tuple[str, Json]:
    match part:
        case Run(command=command, wait_ms=wait_ms):
            timeout = {} if wait_ms is None else {"timeout": wait_ms}
            return "Bash", {"command": command, "description": "Run a command"} | timeout
        case Read(path=path):
            return "Read", {"file_path": path}
        case Write(path=path, content=content):
            return "Write", {"file_path": path, "content": content}
        case Edit(path=path, old=old, new=new):
            return "Edit", {"file_path": path, "old_string": old, "new_string": new}
        case Delete(path=path):
            return "Bash", {"command": f"rm -- {shlex.quote(path)}", "description": "Remove a file"}
        case Ask(question=question, options=options, header=header, multiple=multiple):
            choices = [{"label": option, "description": option} for option in options]
            asked = {"question": question, "header": header, "options": choices, "multiSelect": multiple}
            return "AskUserQuestion", {"questions": [asked]}
        case AnswerJson(value=value):
            return "StructuredOutput", value
        case CallTool(name=name, arguments=arguments, server=server):
            return f"mcp__{server}__{name}" if server else name, arguments
        case _:
            raise refuse(part, "Messages API")


def _deltas(block: Json) -> list[Json]:
    match block["type"]:
        case "text":
            return [{"type": "text_delta", "text": block["text"]}]
        case "thinking":
            return [
                {"type": "thinking_delta", "thinking": block["thinking"]},
                {"type": "signature_delta", "signature": block["signature"]},
            ]
        case _:
            text = json.dumps(block["input"], ensure_ascii=False)
            return [{"type": "input_json_delta", "partial_json": text}]


def _stop(turn: Turn, place: ReplyPlace) -> str:
    calls = any(_block(part, 0, place)["type"] == "tool_use" for part in turn.parts)
    return turn.stop or ("tool_use" if calls else "end_turn")


def _message(place: ReplyPlace) -> Json:
    return {
        "id": f"msg_{place.number}",
        "type": "message",
        "role": "assistant",
        "model": place.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }


def _usage(usage: Usage) -> Json:
    return {
        "input_tokens": usage.input - usage.cached,
        "cache_read_input_tokens": usage.cached,
        "cache_creation_input_tokens": 0,
        "output_tokens": usage.output,
    }


def _output(block: Json) -> ToolOutput:
    return ToolOutput(
        str(block.get("tool_use_id", "")), "\n".join(texts_of(block.get("content"))), bool(block.get("is_error"))
    )


def _schema(body: Json) -> Json | None:
    for tool in body.get("tools", ()):
        if tool.get("name") == "StructuredOutput":
            schema: Json = tool.get("input_schema", {})
            return schema
    return None


def _event(kind: str, **fields: Any) -> bytes:
    return sse({"type": kind, **fields}, kind)
