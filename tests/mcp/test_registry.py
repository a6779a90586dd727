"""Tools are declared once: who names them elsewhere says why, and names none that there is not."""

import ast
import json
from importlib import import_module
from pathlib import Path

import pytest

from mi.app.home_context import HomeContext
from mi.cli.governed import _COMMANDS
from mi.cli.nexus_calls import _READS
from mi.contract.host_session import _RECALLS
from mi.hooks.parts.contract import _CHANGING, _TAKEN_OVER
from mi.kernel.home import Home
from mi.mcp.calling import call
from mi.mcp.registry import list_known, load_toolset
from mi.mcp.session import ToolSession
from mi.mcp.tool import Tool
from mi.nexus.toolset import TOOLS as NEXUS
from tests.literals import lists_of, sources
from tests.mcp.toolbox import Nothing

TOOLS = {tool.name: tool for name in list_known() for tool in load_toolset(name).TOOLS}
NAMES = {*TOOLS, *NEXUS}
# Literals with two names of tools or more, and why they are not read off the tools.
ALLOWED = {
    "mi/web/views/needs_you.py": "kinds of what waits that are named like tools",
    "mi/nexus/toolset.py": "the table of the plan's tools",
    "mi/cli/commands.py": "commands that are named like tools",
    "mi/cli/governed.py": "the command of the shell that does what a call would; checked below",
    "mi/cli/nexus_calls.py": "everyday reads that start without the table; checked below",
    "mi/contract/host_session.py": "what counts as recall, a rule of the contract",
    "mi/hooks/parts/contract.py": "calls whose answers a host's session takes over; a hook starts without the tools",
    "mi/mcp/contract_session.py": "what a refusal leads to when its own way on is not offered",
    "mi/nexus/capabilities.py": "tools of every host by what they do, ours among them",
    "mi/contract/fact_status.py": "kinds of records that are named like tools",
    "mi/evidence/inbox.py": "kinds of what waits",
    "mi/evidence/records/table.py": "kinds of records that are named like tools",
    "mi/kernel/messages/": "texts by their keys",
}


def test_nobody_else_keeps_a_list_of_tools() -> None:
    found = [(path, names) for path, tree in sources(*ALLOWED) for names in lists_of(NAMES, tree, 2)]
    assert found == []


def test_no_two_tools_have_one_name() -> None:
    names = [tool.name for name in list_known() for tool in load_toolset(name).TOOLS]
    assert sorted(set(names)) == sorted(names)


def test_the_next_call_of_every_refusal_is_a_tool_that_the_shell_has_too() -> None:
    called = {
        argument.value.value
        for path, tree in sources()
        if path.startswith("mi/contract/")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("AllowedCall")
        for argument in node.keywords
        if argument.arg == "tool" and isinstance(argument.value, ast.Constant)
    }
    assert len(called) > 6
    assert called <= set(_COMMANDS) <= set(TOOLS)


def test_what_hooks_take_over_is_there_and_changes_what_it_is_said_to_change() -> None:
    assert set(_RECALLS) < set(_TAKEN_OVER) <= set(TOOLS)
    assert [name for name in _CHANGING if TOOLS[name].read_only or TOOLS[name].idempotent] == []


def test_the_shells_everyday_reads_are_those_of_the_table() -> None:
    for name, (module, function, params) in _READS.items():
        held = import_module("mi.nexus." + module)
        tool = NEXUS[name]
        assert (tool.run, tool.params, tool.writes) == (getattr(held, function), getattr(held, params), False)


# What an agent may call over MCP: every tool is here, so that a new one is thought about.
OPEN = """
    assess signals permission card_match proposal session_save handoff
    memory_query memory_recent memory_set_mode memory_write memory_verify memory_check_task_authority
    memory_claim_success memory_stats memory_health memory_doctor memory_run_metadata
    nx_plan_start nx_plan_status nx_plan_update nx_plan_decide nx_task_list nx_task_add nx_task_update nx_task_close
    nx_history_search nx_context nx_artifact_write task_list task_add task_update task_complete
"""


@pytest.mark.req("person.walk")
def test_it_is_known_of_every_tool_whether_an_agent_may_call_it() -> None:
    assert {name for name, tool in TOOLS.items() if not tool.person_only} == set(OPEN.split())
    assert {name for name, tool in TOOLS.items() if tool.person_only} == set()


@pytest.mark.req("person.only", "person.violation")
def test_no_caller_of_tools_says_what_is_a_persons(home: Home) -> None:
    called = []
    tool = Tool(
        name="permit", title="Permit", description="Permits.", input=Nothing, output=Nothing,
        call=lambda session, given: called.append(given) or given, person_only=True,
    )  # fmt: skip
    Path(home.root).mkdir()
    session = ToolSession(HomeContext(home).for_agent())
    session.introduce("some-client", "1")
    answer = json.loads(call(session, tool, {}))
    assert answer["isError"]
    assert "permit is for a person to say: an agent calls this tool (some-client)" in answer["content"][0]["text"]
    assert called == []
    (log,) = Path(home.root).glob("projects/*/evidence.jsonl")
    assert '"AGENT_AS_PERSON"' in log.read_text("utf-8")
    session.close()
