"""The toolsets `memory` and `tasks` over the dispatcher: schemas, results, refusals, bad arguments."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mi.app.home_context import HomeContext
from mi.kernel.home import Home
from mi.mcp.dispatch import Dispatcher
from mi.mcp.registry import load_definitions, offer
from mi.mcp.session import ToolSession
from tests.mcp.toolbox import call, exchange, initialize

DEFINED = {
    name: json.loads(bytes(raw))
    for toolset in ("memory", "tasks")
    for name, raw in load_definitions(toolset).tools.items()
}
PARAMETERS = {
    "memory_query": ({"query"}, {"limit", "kind", "reach"}),
    "memory_recent": (set(), {"count"}),
    "memory_set_mode": ({"mode"}, set()),
    "memory_write": (
        {"type", "summary"},
        {"detail", "key", "source", "classification", "evidence", "rationale", "task_id"},
    ),
    "memory_stats": (set(), set()),
    "memory_health": (set(), set()),
    "memory_doctor": (set(), set()),
    "memory_run_metadata": (set(), set()),
    "memory_claim_success": ({"success", "enforced"}, {"boundary", "details"}),
    "memory_check_task_authority": (set(), set()),
    "memory_verify": (set(), {"id"}),
    "task_list": (set(), set()),
    "task_add": ({"title"}, {"section", "subtasks"}),
    "task_update": ({"task_id"}, {"title", "subtasks"}),
    "task_complete": ({"task_id"}, set()),
}
READ_ONLY = {
    *("memory_query", "memory_recent", "memory_stats", "memory_health", "memory_doctor"),
    *("memory_check_task_authority", "task_list"),
}


@pytest.fixture
def door(home: Home, tmp_path: Path) -> Iterator[Dispatcher]:
    made = Dispatcher(ToolSession(HomeContext(home, cd=str(tmp_path / "work")).for_agent()), offer(("memory", "tasks")))
    initialize(made, client="tester")
    yield made
    made.session.close()


@pytest.mark.req(
    *("ac.tool.input-schema", "ac.tool.output-schema", "ac.tool.read-only-hint", "ac.tool.destructive-hint"),
    *("ac.tool.idempotent-hint", "ac.tool.memory-query-limit", "ac.tool.memory-recent-count"),
)
def test_every_tool_with_its_parameters():
    assert DEFINED.keys() == PARAMETERS.keys()
    for name, (needed, optional) in PARAMETERS.items():
        given = DEFINED[name]["inputSchema"]
        assert set(given.get("required", [])) == needed, name
        assert set(given["properties"]) == needed | optional, name
        assert DEFINED[name]["outputSchema"]["type"] == "object"
        hints = DEFINED[name]["annotations"]
        assert hints["readOnlyHint"] == (name in READ_ONLY), name
        assert hints["destructiveHint"] is False  # nothing is ever overwritten or deleted
        assert isinstance(hints["idempotentHint"], bool)
    assert DEFINED["memory_query"]["inputSchema"]["properties"]["limit"]["default"] == 10
    assert DEFINED["memory_recent"]["inputSchema"]["properties"]["count"]["default"] == 10
    write = DEFINED["memory_write"]["inputSchema"]["properties"]
    assert set(write["type"]["enum"]) == {"fact", "constraint", "decision", "claim", "plan", "observation", "note"}
    assert (set(write["classification"]["enum"]), write["classification"]["default"]) == (
        *({"public", "internal"},),
        "internal",
    )
    assert set(DEFINED["memory_set_mode"]["inputSchema"]["properties"]["mode"]["enum"]) == {
        *("PASSIVE", "GUARDED", "STRICT"),
    }


def checked(door: Dispatcher, tool: str, **arguments: Any) -> dict[str, Any]:
    """A call whose result fits the tool's schema and says the same as text."""
    result = call(door, tool, **arguments)
    Draft202012Validator(DEFINED[tool]["outputSchema"]).validate(result["structuredContent"])
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    return result


@pytest.mark.req(
    "ac.tool.structured-content", "ac.tool.output-schema", "ac.gate.same-from-mcp", "tm.tools.memory-write"
)
def test_a_whole_session(door, tmp_path):
    (tmp_path / "work/a.py").write_text("x\n", "utf-8")

    def ok(tool: str, **arguments: Any) -> dict[str, Any]:
        result = checked(door, tool, **arguments)
        assert result["isError"] is False, result
        return result["structuredContent"]

    ok("memory_query", query="what is known?")
    ok("memory_set_mode", mode="STRICT")
    added = ok("task_add", title="Ship it", subtasks=["build", "test"])
    ok("task_update", task_id=added["task_id"], subtasks=["release"])
    evidence = [{"kind": "file_exists", "value": "a.py"}, "grep_hit::x::a.py"]
    fact = ok("memory_write", type="fact", summary="a is there", evidence=evidence, task_id=added["pointer"])
    assert ok("memory_recent", count=1)["results"][0]["id"] == fact["id"]
    assert ok("memory_verify", id=fact["id"])["stale"] == 0
    ok("task_complete", task_id=ok("task_list")["pointer"])
    for tool in (
        "memory_stats",
        "memory_health",
        "memory_doctor",
        "memory_run_metadata",
        "memory_check_task_authority",
    ):
        ok(tool)
    ok("memory_claim_success", success=True, enforced=True, boundary="mcp")


@pytest.mark.req("ac.block.tool-result", "ac.block.machine-code", "ac.block.checklist", "ac.block.next-call")
def test_a_block_is_a_result(door):
    result = checked(door, "memory_write", type="note", summary="too early")
    assert result["isError"] is True
    error = result["structuredContent"]["error"]
    assert (error["code"], error["missing"]) == ("RECALL_REQUIRED", ["recall", "mode"])
    assert [one["item"] for one in error["checklist"]] == [
        *("recall", "mode", "tasks", "task authority", "content", "permission")
    ]
    step = error["next"]
    assert call(door, step["tool"], **step["arguments"])["isError"] is False


BAD = [
    ("memory_write", {}, "BAD_ARGUMENTS"),
    ("memory_write", {"type": "fact"}, "BAD_ARGUMENTS"),
    ("memory_write", {"type": "rumour", "summary": "x"}, "BAD_ARGUMENTS"),
    ("memory_write", {"type": "note", "summary": 5}, "BAD_ARGUMENTS"),
    ("memory_write", {"type": "note", "summary": "x", "evidence": "a.py"}, "BAD_ARGUMENTS"),
    (
        "memory_write",
        {"type": "note", "summary": "x", "evidence": [{"kind": "hearsay", "value": "x"}]},
        "BAD_ARGUMENTS",
    ),
    ("memory_write", {"type": "note", "summary": "x", "extra": 1}, "BAD_ARGUMENTS_UNKNOWN"),
    ("memory_write", {"type": "note", "summary": "x" * 10_000_000}, "TOO_LONG"),
    ("memory_write", {"type": "note", "summary": " "}, "EMPTY_TEXT"),
    ("memory_set_mode", {"mode": "ROOT"}, "BAD_ARGUMENTS"),
    ("memory_set_mode", {"mode": None}, "BAD_ARGUMENTS"),
    ("memory_query", {"query": "x", "limit": 0}, "OUT_OF_RANGE"),
    ("memory_query", {"query": "x", "limit": "10"}, "BAD_ARGUMENTS"),
    ("memory_verify", {"id": "../x"}, "NO_EVIDENCE_TO_CHECK"),
    ("task_add", {"title": ["a"]}, "BAD_ARGUMENTS"),
    ("task_add", {"title": "a\nb"}, "ONE_LINE"),
    ("task_complete", {"task_id": "tk_nothing"}, "UNKNOWN_TASK"),
    ("task_update", {"task_id": "tk_nothing", "title": "x"}, "UNKNOWN_TASK"),
]


@pytest.mark.req("ac.block.bad-arguments-error", "ac.block.bad-arguments-state")
@pytest.mark.parametrize(("tool", "arguments", "code"), BAD)
def test_bad_arguments(door, home, tool, arguments, code):
    call(door, "memory_recent")
    call(door, "memory_set_mode", mode="GUARDED")
    (state,) = Path(home.projects).glob("*/contract/tester-0.json")
    before = state.read_bytes()
    result = checked(door, tool, **arguments)
    assert (result["isError"], result["structuredContent"]["error"]["code"]) == (True, code)
    assert "checklist" not in result["structuredContent"]["error"]
    assert len(json.dumps(result)) < 5000
    assert state.read_bytes() == before
    assert call(door, "memory_write", type="note", summary="x")["isError"] is False


def test_unknown_tools_are_errors_of_the_protocol(door):
    answer = exchange(door, id=1, method="tools/call", params={"name": "memory_delete", "arguments": {}})
    assert answer["error"]["code"] == -32602
