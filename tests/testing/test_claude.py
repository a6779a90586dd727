"""The Messages server, judged by the real Claude Code."""

import json
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mi.testing import (
    Repository,
    Usage,
    answer_json,
    ask,
    call_tool,
    claude_environment,
    cut,
    fail,
    messages_server,
    read,
    run,
    say,
    stream_error,
    temporary_repository,
    think,
    turn,
    usage_limit,
    write,
)
from mi.testing.replies import Reply
from mi.testing.server import ScriptedServer
from tests.real.running import Done, run_agent

_SCHEMA = {"type": "object", "properties": {"done": {"type": "boolean"}}, "required": ["done"]}
_PRINT = ("--output-format", "stream-json", "--verbose")
_WORK = ("--permission-mode", "acceptEdits", "--allowedTools", "Bash(python3 *)")


@pytest.fixture
def repo(tmp_path: Path) -> Iterator[Repository]:
    with temporary_repository(passing=False, parent=str(tmp_path)) as made:
        yield made


class Claude:
    """The real program in a folder of its own."""

    def __init__(self, program: str, folder: Path, repo: Repository) -> None:
        self.program, self.folder, self.repo = program, str(folder), repo

    def __call__(self, server: ScriptedServer, prompt: str, *args: str, retries: int = 0) -> Done:
        env = claude_environment(server, self.folder, retries=retries)
        return run_agent([self.program, "-p", prompt, *_PRINT, *args], env, self.repo.path)


@pytest.fixture
def run_claude(claude: str, tmp_path: Path, repo: Repository) -> Claude:
    return Claude(claude, tmp_path / "agent", repo)


def result(done: Done) -> dict[str, Any]:
    found = done.of_type("result")
    assert len(found) == 1, done
    return found[0]


def blocks(done: Done, kind: str) -> list[dict[str, Any]]:
    return [block for e in done.of_type("assistant") for block in e["message"]["content"] if block["type"] == kind]


def test_a_whole_session_really_edits_and_really_tests(run_claude: Claude, repo: Repository) -> None:
    script = [
        turn(think("The sum is wrong."), say("I look."), run(repo.check)),
        read("calc.py"),
        repo.mend,
        write("notes/new.txt", "one\ntwo\n"),
        turn(run(repo.check), usage=Usage(input=1000, cached=400, output=50)),
        say("Fixed."),
    ]
    with messages_server(script) as server:
        done = run_claude(server, "fix add", *_WORK)

    assert done.code == 0, done
    assert repo.read("calc.py").endswith("return a + b\n")
    assert repo.read("notes/new.txt") == "one\ntwo\n"
    assert [block["name"] for block in blocks(done, "tool_use")] == ["Bash", "Read", "Edit", "Write", "Bash"]
    assert [block["text"] for block in blocks(done, "text")] == ["I look.", "Fixed."]
    assert [block["thinking"] for block in blocks(done, "thinking")] == ["The sum is wrong."]
    end = result(done)
    assert (end["is_error"], end["result"], end["permission_denials"]) == (False, "Fixed.", [])
    counted = {name: end["usage"][name] for name in ("input_tokens", "cache_read_input_tokens", "output_tokens")}
    assert counted == {"input_tokens": 1100, "cache_read_input_tokens": 400, "output_tokens": 100}
    last = server.requests[-1]
    assert last.user_texts[-1] == "fix add"
    assert "FAILED (failures=1)" in last.tool_outputs[0].text
    assert [output.is_error for output in last.tool_outputs] == [True, False, False, False, False]
    assert last.last_output.endswith("OK")
    assert {"Bash", "Edit", "Write"} <= set(last.tool_names)
    assert server.left == 0
    assert {stray.method for stray in server.strays} <= {"HEAD"}


def test_resume_brings_the_history_back(run_claude: Claude) -> None:
    with messages_server([say("first"), say("second")]) as server:
        session = result(run_claude(server, "one"))["session_id"]
        second = result(run_claude(server, "two", "--resume", session))

    assert second["session_id"] == session
    assert [text for text in server.requests[1].user_texts if text in ("one", "two")] == ["one", "two"]
    assert second["usage"]["input_tokens"] == 100  # the run's own, not the session's sum


def test_a_structured_answer_is_validated_by_the_client(run_claude: Claude) -> None:
    with messages_server([answer_json({"done": "perhaps"}), answer_json({"done": True})]) as server:
        done = run_claude(server, "done?", "--json-schema", json.dumps(_SCHEMA))

    assert server.requests[0].schema == _SCHEMA
    assert server.requests[1].tool_outputs[0].is_error
    assert result(done)["structured_output"] == {"done": True}


def test_a_question_is_offered_only_with_a_place_to_ask(run_claude: Claude) -> None:
    question = ask("Which way?", ["Left", "Right"])
    with messages_server([question, say("I guess"), question, say("I guess")]) as server:
        alone = run_claude(server, "go")
        placed = run_claude(server, "go", "--permission-prompt-tool", "stdio")

    assert ["AskUserQuestion" in request.tool_names for request in server.requests] == [False, False, True, True]
    assert [block["name"] for done in (alone, placed) for block in blocks(done, "tool_use")] == ["AskUserQuestion"] * 2
    assert result(alone)["permission_denials"] == []
    (denied,) = result(placed)["permission_denials"]
    assert denied["tool_input"]["questions"][0]["question"] == "Which way?"


def test_a_hook_defers_a_question(run_claude: Claude, tmp_path: Path) -> None:
    decision = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "defer"}}
    hook = f"{sys.executable} -c 'print({json.dumps(json.dumps(decision))})'"
    entry = {"matcher": "AskUserQuestion", "hooks": [{"type": "command", "command": hook}]}
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [entry]}}), "utf-8")
    with messages_server([ask("Which way?")]) as server:
        done = run_claude(server, "go", "--settings", str(settings), "--permission-prompt-tool", "stdio")

    end = result(done)
    assert (end["stop_reason"], end["deferred_tool_use"]["name"]) == ("tool_deferred", "AskUserQuestion")


def test_a_tool_that_is_not_there_and_one_that_is_not_allowed(run_claude: Claude, repo: Repository) -> None:
    with messages_server(
        [call_tool("note", {"text": "x"}, server="ctl"), write("new.txt", "x"), say("well")]
    ) as server:
        done = run_claude(server, "try")

    first, second = server.requests[-1].tool_outputs
    assert "No such tool available: mcp__ctl__note" in first.text
    assert second.is_error
    assert [denial["tool_name"] for denial in result(done)["permission_denials"]] == ["Write"]
    assert not Path(repo.path, "new.txt").exists()


def test_a_tool_of_an_mcp_server(run_claude: Claude, tmp_path: Path) -> None:
    entry = {"command": sys.executable, "args": [str(Path(__file__).with_name("note_server.py"))]}
    config = tmp_path / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"ctl": entry}}), "utf-8")
    with messages_server([call_tool("note", {"text": "x"}, server="ctl"), say("noted")]) as server:
        done = run_claude(
            server, "go", "--mcp-config", str(config), "--strict-mcp-config", "--allowedTools", "mcp__ctl__note"
        )

    assert server.requests[1].last_output == 'noted {"text": "x"}', done


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (fail(401, "no such key"), "API Error: 401 no such key"),
        (fail(429, "later", headers={"Retry-After": "7"}), "(429) · later"),
        (fail(529, "busy"), "529 busy"),
        (usage_limit(4_102_444_800), "(429) · The usage limit has been reached"),
        (fail(400, "no good"), "400 no good"),
        (cut(say("half")), "API Error: Connection"),
        (cut(say("half"), inside=True, tidy=True), "API Error: Stream ended"),
        (stream_error("overloaded_error", "it broke", say("half")), "it broke"),
        (turn(say("I will not."), stop="refusal"), "API Error"),
    ],
)
def test_failures_arrive_as_failures(run_claude: Claude, reply: Reply, reason: str) -> None:
    with messages_server([reply]) as server:
        done = run_claude(server, "go")

    assert (done.code, result(done)["is_error"]) == (1, True)
    assert reason in result(done)["result"]


def test_a_reply_without_its_end_passes_for_a_success(run_claude: Claude) -> None:
    with messages_server([cut(say("half"), tidy=True)]) as server:
        done = run_claude(server, "go")

    end = result(done)
    assert (done.code, end["is_error"], end["result"], end["stop_reason"]) == (0, False, "half", None)


def test_a_broken_stream_is_asked_again_without_a_stream(run_claude: Claude) -> None:
    with messages_server([cut(), say("whole")]) as server:
        done = run_claude(server, "go", retries=1)

    assert [bool(request.body.get("stream")) for request in server.requests] == [True, False]
    assert result(done)["result"] == "whole"


def test_the_key_is_checked(run_claude: Claude) -> None:
    with messages_server([say("never")], token="another") as server:
        done = run_claude(server, "go")

    assert "wrong key 'scripted-key'" in result(done)["result"]
    assert server.left == 1


def test_claude_talks_to_nobody_else(claude: str, tmp_path: Path, repo: Repository) -> None:
    with socket.create_server(("127.0.0.1", 0)) as outside, messages_server([say("done")]) as server:
        outside.settimeout(0.0)
        env = claude_environment(server, str(tmp_path / "agent"))
        proxy = f"http://127.0.0.1:{outside.getsockname()[1]}"
        env |= {name: proxy for name in env if name.lower() in ("http_proxy", "https_proxy")}
        assert run_agent([claude, "-p", "go"], env, repo.path).code == 0
        with pytest.raises(BlockingIOError):
            outside.accept()
