"""The forms of the three APIs that no agent judges: whole bodies, and all of Chat Completions."""

import json

import pytest

from mi.testing import (
    Usage,
    answer_json,
    call_tool,
    chat_server,
    messages_server,
    responses_server,
    run,
    say,
    think,
    turn,
)
from tests.testing.asking import chat, post


def test_chat_answers_whole() -> None:
    reply = turn(think("hm"), say("It is "), say("done."), usage=Usage(input=7, cached=2, output=3, reasoning=1))
    with chat_server([reply]) as server:
        answer = post(server, chat("done?")).json

    assert answer["choices"] == [
        {"index": 0, "message": {"role": "assistant", "content": "It is done."}, "finish_reason": "stop"}
    ]
    assert answer["model"] == "small"
    assert answer["usage"] == {
        "prompt_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 2},
        "completion_tokens": 3,
        "completion_tokens_details": {"reasoning_tokens": 1},
        "total_tokens": 10,
    }


def test_chat_streams_the_same_text_in_pieces_and_its_usage_when_asked() -> None:
    with chat_server([say("done. 好了"), say("x")]) as server:
        events = post(server, chat("?", stream=True, stream_options={"include_usage": True})).events
        plain = post(server, chat("?", stream=True)).events

    deltas = [choice["delta"].get("content", "") for event in events[:-1] for choice in event["choices"]]
    assert "".join(deltas) == "done. 好了"
    assert len([delta for delta in deltas if delta]) > 1
    assert events[-2]["usage"]["prompt_tokens"] == 100
    assert events[-1] == plain[-1] == "[DONE]"
    assert all("usage" not in event for event in plain[:-1])


@pytest.mark.parametrize("stream", [False, True])
def test_chat_calls_tools(stream: bool) -> None:
    with chat_server([turn(say("I note."), call_tool("note", {"text": "x"}, server="ctl"))]) as server:
        answer = post(server, chat("?", stream=stream))

    if stream:
        calls = [c for e in answer.events[:-1] for ch in e["choices"] for c in ch["delta"].get("tool_calls", [])]
        stop = answer.events[-2]["choices"][0]["finish_reason"]
        name, arguments = calls[0]["function"]["name"], "".join(call["function"]["arguments"] for call in calls)
    else:
        choice = answer.json["choices"][0]
        stop, function = choice["finish_reason"], choice["message"]["tool_calls"][0]["function"]
        name, arguments = function["name"], function["arguments"]
    assert (name, json.loads(arguments), stop) == ("mcp__ctl__note", {"text": "x"}, "tool_calls")


def test_what_was_asked_is_kept() -> None:
    schema = {"type": "object"}
    body = chat("first", response_format={"type": "json_schema", "json_schema": {"name": "a", "schema": schema}})
    body["tools"] = [{"type": "function", "function": {"name": "note"}}]
    body["messages"] += [
        {"role": "tool", "tool_call_id": "c1", "content": "noted"},
        {"role": "user", "content": [{"type": "text", "text": "second"}]},
    ]
    with chat_server([answer_json({"ok": True})]) as server:
        answer = post(server, body).json

    (request,) = server.requests
    assert json.loads(answer["choices"][0]["message"]["content"]) == {"ok": True}
    assert (request.number, request.token, request.body) == (1, "key", body)
    assert request.user_texts == ("first", "second")
    assert request.tool_names == ("note",)
    assert request.schema == schema
    assert [tuple(output) for output in request.tool_outputs] == [("c1", "noted", False)]
    assert request.last_output == "noted"


def test_messages_answer_whole_too() -> None:
    with messages_server([turn(say("I run."), run("ls"), usage=Usage(input=9, cached=4))]) as server:
        answer = post(server, {"model": "m", "messages": [{"role": "user", "content": "go"}]}).json

    assert [block["type"] for block in answer["content"]] == ["text", "tool_use"]
    assert answer["content"][1]["input"]["command"] == "ls"
    assert answer["stop_reason"] == "tool_use"
    assert (answer["usage"]["input_tokens"], answer["usage"]["cache_read_input_tokens"]) == (5, 4)


def test_responses_answer_whole_too() -> None:
    with responses_server([say("hello")]) as server:
        answer = post(server, {"model": "m", "input": "go"}).json

    assert answer["output"][0]["content"] == [{"type": "output_text", "text": "hello"}]
    assert answer["usage"]["total_tokens"] == 110
