"""Real agents under the contract: a whole session through MCP, and one in which a hook blocks an edit."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from mi.testing import call_tool, edit, read, run, say, turn
from tests.real.hosts import AgentHost, agent_host, pointer_in


def tool(name: str, **arguments: object):  # type: ignore[no-untyped-def]
    return turn(call_tool(name, arguments, server="mi"))


@pytest.fixture(params=["codex", "claude-code"])
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AgentHost]:
    program = request.getfixturevalue("codex" if request.param == "codex" else "claude")
    yield from agent_host(request.param, program, tmp_path)


NOTE = {"type": "note", "summary": "add is wrong: it returns its first argument"}


@pytest.mark.req("ac.gate.same-from-mcp", "ac.receipt.sequence-works", "tm.enforce.no-recall", "tm.enforce.no-intent")
@pytest.mark.parametrize("scope", ["user", "project"])
def test_a_whole_session(host: AgentHost, scope: str) -> None:
    """Blocked write → recall → mode → task → write → done, each step the one that the refusal before it named."""
    host.prepare(
        [
            tool("memory_write", **NOTE),
            tool("memory_query", query="What is known about add?"),
            tool("memory_write", **NOTE),
            tool("memory_set_mode", mode="GUARDED"),
            tool("task_add", title="Mend add", subtasks=["write down what is wrong", "mend it"]),
            tool("memory_write", **NOTE),
            lambda request: tool("task_complete", task_id=pointer_in(request)),
            say("Recall, mode, tasks and memory: done."),
        ]
    )
    host.mi("mcp", "install", host.name, *(["--user"] if scope == "user" else []))
    host.let_in(scope)
    host.run()
    outputs = host.outputs()
    assert "RECALL_REQUIRED" in outputs[0]
    assert "memory_recent" in outputs[0]
    assert "MODE_NOT_SET" in outputs[2]
    assert [one["summary"] for one in host.events("memory_write")] == [NOTE["summary"]]
    assert [one["code"] for one in host.events("violation")] == ["RECALL_REQUIRED", "MODE_NOT_SET"]
    tasks = Path(host.repository.path, "tinyTasks.md").read_text("utf-8")
    assert "- [x] write down what is wrong\n  - [ ] mend it" in tasks
    client = {one["client"] for one in host.events("gate")}
    assert len(client) == 1


@pytest.mark.req("mi.product.blocking-by-hooks")
def test_a_hook_blocks_an_edit_and_the_agent_does_it_right(host: AgentHost) -> None:
    mend = edit("calc.py", "    return a", "    return a + b")
    first = [turn(read("calc.py"))] if host.name == "claude-code" else []
    host.prepare(
        [
            *first,
            turn(mend),
            turn(run("echo cheat >> tinyTasks.md")),
            tool("memory_query", query="add"),
            tool("memory_set_mode", mode="GUARDED"),
            turn(mend),
            turn(run("python3 -m unittest -q")),
            say("Mended."),
            say("Recall: nothing found. Mode GUARDED. One step, no tasks. No memory needed."),
        ]
    )
    host.mi("mcp", "install", host.name)
    host.mi("hook", "install", host.name, "--enforce", "contract", *(["--trust"] if host.name == "codex" else []))
    host.let_in("project")
    host.run()
    outputs = host.outputs()[len(first) :]
    assert "RECALL_REQUIRED" in outputs[0]
    assert "mcp__mi__memory_recent" in outputs[0]
    assert "PROTECTED_FILE" in outputs[1]
    assert host.repository.read("calc.py").endswith("return a + b\n")
    assert not Path(host.repository.path, "tinyTasks.md").exists()
    assert [one["code"] for one in host.events("violation")] == ["RECALL_REQUIRED", "PROTECTED_FILE"]
    done = [one for one in host.events("gate") if one["outcome"] == "done"]
    assert [one["code"] for one in done] == ["ok"]
    assert host.server is not None
    asked = json.dumps(host.server.requests[-1].body)
    assert "memory writes completed or not required (R5)" in asked
