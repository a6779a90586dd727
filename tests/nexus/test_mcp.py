"""The contract through a real MCP client: every tool fixture, the resources, and what is recorded."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.types import Implementation

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
    *("one.list.nx-refusal",),
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
                error = answer["error"] if done.is_error else ""
                assert not error or (set(answer) == {"error", "code"} and answer["code"].isupper())
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


LIST = "# Tasks — x\n\n- [x] done\n"


async def call(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    done = await client.call_tool(name, arguments)
    assert done.structured_content is not None
    return done.structured_content


def records(home, kind: str) -> list[dict[str, Any]]:
    (log,) = Path(home.projects).glob("*/evidence.jsonl")
    found = [json.loads(line) for line in log.read_bytes().splitlines()]
    return [one for one in found if one["kind"] == kind]


@pytest.mark.req("one.list.no-second", "one.list.nx-refusal", "ac.code.other-authority")
def test_no_second_list_begins_beside_one_that_holds_a_task(tmp_path: Path, home):
    root = tmp_path / "repo"
    root.mkdir()
    (root / "tinyTasks.md").write_text(LIST, "utf-8")

    async def talk() -> None:
        async with Client(stdio_client(server(root))) as client:
            assert (await call(client, "nx_task_list"))["exists"] is False
            for name, arguments in (
                ("nx_task_add", {"title": "mine", "context": "c"}),
                ("nx_task_update", {"id": 1, "status": "completed"}),
            ):
                refused = await call(client, name, **arguments)
                assert refused["code"] == "OTHER_AUTHORITY"
                assert "tinyTasks.md" in refused["error"]
                assert "mi task adopt" in refused["error"]
                assert len(records(home, "violation")) == (0 if name == "nx_task_add" else 1)
            started = await call(client, "nx_plan_start", topic="t", issues=["a"], research_summary="r")
            assert started["created"] is True
            assert (await call(client, "nx_task_close"))["archived"]["plan"] is True

    anyio.run(talk)
    assert not (root / ".nexus/state/tasks.json").exists()
    assert (root / "tinyTasks.md").read_text("utf-8") == LIST
    (insisted,) = records(home, "violation")
    assert (insisted["code"], insisted["tool"]) == ("OTHER_AUTHORITY", "nx_task_update")


@pytest.mark.req("one.list.no-second")
def test_a_file_without_a_task_is_no_list(tmp_path: Path):
    root = tmp_path / "repo"
    root.mkdir()
    (root / "tinyTasks.md").write_text("# Tasks — later\n", "utf-8")

    async def talk() -> None:
        async with Client(stdio_client(server(root))) as client:
            assert (await call(client, "nx_task_add", title="a", context="c"))["task"]["id"] == 1

    anyio.run(talk)


@pytest.mark.req("one.list.nx-gated")
@pytest.mark.parametrize(("enforced", "code"), [("contract", "RECALL_REQUIRED"), ("permissions", "")])
def test_changes_pass_the_gate_where_the_contract_is_enforced(tmp_path: Path, mi, enforced, code):
    root = tmp_path / "repo"
    root.mkdir()
    assert mi("hook", "install", "claude-code", "--enforce", enforced, cwd=root).returncode == 0

    async def talk() -> None:
        info = Implementation(name="claude-code", version="2")
        tools = server(root).model_copy(
            update={"args": ["mcp", "serve", "--tools", "memory,tasks,nexus", "--cd", str(root)]}
        )
        async with Client(stdio_client(tools), client_info=info) as client:
            first = await call(client, "nx_task_add", title="a", context="c")
            assert first.get("code", "") == code
            assert (await call(client, "nx_context"))["branch"] is not None
            if not code:
                return
            await call(client, "memory_recent")
            await call(client, "memory_set_mode", mode="GUARDED")
            assert (await call(client, "nx_task_add", title="a", context="c"))["task"]["id"] == 1
            assert (await call(client, "nx_task_update", id=1, status="completed"))["task"]["status"] == "completed"
            await call(client, "memory_recent")
            assert (await call(client, "nx_task_add", title="b", context="c"))["code"] == "NO_UNCHECKED_TASK"
            assert (await call(client, "nx_task_close"))["closed"] is True

    anyio.run(talk)
