"""The scripted agent: a real program that really works, and really misbehaves."""

import json
import os
import select
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from mi.testing import (
    ScriptError,
    Step,
    ask,
    edit,
    exit_with,
    ignore_signals,
    leave_child,
    print_bytes,
    print_event,
    print_line,
    print_lines,
    print_long_line,
    print_prompt,
    run,
    say,
    scripted_agent,
    scripted_batches,
    stay,
    wait_for_file,
    write,
)

_TIME_LIMIT_S = 60


def play(argv: Sequence[str], stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(argv, input=stdin, capture_output=True, check=False, timeout=_TIME_LIMIT_S)


def start(steps: Sequence[Step]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        scripted_agent(steps),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def test_it_really_edits_and_really_runs(tmp_path: Path) -> None:
    code = tmp_path / "code.py"
    code.write_text("print(1)\n", "utf-8")
    steps = [
        say("I look."),
        edit(str(code), "print(1)", "print(1 + 1)"),
        write(str(tmp_path / "new" / "file.txt"), "好\n"),
        run(f"python3 {code}; exit 3"),
        say("Done."),
        exit_with(4),
    ]
    done = play(scripted_agent(steps))

    assert done.stdout.decode() == f"I look.\n$ python3 {code}; exit 3\n2\nDone.\n"
    assert (tmp_path / "new" / "file.txt").read_text("utf-8") == "好\n"
    assert (done.returncode, done.stderr) == (4, b"")


def test_an_edit_that_does_not_fit_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n", "utf-8")
    done = play(scripted_agent([edit(str(tmp_path / "a.txt"), "two", "three"), say("never")]))

    assert (done.returncode, done.stdout) == (75, b"")
    assert b"does not contain 'two'" in done.stderr


def test_it_prints_events_bytes_and_complaints() -> None:
    event = {"type": "note", "text": "好"}
    steps = [print_event(event), print_line("careful", "stderr"), print_bytes(b"caf\xe9 \xff\n"), print_bytes(b"part")]
    done = play(scripted_agent(steps))

    first, _, rest = done.stdout.partition(b"\n")
    assert json.loads(first) == event
    assert rest == b"caf\xe9 \xff\npart"
    assert (done.stderr, done.returncode) == (b"careful\n", 0)


def test_it_prints_a_lot() -> None:
    done = play(scripted_agent([print_lines(300_000), print_long_line(50_000_000, "stderr")]))

    lines = done.stdout.splitlines()
    assert (len(lines), lines[0], lines[-1]) == (300_000, b"line 1 of 300000", b"line 300000 of 300000")
    assert len(done.stderr) == 50_000_001
    assert done.stderr.endswith(b"x\n")


def test_the_prompt_comes_by_argument_or_by_stdin() -> None:
    argv = scripted_agent([print_prompt()])
    assert play([*argv, "fix {it}"], b"ignored").stdout == b"prompt: fix {it}\n"
    assert play(argv, "好".encode()).stdout.decode() == "prompt: 好\n"


def test_a_large_stdin_that_nobody_reads_breaks_the_pipe_when_it_ends() -> None:
    agent = subprocess.Popen(scripted_agent([print_line("busy")]), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert agent.stdin is not None
    with pytest.raises(BrokenPipeError):
        agent.stdin.write(b"x" * 10_000_000)
    agent.communicate(timeout=_TIME_LIMIT_S)
    assert agent.returncode == 0


def test_it_stays_until_a_signal_it_does_not_ignore() -> None:
    agent = start([ignore_signals(), print_line("ready"), stay()])
    assert agent.stdout is not None
    assert agent.stdout.readline() == b"ready\n"
    os.killpg(agent.pid, signal.SIGINT)
    os.killpg(agent.pid, signal.SIGTERM)
    with pytest.raises(subprocess.TimeoutExpired):
        agent.wait(timeout=0.2)
    os.killpg(agent.pid, signal.SIGKILL)
    agent.communicate(timeout=_TIME_LIMIT_S)
    assert agent.returncode == -signal.SIGKILL


def test_an_interrupt_ends_it_without_a_traceback() -> None:
    agent = start([print_line("ready"), stay()])
    assert agent.stdout is not None
    agent.stdout.readline()
    os.killpg(agent.pid, signal.SIGINT)
    assert agent.communicate(timeout=_TIME_LIMIT_S) == (b"", b"")
    assert agent.returncode == -signal.SIGINT


@pytest.mark.parametrize("own_group", [False, True])
def test_it_leaves_a_child_with_the_pipe(own_group: bool) -> None:
    agent = start([leave_child(own_group=own_group), exit_with(0)])
    assert agent.stdout is not None
    child = int(agent.stdout.readline().split()[1])
    try:
        assert agent.wait(timeout=_TIME_LIMIT_S) == 0
        assert select.select([agent.stdout], [], [], 0.1)[0] == []  # the agent is gone and its pipe is still open
        assert (os.getpgid(child) == agent.pid) is not own_group
    finally:
        os.kill(child, signal.SIGKILL)
    assert agent.communicate(timeout=_TIME_LIMIT_S) == (b"", b"")


def test_a_test_decides_when_it_goes_on(tmp_path: Path) -> None:
    agent = start([print_line("before"), wait_for_file(str(tmp_path / "go")), print_line("after")])
    assert agent.stdout is not None
    assert agent.stdout.readline() == b"before\n"
    (tmp_path / "go").touch()
    assert agent.communicate(timeout=_TIME_LIMIT_S) == (b"after\n", b"")
    assert play(scripted_agent([wait_for_file(str(tmp_path / "never"), seconds=0.01)])).returncode == 75


def test_each_start_takes_the_next_batch(tmp_path: Path) -> None:
    argv = scripted_batches([[say("one")], [say("two"), exit_with(1)]], str(tmp_path / "count"))
    done = [play(argv) for _ in range(3)]

    assert [(run.stdout, run.returncode) for run in done] == [(b"one\n", 0), (b"two\n", 1), (b"", 70)]
    assert b"the script has 2 batches and this is start 3" in done[2].stderr


def test_what_is_no_step_is_refused() -> None:
    with pytest.raises(ScriptError, match=r"ask\(…\) is no step of a scripted agent"):
        scripted_agent([ask("which?")])  # type: ignore[list-item]
    with pytest.raises(ScriptError, match="too long for a command line"):
        scripted_agent([say("x" * 200_000)])
