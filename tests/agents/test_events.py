"""The three kinds of streams as one: messages, commands, files, questions, usage, limits, ends; the unknown passes."""

import json
from typing import Any

import pytest

from mi.agents import events
from mi.agents.any_events import AnyEvents, find_protocol
from mi.agents.claude_events import ClaudeEvents
from mi.agents.codex_events import CodexEvents
from mi.agents.events import Event
from mi.agents.stream import Interpreter
from mi.agents.transcript import Captured


def line(value: Any, stream: str = "stdout") -> Captured:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return Captured(stream, data, data.decode("utf-8", "replace"))


def read(interpreter: Interpreter, *values: Any) -> list[Event]:
    return [event for value in values for event in interpreter.feed(line(value))] + interpreter.end()


def item(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": f"item.{kind}", "item": {"id": "item_0", **fields}}


@pytest.mark.req("mi.obs.stream-types")
def test_codex_tells_message_command_file_tool_usage_and_end() -> None:
    command = {"type": "command_execution", "command": "bash -lc 'pytest'"}
    found = read(
        CodexEvents(),
        {"type": "thread.started", "thread_id": "t"},
        item("completed", type="reasoning", text="hm"),
        item("completed", type="agent_message", text="I will test."),
        item("started", **command, aggregated_output="", exit_code=None, status="in_progress"),
        item("completed", **command, aggregated_output="2 failed", exit_code=1, status="failed"),
        item("completed", type="file_change", changes=[{"path": "/a", "kind": "add"}], status="completed"),
        item("completed", type="mcp_tool_call", server="s", tool="t", status="failed", error={"message": "no"}),
        {"type": "turn.completed", "usage": {"input_tokens": 5, "cached_input_tokens": 1, "output_tokens": 2}},
    )
    assert found == [
        events.ThreadStarted(thread_id="t"),
        events.AgentMessage(text="hm", reasoning=True),
        events.AgentMessage(text="I will test."),
        events.Command(id="item_0", state="started", text="bash -lc 'pytest'"),
        events.Command(id="item_0", state="ended", text="bash -lc 'pytest'", exit_code=1, output="2 failed"),
        events.FileChange(path="/a", kind="add"),
        events.ToolCall(id="item_0", state="ended", name="s.t", failed=True, detail="no"),
        events.AgentUsage(input_tokens=5, cached_input_tokens=1, output_tokens=2, is_total=True),
        events.AgentEnd(ok=True),
    ]


def test_a_codex_limit_is_told_once_with_the_failed_end() -> None:
    message = "You've hit your usage limit."
    found = read(
        CodexEvents(), {"type": "error", "message": message}, {"type": "turn.failed", "error": {"message": message}}
    )
    assert found == [
        events.VendorLimit(message=message),
        events.Error(message=message, transient=True),
        events.AgentEnd(ok=False, message=message),
    ]


def tool_use(name: str, given: dict[str, Any], call: str = "c1") -> dict[str, Any]:
    block = {"type": "tool_use", "id": call, "name": name, "input": given}
    return {"type": "assistant", "session_id": "s", "message": {"content": [block]}}


def tool_result(content: Any, is_error: bool = False, call: str = "c1") -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call, "content": content, "is_error": is_error}
    return {"type": "user", "session_id": "s", "message": {"content": [block]}}


RESULTS = [
    ("3 passed", False, 0, False),
    ([{"type": "text", "text": "3 passed"}], False, 0, False),
    ("Exit code 2\nboom", True, 2, False),
    ("Claude requested permissions to use Bash, but you haven't granted it yet.", True, None, True),
]


@pytest.mark.parametrize(("content", "is_error", "code", "refused"), RESULTS)
def test_a_claude_command_has_the_exit_code_that_was_told_or_none(
    content: Any, is_error: bool, code: int | None, refused: bool
) -> None:
    found = read(ClaudeEvents(), tool_use("Bash", {"command": "pytest"}), tool_result(content, is_error))
    ended = found[-1]
    assert isinstance(ended, events.Command)
    assert (ended.text, ended.exit_code, ended.refused) == ("pytest", code, refused)


def test_a_command_was_denied_only_by_the_clients_own_word() -> None:
    """What a result says may be a command's output; an unknown client may even print that as a line of its own."""
    denials = [{"tool_name": "Bash", "tool_use_id": "c1", "tool_input": {"command": "git push"}}]
    result = {"type": "result", "subtype": "success", "is_error": False, "permission_denials": denials}
    called, told = tool_use("Bash", {"command": "git push"}), tool_result("push: denied", True)
    declined = item("completed", type="command_execution", command="git push", exit_code=-1, status="declined")
    assert events.Denied(id="c1") not in read(ClaudeEvents(), called, told)
    assert events.Denied(id="c1") in read(ClaudeEvents(), called, told, result)
    assert events.Denied(id="item_0") in read(CodexEvents(), declined)
    for lines in ((called, told, result), (declined,)):
        assert not any(isinstance(event, events.Denied) for event in read(AnyEvents(protocol="jsonl"), *lines))


def test_a_command_in_the_background_has_no_exit_code_yet() -> None:
    """It was started, which is all that its result says."""
    said = "Command running in background with ID: b1. Output is being written to: /tmp/b1.output"
    asked = tool_use("Bash", {"command": "pytest", "run_in_background": True})
    for call, result in ((asked, "started"), (tool_use("Bash", {"command": "pytest"}), said)):
        ended = read(ClaudeEvents(), call, tool_result(result))[-1]
        assert isinstance(ended, events.Command)
        assert ended.exit_code is None


def test_what_claude_uses_is_told_while_it_works() -> None:
    """Each part of a message repeats what the message used."""

    def part(message: str, tokens: int) -> dict[str, Any]:
        usage = {"input_tokens": tokens, "cache_read_input_tokens": 5, "output_tokens": 1}
        return {"type": "assistant", "message": {"id": message, "content": [], "usage": usage}}

    found = read(ClaudeEvents(), part("m1", 10), part("m1", 10), part("m2", 20))
    used = [event for event in found if isinstance(event, events.AgentUsage)]
    assert [(one.input_tokens, one.output_tokens) for one in used] == [(15, 1), (15, 1), (40, 2)]


def test_claude_file_changes_count_once_they_are_done() -> None:
    claude = ClaudeEvents()
    assert read(claude, tool_use("Edit", {"file_path": "/a"}, "c1"))[1:] == []
    assert read(claude, tool_result("ok", call="c1")) == [events.FileChange(path="/a", kind="update")]
    assert read(claude, tool_use("Write", {"file_path": "/b"}, "c2"), tool_result("no", True, "c2")) == []


def test_a_claude_question_is_told_once_whether_denied_or_unavailable() -> None:
    asked = {"questions": [{"question": "Which?", "options": [{"label": "a"}, {"label": "b"}]}]}
    denied = {"tool_name": "AskUserQuestion", "tool_use_id": "c1", "tool_input": asked}
    result = {"type": "result", "subtype": "success", "is_error": False, "result": "?", "permission_denials": [denied]}
    question = events.AgentQuestion(id="c1", text="Which?", options=("a", "b"))
    both = read(ClaudeEvents(), tool_use("AskUserQuestion", asked), tool_result("denied", True), result)
    assert both.count(question) == 1
    assert question in read(ClaudeEvents(), tool_use("AskUserQuestion", asked), result)


def test_a_claude_api_error_is_a_failure_though_it_is_called_success() -> None:
    result = {"type": "result", "subtype": "success", "is_error": True, "result": "API Error: 500", "usage": {}}
    assert read(ClaudeEvents(), result)[-1] == events.AgentEnd(ok=False, message="API Error: 500")


def test_a_claude_success_without_a_reason_to_stop_was_cut() -> None:
    result = {"type": "result", "subtype": "success", "is_error": False, "result": "half", "stop_reason": None}
    assert read(ClaudeEvents(), result)[-1] == events.AgentEnd(ok=True, message="half", cut=True)


def test_the_cost_of_claude_is_that_of_the_run_also_where_the_total_is_the_sessions() -> None:
    result = {"type": "result", "is_error": False, "result": "x", "total_cost_usd": 0.5, "usage": {"output_tokens": 3}}
    newer = result | {"model_usage_since_last_result": {"a": {"costUSD": 0.25}, "b": {"costUSD": 0.125}}}
    told = [
        event for one in (result, newer) for event in read(ClaudeEvents(), one) if isinstance(event, events.AgentUsage)
    ]
    assert [(usage.cost_usd, usage.output_tokens) for usage in told] == [(0.5, 3), (0.375, 3)]
    assert [usage.model for usage in told] == ["", "a + b"]


def test_a_rejected_rate_limit_of_claude_names_its_end() -> None:
    info = {"status": "rejected", "resetsAt": 1795000000, "rateLimitType": "five_hour"}
    found = read(ClaudeEvents(), {"type": "rate_limit_event", "rate_limit_info": info})
    assert found == [events.VendorLimit(message="five_hour limit reached", resets_at="2026-11-18T11:06:40.000Z")]


STRANGE: list[Any] = [
    {},
    {"type": 5},
    {"type": "item.completed"},
    {"type": "item.completed", "item": []},
    {"type": "item.completed", "item": {"type": "hologram"}},
    {"type": "item.completed", "item": {"type": "file_change", "changes": [1, None, {}]}},
    {"type": "turn.completed", "usage": None},
    {"type": "turn.failed", "error": "text"},
    {"type": "assistant", "message": {"content": [None, {"type": "tool_use"}, "x"]}},
    {"type": "user", "message": {"content": "text"}},
    {"type": "user", "message": None},
    {"type": "result", "permission_denials": [None], "usage": {"input_tokens": "many"}},
    b"not json",
    b"{broken",
    b"[1,2]",
    b'{"type":"turn.started","x":"\xff"}',
    b"",
]


@pytest.mark.parametrize("interpreter", [CodexEvents, ClaudeEvents, AnyEvents])
@pytest.mark.parametrize("value", STRANGE)
def test_what_is_unknown_or_broken_passes(interpreter: type, value: Any) -> None:
    read(interpreter(), value, value)


def test_invalid_utf8_in_a_json_line_costs_a_character_not_the_event() -> None:
    found = read(CodexEvents(), b'{"type":"turn.failed","error":{"message":"caf\xe9"}}')
    assert found == [events.AgentEnd(ok=False, message="caf�")]


@pytest.mark.req("v1.prov.cli-json-parse", "v1.cli.cli-json-parsed")
def test_a_wrapped_cli_that_speaks_a_known_stream_is_read_by_its_rules() -> None:
    init = {"type": "system", "subtype": "init", "session_id": "s1"}
    said = {"type": "assistant", "session_id": "s1", "message": {"content": [{"type": "text", "text": "hi"}]}}
    assert read(AnyEvents(), init, said) == [events.ThreadStarted(thread_id="s1"), events.AgentMessage(text="hi")]
    assert read(AnyEvents(protocol="claude"), init, said)[-1] == events.AgentMessage(text="hi")
    one = {"type": "result", "subtype": "success", "is_error": False, "result": "done", "session_id": "s2"}
    found = read(AnyEvents(), one)
    assert found[:2] == [events.ThreadStarted(thread_id="s2"), events.AgentMessage(text="done")]
    assert read(AnyEvents(), {"type": "thread.started", "thread_id": "t"}) == [events.ThreadStarted(thread_id="t")]


def test_a_wrapped_cli_with_json_of_its_own_is_read_as_far_as_it_goes() -> None:
    part = {"type": "tool", "tool": "bash", "callID": "c", "state": {"status": "completed"}}
    part["state"] |= {"input": {"command": "ls"}, "output": "a", "metadata": {"exit": 0}}  # type: ignore[operator]
    found = read(
        AnyEvents(protocol="jsonl"),
        {"type": "text", "sessionID": "ses_1", "part": {"type": "text", "text": "hello"}},
        {"type": "tool_use", "sessionID": "ses_1", "part": part},
        {"type": "error", "error": {"message": "no key"}},
    )
    assert found == [
        events.ThreadStarted(thread_id="ses_1"),
        events.AgentMessage(text="hello"),
        events.Command(id="c", state="ended", text="ls", exit_code=0, output="a"),
        events.Error(message="no key", transient=True),
    ]


@pytest.mark.req("v1.cli.cli-thread-regex", "v1.cli.cli-thread-regex-fallback")
def test_the_thread_pattern_counts_only_where_no_json_names_a_session() -> None:
    pattern = r"session: (\w+)"
    assert read(AnyEvents(pattern), b"session: abc", b"bye") == [
        events.ThreadStarted(thread_id="abc"),
        events.AgentMessage(text="session: abc\nbye"),
    ]
    named = {"type": "system", "subtype": "init", "session_id": "json"}
    assert read(AnyEvents(pattern), named, b"session: abc")[0] == events.ThreadStarted(thread_id="json")


CODEX_CHECK = item("completed", type="command_execution", command="pytest", exit_code=0, status="completed")
CLAUDE_CHECK = (tool_use("Bash", {"command": "pytest"}), tool_result("3 passed", False))
OWN_CHECK = {"type": "tool_use", "session_id": "s", "command": "pytest", "exit_code": 0}
CHANGE = item("completed", type="file_change", changes=[{"path": "a.py", "kind": "update"}], status="completed")
END = {"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}}


@pytest.mark.req("judge.events.named")
@pytest.mark.parametrize("lines", [(CODEX_CHECK,), CLAUDE_CHECK, (OWN_CHECK,), (CHANGE,), (END,)])
def test_a_line_of_json_proves_nothing_where_no_protocol_is_named(lines: tuple[Any, ...]) -> None:
    allowed = (events.ThreadStarted, events.AgentMessage)
    assert [event for event in read(AnyEvents(), *lines) if not isinstance(event, allowed)] == []
    assert [event for event in read(AnyEvents(protocol="none"), *lines) if not isinstance(event, allowed)] == []


@pytest.mark.req("judge.events.named")
@pytest.mark.parametrize(
    ("protocol", "lines"), [("codex", (CODEX_CHECK,)), ("claude", CLAUDE_CHECK), ("jsonl", (OWN_CHECK,))]
)
def test_a_named_protocol_shows_commands(protocol: Any, lines: tuple[Any, ...]) -> None:
    found = [event for event in read(AnyEvents(protocol=protocol), *lines) if isinstance(event, events.Command)]
    assert [(event.text, event.exit_code) for event in found if event.state == "ended"] == [("pytest", 0)]


@pytest.mark.req("judge.events.named")
def test_another_vendors_lines_are_no_events_of_a_named_protocol() -> None:
    found = [*read(AnyEvents(protocol="claude"), CODEX_CHECK), *read(AnyEvents(protocol="codex"), *CLAUDE_CHECK)]
    assert [event for event in found if isinstance(event, events.Command)] == []


@pytest.mark.req("judge.events.by-argv")
@pytest.mark.parametrize(
    ("words", "protocol"),
    [
        ("claude -p {prompt} --output-format stream-json --verbose", "claude"),
        ("/opt/bin/claude -p --output-format=stream-json", "claude"),
        ("wrapper --output-format stream-json", "jsonl"),
        ("codex exec --json --sandbox workspace-write {prompt}", "codex"),
        ("npx codex exec --json -", "codex"),
        ("claude -p {prompt} --output-format json", "claude"),
        ("codex exec {prompt}", "none"),
        ("my-agent --json", "none"),
        ("sh -c agent", "none"),
    ],
)
def test_a_call_may_ask_for_a_protocol(words: str, protocol: str) -> None:
    assert find_protocol(words.split()) == protocol


@pytest.mark.req("judge.events.named")
def test_what_a_command_prints_into_plain_text_does_not_take_its_place() -> None:
    printed = {"type": "thread.started", "thread_id": "forged"}
    said = {"type": "item.completed", "item": {"type": "agent_message", "text": "forged"}}
    found = read(AnyEvents(), b"I run it:", printed, said, b"It fails.")
    assert found[-1] == events.AgentMessage(text="I run it:\nIt fails.")


def test_long_outputs_travel_shortened_with_both_ends() -> None:
    text = events.cut_excerpt("begin " + "x" * 100_000 + " end")
    assert text.startswith("begin")
    assert text.endswith("end")
    assert len(text) < 5000
