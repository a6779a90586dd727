"""One agent process, well or badly behaved: nothing hangs, nothing is left over, nothing is lost."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from mi.agents import leftovers
from mi.agents.leftovers import group_exists
from mi.agents.process import AgentProcess, Ended, Escalation, ProcessLimits
from mi.agents.signals import StopFlag, stop_on_signals
from mi.kernel.errors import MiError, NotFound
from mi.testing import (
    exit_with,
    ignore_signals,
    leave_child,
    print_bytes,
    print_line,
    print_lines,
    print_prompt,
    scripted_agent,
    stay,
)
from tests.waiting import wait_until

FAST = Escalation(waits_ms=(300, 300))


class Seen:
    """What came over the pipes."""

    def __init__(self) -> None:
        self.data = {"stdout": bytearray(), "stderr": bytearray()}

    def __call__(self, stream: str, data: bytes) -> None:
        self.data[stream] += data

    @property
    def out(self) -> bytes:
        return bytes(self.data["stdout"])

    @property
    def err(self) -> bytes:
        return bytes(self.data["stderr"])


def run(argv: list[str], **options: object) -> tuple[Ended, Seen]:
    seen = Seen()
    with AgentProcess(argv, os.getcwd(), **options) as process:  # type: ignore[arg-type]
        ended = process.pump(seen)
    assert not group_exists(process.pid)
    return ended, seen


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def child_in(output: bytes) -> int:
    return int(output.split(b"child ")[1].split()[0])


def test_output_exit_code_and_seconds_are_given_back() -> None:
    ended, seen = run(scripted_agent([print_line("hello"), print_line("oh", to="stderr"), exit_with(7)]))
    assert (ended.code, ended.stopped, ended.pipe_held) == (7, "", False)
    assert (seen.out, seen.err) == (b"hello\n", b"oh\n")
    assert ended.seconds > 0


def test_standard_input_is_empty_when_there_is_no_prompt() -> None:
    assert run(scripted_agent([print_prompt()]))[1].out == b"prompt: \n"


def test_a_large_prompt_arrives_whole() -> None:
    prompt = os.urandom(3_000_000).hex().encode()
    assert run(scripted_agent([print_prompt()]), stdin=prompt)[1].out == b"prompt: " + prompt + b"\n"


def test_a_large_prompt_that_nobody_reads_does_not_hang() -> None:
    ended, seen = run(scripted_agent([print_line("done")]), stdin=b"x" * 5_000_000)
    assert (ended.code, seen.out) == (0, b"done\n")


def test_a_large_prompt_that_nobody_reads_does_not_hold_up_a_stop() -> None:
    agent = scripted_agent([print_line("deaf"), stay()])
    ended, _ = run(agent, stdin=b"x" * 5_000_000, limits=ProcessLimits(idle_s=0.3), escalation=FAST)
    assert ended.stopped == "idle"


def test_a_partial_line_with_a_flood_on_the_other_pipe_is_no_deadlock() -> None:
    agent = scripted_agent([print_bytes(b"no newline yet "), print_lines(100_000, to="stderr"), print_bytes(b"end")])
    _, seen = run(agent)
    assert seen.out == b"no newline yet end"
    assert seen.err.count(b"\n") == 100_000


def test_a_silent_agent_is_stopped_at_the_idle_limit() -> None:
    ended, _ = run(scripted_agent([print_line("working"), stay()]), limits=ProcessLimits(idle_s=0.3), escalation=FAST)
    assert (ended.stopped, ended.code) == ("idle", -signal.SIGINT)


def test_a_busy_agent_is_stopped_at_the_wall_limit() -> None:
    busy = [sys.executable, "-S", "-c", "while True: print('busy', flush=True)"]
    assert run(busy, limits=ProcessLimits(wall_s=0.5, idle_s=5), escalation=FAST)[0].stopped == "wall"


@pytest.mark.req("v1.cfg.signal-sequence-behaviour")
def test_signals_are_sent_in_order_until_the_agent_ends() -> None:
    program = (
        "import signal, time\n"
        "for name in ('SIGINT', 'SIGTERM'):\n"
        "    signal.signal(getattr(signal, name), lambda number, frame: print(number, time.monotonic(), flush=True))\n"
        "print('ready', flush=True)\n"
        "while True: time.sleep(1)\n"
    )
    ended, seen = run([sys.executable, "-S", "-c", program], limits=ProcessLimits(idle_s=0.3), escalation=FAST)
    got = [int(line.split()[0]) for line in seen.out.decode().splitlines()[1:]]
    assert got == [signal.SIGINT, signal.SIGTERM]
    assert ended.code == -signal.SIGKILL


@pytest.mark.req("v1.cfg.escalation-ms-behaviour")
def test_the_waits_between_signals_are_relative_to_each_other() -> None:
    steps = Escalation(("SIGINT", "SIGTERM", "SIGKILL"), (2000, 5000)).steps()
    assert steps == [(signal.SIGINT, 2.0), (signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0)]


def test_a_sequence_without_sigkill_still_ends_an_agent_that_ignores_it() -> None:
    agent = scripted_agent([ignore_signals(), print_line("ignoring"), stay()])
    ended, _ = run(agent, limits=ProcessLimits(idle_s=0.3), escalation=Escalation(("SIGINT",), (200,)))
    assert ended.code == -signal.SIGKILL


def test_a_child_left_in_the_group_with_the_pipe_is_ended_and_nothing_hangs() -> None:
    ended, seen = run(scripted_agent([leave_child(), print_line("bye")]))
    assert ended.code == 0
    assert b"bye" in seen.out
    assert wait_until(lambda: not is_alive(child_in(seen.out)))


def test_a_child_that_escaped_the_group_with_the_pipe_does_not_hang_us() -> None:
    ended, seen = run(scripted_agent([leave_child(own_group=True), print_line("bye")]))
    child = child_in(seen.out)
    assert ended.pipe_held
    assert is_alive(child)  # the agent ended well and left it on purpose
    os.kill(child, signal.SIGKILL)


def test_a_child_that_escaped_the_group_is_ended_when_the_agent_is_stopped() -> None:
    agent = scripted_agent([leave_child(own_group=True), stay()])
    _, seen = run(agent, limits=ProcessLimits(idle_s=0.5), escalation=FAST)
    assert wait_until(lambda: not is_alive(child_in(seen.out)))


def test_a_child_is_ended_when_someone_else_kills_the_agent() -> None:
    seen = Seen()
    agent = scripted_agent([leave_child(own_group=True), stay()])
    with AgentProcess(agent, os.getcwd()) as process:

        def kill_once_the_child_is_there(stream: str, data: bytes) -> None:
            seen(stream, data)
            os.kill(process.pid, signal.SIGKILL)

        ended = process.pump(kill_once_the_child_is_there)
    assert (ended.code, ended.stopped) == (-signal.SIGKILL, "")
    assert wait_until(lambda: not is_alive(child_in(seen.out)))


def test_without_proc_an_escaped_child_is_found_by_ps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on macOS: what ended well left it and it is told; what was stopped leaves nothing."""
    monkeypatch.setattr(leftovers, "_PROC", str(tmp_path / "no-proc"))
    ended, seen = run(scripted_agent([leave_child(own_group=True), print_line("bye")]))
    child = child_in(seen.out)
    assert [one.pid for one in ended.left] == [child]
    mark = leftovers.mark_of(child)
    assert mark is not None
    assert mark.kill() == 1
    assert wait_until(lambda: not is_alive(child))
    agent = scripted_agent([leave_child(own_group=True), stay()])
    _, seen = run(agent, limits=ProcessLimits(idle_s=0.5), escalation=FAST)
    assert wait_until(lambda: not is_alive(child_in(seen.out)))


def test_an_error_while_handling_output_ends_the_agent() -> None:
    def fail(stream: str, data: bytes) -> None:
        raise RuntimeError("the reader broke")

    with pytest.raises(RuntimeError), AgentProcess(scripted_agent([print_line("x"), stay()]), os.getcwd()) as process:
        process.pump(fail)
    assert not group_exists(process.pid)


def test_a_stop_request_from_another_thread_ends_the_agent() -> None:
    stop = StopFlag()
    timer = threading.Timer(0.2, stop.request, ["limit"])
    timer.start()
    ended, _ = run(scripted_agent([stay()]), stop=stop, escalation=FAST)
    timer.join()
    assert ended.stopped == "limit"


def test_a_stop_requested_before_the_start_ends_the_agent_at_once() -> None:
    stop = StopFlag()
    stop.request("too late")
    assert run(scripted_agent([stay()]), stop=stop, escalation=FAST)[0].stopped == "too late"


@pytest.fixture
def heeded() -> Iterator[None]:
    """Whoever runs the tests may ignore SIGHUP (nohup does), and a signal that was ignored stays so."""
    former = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, former)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_mi_stops_the_agent_and_not_mi(number: signal.Signals, heeded: None) -> None:
    with stop_on_signals() as stop:
        timer = threading.Timer(0.2, os.kill, [os.getpid(), number])
        timer.start()
        ended, _ = run(scripted_agent([stay()]), stop=stop, escalation=FAST)
        timer.join()
    assert (ended.stopped, stop.signal) == (number.name, number.name)


def test_a_second_signal_to_mi_ends_an_agent_that_ignores_the_first_at_once() -> None:
    agent = scripted_agent([ignore_signals(), print_line("ignoring"), stay()])
    with stop_on_signals() as stop, AgentProcess(agent, os.getcwd(), stop=stop) as process:

        def press_twice(stream: str, data: bytes) -> None:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

        ended = process.pump(press_twice)
    assert ended.code == -signal.SIGKILL
    assert ended.seconds < 5


def test_the_former_signal_handlers_come_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with stop_on_signals():
        assert signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_signal_that_was_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stop_on_signals() as stop:
            os.kill(os.getpid(), signal.SIGHUP)
        assert stop.reason == ""
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_missing_program_is_named() -> None:
    with pytest.raises(NotFound, match="no such program"):
        run(["/nowhere/agent"])


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no such folder"):
        AgentProcess(["true"], str(tmp_path / "gone"))


def test_a_file_that_is_no_program_is_named(tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    agent.write_bytes(b"\x00\x01")
    agent.chmod(0o755)
    with pytest.raises(MiError, match="cannot start"):
        run([str(agent)])


def test_no_thread_and_no_descriptor_is_left_behind() -> None:
    run(scripted_agent([print_line("warm")]), stdin=b"x")
    threads, descriptors = threading.active_count(), len(os.listdir("/proc/self/fd"))
    for steps in ([print_line("x")], [leave_child()], [exit_with(3)]):
        run(scripted_agent(steps), stdin=b"x" * 200_000)
    assert (threading.active_count(), len(os.listdir("/proc/self/fd"))) == (threads, descriptors)


def test_killing_mi_itself_leaves_no_agent_that_still_waits_for_input(tmp_path: Path) -> None:
    """Whoever is killed hard can stop nobody; but an agent that reads its prompt sees the end of it and goes on."""
    code = (
        "import os, signal, sys; from mi.agents.process import AgentProcess; from mi.testing import *\n"
        "p = AgentProcess(scripted_agent([print_prompt(), exit_with(0)]), os.getcwd(), stdin=b'x' * 10_000_000)\n"
        "print(p.pid, flush=True); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, encoding="utf-8", timeout=30)
    assert wait_until(lambda: not is_alive(int(done.stdout)))
