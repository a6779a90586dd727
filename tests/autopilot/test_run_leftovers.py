"""What an agent leaves running is found, told and ended as configured; done is void where it changes the tree."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mi.testing import Request
from tests.autopilot.workbench import MEND, TEST, Workbench, models_for, run, say
from tests.mind.answers import asked, model
from tests.waiting import wait_until

# A process of a session of its own, whose parent is gone: it says that it is there, waits, writes and says so.
_DAEMON = """\
import os, sys, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
for fd in (0, 1, 2): os.dup2(os.open(os.devnull, os.O_RDWR), fd)
there, go, target, text, written = sys.argv[1:]
open(there + ".new", "w").write(str(os.getpid())); os.rename(there + ".new", there)
for _ in range(3000):
    if os.path.exists(go):
        os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
        open(target, "a").write(text)
        open(written, "w").close()
        break
    time.sleep(0.02)
time.sleep(60)
"""


class Daemon:
    """What the agent of a bench leaves behind."""

    def __init__(self, folder: Path) -> None:
        self.program = folder / "daemon.py"
        self.program.write_text(_DAEMON, "utf-8")
        self.there, self.go, self.written = folder / "there", folder / "go", folder / "written"

    def command(self, target: str = "calc.py") -> str:
        words = [sys.executable, self.program, self.there, self.go, target, "'# later\n'", self.written]
        waits = f"while [ ! -e {self.there} ]; do read -t 0.02 _ </dev/zero; done"
        return f"{' '.join(map(str, words))}; {waits}"

    @property
    def pid(self) -> int:
        return int(self.there.read_text("utf-8"))

    @property
    def lives(self) -> bool:
        try:
            return Path(f"/proc/{self.pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] not in "ZX"
        except OSError:
            return False


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    one = Daemon(tmp_path)
    yield one
    if one.there.exists() and one.lives:
        os.kill(one.pid, signal.SIGKILL)


@pytest.mark.req("safe.leftovers.told", "mi.kind.hands-leftovers", "mi.config.hands-leftovers")
@pytest.mark.parametrize("way", ["tell", "end", "leave"])
def test_what_forked_twice_into_a_session_of_its_own_is_found(bench: Workbench, daemon: Daemon, way: str) -> None:
    bench.agent([run(daemon.command()), MEND, TEST, say("Fixed; the tests pass.")])
    if way != "tell":  # which is the default
        bench.configure(hands={**bench.config["hands"], "leftovers": way})
    ran = bench.run()
    ran.ended("done")
    told = ran.of("hands_leftovers")
    assert [one["ended"] for one in told] == {"tell": [False], "end": [True], "leave": []}[way]
    for one in told:
        (process,) = one["processes"]
        assert str(daemon.program) in process
        assert process.endswith(f"(pid {daemon.pid})")
        assert f"left by the agent: {'ended' if way == 'end' else 'running'} · " in ran.stdout
    assert wait_until(lambda: daemon.lives == (way != "end"))


@pytest.mark.req("safe.leftovers.told")
def test_an_agent_that_leaves_nothing_is_not_told_of(bench: Workbench) -> None:
    bench.agent([MEND, TEST, say("Fixed; the tests pass.")])
    assert bench.run().of("hands_leftovers") == []


@pytest.mark.req("safe.leftovers.done-void")
@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("calc.py", "blocked"),
        ("new.py", "blocked"),
        ("dist/calc.js", "done"),
        ("NOTES.md", "done"),
        ("__pycache__/calc.pyc", "done"),
    ],
)
def test_done_is_void_when_the_code_changes_after_it_was_judged(
    bench: Workbench, daemon: Daemon, target: str, status: str
) -> None:
    judge = model()

    def change_then_judge(request: Request) -> object:
        if asked(request) == "decide_next":
            daemon.go.touch()
            assert wait_until(daemon.written.exists)
        return judge(request)

    with models_for(bench) as judged:
        judged(change_then_judge)
        bench.agent([run(daemon.command(target)), MEND, TEST, say("Fixed; the tests pass.")])
        ran = bench.run()
    assert "# later" in bench.read(target)
    ran.ended(status)
    assert ran.end["marks"]["verified"] is (status == "done")
    assert (
        f"after the work was judged, by a process that still runs or by somebody else: {target};" in ran.stdout
    ) is (status == "blocked")
