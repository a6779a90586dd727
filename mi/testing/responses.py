"""The Responses API, as Codex speaks it."""

import json
import shlex
from typing import Any

from mi.testing.replies import (
    AnswerJson,
    CallTool,
    Delete,
    Edit,
    Failure,
    Json,
    Part,
    Patch,
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


class ResponsesWire:
    """POST /v1/responses, streaming or whole."""

    name = "Responses API"
    path = "/v1/responses"
    base = "/v1"

    def seen(self, body: Json) -> RequestParts:
        items = [item for item in body.get("input", ()) if isinstance(item, dict)] if _is_list(body) else []
        asked = body.get("text", {}).get("format", {})
        return RequestParts(
            user_texts=tuple(
                text for item in items if item.get("role") == "user" for text in texts_of(item.get("content"))
            ),
            tool_outputs=tuple(_output(item) for item in items if str(item.get("type", "")).endswith("_call_output")),
            tool_names=tuple(str(tool.get("name", tool.get("type"))) for tool in body.get("tools", ())),
            schema=asked.get("schema") if asked.get("type") == "json_schema" else None,
        )

    def opening(self, turn: Turn, place: ReplyPlace) -> list[bytes]:
        return [_event("response.created", response={"id": _id(place)})]

    def part(self, part: Part, index: int, place: ReplyPlace) -> list[bytes]:
        item = _item(part, index, place)
        done = _event("response.output_item.done", output_index=index, item=item)
        added = _event("response.output_item.added", output_index=index, item=item | _EMPTY.get(item["type"], {}))
        if not isinstance(part, Say):
            return [added, done]
        delta = _event(
            "response.output_text.delta", output_index=index, item_id=item["id"], content_index=0, delta=part.text
        )
        return [added, delta, done]

    def closing(self, turn: Turn, place: ReplyPlace) -> list[bytes]:
        return [_event("response.completed", response={"id": _id(place), "usage": _usage(turn.usage)})]

    def breaking(self, turn: Turn, place: ReplyPlace) -> list[bytes]:
        error = {"code": turn.code, "message": turn.message}
        return [_event("response.failed", response={"id": _id(place), "status": "failed", "error": error})]

    def whole(self, turn: Turn, place: ReplyPlace) -> Json:
        items = [_item(part, index, place) for index, part in enumerate(turn.parts)]
        return {
            "id": _id(place),
            "object": "response",
            "status": "completed",
            "model": place.model,
            "output": items,
            "usage": _usage(turn.usage),
        }

    def error_body(self, failure: Failure) -> Json:
        limit = {} if failure.resets_at is None else {"plan_type": "pro", "resets_at": failure.resets_at}
        kind = failure.kind or ("usage_limit_reached" if limit else "scripted_error")
        return {"error": {"message": failure.message, "type": kind, "code": kind} | limit}


_EMPTY: dict[str, Json] = {
    "message": {"content": []},
    "reasoning": {"summary": []},
    "function_call": {"arguments": ""},
    "custom_tool_call": {"input": ""},
}


def _item(part: Part, index: int, place: ReplyPlace) -> Json:
    match part:
        case Say(text=text):
            return _message(text, index, place)
        case AnswerJson(value=value):
            return _message(json.dumps(value, ensure_ascii=False), index, place)
        case Think(text=text):
            summary = [{"type": "summary_text", "text": text}]
            return {"type": "reasoning", "id": f"rs_{place.number}_{index}", "summary": summary}
        case Run(command=command, wait_ms=wait_ms):
            return _call("exec_command", {"cmd": command} | _given("yield_time_ms", wait_ms), index, place)
        case Read(path=path):
            return _call("exec_command", {"cmd": f"cat {shlex.quote(path)}"}, index, place)
        case Patch(text=text):
            return _patch(text, index, place)
        case Write(path=path, content=content):
            return _patch(_framed(f"*** Add File: {path}", _marked("+", content)), index, place)
        case Edit(path=path, old=old, new=new):
            hunk = ["@@", *_marked("-", old), *_marked("+", new)]
            return _patch(_framed(f"*** Update File: {path}", hunk), index, place)
        case Delete(path=path):
            return _patch(_framed(f"*** Delete File: {path}", []), index, place)
        case CallTool(name=name, arguments=arguments, server=server):
            return _call(name, arguments, index, place) | _given("namespace", f"mcp__{server}" if server else None)
        case _:
            raise refuse(part, "Responses API")


def _message(text: str, index: int, place: ReplyPlace) -> Json:
    content = [{"type": "output_text", "text": text}]
    return {"type": "message", "role": "assistant", "id": f"msg_{place.number}_{index}", "content": content}


def _call(name: str, arguments: Json, index: int, place: ReplyPlace) -> Json:
    return {
        "type": "function_call",
        "id": f"fc_{place.number}_{index}",
        "call_id": place.call_id(index),
        "name": name,
        "arguments": json.dumps(arguments, ensure_ascii=False),
    }


def _patch(text: str, index: int, place: ReplyPlace) -> Json:
    return {
        "type": "custom_tool_call",
        "id": f"ctc_{place.number}_{index}",
        "call_id": place.call_id(index),
        "name": "apply_patch",
        "input": text,
    }


def _framed(heading: str, lines: list[str]) -> str:
    return "\n".join(["*** Begin Patch", heading, *lines, "*** End Patch"])


def _marked(sign: str, text: str) -> list[str]:
    return [sign + line for line in text.splitlines()]


def _given(key: str, value: Any) -> Json:
    return {} if value is None else {key: value}


def _usage(usage: Usage) -> Json:
    return {
        "input_tokens": usage.input,
        "input_tokens_details": {"cached_tokens": usage.cached},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.input + usage.output,
    }


def _output(item: Json) -> ToolOutput:
    output = item.get("output")
    if isinstance(output, dict):
        output = output.get("content", "")
    return ToolOutput(str(item.get("call_id", "")), "\n".join(texts_of(output)))


def _is_list(body: Json) -> bool:
    return isinstance(body.get("input"), list)


def _id(place: ReplyPlace) -> str:
    return f"resp_{place.number}"


def _event(kind: str, **fields: Any) -> bytes:
    return sse({"type": kind, **fields}, kind)
