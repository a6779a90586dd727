"""The Responses server, judged by the real Codex."""

import json
import re
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mi.testing import (
    Repository,
    Usage,
    answer_json,
    call_tool,
    codex_environment,
    cut,
    fail,
    hang,
    patch,
    read,
    responses_server,
    run,
    say,
    slow,
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

_SCHEMA = {
    "type": "object",
    "properties": {"done": {"type": "boolean"}},
    "required": ["done"],
    "additionalProperties": False,
}


@pytest.fixture
def repo(tmp_path: Path) -> Iterator[Repository]:
    with temporary_repository(passing=False, parent=str(tmp_path)) as made:
        yield made


class Codex:
    """The real program in a folder of its own."""

    def __init__(self, program: str, folder: Path, repo: Repository) -> None:
        self.program, self.folder, self.repo = program, str(folder), repo

    def __call__(self, server: ScriptedServer, *args: str, **settings: int) -> Done:
        env = codex_environment(server, self.folder, **settings)  # type: ignore[arg-type]
        return run_agent([self.program, "exec", *args], env, self.repo.path)


@pytest.fixture
def run_codex(codex: str, tmp_path: Path, repo: Repository) -> Codex:
    return Codex(codex, tmp_path / "agent", repo)


_WORK = ("--json", "--sandbox", "workspace-write")


def items(done: Done, kind: str) -> list[dict[str, object]]:
    return [event["item"] for event in done.of_type("item.completed") if event["item"]["type"] == kind]


def test_a_whole_session_really_edits_and_really_tests(run_codex: Codex, repo: Repository) -> None:
    script = [
        turn(think("The sum is wrong."), say("I look."), run(repo.check)),
        repo.mend,
        write("notes/new.txt", "one\ntwo\n"),
        read("notes/new.txt"),
        turn(run(repo.check), usage=Usage(input=1000, cached=400, output=50, reasoning=7)),
        say("Fixed."),
    ]
    with responses_server(script) as server:
        done = run_codex(server, *_WORK, "fix add")

    assert done.code == 0, done
    assert repo.read("calc.py").endswith("return a + b\n")
    assert repo.read("notes/new.txt") == "one\ntwo\n"
    assert [item["exit_code"] for item in items(done, "command_execution")] == [1, 0, 0]
    assert [change["kind"] for item in items(done, "file_change") for change in item["changes"]] == ["update", "add"]  # type: ignore[attr-defined]
    assert [item["text"] for item in items(done, "agent_message")] == ["I look.", "Fixed."]
    assert [item["text"] for item in items(done, "reasoning")] == ["The sum is wrong."]
    assert done.of_type("turn.completed")[0]["usage"] == {
        "input_tokens": 1500,
        "cached_input_tokens": 400,
        "cache_write_input_tokens": 0,
        "output_tokens": 100,
        "reasoning_output_tokens": 7,
    }
    last = server.requests[-1]
    assert last.user_texts[-1] == "fix add"
    assert "FAILED (failures=1)" in last.tool_outputs[0].text
    assert last.tool_outputs[3].text.endswith("one\ntwo\n")
    assert last.last_output.endswith("OK\n")
    assert {"exec_command", "apply_patch"} <= set(last.tool_names)
    assert (server.left, server.strays) == (0, [])


def test_resume_brings_the_history_back(run_codex: Codex) -> None:
    with responses_server([say("first"), say("second")]) as server:
        first = run_codex(server, *_WORK, "one")
        thread = first.events[0]["thread_id"]
        second = run_codex(server, "--sandbox", "workspace-write", "resume", thread, "--json", "two")

    assert second.events[0] == {"type": "thread.started", "thread_id": thread}
    assert server.requests[1].user_texts[-2:] == ("one", "two")
    assert second.of_type("turn.completed")[0]["usage"]["input_tokens"] == 200  # the thread's sum, not the run's


def test_a_structured_answer(run_codex: Codex, repo: Repository) -> None:
    schema = Path(repo.path, "schema.json")
    schema.write_text(json.dumps(_SCHEMA), "utf-8")
    with responses_server([answer_json({"done": True})]) as server:
        done = run_codex(server, "--json", "--output-schema", str(schema), "-o", "last.txt", "done?")

    assert server.requests[0].schema == _SCHEMA
    assert json.loads(repo.read("last.txt")) == {"done": True}
    assert done.code == 0


def test_a_tool_that_is_not_there_and_a_patch_that_does_not_fit(run_codex: Codex) -> None:
    bad = "*** Begin Patch\n*** Update File: calc.py\n@@\n-not there\n+new\n*** End Patch"
    with responses_server([call_tool("shell", {"command": "ls"}), patch(bad), say("well")]) as server:
        done = run_codex(server, *_WORK, "try")

    outputs = server.requests[-1].tool_outputs
    assert [output.call_id for output in outputs] == ["call_1_0", "call_2_0"]
    assert "unsupported call: shell" in outputs[0].text
    assert "verification failed" in outputs[1].text
    assert items(done, "file_change") == []  # the stream is silent about both


def test_a_tool_of_an_mcp_server(codex: str, tmp_path: Path, repo: Repository) -> None:
    server_file = str(Path(__file__).with_name("note_server.py"))
    extra = f"""
[mcp_servers.ctl]
command = "{sys.executable}"
args = ["{server_file}"]
required = true
startup_timeout_sec = 30
"""
    with responses_server([call_tool("note", {"text": "x"}, server="ctl"), say("noted")]) as server:
        env = codex_environment(server, str(tmp_path / "agent"), extra=extra)
        done = run_agent([codex, "exec", *_WORK, "go"], env, repo.path)

    assert [(item["server"], item["tool"], item["status"]) for item in items(done, "mcp_tool_call")] == [
        ("ctl", "note", "completed")
    ]
    assert 'noted {"text": "x"}' in server.requests[1].last_output.replace('\\"', '"')


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (fail(401, "no such key"), "unexpected status 401 Unauthorized: no such key"),
        (fail(429, "later", headers={"Retry-After": "7"}), "exceeded retry limit, last status: 429"),
        (fail(400, body="no good"), "no good"),
        (usage_limit(4_102_444_800), "hit your usage limit"),
        (cut(say("half")), "stream disconnected before completion"),
        (cut(say("half"), tidy=True), "stream closed before response.completed"),
        (cut(say("half"), inside=True), "stream disconnected before completion"),
        (stream_error("insufficient_quota", "empty"), "Quota exceeded"),
        (stream_error("server_error", "it broke"), "it broke"),
    ],
)
def test_failures_arrive_as_failures(run_codex: Codex, reply: Reply, reason: str) -> None:
    with responses_server([reply]) as server:
        done = run_codex(server, "--json", "go")

    assert (done.code, len(server.requests)) == (1, 1)
    assert reason in done.of_type("turn.failed")[0]["error"]["message"]


def test_what_came_before_a_slow_cut_is_seen(run_codex: Codex) -> None:
    with responses_server([slow(cut(say("half")), 1.5)]) as server:
        done = run_codex(server, "--json", "go")

    assert [item["text"] for item in items(done, "agent_message")] == ["half"]
    assert done.code == 1


def test_a_silent_server_is_noticed_by_the_idle_limit(run_codex: Codex) -> None:
    with responses_server([hang(say("wait"))]) as server:
        done = run_codex(server, "--json", "go", idle_ms=300)

    assert "idle timeout" in done.of_type("turn.failed")[0]["error"]["message"]


def test_a_retry_is_one_more_request(run_codex: Codex) -> None:
    with responses_server([stream_error("server_error", "once"), say("again")]) as server:
        done = run_codex(server, "--json", "go", retries=1)

    assert (done.code, len(server.requests)) == (0, 2)


def test_the_key_is_checked(run_codex: Codex) -> None:
    with responses_server([say("never")], token="another") as server:
        done = run_codex(server, "--json", "go")

    assert re.search("401 Unauthorized.*wrong key 'scripted-key'", done.stdout)
    assert server.left == 1


def test_codex_talks_to_nobody_else(codex: str, tmp_path: Path, repo: Repository) -> None:
    with socket.create_server(("127.0.0.1", 0)) as outside, responses_server([run("true"), say("done")]) as server:
        outside.settimeout(0.0)
        env = codex_environment(server, str(tmp_path / "agent"))
        proxy = f"http://127.0.0.1:{outside.getsockname()[1]}"
        env |= {name: proxy for name in env if name.lower() in ("http_proxy", "https_proxy")}
        assert run_agent([codex, "exec", *_WORK, "go"], env, repo.path).code == 0
        with pytest.raises(BlockingIOError):
            outside.accept()
