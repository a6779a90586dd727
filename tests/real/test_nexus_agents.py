"""Real agents share a plan: tools over MCP, a session told by hooks, a memory that is counted when it is read."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from mi.testing import call_tool, read, run, say, turn
from tests.real.hosts import AgentHost, agent_host

BOUND = {"codex": "nx.duty.bound-codex", "claude-code": "nx.duty.bound-claude"}


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.req(req)) for name, req in BOUND.items()])
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AgentHost]:
    program = request.getfixturevalue("codex" if request.param == "codex" else "claude")
    yield from agent_host(request.param, program, tmp_path)


@pytest.mark.req("nx.intro.tool-prefix", "nx.memory.observe-hook", "nx.tags.in-hook", "ac.hook.enforce-nexus")
def test_a_session_with_tools_hooks_and_a_memory(host: AgentHost) -> None:
    path = ".nexus/memory/wal-time.md"
    looks = turn(read(path)) if host.name == "claude-code" else turn(run(f"cat {path}"))
    host.prepare(
        [
            turn(call_tool("nx_plan_decide", {"issue_id": 1, "decision": "x"}, server="mi")),
            turn(call_tool("nx_task_add", {"title": "Mend add", "context": "calc.py"}, server="mi")),
            looks,
            turn(call_tool("nx_task_update", {"id": 1, "status": "completed"}, server="mi")),
            say("Done."),
        ]
    )
    root = Path(host.repository.path)
    memory = root / path
    memory.parent.mkdir(parents=True)
    memory.write_text("# WAL halves it\n", "utf-8")
    host.mi("mcp", "install", host.name, "--tools", "memory,tasks,nexus")
    host.mi("hook", "install", host.name, "--enforce", "nexus", *(["--trust"] if host.name == "codex" else []))
    host.mi("nexus", "init", "--host", host.name)
    host.let_in("project")
    host.run()
    assert "No active plan session" in host.outputs()[0]
    tasks = json.loads((root / ".nexus/state/tasks.json").read_text("utf-8"))["tasks"]
    assert [(one["title"], one["status"]) for one in tasks] == [("Mend add", "completed")]
    (line,) = (root / ".nexus/state/mi/memory-access.jsonl").read_text("utf-8").splitlines()
    assert (json.loads(line)["path"], json.loads(line)["access_count"]) == (str(memory.resolve()), 1)
    seen = [one["event"] for one in host.events("nexus_event")]
    assert {"session_start", "user_message", "pre_tool_use", "post_tool_use"} <= set(seen)
    assert [name for name in seen if name.startswith(("plan_", "task_"))] == ["plan_decide", "task_add", "task_update"]
    assert host.server is not None
    assert "WAL halves it" in json.dumps(host.server.requests[0].body)  # the index of what can be read, by the hook
