"""The server on loopback: who is let in, sessions, the same dispatcher behind it."""

import http.client
import json
from collections.abc import Iterator
from threading import Thread
from typing import Any

import anyio
import pytest
from mcp import Client

from mi.app.home_context import HomeContext
from mi.mcp.http import HttpDoor, find_token_file, read_token
from tests.mcp.toolbox import offer

Json = dict[str, Any]
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "web", "version": "1"}},
}


@pytest.fixture
def door(home) -> Iterator[HttpDoor]:
    made = HttpDoor(HomeContext(home), offer(), 0, read_token(home))
    thread = Thread(target=made.run)
    thread.start()
    yield made
    made.stop()
    thread.join()


class Answer:
    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self) -> Json:
        return json.loads(self.body)  # type: ignore[no-any-return]


def send(door: HttpDoor, message: Any, method: str = "POST", path: str = "/mcp", **headers: str) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", door.port, timeout=30)
    given = {"Authorization": f"Bearer {door.token}"} | {key.replace("_", "-"): one for key, one in headers.items()}
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    connection.request(method, path, body, {key: one for key, one in given.items() if one})
    answer = Answer(connection.getresponse())
    connection.close()
    return answer


def opened(door: HttpDoor) -> str:
    return str(send(door, INITIALIZE).headers["Mcp-Session-Id"])


@pytest.mark.req("safe.doors.same")
@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/mcp", {}, 200),
        ("/mcp", {"Authorization": ""}, 401),
        ("/mcp", {"Authorization": "Bearer wrong"}, 401),
        ("/TOKEN/mcp", {"Authorization": ""}, 200),
        ("/wrong/mcp", {}, 401),
        ("/", {}, 404),
        ("/other", {}, 404),
        ("/mcp", {"Host": "evil.example"}, 403),
        ("/mcp", {"Host": "localhost:80"}, 200),
        ("/mcp", {"Host": "[::1]:80"}, 200),
        ("/mcp", {"Host": "LOCALHOST"}, 200),
        ("/mcp", {"Host": "[::1]evil.com"}, 403),
        ("/mcp", {"Host": "evil.com@127.0.0.1"}, 403),
        ("/mcp", {"Host": "127.0.0.1@evil.com"}, 403),
        ("/mcp", {"Host": "127.0.0.1:80@evil.com"}, 403),
        ("/mcp", {"Host": "127.0.0.1.evil.com"}, 403),
        ("/mcp", {"Host": "127.0.0.1:"}, 403),
        ("/mcp", {"Host": "localhost/"}, 403),
        ("/mcp", {"Host": "0.0.0.0"}, 403),
        ("/mcp", {"Origin": "http://evil.com@127.0.0.1"}, 403),
        ("/mcp", {"Origin": "http://[::1]evil.com"}, 403),
        ("/mcp", {"Origin": "http://[::1]:80"}, 200),
        ("/mcp", {"Origin": "127.0.0.1"}, 403),
        ("/mcp", {"Origin": "http://evil.example"}, 403),
        ("/mcp", {"Origin": "http://127.0.0.1.evil.example"}, 403),
        ("/mcp", {"Origin": "null"}, 403),
        ("/mcp", {"Origin": "http://localhost:1@evil.example"}, 403),
        ("/mcp", {"Origin": "http://localhost:3000"}, 200),
        ("/mcp", {"Content_Type": "text/plain"}, 415),
        ("/mcp", {"Accept": "text/html"}, 406),
        ("/mcp", {"Accept": "application/json, text/event-stream"}, 200),
        ("/mcp", {"Content_Length": "99999999999"}, 413),
        ("/mcp", {"Transfer_Encoding": "chunked"}, 411),
    ],
)
@pytest.mark.req("safe.doors.loopback")
def test_who_is_let_in(door, path, headers, status):
    answer = send(door, INITIALIZE, path=path.replace("TOKEN", door.token), **headers)
    assert answer.status == status
    assert ("Mcp-Session-Id" in answer.headers) is (status == 200)


@pytest.mark.req("safe.doors.same")
def test_a_session(door):
    session = opened(door)
    assert send(door, {"jsonrpc": "2.0", "method": "notifications/initialized"}, Mcp_Session_Id=session).status == 202
    call = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "find", "arguments": {"query": "x"}}}
    answer = send(door, call, Mcp_Session_Id=session, MCP_Protocol_Version="2025-11-25")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/json")
    assert answer.json["result"]["structuredContent"]["client"] == "web"
    assert send(door, call, Mcp_Session_Id=session, MCP_Protocol_Version="1999-01-01").status == 400
    assert send(door, b"{", Mcp_Session_Id=session).json["error"]["code"] == -32700
    assert send(door, b"", "GET", Mcp_Session_Id=session).status == 405
    assert send(door, b"", "DELETE", Mcp_Session_Id=session).status == 204
    assert send(door, call, Mcp_Session_Id=session).status == 404
    assert send(door, b"", "DELETE", Mcp_Session_Id=session).status == 404


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "find", "arguments": {"query": "x"}}},
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}},
        b"{",
    ],
)
def test_no_session_without_initialize(door, message):
    assert send(door, message).status == 400


def test_many_sessions_end_the_oldest(door):
    first = opened(door)
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    for _ in range(99):
        kept = opened(door)
    assert send(door, ping, Mcp_Session_Id=first).status == 200  # used again, it is the youngest
    second = opened(door)
    assert [send(door, ping, Mcp_Session_Id=one).status for one in (first, kept, second)] == [200, 200, 200]
    assert len(door.endpoint.sessions) == 100


def test_the_token_is_kept_for_its_owner_alone(home):
    import os
    import stat

    token = read_token(home)
    assert read_token(home) == token
    assert stat.S_IMODE(os.stat(find_token_file(home)).st_mode) == 0o600
    with open(find_token_file(home), "w", encoding="utf-8") as file:
        file.write("short")
    assert len(read_token(home)) == 48


def test_the_official_client(door):
    async def talk() -> None:
        async with Client(f"http://127.0.0.1:{door.port}/{door.token}/mcp") as client:
            found = await client.call_tool("find", {"query": "x"})
            assert found.structured_content["query"] == "x"
            assert (await client.call_tool("lose", {})).is_error

    anyio.run(talk)


@pytest.mark.parametrize("port", ["abc", "70000", "-1"])
def test_a_port_that_is_none(mi, port):
    done = mi("mcp", "serve", f"--http={port}")
    assert done.returncode == 2
    assert port in done.stderr


def test_a_port_that_is_taken(mi, door):
    done = mi("mcp", "serve", "--http", str(door.port))
    assert done.returncode == 1
    assert f"127.0.0.1:{door.port}" in done.stderr
