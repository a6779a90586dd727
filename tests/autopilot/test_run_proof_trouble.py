"""Whole runs whose proof meets trouble: MI is killed, a suite hangs, holds a port, writes where it stands."""

import os
import signal
import socket
from pathlib import Path
from uuid import uuid4

import pytest

from tests.autopilot.workbench import MEND, Json, Ran, Workbench, commit, git, say
from tests.waiting import wait_until

DONE = say("Fixed add; the tests pass now.")
TASK = ("fix", "the", "failing", "test")


IMPORTS = "import os, socket, sqlite3, subprocess, sys, unittest\nfrom pathlib import Path\nfrom calc import add\n"
SLEEPS = "subprocess.{how}([sys.executable, '-c', 'import time; time.sleep(10000)', {mark!r}], start_new_session=True)"


def add_test(bench: Workbench, *body: str) -> None:
    """Commit one more test to the project; only MI runs it."""
    lines = "".join(f"        {line}\n" for line in body)
    text = f"{IMPORTS}\n\nclass MoreTest(unittest.TestCase):\n    def test_more(self):\n{lines}"
    (bench.project / "test_more.py").write_text(text, "utf-8")
    commit(bench.project)


@pytest.fixture
def proving(bench: Workbench, tmp_path: Path) -> Workbench:
    bench.agent([MEND, DONE], [DONE])
    scratch = tmp_path / "temporary"
    scratch.mkdir()
    bench.env["TMPDIR"] = str(scratch)
    bench.mi("settings", "set", "--prove", "yes")
    bench.mi("trust")
    return bench


def left_in_scratch(bench: Workbench) -> list[Path]:
    return [entry for folder in Path(bench.env["TMPDIR"]).glob("mi-proofs-*") for entry in folder.iterdir()]


def find_processes(mark: str) -> list[int]:
    """The processes with a word on their command line, whichever namespace they are in."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue  # it has just ended
        if mark.encode() in words:
            found.append(int(place.name))
    return found


def proves(ran: Ran, expected: bool | None) -> Json:
    assert ran.end["marks"]["proved"] is expected, ran.end
    return ran.end


@pytest.mark.req("judge.proof.killed")
@pytest.mark.parametrize("during", ["base", "final"])
def test_a_run_killed_during_its_proof_goes_on_and_leaves_nothing(
    proving: Workbench, tmp_path: Path, during: str
) -> None:
    mark, hold = uuid4().hex, tmp_path / "hold"
    hold.touch()
    add_test(
        proving,
        f"if os.path.exists({str(hold)!r}) and (add(1, 1) == 2) is {during == 'final'}:",
        "    " + SLEEPS.format(how="run", mark=mark),
    )
    process = proving.start("--prove", *TASK)
    assert wait_until(lambda: bool(find_processes(mark)), 60), process.communicate()
    mounted = Path("/proc/self/mountinfo").read_text("utf-8")
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert wait_until(lambda: not find_processes(mark), 30)
    assert proving.env["TMPDIR"] not in mounted
    assert len(left_in_scratch(proving)) == 1  # of the killed one
    hold.unlink()
    ran = proving.run("--resume")
    ran.ended("done")
    proves(ran, True)
    assert left_in_scratch(proving) == []
    assert git(proving.project, "status", "--porcelain").split() == ["M", "calc.py"]
    proving.mi("trust", "--dry-run")  # whatever lock there was is free


@pytest.mark.req("judge.proof.trouble")
def test_a_suite_that_hangs_is_ended_and_said(proving: Workbench) -> None:
    mark = uuid4().hex
    add_test(proving, SLEEPS.format(how="run", mark=mark))
    proving.configure(runtime={**proving.config["runtime"], "verification": {"prove_seconds": 3}})
    ran = proving.run(*TASK)
    assert "stopped" in proves(ran, None)["proof"]
    assert find_processes(mark) == []
    assert left_in_scratch(proving) == []


TROUBLE = {
    "writes into its folder": ["Path('made.txt').write_text('x')", "Path('calc.log').write_text('x')"],
    "needs a database file": [
        "with sqlite3.connect('test.db') as base:",
        "    base.execute('create table t (a)')",
        "    base.execute('insert into t values (1)')",
        "    self.assertEqual(base.execute('select count(*) from t').fetchone(), (1,))",
    ],
    "leaves processes behind": [SLEEPS.format(how="Popen", mark="MARK")],
    "forks": ["pid = os.fork()", "if not pid:", "    os._exit(0)", "self.assertEqual(os.waitpid(pid, 0)[0], pid)"],
}


@pytest.mark.req("judge.proof.trouble")
@pytest.mark.parametrize("body", TROUBLE.values(), ids=TROUBLE)
def test_a_suite_that_is_no_guest_is_proved_and_leaves_nothing(proving: Workbench, body: list[str]) -> None:
    mark = uuid4().hex
    add_test(proving, *(line.replace("MARK", mark) for line in body))
    ran = proving.run(*TASK)
    ran.ended("done")
    proves(ran, True)
    assert find_processes(mark) == []
    assert git(proving.project, "status", "--porcelain").split() == ["M", "calc.py"]
    assert left_in_scratch(proving) == []


@pytest.mark.req("judge.proof.trouble")
def test_a_port_that_another_holds_is_free_where_the_network_is_off(proving: Workbench) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        number = held.getsockname()[1]
        add_test(proving, "with socket.socket() as own:", f"    own.bind(('127.0.0.1', {number})); own.listen()")
        verification = {"prove_network": False}
        proving.configure(runtime={**proving.config["runtime"], "verification": verification})
        ran = proving.run(*TASK)
    ran.ended("done")
    proves(ran, True)
