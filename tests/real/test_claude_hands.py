"""The real Claude Code as Hands, beyond what all providers have in common."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mi.agents import events
from mi.agents.adapters.claude import ClaudeHands
from mi.agents.adapters.cli import CliHands
from mi.agents.protocol import BatchResult
from mi.agents.threads import choose_thread, store_thread
from mi.kernel.clock import parse
from mi.kernel.config.load import check
from mi.kernel.config.templates import TEMPLATES
from mi.kernel.config.types import Claude, Cli, Interrupt
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.project.identity import Project
from mi.project.overlay import read_overlay
from mi.testing import ask, cut, fail, read, run, say, stream_error
from tests.real.driving import Driver, processes_with
from tests.real.driving import driver as make_driver
from tests.waiting import wait_until

driver = pytest.fixture(make_driver)
Open = Callable[..., ClaudeHands]


@pytest.fixture
def hands(claude: str, home: Home) -> Open:
    def make(interrupt: Interrupt = Interrupt(), **config: object) -> ClaudeHands:  # noqa: B008
        return ClaudeHands(Claude(**({"path": claude} | config)), interrupt, home, Notices())

    return make


def commands(result: BatchResult) -> list[events.Command]:
    return [event for event in result.events if isinstance(event, events.Command) and event.state == "ended"]


def test_it_is_probed(hands: Open) -> None:
    opened = hands()
    assert opened.probe.version == "2.1.197"
    assert {"--resume", "--allowedTools", "--permission-mode"} <= {*opened.probe.flags, "--allowedTools"}


def test_edits_and_the_projects_checks_run_unasked_on_the_first_call_and_on_resume(driver: Driver, hands: Open) -> None:
    repo = driver.repo
    script = (read("calc.py"), repo.mend, run(repo.check), say("done"))
    again = (read("calc.py"), repo.spoil, run(f"{repo.check} 2>&1"), run("git status --short"), say("spoilt"))
    driver.claude_model(*script, *again)
    opened = hands()
    first = driver.run(opened)
    assert [command.exit_code for command in commands(first)] == [0]
    second = driver.run(opened, thread_id=first.thread_id)
    assert [(command.exit_code, command.refused) for command in commands(second)] == [(1, False), (0, False)]
    assert events.FileChange(path="calc.py", kind="update") in second.events


def test_what_is_not_allowed_is_refused_on_every_call_unless_configured(driver: Driver, hands: Open) -> None:
    command = run('python3 -c \'open("forbidden.txt", "w")\'')
    tried = (command, say("may not"))
    driver.claude_model(*tried, *tried, command, say("may"))
    opened = hands()
    first = driver.run(opened)
    second = driver.run(opened, thread_id=first.thread_id)
    for result in (first, second):
        assert [(command.exit_code, command.refused) for command in commands(result)] == [(None, True)]
    assert not (Path(driver.repo.path) / "forbidden.txt").exists()
    widened = driver.run(hands(allowed_tools=("Bash(python3 -c:*)",)))
    assert [command.exit_code for command in commands(widened)] == [0]


@pytest.mark.req("mi.ask.claude-question", "mi.ask.claude-answer-resume")
def test_a_question_is_seen_and_its_answer_goes_in_with_the_resume(driver: Driver, hands: Open) -> None:
    server = driver.claude_model(ask("Which database?", ("SQLite", "Postgres")), say("I wait."), say("SQLite it is."))
    opened = hands()
    asked = driver.run(opened)
    assert [(question.text, question.options) for question in asked.questions] == [
        ("Which database?", ("SQLite", "Postgres"))
    ]
    answered = driver.run(opened, "SQLite, please", thread_id=asked.thread_id)
    assert answered.last_message == "SQLite it is."
    assert server.requests[-1].user_texts[-1] == "SQLite, please"
    assert "Which database?" in str(server.requests[-1].body["messages"])


LATER = int(time.time()) + 7200
FAILURES = {
    "401": (fail(401, "bad key"), "401"),
    "400": (fail(400, "no such model"), "no such model"),
    "500": (fail(500, "boom"), "500"),
    "cut": (cut(say("half"), inside=True), "API Error"),
    "error in the stream": (stream_error("api_error", "boom", say("x")), "boom"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_what_goes_wrong_is_a_failure_with_its_reason(driver: Driver, hands: Open, name: str) -> None:
    reply, reason = FAILURES[name]
    driver.claude_model(reply)
    result = driver.run(hands())
    assert result.outcome == "failed"
    assert reason in result.error
    assert result.thread_id


def test_an_answer_that_ends_too_early_was_cut_though_claude_calls_it_success(driver: Driver, hands: Open) -> None:
    driver.claude_model(cut(say("half an answer"), tidy=True))
    result = driver.run(hands())
    assert (result.outcome, result.last_message, result.exit_code) == ("cut", "half an answer", 0)


@pytest.mark.req("mi.limit.vendor-recognised")
def test_a_usage_limit_names_when_it_ends(driver: Driver, hands: Open) -> None:
    driver.claude_model(fail(429, f"Claude AI usage limit reached|{LATER}", kind="rate_limit_error"))
    limited = driver.run(hands())
    assert limited.limit is not None
    assert parse(limited.limit.resets_at) == LATER
    driver.claude_model(fail(429, "slow down"))
    plain = driver.run(hands())
    assert plain.limit is not None
    assert plain.limit.resets_at == ""


def test_a_server_that_is_down_is_a_failure_and_no_hang(driver: Driver, hands: Open) -> None:
    driver.claude_model()
    driver.use({"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"})
    result = driver.run(hands())
    assert result.outcome == "failed"
    assert "connect" in result.error


def test_a_session_of_another_folder_is_a_failed_resume(driver: Driver, hands: Open, tmp_path: Path) -> None:
    driver.claude_model(say("hello"))
    opened = hands()
    thread = driver.run(opened).thread_id
    other = tmp_path / "other"
    other.mkdir()
    assert driver.run(opened, cwd=str(other), thread_id=thread).resume_failed


@pytest.mark.req("mi.fail.process-group")
@pytest.mark.parametrize("signals", [("SIGINT",), ("SIGTERM",), ("SIGKILL",)])
def test_whatever_signal_stops_it_its_command_ends_and_the_session_goes_on(
    driver: Driver, hands: Open, signals: tuple[str, ...]
) -> None:
    mark = f"sleep 5{os.getpid()}"
    driver.claude_model(run(f"git push nowhere; {mark}"), say("back"))
    interrupt = Interrupt(mode="on_high_risk", signal_sequence=signals, escalation_ms=(3000,))
    opened = hands(interrupt, allowed_tools=("Bash",))
    stopped = driver.run(opened)
    assert (stopped.outcome, stopped.reason) == ("interrupted", "risk: push")
    assert wait_until(lambda: not processes_with(mark))
    back = driver.run(opened, thread_id=stopped.thread_id)
    if signals == ("SIGKILL",) and back.resume_failed:
        return  # killed before it wrote its session down: told apart, so that the run begins afresh
    assert (back.outcome, back.last_message) == ("ended", "back")


# As any CLI, by the template and by the seed's words


@pytest.mark.req("v1.cli.cli-example-runs", "v1.scope.hands-cli-wrapper")
def test_the_documented_wrapping_runs_and_goes_on_in_a_later_run(
    driver: Driver, claude: str, home: Home, notices: Notices, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = driver.claude_model(say("first answer"), say("second answer"))
    monkeypatch.setenv("PATH", os.path.dirname(claude), prepend=os.pathsep)
    loaded = check(TEMPLATES["claude-cli"])
    assert loaded.problems == []
    project = Project(root=driver.repo.path, project_id="p1", key="path:x")
    first = driver.run(CliHands(loaded.config.hands.cli, Interrupt()), "say one")
    assert (first.outcome, first.last_message) == ("ended", "first answer")
    store_thread(home, project, "run_1", "cli", first.thread_id, notices)
    thread = choose_thread(read_overlay(home, project, notices).hands_state, "cli", False, True)
    second = driver.run(CliHands(loaded.config.hands.cli, Interrupt()), "say two", thread_id=thread)
    assert (second.outcome, second.last_message, second.thread_id) == ("ended", "second answer", first.thread_id)
    assert "say one" in str(server.requests[-1].body["messages"])


@pytest.mark.req("v1.prov.cli-json-parse", "v1.cli.cli-json-parsed")
def test_a_single_json_answer_is_read_too(driver: Driver, claude: str) -> None:
    driver.claude_model(say("the answer"))
    config = Cli(exec=(claude, "-p", "{prompt}", "--output-format", "json"))
    result = driver.run(CliHands(config, Interrupt()), "question")
    assert (result.outcome, result.last_message) == ("ended", "the answer")
    assert result.thread_id
    assert result.usage.output_tokens
