"""What every provider of Hands must do, proved on each of them: the real Codex and Claude Code, any CLI, a replay."""

import json
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mi.agents import events
from mi.agents.events import Event
from mi.agents.protocol import AgentAdapter, BatchInput, BatchResult, Observer
from mi.agents.signals import StopFlag
from mi.evidence.transcripts import tail
from mi.kernel.config.types import Interrupt
from mi.kernel.home import Home
from mi.testing import Repository, run, say
from tests.agents.subjects import FAIL, HANG, Subject
from tests.waiting import wait_until

FAST = {"escalation_ms": (1500, 500)}
LONG_S = 60.0  # no batch here may take longer, whatever happens

Run = Callable[..., BatchResult]


class Noting(Observer):
    """Keeps what it sees, and may act on it."""

    def __init__(self, act: Callable[[], None] | None = None) -> None:
        self.lines: list[tuple[str, str]] = []
        self.events: list[Event] = []
        self._act = act

    def line(self, stream: str, text: str) -> None:
        self.lines.append((stream, text))
        if self._act:
            act, self._act = self._act, None
            act()

    def event(self, event: Event) -> None:
        self.events.append(event)


@pytest.fixture
def batch(repo: Repository, home: Home) -> Callable[..., BatchInput]:
    number = iter(range(1, 100))

    def make(prompt: str = "go on", **fields: Any) -> BatchInput:
        path = home.project("p1").path("transcripts", "hands", f"{next(number)}.jsonl")
        return BatchInput(**({"prompt": prompt, "cwd": repo.path, "transcript": path, "wall_s": LONG_S} | fields))

    return make


def stored(batch: BatchInput) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(batch.transcript).read_text("utf-8").splitlines()]


def pid_in(batch: BatchInput) -> int:
    return next(int(one["line"].split()[-1]) for one in stored(batch) if one.get("stream") == "meta")


@pytest.mark.req(
    "mi.hands.codex",
    "mi.hands.claude",
    "mi.hands.cli",
    "mi.hands.one-protocol",
    "mi.obs.one-stream",
    "v1.plan.wrapper-child",
    "v1.prov.cli-argv",
)
def test_a_batch_edits_checks_and_ends(subject: Subject, repo: Repository, batch: Callable[..., BatchInput]) -> None:
    hands = subject.hands([[say("I look."), repo.mend, run(repo.check), say("Done: add works.")]])
    observer = Noting()
    result = hands.run(batch("fix add"), observer)
    assert (result.outcome, result.error, result.exit_code) == ("ended", "", 0)
    assert result.last_message.endswith("Done: add works.")
    assert "return a + b" in repo.read("calc.py")
    assert result.thread_id
    assert result.seconds > 0
    assert tuple(observer.events) == result.events
    if subject.tells_commands:
        check = [event for event in result.events if isinstance(event, events.Command) and event.state == "ended"]
        assert [command.exit_code for command in check] == [0]
        assert events.FileChange(path="calc.py", kind="update") in result.events
        assert result.observed.file_paths == ("calc.py",)


@pytest.mark.req(
    "v1.root.always-store",
    "v1.storage.hands-transcripts",
    "v1.prov.codex-capture",
    "v1.prov.cli-capture",
    "v1.cli.cli-provider-capture",
    "mi.rec.v1-transcript",
    "mi.transcript.header",
    "mi.transcript.lines",
    "mi.inject.transcripts-raw-0600",
)
def test_everything_is_in_the_transcript(
    subject: Subject, repo: Repository, batch: Callable[..., BatchInput], home: Home
) -> None:
    one, observer = batch("fix add"), Noting()
    result = subject.hands([[say("hello"), say("bye")][:1]]).run(one, observer)
    header, *lines = stored(one)
    assert (header["type"], header["kind"], header["cwd"]) == ("mi.transcript.header", "hands", repo.path)
    assert header["argv"][0]
    printed = [(line["stream"], line["line"]) for line in lines if line["stream"] != "meta"]
    assert printed == observer.lines
    assert result.lines == len(printed)
    assert os.stat(one.transcript).st_mode & 0o777 == 0o600
    assert home.relative(one.transcript) == f"projects/p1/transcripts/hands/{os.path.basename(one.transcript)}"
    assert tail(one.transcript, 1)[0].line.startswith("exit 0")


@pytest.mark.req("mi.obs.transcript-live")
def test_lines_are_stored_while_the_agent_still_works(subject: Subject, batch: Callable[..., BatchInput]) -> None:
    one, stop = batch(), StopFlag()
    seen: list[int] = []

    def look() -> None:
        seen.append(len(stored(one)))
        stop.request("seen enough")

    result = subject.hands([[say("early"), HANG]]).run(one, Noting(look), stop)
    assert result.outcome == "interrupted"
    assert seen[0] >= 2


def test_a_thread_is_resumed_with_what_it_knows(subject: Subject, batch: Callable[..., BatchInput]) -> None:
    hands = subject.hands([[say("first")], [say("second")]])
    first = hands.run(batch("the task"))
    second = hands.run(batch("go on", thread_id=first.thread_id))
    assert (second.outcome, second.thread_id) == ("ended", first.thread_id)
    assert second.last_message.endswith("second")
    assert not second.resume_failed


def test_a_thread_nobody_knows_is_a_failed_resume_and_a_fresh_start_works(
    subject: Subject, batch: Callable[..., BatchInput]
) -> None:
    hands = subject.hands([[say("fresh")]])
    failed = hands.run(batch("go on", thread_id="0199a213-81a0-7800-8aa0-bbab2a035a53"))
    assert (failed.outcome, failed.resume_failed, failed.thread_id) == ("failed", True, "")
    assert failed.error
    fresh = hands.run(batch("go on"))
    assert (fresh.outcome, fresh.resume_failed) == ("ended", False)


def test_usage_is_of_the_batch_alone(subject: Subject, batch: Callable[..., BatchInput]) -> None:
    hands = subject.hands([[say("one")], [say("two")]])
    first = hands.run(batch())
    second = hands.run(batch(thread_id=first.thread_id))
    expected = 100 if subject.tells_usage else None
    assert (first.usage.input_tokens, second.usage.input_tokens) == (expected, expected)


def test_a_failure_is_told_with_its_reason(subject: Subject, batch: Callable[..., BatchInput]) -> None:
    result = subject.hands([[FAIL]]).run(batch())
    assert result.outcome == "failed"
    assert not result.resume_failed
    assert result.exit_code
    if subject.tells_commands:
        assert "scripted failure" in result.error


@pytest.mark.req(
    "v1.hard.optional-interrupt",
    "v1.soft.interrupt-realtime",
    "v1.prov.codex-interrupt-events",
    "v1.prov.cli-interrupt",
    "v1.plan.risk-interrupt",
    "mi.fail.no-late-output",
)
def test_a_risky_command_interrupts_the_agent_at_its_start(
    subject: Subject, batch: Callable[..., BatchInput], repo: Repository
) -> None:
    hands = subject.hands([[run("git push nowhere; sleep 60; touch survived")]], Interrupt(mode="on_high_risk", **FAST))
    one = batch()
    result = hands.run(one)
    assert (result.outcome, result.reason) == ("interrupted", "risk: push")
    assert "git push nowhere" in result.risk
    assert_gone(pid_in(one))
    assert not any("survived" in name for name in os.listdir(repo.path))


@pytest.mark.req("v1.soft.interrupt-config", "v1.hard.no-tool-gate")
def test_nothing_is_interrupted_when_the_mode_is_off(subject: Subject, batch: Callable[..., BatchInput]) -> None:
    result = subject.hands([[run("git push nowhere"), say("pushed")]]).run(batch())
    assert (result.outcome, result.reason) == ("ended", "")
    assert "git push" in result.risk


@pytest.mark.req("mi.fail.wall-clock-hands")
def test_an_agent_that_takes_too_long_is_stopped(subject: Subject, batch: Callable[..., BatchInput]) -> None:
    one = batch(wall_s=2.5)
    result = subject.hands([[say("working"), HANG]], Interrupt(**FAST)).run(one)
    assert (result.outcome, result.reason) == ("interrupted", "wall")
    assert_gone(pid_in(one))


def test_an_agent_that_goes_silent_is_stopped(subject: Subject, batch: Callable[..., BatchInput]) -> None:
    result = subject.hands([[HANG]], Interrupt(**FAST)).run(batch(idle_s=2.0))
    assert (result.outcome, result.reason) == ("interrupted", "idle")


def test_an_agent_killed_by_someone_else_was_cut(subject: Subject, batch: Callable[..., BatchInput]) -> None:
    one = batch()
    observer = Noting(lambda: os.kill(pid_in(one), signal.SIGKILL))
    result = subject.hands([[HANG]]).run(one, observer)
    assert (result.outcome, result.exit_code) == ("cut", -signal.SIGKILL)
    assert result.error


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_mi_stops_the_agent(
    subject: Subject, batch: Callable[..., BatchInput], number: signal.Signals
) -> None:
    one = batch()
    result = subject.hands([[HANG]], Interrupt(**FAST)).run(one, Noting(lambda: os.kill(os.getpid(), number)))
    assert (result.outcome, result.reason) == ("interrupted", number.name)
    assert_gone(pid_in(one))


def test_an_interrupted_thread_can_be_resumed(subject: Subject, batch: Callable[..., BatchInput]) -> None:
    hands = subject.hands([[HANG], [say("back again")]], Interrupt(**FAST))
    cut = hands.run(batch(idle_s=6.0))  # longer than any of them takes to say its first word
    assert cut.thread_id
    back = hands.run(batch("go on", thread_id=cut.thread_id))
    assert (back.outcome, back.thread_id) == ("ended", cut.thread_id)


@pytest.mark.req("mi.fail.no-deadlock-stdin")
def test_a_prompt_of_any_size_and_kind_arrives(subject: Subject, batch: Callable[..., BatchInput]) -> None:
    prompt = "--help 'quoted' \"$HOME\" 你好\n" + "x" * 300_000
    result = subject.hands([[say("read it")]]).run(batch(prompt))
    assert result.outcome == "ended"
    if heard := subject.heard():
        assert prompt in heard


def test_two_batches_at_once_do_not_mix(subject: Subject, batch: Callable[..., BatchInput]) -> None:
    hands: AgentAdapter = subject.hands([[say("same")], [say("same")]])
    results: list[BatchResult] = []
    batches = [batch(), batch()]
    threads = [threading.Thread(target=lambda one=one: results.append(hands.run(one))) for one in batches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG_S)
    assert [result.outcome for result in results] == ["ended", "ended"]
    if subject.name != "cli":
        assert len({result.thread_id for result in results}) == 2


def assert_gone(pid: int) -> None:
    assert wait_until(lambda: not os.path.exists(f"/proc/{pid}"))
