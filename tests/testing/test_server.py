"""How a script is played: its end, its failures, and the ways a reply can go wrong."""

import http.client
import json
import threading
import urllib.parse
from typing import Any

import pytest

from mi.testing import (
    Request,
    ScriptedServer,
    ScriptError,
    ask,
    chat_server,
    cut,
    edit,
    fail,
    hang,
    messages_server,
    patch,
    responses_server,
    run,
    say,
    slow,
    stream_error,
    usage_limit,
)
from mi.testing.replies import Reply
from mi.testing.server import Stray
from tests.testing.asking import chat, post


def test_a_function_answers_from_the_request() -> None:
    def echo(request: Request) -> Reply:
        return say(f"{request.number}: {request.user_texts[-1]}")

    with chat_server(echo) as server:
        texts = [post(server, chat(word)).json["choices"][0]["message"]["content"] for word in ("a", "b")]
    with chat_server([say("fixed"), echo]) as server:
        texts += [post(server, chat(word)).json["choices"][0]["message"]["content"] for word in ("c", "d")]

    assert texts == ["1: a", "2: b", "fixed", "2: d"]


def test_a_request_beyond_the_script_fails_the_test_with_the_reason() -> None:
    answers = []

    def overrun() -> None:
        with chat_server([say("all I know")]) as server:
            answers.extend(post(server, chat(word)) for word in ("one", "and now"))

    with pytest.raises(ScriptError, match=r'request 2 goes beyond the script, .* last word was: "and now"'):
        overrun()
    assert [answer.status for answer in answers] == [200, 400]
    assert "goes beyond the script" in answers[1].json["error"]["message"]


def test_an_assertion_in_a_function_of_the_script_fails_the_test() -> None:
    def strict(request: Request) -> Reply:
        assert request.user_texts == ("expected",), "the prompt is wrong"
        return say("fine")

    with pytest.raises(ScriptError, match="the prompt is wrong"), chat_server(strict) as server:
        assert post(server, chat("unexpected")).status == 400


def test_any_other_error_in_a_function_of_the_script_fails_the_test() -> None:
    def broken(request: Request) -> Reply:
        return say(str(request.body["missing"]))

    with pytest.raises(ScriptError, match="KeyError: 'missing'"), chat_server(broken) as server:  # noqa: SIM117
        with pytest.raises(http.client.RemoteDisconnected):
            post(server, chat("?"))


def test_the_tests_own_failure_comes_first_and_names_the_overrun() -> None:
    def overrun() -> None:
        with chat_server([]) as server:
            post(server, chat("one"))
            raise ValueError("the test's own")

    with pytest.raises(ValueError, match="the test's own") as failure:
        overrun()
    assert "goes beyond the script" in failure.value.__notes__[0]


@pytest.mark.parametrize(
    ("server", "reply"),
    [
        (responses_server, ask("which?")),
        (messages_server, patch("*** Begin Patch")),
        (chat_server, run("ls")),
        (chat_server, edit("a", "b", "c")),
    ],
)
def test_a_part_without_a_form_in_this_api_fails_the_test(server: Any, reply: Reply) -> None:
    with pytest.raises(ScriptError, match=r"\(…\) has no form in the"), server([reply]) as scripted:
        assert post(scripted, chat("?")).status == 400


def test_failures_carry_status_headers_and_the_vendors_body() -> None:
    script = [
        fail(429, "later", kind="usage_limit_reached", headers={"Retry-After": "7"}),
        fail(503, body="<html>busy</html>", headers={"Content-Type": "text/html"}),
    ]
    with chat_server(script) as server:
        limited, busy = post(server, chat("?")), post(server, chat("?"))

    assert (limited.status, limited.headers["Retry-After"]) == (429, "7")
    assert limited.json == {"error": {"message": "later", "type": "usage_limit_reached", "code": "usage_limit_reached"}}
    assert (busy.status, busy.data, busy.headers["Content-Type"]) == (503, b"<html>busy</html>", "text/html")


def test_a_usage_limit_says_when_it_ends() -> None:
    with responses_server([usage_limit(4_102_444_800)]) as server:
        answer = post(server, chat("?"))

    assert (answer.status, answer.json["error"]["type"]) == (429, "usage_limit_reached")
    assert answer.json["error"]["resets_at"] == 4_102_444_800
    assert int(answer.headers["Retry-After"]) > 0


@pytest.mark.parametrize(
    ("status", "kind"), [(401, "authentication_error"), (429, "rate_limit_error"), (500, "api_error")]
)
def test_messages_name_the_kind_of_an_error_by_its_status(status: int, kind: str) -> None:
    with messages_server([fail(status, "no")]) as server:
        answer = post(server, {"messages": []})

    assert answer.json == {"type": "error", "error": {"type": kind, "message": "no"}}


def test_a_wrong_key_is_refused_without_taking_from_the_script() -> None:
    with chat_server([say("x")], token="right") as server:
        assert post(server, chat("?")).status == 401
        assert (server.left, len(server.requests)) == (1, 1)
    with chat_server([say("x")], token="key") as server:
        assert post(server, chat("?")).status == 200


@pytest.mark.parametrize("api", [responses_server, messages_server, chat_server])
def test_a_cut_breaks_the_transfer_and_a_tidy_one_ends_it(api: Any) -> None:
    with api([cut(say("half")), cut(say("half"), tidy=True), cut(say("half"), inside=True), say("half")]) as server:
        body = chat("?", stream=True, input=[])
        broken, tidy, inside, whole = (post(server, body) for _ in range(4))

    assert [broken.broken, tidy.broken, inside.broken, whole.broken] == [True, False, True, False]
    assert len(broken.events) == len(tidy.events) == len(inside.events) + 1 < len(whole.events)


def test_a_cut_without_a_stream_gives_no_answer() -> None:
    with chat_server([cut(say("half"))]) as server, pytest.raises(http.client.RemoteDisconnected):
        post(server, chat("?"))


def test_an_error_in_the_stream() -> None:
    with chat_server([stream_error("overloaded", "too much", say("half"))]) as server:
        answer = post(server, chat("?", stream=True))

    assert answer.events[-1] == {"error": {"message": "too much", "code": "overloaded", "type": "overloaded"}}
    assert not answer.broken


@pytest.mark.parametrize("stream", [True, False])
def test_a_hanging_reply_ends_with_the_server(stream: bool) -> None:
    answers: list[Any] = []

    def client(server: ScriptedServer) -> None:
        try:
            answers.append(post(server, chat("?", stream=stream)))
        except http.client.RemoteDisconnected as error:
            answers.append(error)

    with chat_server([hang(say("wait"))]) as server:
        waiting = threading.Thread(target=client, args=(server,))
        waiting.start()
        server.wait_for_requests(1)
        assert answers == []
    waiting.join(timeout=20)
    if stream:
        assert answers[0].broken
    else:
        assert isinstance(answers[0], http.client.RemoteDisconnected)


def test_a_client_that_hangs_up_is_no_problem_of_the_test() -> None:
    with chat_server([hang()]) as server:
        address = urllib.parse.urlsplit(server.url)
        connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=20)
        connection.request("POST", server.wire.path, json.dumps(chat("?", stream=True)))
        connection.getresponse().close()
        connection.close()
    assert server.problems == []


def test_a_slow_reply_is_whole() -> None:
    with chat_server([slow(say("done"), 0.001)]) as server:
        assert post(server, chat("?", stream=True)).events[-1] == "[DONE]"


def test_waiting_for_requests_that_do_not_come_is_an_error() -> None:
    with chat_server([]) as server, pytest.raises(ScriptError, match=r"0 of 1 requests came within 0\.01 s"):
        server.wait_for_requests(1, timeout_s=0.01)


def test_probes_are_answered_and_other_paths_are_named() -> None:
    with messages_server([]) as server:
        assert post(server, {}, "/", "HEAD").status == 200
        lost = post(server, {}, "/v1/other")
        assert post(server, {}, "/elsewhere", "GET").status == 404

    assert lost.json["error"]["message"] == "scripted server: the Messages API is at /v1/messages, not /v1/other"
    assert server.strays == [Stray("HEAD", "/"), Stray("POST", "/v1/other"), Stray("GET", "/elsewhere")]
    assert server.requests == []


@pytest.mark.parametrize("data", [b"{", b"[1]", b"\xff"])
def test_a_body_that_is_no_object_is_refused(data: bytes) -> None:
    with chat_server([]) as server:
        address = urllib.parse.urlsplit(server.url)
        connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=20)
        connection.request("POST", server.wire.path, data)
        assert connection.getresponse().status == 400
        connection.close()
    assert server.requests == []


def test_requests_are_answered_side_by_side() -> None:
    gate = threading.Barrier(3, timeout=20)

    def together(request: Request) -> Reply:
        gate.wait()
        return say(request.user_texts[0])

    with chat_server(together) as server:
        answers: list[str] = []
        clients = [
            threading.Thread(target=lambda word=word: answers.append(post(server, chat(word)).data.decode()))
            for word in ("one", "two", "three")
        ]
        for client in clients:
            client.start()
        for client in clients:
            client.join(timeout=20)
    assert len(answers) == 3
    assert sorted(request.number for request in server.requests) == [1, 2, 3]


def test_it_listens_on_loopback_only() -> None:
    with chat_server([]) as server:
        assert server.url.startswith("http://127.0.0.1:")
        assert server.base_url == server.url + "/v1"
    with pytest.raises(ConnectionRefusedError):
        post(server, chat("?"))
