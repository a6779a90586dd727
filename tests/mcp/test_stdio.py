"""The server as a process: lines in, lines out, nothing else on standard output."""

import json
import subprocess

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters, stdio_client

from tests.mcp.speaking import BOX, ROOT, SERVE, Server


def test_what_is_asked_before_the_end_is_answered():
    lines = [
        {"jsonrpc": "2.0", "id": "é", "method": "ping"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "find", "arguments": {"query": "x"}}},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/list"},
    ]
    asked = "\n\n".join(json.dumps(line) for line in lines)  # an empty line between, none at the end
    done = subprocess.run([*BOX], input=asked.encode(), capture_output=True, check=False, timeout=60, cwd=ROOT)
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr) == (0, b"")
    assert {reply["id"] for reply in replies} == {"é", 2, 3}


def test_large_messages_and_bad_lines_on_one_connection():
    with Server(BOX) as server:
        server.initialize()
        assert server.process.stdin
        server.process.stdin.write(b'{"jsonrpc":\n\xff\xfe\n')
        server.process.stdin.flush()
        assert [server.receive()["error"]["code"] for _ in range(2)] == [-32700, -32700]
        found = server.content("find", query="文" * 3_500_000)
        assert len(found["query"]) == 3_500_000
        assert server.end() == (0, "")


def test_standard_output_belongs_to_the_protocol():
    with Server(BOX) as server:
        server.initialize()
        server.content("shout")
        assert server.end() == (0, "a library prints something\n")


def test_a_running_call_blocks_no_ping_and_can_be_cancelled(tmp_path):
    with Server(BOX) as server:
        server.initialize()
        there = tmp_path / "there"
        server.send(id="slow", method="tools/call", params={"name": "wait", "arguments": {"path": str(there)}})
        server.send(id="queued", method="tools/call", params={"name": "find", "arguments": {"query": "x"}})
        server.send(id="wanted", method="tools/call", params={"name": "find", "arguments": {"query": "y"}})
        assert server.ask("ping")["result"] == {}
        for one in ("slow", "queued"):
            server.send(method="notifications/cancelled", params={"requestId": one})
        assert server.ask("ping")["result"] == {}
        there.touch()
        assert server.receive()["id"] == "wanted"
        assert server.end() == (0, "")


def test_a_client_that_goes_away_ends_the_server():
    with Server(SERVE) as server:
        server.initialize()
        assert server.end() == (0, "")


def test_unknown_toolset(mi):
    done = mi("mcp", "serve", "--tools", "memroy")
    assert done.returncode == 1
    assert "memroy" in done.stderr


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client(mode, tmp_path):
    """Versions after ours begin with another method: the client falls back to the handshake."""
    parameters = StdioServerParameters(command=BOX[0], args=list(BOX[1:]), cwd=ROOT, env={"MI_HOME": str(tmp_path)})

    async def talk() -> None:
        async with Client(stdio_client(parameters), mode=mode) as client:
            tools = (await client.list_tools()).tools
            assert [one.name for one in tools][:2] == ["find", "refuse"]
            found = await client.call_tool("find", {"query": "x", "parts": [{"kind": "a"}]})
            assert found.structured_content["parts"] == [{"kind": "a", "note": ""}]
            refused = await client.call_tool("refuse", {})
            assert refused.is_error
            assert refused.structured_content["error"]["next"] == {"tool": "memory_query"}
            with pytest.raises(MCPError, match="nope"):
                await client.call_tool("nope", {})
            read = await client.read_resource("box:///one")
            assert read.contents[0].text == "the one"

    anyio.run(talk)
