"""When runs were active: kept for as long as it matters, also for a run that was killed."""

import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mi.autopilot import run_times
from mi.autopilot.run_times import (
    RunMoment,
    find_active_run,
    is_vouched,
    keep_run_times,
    note_session,
    note_session_end,
    note_vouched,
    read_run_times,
)
from mi.evidence.home_changes import speaks_for_person
from mi.kernel.ancestry import read_start
from mi.kernel.home import Home

PROJECT = "0123456789abcdef"
WORK = """
import sys
from mi.autopilot import run_times
from mi.kernel.home import Home
home, letter = Home(sys.argv[1]), sys.argv[2]
run_times._LARGEST = 4000
for number in range(40):
    with run_times.keep_run_times(home, home.project(letter * 16).run_lock, f"run_{letter}_{number}"):
        pass
"""


def lock_of(home: Home, project: str = PROJECT) -> str:
    return home.project(project).run_lock


def begin(home: Home, run_id: str, project: str = PROJECT) -> None:
    """Begin a run that is killed: nobody writes down its end."""
    run_times._append(home, RunMoment(run_id=run_id, began=time.time(), lock=home.relative(lock_of(home, project))))


@pytest.mark.req("person.torn-off")
def test_a_run_that_ended_counts_for_what_began_during_it(home: Home) -> None:
    assert read_run_times(home) == []
    before = time.time() - 10
    with keep_run_times(home, lock_of(home), "run_a"):
        during = time.time()
    (active,) = read_run_times(home)
    assert active.run_id == "run_a"
    assert [active.holds(moment) for moment in (before, during, active.ended + 10)] == [False, True, False]


def test_a_run_that_goes_on_counts_until_now(home: Home) -> None:
    Path(lock_of(home)).parent.mkdir(parents=True)
    with open(lock_of(home), "w", encoding="utf-8") as held, keep_run_times(home, lock_of(home), "run_a"):
        fcntl.flock(held, fcntl.LOCK_EX)
        first = read_run_times(home)[0].ended
        assert read_run_times(home)[0].ended > first


def test_the_end_of_a_killed_run_is_when_it_is_noticed(home: Home) -> None:
    begin(home, "run_a")
    first = read_run_times(home)
    assert first[0].began < first[0].ended <= time.time()
    assert read_run_times(home) == first


def test_the_next_run_of_a_project_ends_a_killed_one(home: Home) -> None:
    begin(home, "run_a")
    begin(home, "run_a")  # it was resumed
    with keep_run_times(home, lock_of(home, "f" * 16), "run_b"):
        pass
    ends = {(one.run_id, one.ended) for one in read_run_times(home)}
    assert len(ends) == 3
    assert max(ends, key=lambda one: one[1])[0] == "run_a"


def test_a_run_before_the_system_started_ended_with_it(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(home, "run_a")
    monkeypatch.setattr(run_times, "measure_boot", lambda: time.time() + 100)
    booted = read_run_times(home)[0].ended
    assert booted > time.time() + 90


def test_runs_that_end_at_once_leave_whole_lines_and_a_bounded_journal(home: Home) -> None:
    workers = [subprocess.Popen([sys.executable, "-c", WORK, home.root, letter]) for letter in "abc"]
    assert [worker.wait() for worker in workers] == [0, 0, 0]
    path = Path(home.run_times)
    assert path.stat().st_size <= 4200
    assert path.read_bytes().endswith(b"}\n")
    assert any(one.run_id.endswith("_39") for one in read_run_times(home))


def test_a_broken_line_is_passed_over(home: Home) -> None:
    with keep_run_times(home, lock_of(home), "run_a"):
        pass
    path = Path(home.run_times)
    path.write_bytes(b"{broken\n[]\n" + path.read_bytes() + b'{"run_id": 5}\n{"run_id": "run_x"}\n')
    assert [one.run_id for one in read_run_times(home)] == ["run_a"]


@pytest.mark.req("person.torn-off")
def test_a_session_lasts_as_long_as_its_host_or_until_it_says_its_end(home: Home) -> None:
    host = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    began = read_start(host.pid)
    note_session(home, "codex s1", host.pid, began)
    assert find_active_run(home, [time.time()]) == "codex s1"
    assert find_active_run(home, [time.time()], host.pid) == ""  # not for what the host itself says
    note_session_end(home, "codex s1", host.pid, began)
    note_session(home, "codex s2", host.pid, began)  # another one begins in the same process
    assert find_active_run(home, [time.time() + 10]) == ""
    first = read_run_times(home)[-1].ended
    assert read_run_times(home)[-1].ended > first
    host.communicate()
    gone = read_run_times(home)
    assert read_run_times(home) == gone  # its end is written down when it is noticed
    assert {(one.run_id, one.pid) for one in gone} == {("codex s1", host.pid), ("codex s2", host.pid)}


@pytest.mark.req("fleet.parallel.home")
def test_a_process_that_a_person_left_behind_is_known_by_its_id_and_start(home: Home) -> None:
    pid, began = os.getpid(), read_start(os.getpid())
    note_vouched(home, pid)
    anybody = lambda log, offset: True  # noqa: E731
    assert is_vouched(home, {pid: began}, anybody)
    assert not is_vouched(home, {pid: began + 60}, anybody)  # another that has its number
    assert not is_vouched(home, {pid + 1: began}, anybody)
    assert not is_vouched(home, {pid: began}, lambda log, offset: False)  # a run that did not hear it from a person
    assert read_run_times(home) == []  # it is no run
    (line,) = Path(home.run_times).read_bytes().splitlines()
    assert speaks_for_person(home.run_times, line)
