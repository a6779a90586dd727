"""`mi mcp serve` with its real toolsets: two clients at once, restarts, a killed server, whatever a client sends."""

import json
import os
import signal
from pathlib import Path

import anyio
import pytest
from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters, stdio_client

from mi.app.home_context import HomeContext
from mi.mcp.registry import DEFAULT, list_known, offer
from tests.mcp.speaking import SERVE, Server

NOTE = {"type": "note", "summary": "The build needs Python 3.11."}


@pytest.fixture
def project(repository) -> str:
    return str(repository("app"))


def ready(server: Server, mode: str = "GUARDED", client: str = "tester") -> None:
    server.initialize(client)
    server.content("memory_recent")
    server.content("memory_set_mode", mode=mode)


@pytest.mark.req(
    "ac.fail.instructions", "ac.fail.r6-stated", "tm.core.principle", "tm.r6.two-ways-on", "tm.r6.never-guess"
)
@pytest.mark.req("tm.errors.state-failure", "tm.errors.retry-twice", "tm.errors.stop-human")
def test_instructions_state_the_contract(project):
    with Server(SERVE, project) as server:
        text = server.initialize()["instructions"]
    for words in (
        "Observation is free. Sequencing is authority. Mutation is explicit.",
        "A required tool fails: say so, retry up to 2 times, then stop and ask a person.",
        "Never guess.",
        "recall completed (R1)",
        "memory writes completed or not required (R5)",
        "observe only, or stop and ask",
    ):
        assert words in text
    assert len(text) < 2500


def test_tools_list_of_the_default_toolsets_is_small(project):
    with Server(SERVE, project) as server:
        server.initialize()
        tools = server.ask("tools/list")["result"]["tools"]
    assert len(json.dumps(tools, separators=(",", ":"), ensure_ascii=False).encode()) <= 24_000
    wanted = [tool for name in DEFAULT if name in list_known() for tool in offer((name,)).names]
    assert [one["name"] for one in tools] == wanted


@pytest.mark.req("mi.config.mcp-tools")
def test_toolsets_by_flag_and_by_setting(project, home, mi):
    with Server((*SERVE, "--tools", "tasks"), project) as server:
        server.initialize()
        names = {one["name"] for one in server.ask("tools/list")["result"]["tools"]}
        assert {name.split("_")[0] for name in names} == {"task"}
        assert server.ask("tools/call", name="memory_recent")["error"]["code"] == -32602
        assert server.refusal("task_add", title="x")["next"]["tool"] in names  # never one that is not offered
    os.makedirs(home.root, exist_ok=True)
    Path(home.config).write_text(json.dumps({"version": "v1", "mcp": {"tools": ["memory"]}}), "utf-8")
    with Server(SERVE, project) as server:
        server.initialize()
        names = {one["name"] for one in server.ask("tools/list")["result"]["tools"]}
        assert {name.split("_")[0] for name in names} == {"memory"}


@pytest.mark.req("mi.door.mcp-project", "mi.door.never-pinned")
def test_the_project_is_where_the_server_was_started(project, repository, mi, tmp_path):
    pinned = repository("pinned")
    mi("project", "pin", cwd=pinned)
    deep = Path(project, "deep")
    deep.mkdir()
    for cwd, args, env, root in (
        (str(deep), (), {}, project),
        (str(tmp_path / "user"), (), {}, str(tmp_path / "user")),
        (str(deep), ("--cd", str(pinned)), {}, str(pinned)),
        (str(deep), (), {"MI_CD": str(pinned)}, str(pinned)),
    ):
        with Server((*SERVE, *args), cwd, env) as server:
            server.initialize()
            assert server.content("memory_run_metadata")["root"] == root


@pytest.mark.req("ac.state.two-clients")
def test_two_clients_at_once_have_modes_of_their_own(project):
    with Server(SERVE, project) as one, Server(SERVE, project) as two, Server(SERVE, project) as other:
        ready(one, "GUARDED")
        ready(two, "PASSIVE")  # the same client twice: another slot
        other.initialize("somebody-else")
        assert one.content("memory_write", **NOTE)["type"] == "note"
        assert two.refusal("memory_write", **NOTE)["code"] == "MODE_TOO_LOW"
        assert other.refusal("memory_write", **NOTE)["code"] == "RECALL_REQUIRED"
        found = other.content("memory_query", query="Which Python does the build need?")["results"]
        assert [item["summary"] for item in found] == [NOTE["summary"]]  # what one wrote, all recall


@pytest.mark.req("ac.state.restart")
def test_a_restarted_server_takes_up_where_its_predecessor_stopped(project):
    with Server(SERVE, project) as server:
        ready(server, "STRICT")
        assert server.refusal("memory_write", **NOTE)["code"] == "TASKS_REQUIRED"
        added = server.content("task_add", title="Note the version", subtasks=["find it", "write it down"])
        assert server.end() == (0, "")
    with Server(SERVE, project) as server:
        server.initialize()
        written = server.content("memory_write", **NOTE, task_id=added["pointer"])
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
    with Server(SERVE, project) as server:
        server.initialize()
        found = server.content("memory_query", query="Python build")["results"]
        assert [one["id"] for one in found] == [written["id"]]
        assert server.content("task_complete", task_id=added["pointer"])["remaining"] == 1


def test_a_server_killed_in_mid_write_loses_nothing_it_confirmed(project, home, mi):
    confirmed: list[str] = []
    for number in range(3):
        with Server(SERVE, project) as server:
            ready(server)
            for count in range(40):
                arguments = {"type": "note", "summary": f"note {number}-{count}", "key": f"k{count % 7}-{number}"}
                server.send(
                    id=f"w{count}", method="tools/call", params={"name": "memory_write", "arguments": arguments}
                )
            for _ in range(5 + number):
                answer = server.receive()["result"]
                assert answer["isError"] is False, answer
                confirmed.append(answer["structuredContent"]["id"])
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
    with Server(SERVE, project) as server:
        server.initialize()
        assert server.content("memory_doctor")["ok"] is True
        assert server.content("memory_recent", count=10)["results"]
        assert server.end()[0] == 0
    stored = (
        Path(HomeContext(home).for_agent(project).project_home.thoughts, "nodes.jsonl").read_text("utf-8").splitlines()
    )
    assert set(confirmed) <= {one.get("node_id") for one in map(json.loads, stored)}
    assert mi("doctor", cwd=Path(project)).returncode == 0


@pytest.mark.req("ac.block.tool-result", "ac.block.machine-code", "ac.block.checklist", "ac.block.next-call")
def test_a_block_tells_what_is_missing_and_what_to_do(project):
    with Server(SERVE, project) as server:
        server.initialize()
        for code, done in (("RECALL_REQUIRED", set()), ("MODE_NOT_SET", {"recall"})):
            error = server.refusal("memory_write", **NOTE)
            assert error["code"] == code
            checks = {one["item"]: one["done"] for one in error["checklist"]}
            assert {"recall", "mode", "tasks", "task authority", "content", "permission"} == set(checks)
            assert {item for item in ("recall", "mode") if checks[item]} == done
            assert set(error["missing"]) == {item for item, met in checks.items() if not met}
            server.content(error["next"]["tool"], **error["next"]["arguments"])  # the next call is legal
        assert server.content("memory_write", **NOTE)["type"] == "note"


@pytest.mark.req("ac.block.bad-arguments-error", "ac.block.bad-arguments-state")
@pytest.mark.parametrize(
    ("tool", "arguments", "named"),
    [
        ("memory_query", {}, "query"),
        ("memory_query", {"query": "x", "limit": 0}, "limit"),
        ("memory_query", {"query": 7}, "query"),
        ("memory_set_mode", {"mode": "YOLO"}, "mode"),
        ("memory_write", {"type": "rumour", "summary": "x"}, "type"),
        ("memory_write", {"type": "note", "summary": "x" * 10_000_000}, "summary"),
        ("memory_write", {"type": "fact", "summary": "x", "evidence": [{"kind": "file_exists"}]}, "evidence"),
        ("memory_write", {"type": "note", "summary": "x", "extra": 1}, "extra"),
        ("task_complete", {"task_id": ["t"]}, "task_id"),
    ],
)
def test_bad_arguments_change_nothing(project, tool, arguments, named):
    with Server(SERVE, project) as server:
        ready(server)
        before = server.content("memory_run_metadata")
        error = server.refusal(tool, **arguments)
        assert named in error["message"]
        assert len(error["message"]) < 600
        after = server.content("memory_run_metadata")
        for name in ("mode", "pointer", "violations"):
            assert after.get(name) == before.get(name)
        assert server.content("memory_write", **NOTE)["type"] == "note"


@pytest.mark.req("ac.tool.structured-content")
def test_the_official_client_accepts_every_answer(project, tmp_path):
    """It checks each result against the tool's output schema; ours are the same for refusals."""
    env = {"MI_HOME": os.environ["MI_HOME"]}
    parameters = StdioServerParameters(command=SERVE[0], args=list(SERVE[1:]), cwd=project, env=env)

    async def talk() -> None:
        async with Client(stdio_client(parameters)) as client:
            schemas = {one.name: one.output_schema for one in (await client.list_tools()).tools}

            async def call(name: str, **arguments: object) -> dict[str, object]:
                result = await client.call_tool(name, arguments)
                Draft202012Validator(schemas[name]).validate(result.structured_content)
                return result.structured_content or {}

            assert "error" in await call("memory_write", **NOTE)
            for name, arguments in (
                ("memory_query", {"query": 'NOT "C++" AND (a:b) foo-bar* 构建'}),
                ("memory_recent", {"count": 3}),
                ("memory_set_mode", {"mode": "GUARDED"}),
                ("memory_check_task_authority", {}),
                ("memory_stats", {}),
                ("memory_health", {}),
                ("memory_doctor", {}),
                ("memory_run_metadata", {}),
                ("memory_verify", {}),
                ("task_list", {}),
                ("task_add", {"title": "Two things", "subtasks": ["a", "b"]}),
                ("memory_write", NOTE),
                ("memory_claim_success", {"success": True, "enforced": True}),
            ):
                assert "error" not in await call(name, **arguments), name
            pointer = (await call("task_list"))["pointer"]
            assert "error" not in await call("task_update", task_id=pointer, title="a first thing")
            assert "error" not in await call("task_complete", task_id=pointer)
            assert "error" in await call("task_complete", task_id=pointer)

    anyio.run(talk)


@pytest.mark.req("one.setup.tools-size")
@pytest.mark.parametrize(("profile", "most"), [("light", 12_000), ("team", 24_000), ("strict", 24_000)])
def test_what_a_client_reads_first_is_small(profile, most):
    """Every session of an agent pays for each byte of `tools/list`."""
    with Server([*SERVE, "--profile", profile]) as server:
        server.initialize()
        answer = server.ask("tools/list")
    names = {tool["name"] for tool in answer["result"]["tools"]}
    assert len(json.dumps(answer, separators=(",", ":"), ensure_ascii=False)) <= most
    assert ("nx_task_add" in names, "memory_write" in names) == (profile != "light", True)


@pytest.mark.req("ac.tool.input-schema", "ac.tool.output-schema")
@pytest.mark.req("ac.tool.read-only-hint", "ac.tool.destructive-hint", "ac.tool.idempotent-hint")
@pytest.mark.parametrize("name", list_known())
def test_every_tool_is_described(name):
    for raw in offer((name,)).tools:
        tool = json.loads(raw)
        assert tool["description"]
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
            assert "$ref" not in json.dumps(schema)
        assert {"readOnlyHint", "destructiveHint", "idempotentHint"} <= set(tool["annotations"])
