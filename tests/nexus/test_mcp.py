"""The contract through a real MCP client: every tool fixture, the resources, and what is recorded."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client

from mi.nexus.toolset import TOOLS
from tests.conftest import MI
from tests.nexus.contract import cases, contents, expect_answer, expect_file, legal, prepare, validate


def server(root: Path) -> StdioServerParameters:
    return StdioServerParameters(
        command=str(MI), args=["mcp", "serve", "--tools", "nexus", "--cd", str(root)], cwd=root, env=dict(os.environ)
    )


def events(home) -> list[dict[str, Any]]:
    (log,) = Path(home.projects).glob("*/evidence.jsonl")
    return [one for line in log.read_text("utf-8").splitlines() if (one := json.loads(line))["kind"] == "nexus_event"]


@pytest.mark.req(
    *("nx.intro.tool-prefix", "nx.tool.error-own-text", "nx.tool.count", "ac.gate.nx-not-gated", "ac.gate.nx-events"),
    *("mi.product.nx-outside-gate", "mi.product.nx-recorded", "mi.kind.nexus-event-written", "nxs.guide.tools-exact"),
    *("nx.plan-update.action-plain-string", "nxs.close.params-none", "nx.state.schemas-tested"),
)
def test_every_tool_fixture_through_a_client(tmp_path: Path, home):
    """One server for all of them: each call finds the repository as its fixture wants it, and is recorded."""
    root = tmp_path / "repo"
    root.mkdir()
    wanted = [case for case in cases() if "tool" in case.fixture]
    calls: list[str] = []

    async def talk() -> None:
        async with Client(stdio_client(server(root))) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert list(tools) == ["nx_" + name for name in TOOLS]
            assert tools["nx_plan_update"].input_schema["properties"]["action"] == {"type": "string"}
            assert tools["nx_task_close"].input_schema.get("properties", {}) == {}
            for case in wanted:
                for folder in (".nexus", ".git"):
                    shutil.rmtree(root / folder, ignore_errors=True)
                prepare(root, case.fixture)
                before = contents(root / ".nexus")
                calls.append(case.fixture["tool"])
                done = await client.call_tool("nx_" + case.fixture["tool"], case.fixture.get("args", {}))
                answer = done.structured_content
                error = answer["error"]["message"] if done.is_error else ""
                expect_answer(case, None if error else answer, error, root)
                after = contents(root / ".nexus")
                for name, expected in case.fixture.get("after", {}).items():
                    expect_file(case, root / ".nexus", name, expected, before)
                validate(case, {name: data for name, data in after.items() if before.get(name) != data})
                legal(case, set(after) - set(before))

    anyio.run(talk)
    recorded = events(home)
    assert [one["event"] for one in recorded] == calls
    assert {one["harness_id"] for one in recorded} == {"mi"}
    assert {"No active plan session", "Unknown action", "tasks.json not found"} <= {one["error"] for one in recorded}
    log = next(Path(home.projects).glob("*/evidence.jsonl")).read_text("utf-8")
    assert "hunter2" not in log
    assert '"kind":"gate"' not in log


@pytest.mark.req(
    *("nx.memory.resource-memory", "nx.memory.resource-context", "nx.memory.resource-rules"),
    *("nx.memory.observe-resource", "nxs.outputs.access-no-tool-writes", "nxs.life.scan-not-observation"),
)
def test_knowledge_files_are_resources_and_reading_counts(tmp_path: Path):
    root = tmp_path / "repo"
    for name, text in {"memory/wal-time.md": "# WAL\n", "context/使 命.md": "# M\n", "rules/a.md": "# R\n"}.items():
        (root / ".nexus" / name).parent.mkdir(parents=True)
        (root / ".nexus" / name).write_text(text, "utf-8")
    (root / ".nexus/memory/out.md").symlink_to("/etc/hostname")
    log = root / ".nexus/state/mi/memory-access.jsonl"

    async def talk() -> None:
        async with Client(stdio_client(server(root))) as client:
            listed = (await client.list_resources()).resources
            addresses = ["nexus://memory/wal-time.md", "nexus://context/%E4%BD%BF%20%E5%91%BD.md", "nexus://rules/a.md"]
            assert [str(one.uri) for one in listed] == addresses
            assert not log.exists()
            for tool in ("nx_context", "nx_plan_status", "nx_task_list", "nx_history_search"):
                await client.call_tool(tool, {})
            assert not log.exists()
            for address, text in zip(addresses, ("# WAL\n", "# M\n", "# R\n"), strict=True):
                assert (await client.read_resource(address)).contents[0].text == text
            assert (await client.read_resource("nexus://context/使 命.md")).contents[0].text == "# M\n"
            await client.read_resource("nexus://memory/wal-time")
            for missing in ("nexus://memory/none.md", "nexus://memory/out.md", "nexus://state/plan.json"):
                with pytest.raises(Exception, match="nothing stands"):
                    await client.read_resource(missing)

    anyio.run(talk)
    (line,) = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    assert line["path"] == str((root / ".nexus/memory/wal-time.md").resolve())
    assert line["access_count"] == 2
    assert line["last_agent"]
