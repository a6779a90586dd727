"""Chat Completions, as most other model servers and clients speak it."""

import json
from typing import Any

from mi.testing.replies import AnswerJson, CallTool, Failure, Json, Part, Say, Think, Turn, Usage
from mi.testing.requests import RequestParts, ToolOutput
from mi.testing.wire import ReplyPlace, refuse, sse, texts_of


class ChatWire:
    """POST /v1/chat/completions, streaming or whole."""

    name = "Chat Completions API"
    path = "/v1/chat/completions"
    base = "/v1"

    def seen(self, body: Json) -> RequestParts:
        messages = [message for message in body.get("messages", ()) if isinstance(message, dict)]
        asked = body.get("response_format") or {}
        return RequestParts(
            user_texts=tuple(t for m in messages if m.get("role") == "user" for t in texts_of(m.get("content"))),
            tool_outputs=tuple(
                ToolOutput(str(m.get("tool_call_id", "")), "\n".join(texts_of(m.get("content"))))
                for m in messages
                if m.get("role") == "tool"
            ),
            tool_names=tuple(str(tool.get("function", {}).get("name")) for tool in body.get("tools", ())),
            schema=(asked.get("json_schema") or {}).get("schema"),
        )

    def opening(self, turn: Turn, place: ReplyPlace) -> list[bytes]:
        return [_chunk(place, {"role": "assistant", "content": ""})]

    def part(self, part: Part, index: int, place: ReplyPlace) -> list[bytes]:
        match part:
            case Think(text=text):
                return [_chunk(place, {"reasoning_content": text})]
            case CallTool():
                call = _call(part, index, place)
                first = call | {"index": index, "function": call["function"] | {"arguments": ""}}
                rest = {"index": index, "function": {"arguments": call["function"]["arguments"]}}
                return [_chunk(place, {"tool_calls": [first]}), _chunk(place, {"tool_calls": [rest]})]
            case _:
                return [_chunk(place, {"content": piece}) for piece in _pieces(_text(part))]

    def closing(self, turn: Turn, place: ReplyPlace) -> list[bytes]:
        events = [_chunk(place, {}, _stop(turn))]
        if (place.body.get("stream_options") or {}).get("include_usage"):
            events.append(sse(_head(place, "chat.completion.chunk") | {"choices": [], "usage": _usage(turn.usage)}))
        return [*events, b"data: [DONE]\n\n"]

    def breaking(self, turn: Turn, place: ReplyPlace) -> list[bytes]:
        return [sse({"error": {"message": turn.message, "code": turn.code, "type": turn.code}})]

    def whole(self, turn: Turn, place: ReplyPlace) -> Json:
        calls = [_call(part, i, place) for i, part in enumerate(turn.parts) if isinstance(part, CallTool)]
        texts = [_text(part) for part in turn.parts if not isinstance(part, CallTool | Think)]
        message: Json = {"role": "assistant", "content": "".join(texts) if texts else None}
        if calls:
            message["tool_calls"] = calls
        choice = {"index": 0, "message": message, "finish_reason": _stop(turn)}
        return _head(place, "chat.completion") | {"choices": [choice], "usage": _usage(turn.usage)}

    def error_body(self, failure: Failure) -> Json:
        kind = failure.kind or "scripted_error"
        return {"error": {"message": failure.message, "type": kind, "code": kind}}


def _text(part: Part) -> str:
    match part:
        case Say(text=text):
            return text
        case AnswerJson(value=value):
            return json.dumps(value, ensure_ascii=False)
        case _:
            raise refuse(part, "Chat Completions API")


def _pieces(text: str) -> list[str]:
    """Return a text in two pieces, so that a client which takes only one of them is found out."""
    middle = (len(text) + 1) // 2
    return [piece for piece in (text[:middle], text[middle:]) if piece]


def _call(part: CallTool, index: int, place: ReplyPlace) -> Json:
    name = f"mcp__{part.server}__{part.name}" if part.server else part.name
    function = {"name": name, "arguments": json.dumps(part.arguments, ensure_ascii=False)}
    return {"id": place.call_id(index), "type": "function", "function": function}


def _stop(turn: Turn) -> str:
    calls = any(isinstance(part, CallTool) for part in turn.parts)
    return turn.stop or ("tool_calls" if calls else "stop")


def _head(place: ReplyPlace, kind: str) -> Json:
    return {"id": f"chatcmpl-{place.number}", "object": kind, "created": 0, "model": place.model}


def _chunk(place: ReplyPlace, delta: Json, stop: str | None = None) -> bytes:
    choice: dict[str, Any] = {"index": 0, "delta": delta, "finish_reason": stop}
    return sse(_head(place, "chat.completion.chunk") | {"choices": [choice]})


def _usage(usage: Usage) -> Json:
    return {
        "prompt_tokens": usage.input,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
        "completion_tokens": usage.output,
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.input + usage.output,
    }
