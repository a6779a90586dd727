"""The real Codex as Hands, beyond what all providers have in common."""

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mi.agents import events
from mi.agents.adapters.cli import CliHands
from mi.agents.adapters.codex import CodexHands
from mi.agents.events import Event
from mi.agents.protocol import BatchResult, Observer
from mi.kernel.clock import parse
from mi.kernel.config.types import Cli, CodexConfig, Interrupt
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.testing import cut, fail, hang, run, say, stream_error, turn, write
from tests.real.driving import Driver, processes_with
from tests.real.driving import driver as make_driver
from tests.waiting import wait_until

driver = pytest.fixture(make_driver)
Open = Callable[..., CodexHands]


@pytest.fixture
def hands(codex_wrapper: str, home: Home) -> Open:
    """Opens Codex by the path npm gives it."""

    def make(interrupt: Interrupt = Interrupt(), **config: object) -> CodexHands:  # noqa: B008
        return CodexHands(CodexConfig(**({"path": codex_wrapper} | config)), interrupt, home, Notices())

    return make


def commands(result: BatchResult) -> list[events.Command]:
    return [event for event in result.events if isinstance(event, events.Command) and event.state == "ended"]


class OnCommand(Observer):
    """Acts when a command starts."""

    def __init__(self, act: Callable[[], None]) -> None:
        self._act = act

    def event(self, event: Event) -> None:
        if isinstance(event, events.Command) and event.state == "started":
            self._act()


def test_the_native_program_is_driven_and_probed(hands: Open, codex: str) -> None:
    opened = hands()
    assert opened.path == codex
    assert opened.probe.version == "0.166.0"
    assert "--sandbox" in opened.probe.flags
    assert "--full-auto" not in opened.probe.flags


def test_the_sandbox_holds_on_the_first_call_and_on_resume(driver: Driver, hands: Open, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    tried = run(f"echo in > inside.txt; echo out > {outside}")
    driver.codex_model(tried, say("tried"), run("rm inside.txt"), tried, say("tried again"))
    opened = hands()
    thread = driver.run(opened).thread_id
    assert (Path(driver.repo.path) / "inside.txt").exists()
    again = driver.run(opened, thread_id=thread)
    assert again.outcome == "ended"
    assert (Path(driver.repo.path) / "inside.txt").exists()
    assert not outside.exists()


def test_a_read_only_sandbox_is_kept_on_resume(driver: Driver, hands: Open) -> None:
    driver.codex_model(say("hello"), write("new.txt", "x"), run("touch new.txt"), say("could not"))
    opened = hands(sandbox="read-only")
    thread = driver.run(opened).thread_id
    result = driver.run(opened, thread_id=thread)
    assert result.outcome == "ended"
    assert [command.exit_code for command in commands(result)] != [0]
    assert not (Path(driver.repo.path) / "new.txt").exists()


def test_a_failing_check_shows_its_exit_code(driver: Driver, hands: Open) -> None:
    driver.codex_model(run(driver.repo.check), say("it fails"))
    (check,) = commands(driver.run(hands()))
    assert check.exit_code == 1
    assert "AssertionError" in check.output


LATER = int(time.time()) + 7200
LIMIT = {"error": {"type": "usage_limit_reached", "message": "limit", "resets_at": LATER, "plan_type": "pro"}}
FAILURES = {
    "401": (fail(401, "bad key"), "401"),
    "400": (fail(400, "no such model"), "no such model"),
    "500": (fail(500, "boom"), "demand"),
    "cut": (cut(say("half")), "stream disconnected"),
    "cut tidily": (cut(say("half"), tidy=True), "stream disconnected"),
    "error in the stream": (stream_error("server_error", "boom", say("x")), "boom"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_what_goes_wrong_is_a_failure_with_its_reason(driver: Driver, hands: Open, name: str) -> None:
    reply, reason = FAILURES[name]
    driver.codex_model(reply)
    result = driver.run(hands())
    assert result.outcome == "failed"
    assert reason in result.error
    assert result.thread_id


def test_a_wrong_key_is_told(driver: Driver, hands: Open) -> None:
    driver.codex_model(token="right", key="wrong")
    assert "401" in driver.run(hands()).error


@pytest.mark.req("mi.limit.vendor-recognised")
def test_a_usage_limit_names_when_it_ends(driver: Driver, hands: Open) -> None:
    driver.codex_model(fail(429, body=json.dumps(LIMIT), headers={"content-type": "application/json"}))
    result = driver.run(hands())
    assert result.outcome == "failed"
    assert result.limit is not None
    assert abs(parse(result.limit.resets_at) - LATER) <= 60
    driver.codex_model(fail(429, "slow down"))
    plain = driver.run(hands())
    assert plain.limit is not None
    assert plain.limit.resets_at == ""


def test_a_server_that_is_down_is_a_failure_and_no_hang(driver: Driver, hands: Open) -> None:
    driver.codex_model()
    driver.use({"CODEX_HOME": os.environ["CODEX_HOME"]})
    config = Path(os.environ["CODEX_HOME"]) / "config.toml"
    config.write_text(config.read_text("utf-8").replace("127.0.0.1:", "127.0.0.1:1#"), "utf-8")
    result = driver.run(hands())
    assert result.outcome == "failed"
    assert result.error


@pytest.mark.req("judge.codex.no-git")
def test_a_folder_outside_of_git_works(driver: Driver, hands: Open, tmp_path: Path) -> None:
    driver.codex_model(say("hello"), say("again"))
    plain = tmp_path / "plain"
    plain.mkdir()
    result = driver.run(hands(), cwd=str(plain))
    assert result.outcome == "ended"
    assert driver.run(hands(), cwd=str(plain), thread_id=result.thread_id).thread_id == result.thread_id
    driver.codex_model(say("hello"))
    assert driver.run(hands(args=("--skip-git-repo-check",)), cwd=str(plain)).outcome == "ended"


def test_a_thread_in_use_is_a_failed_resume(driver: Driver, hands: Open) -> None:
    driver.codex_model(say("one"), hang())
    opened = hands(Interrupt(escalation_ms=(2000, 500)))
    thread = driver.run(opened).thread_id
    second: list[BatchResult] = []

    class Resume(Observer):
        def event(self, event: Event) -> None:
            if isinstance(event, events.ThreadStarted):
                second.append(driver.run(opened, thread_id=thread))

    first = driver.run(opened, observer=Resume(), thread_id=thread, idle_s=3.0)
    assert first.outcome == "interrupted"
    assert second[0].resume_failed
    assert "active writer" in second[0].error


SIGNALS = [("SIGINT",), ("SIGTERM",), ("SIGKILL",)]


@pytest.mark.req("mi.fail.process-group")
@pytest.mark.parametrize("signals", SIGNALS)
def test_whatever_signal_stops_it_its_command_ends_and_the_thread_goes_on(
    driver: Driver, hands: Open, signals: tuple[str, ...]
) -> None:
    mark = f"sleep 3{os.getpid()}"
    driver.codex_model(run(f"git push nowhere; {mark}", wait_ms=30_000), say("back"))
    opened = hands(Interrupt(mode="on_high_risk", signal_sequence=signals, escalation_ms=(2000,)))
    stopped = driver.run(opened)
    assert (stopped.outcome, stopped.reason) == ("interrupted", "risk: push")
    assert wait_until(lambda: not processes_with(mark))
    back = driver.run(opened, thread_id=stopped.thread_id)
    assert (back.outcome, back.last_message) == ("ended", "back")


@pytest.mark.parametrize("victim", ["wrapper", "native"])
def test_a_kill_of_the_wrapper_or_its_child_leaves_nobody_behind(
    driver: Driver, codex: str, codex_wrapper: str, victim: str
) -> None:
    """Someone may configure the wrapper as any CLI: whoever of the two is killed, all of it ends."""
    mark = f"sleep 4{os.getpid()}"
    driver.codex_model(run(mark, wait_ms=30_000))
    argv = (codex_wrapper, "exec", "--json", "--sandbox", "workspace-write", "{prompt}")
    wrapped = CliHands(Cli(exec=argv), Interrupt())

    def natives() -> list[int]:
        mine = [pid for pid in processes_with(codex) if driver.owns(pid)]
        return [pid for pid in mine if os.readlink(f"/proc/{pid}/exe") == codex]

    def kill() -> None:
        assert wait_until(lambda: bool(processes_with(mark)))
        native = natives()
        wrappers = [pid for pid in processes_with(codex_wrapper) if driver.owns(pid) and pid not in native]
        os.kill((wrappers if victim == "wrapper" else native)[0], signal.SIGKILL)

    result = driver.run(wrapped, observer=OnCommand(kill))
    assert result.outcome in ("cut", "failed")
    assert wait_until(lambda: not processes_with(mark))
    assert not natives()


def test_two_parts_of_one_turn_and_a_thought_are_told_in_order(driver: Driver, hands: Open) -> None:
    driver.codex_model(turn(say("first"), run("true")), say("last"))
    result = driver.run(hands())
    kinds = [type(event).__name__ for event in result.events]
    assert kinds == ["ThreadStarted", "AgentMessage", "Command", "Command", "AgentMessage", "AgentUsage", "AgentEnd"]
