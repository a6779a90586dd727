"""Tools are declared once: who names them elsewhere says why, and names none that there is not."""

import ast
from importlib import import_module

from mi.cli.governed import _COMMANDS
from mi.cli.nexus_calls import _READS
from mi.contract.host_session import _RECALLS
from mi.hooks.parts.contract import _CHANGING, _TAKEN_OVER
from mi.mcp.registry import list_known, load_toolset
from mi.nexus.toolset import TOOLS as NEXUS
from tests.literals import lists_of, sources

TOOLS = {tool.name: tool for name in list_known() for tool in load_toolset(name).TOOLS}
NAMES = {*TOOLS, *NEXUS}
# Literals with two names of tools or more, and why they are not read off the tools.
ALLOWED = {
    "mi/nexus/toolset.py": "the table of the plan's tools",
    "mi/cli/commands.py": "commands that are named like tools",
    "mi/cli/governed.py": "the command of the shell that does what a call would; checked below",
    "mi/cli/nexus_calls.py": "everyday reads that start without the table; checked below",
    "mi/contract/host_session.py": "what counts as recall, a rule of the contract",
    "mi/hooks/parts/contract.py": "calls whose answers a host's session takes over; a hook starts without the tools",
    "mi/mcp/contract_session.py": "what a refusal leads to when its own way on is not offered",
    "mi/nexus/capabilities.py": "tools of every host by what they do, ours among them",
    "mi/contract/fact_status.py": "kinds of records that are named like tools",
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
    assert len(called) > 7
    assert called <= set(_COMMANDS) <= set(TOOLS)


def test_what_hooks_take_over_is_there_and_changes_what_it_is_said_to_change() -> None:
    assert set(_RECALLS) < set(_TAKEN_OVER) <= set(TOOLS)
    assert [name for name in _CHANGING if TOOLS[name].read_only or TOOLS[name].idempotent] == []


def test_the_shells_everyday_reads_are_those_of_the_table() -> None:
    for name, (module, function, params) in _READS.items():
        held = import_module("mi.nexus." + module)
        tool = NEXUS[name]
        assert (tool.run, tool.params, tool.writes) == (getattr(held, function), getattr(held, params), False)
