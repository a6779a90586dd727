"""Agents that misbehave, driven as a whole batch: a clear line, nothing lost, no hang, bounded memory."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mi.agents.adapters.cli import CliHands
from mi.agents.protocol import BatchInput, BatchResult
from mi.evidence.transcripts import tail
from mi.kernel.config.types import Cli, Interrupt
from mi.kernel.home import Home
from mi.kernel.jsonl import read_forward
from mi.testing import (
    ignore_signals,
    leave_child,
    print_bytes,
    print_event,
    print_line,
    print_lines,
    print_long_line,
    say,
    scripted_agent,
    stay,
)
from tests.waiting import wait_until

FAST = Interrupt(escalation_ms=(300, 300))
MEMORY_KB = 60_000


@pytest.fixture
def drive(home: Home, tmp_path: Path) -> Callable[..., tuple[BatchResult, str]]:
    def make(steps: list, prompt: str = "go", interrupt: Interrupt = FAST, **fields: object) -> tuple[BatchResult, str]:
        path = home.path("transcripts", "one.jsonl")
        config = Cli(exec=tuple(scripted_agent(steps)), prompt_mode="stdin")
        batch = BatchInput(**({"prompt": prompt, "cwd": str(tmp_path), "transcript": path, "wall_s": 60.0} | fields))
        return CliHands(config, interrupt).run(batch), path

    return make


def stored(path: str, stream: str = "stdout") -> list[str]:
    entries = [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]
    return [entry["line"] for entry in entries if entry.get("stream") == stream]


@pytest.mark.req("mi.obs.decode-replace")
def test_what_is_no_utf8_is_marked_and_the_rest_kept(drive: Callable[..., tuple[BatchResult, str]]) -> None:
    result, path = drive([print_bytes(b"caf\xe9 \xff\xfe\n"), say("bye")])
    assert result.outcome == "ended"
    assert stored(path) == ["caf� ��", "bye"]


@pytest.mark.req("mi.fail.no-deadlock-stderr", "mi.fail.byte-streams")
def test_a_partial_line_and_a_flood_of_errors(drive: Callable[..., tuple[BatchResult, str]]) -> None:
    result, path = drive([print_bytes(b"thinking"), print_lines(200_000, to="stderr"), print_bytes(b" done")])
    assert result.outcome == "ended"
    assert stored(path) == ["thinking done"]
    assert len(stored(path, "stderr")) == 200_000


def test_a_large_prompt_that_nobody_reads(drive: Callable[..., tuple[BatchResult, str]]) -> None:
    result, _ = drive([say("not listening")], prompt="x" * 5_000_000)
    assert (result.outcome, result.last_message) == ("ended", "not listening")


def test_an_agent_that_never_exits_and_ignores_every_polite_signal(
    drive: Callable[..., tuple[BatchResult, str]],
) -> None:
    result, path = drive([ignore_signals(), say("for ever"), stay()], idle_s=0.5)
    assert (result.outcome, result.reason, result.exit_code) == ("interrupted", "idle", -signal.SIGKILL)
    assert stored(path) == ["for ever"]


@pytest.mark.req("mi.fail.bounded-drain")
@pytest.mark.parametrize("own_group", [False, True])
def test_a_child_that_keeps_the_pipe(drive: Callable[..., tuple[BatchResult, str]], own_group: bool) -> None:
    result, path = drive([leave_child(20, own_group=own_group), say("bye")])
    assert (result.outcome, stored(path)[-1]) == ("ended", "bye")
    if own_group:
        os.kill(int(stored(path)[0].split()[1]), signal.SIGKILL)


def test_a_risk_in_a_flood_is_still_seen(drive: Callable[..., tuple[BatchResult, str]]) -> None:
    steps = [print_lines(50_000), print_line("$ git push"), stay()]
    result, _ = drive(steps, interrupt=Interrupt(mode="on_high_risk", escalation_ms=(300,)))
    assert (result.outcome, result.reason) == ("interrupted", "risk: push")


def test_a_broken_json_line_between_good_ones(drive: Callable[..., tuple[BatchResult, str]]) -> None:
    steps = [
        print_event({"type": "thread.started", "thread_id": "t"}),
        print_bytes(b'{"type":"item.comp\n'),
        print_event({"type": "item.completed", "item": {"type": "agent_message", "text": "fine"}}),
        print_event({"type": "turn.completed", "usage": {}}),
    ]
    result, path = drive(steps)
    assert (result.outcome, result.last_message, result.thread_id) == ("ended", "fine", "t")
    assert '{"type":"item.comp' in stored(path)


MEASURED = """
import signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup, and so the tests under it, ignores it
from mi.agents.protocol import BatchInput
from mi.agents.adapters.cli import CliHands
from mi.kernel.config.types import Cli, Interrupt
batch = BatchInput(prompt="go", cwd=".", transcript=sys.argv[1], wall_s=120.0)
result = CliHands(Cli(exec=tuple(sys.argv[2:]), prompt_mode="stdin"), Interrupt()).run(batch)
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(result.outcome, result.lines, len(result.last_message), peak)
"""


def measured(path: Path, steps: list) -> tuple[str, int, int]:
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(path), *scripted_agent(steps)],
        check=True,
        capture_output=True,
        encoding="utf-8",
        timeout=150,
    )
    outcome, lines, shown, memory = done.stdout.split()
    assert int(memory) < MEMORY_KB
    return outcome, int(lines), int(shown)


def test_300_000_lines_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "t" / "one.jsonl"
    assert measured(path, [print_lines(300_000)])[:2] == ("ended", 300_000)
    assert sum(1 for _ in read_forward(str(path))) == 300_000 + 3
    assert tail(str(path), 2)[0].line == "line 300000 of 300000"


@pytest.mark.req("mi.obs.long-lines-stored", "mi.obs.long-lines-shortened")
def test_a_line_of_50_mb_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "t" / "one.jsonl"
    outcome, lines, shown = measured(path, [print_long_line(50_000_000), say("bye")])
    assert (outcome, lines) == ("ended", 2)
    assert shown < 100_000
    long = max(Path(path).read_bytes().splitlines(), key=len)
    assert json.loads(long)["line"] == "x" * 50_000_000


SERVED = """
import sys
from mi.agents.protocol import BatchInput
from mi.agents.adapters.cli import CliHands
from mi.kernel.config.types import Cli, Interrupt
batch = BatchInput(prompt="go", cwd=".", transcript=sys.argv[1])
result = CliHands(Cli(exec=tuple(sys.argv[2:])), Interrupt(escalation_ms=(300,))).run(batch)
print(result.outcome, result.reason)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_to_the_whole_of_mi_stops_its_agent_and_is_told(tmp_path: Path, number: signal.Signals) -> None:
    path = tmp_path / "one.jsonl"
    argv = [sys.executable, "-c", SERVED, str(path), *scripted_agent([say("up"), stay()])]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert wait_until(lambda: path.exists() and "up" in path.read_text("utf-8"))
        agent = int(path.read_text("utf-8").split("started pid ")[1].split('"')[0])
        process.send_signal(number)
        said, _ = process.communicate(timeout=30)
    assert said.split() == ["interrupted", number.name]
    assert not os.path.exists(f"/proc/{agent}")
