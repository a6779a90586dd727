import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from mi.kernel import ids

PREFIXES = ["cl", "nd", "ed", "wf", "ls", "snap", "seg", "qu", "rv", "vi"]


@pytest.mark.req("mi.ids.run", "v1.ev.run-id")
def test_run_ids_carry_the_utc_time_and_differ():
    made = {ids.make_run_id() for _ in range(1000)}
    assert len(made) == 1000
    assert all(re.match(r"^run_\d{8}T\d{6}Z_[0-9a-z]{8}$", one) for one in made)


@pytest.mark.req("mi.ids.cli", "v1.ev.run-id")
def test_commands_outside_a_run_have_ids_of_their_own():
    made = {ids.make_cli_id() for _ in range(1000)}
    assert len(made) == 1000
    assert all(re.match(r"^cli_\d{8}T\d{6}Z_[0-9a-z]{8}$", one) for one in made)


@pytest.mark.req("mi.ids.ev")
def test_an_event_is_named_by_its_run_and_number():
    assert ids.make_event_id("run_20261116T145233Z_abcdefgh", 7) == "ev_run_20261116T145233Z_abcdefgh_7"


@pytest.mark.req("mi.ids.cl")
@pytest.mark.parametrize("prefix", PREFIXES)
def test_ids_tell_what_they_name(prefix):
    assert re.match(rf"^{prefix}_[0-9a-hjkmnp-tv-z]{{23}}$", ids.make_id(prefix))


@pytest.mark.req("mi.ids.time-ordered")
def test_later_ids_sort_after_earlier_ones():
    made = [ids.make_id("cl") for _ in range(5000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)


@pytest.mark.req("mi.ids.time-ordered")
def test_ids_of_different_milliseconds_sort_by_time(monkeypatch):
    monkeypatch.setattr(ids, "_last", 0)
    made = []
    for second in (1_800_000_000, 1_900_000_000, 4_000_000_000):
        monkeypatch.setattr(time, "time_ns", lambda second=second: second * 1_000_000_000)
        made.append(ids.make_id("cl"))
    assert made == sorted(made)


def test_threads_get_different_ids():
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: ids.make_id("cl"), range(4000)))
    assert len(set(made)) == len(made)


@pytest.mark.req("mi.ids.no-collision")
def test_processes_get_different_ids():
    code = (
        "from mi.kernel import ids\n"
        "for _ in range(1000): print(ids.make_id('cl'), ids.make_run_id(), ids.make_cli_id())"
    )
    running = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) for _ in range(3)]
    made = [word for process in running for word in process.communicate()[0].split()]
    assert all(process.returncode == 0 for process in running)
    assert len(made) == 3 * 1000 * 3
    assert len(set(made)) == len(made)


@pytest.mark.req("mi.ids.no-collision")
def test_forks_differ_even_while_the_clock_stands_still(monkeypatch):
    """A fork inherits the last id; in the same millisecond, or after the clock was set back, both count on."""
    ids.make_id("cl")
    monkeypatch.setattr(time, "time_ns", lambda: 1_000_000_000)
    made = [_made_in_a_fork() for _ in range(2)]
    assert len(set(made[0] + made[1])) == 20
    assert made[0] == sorted(made[0])


def _made_in_a_fork() -> list[str]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, " ".join(ids.make_id("cl") for _ in range(10)).encode())
        os._exit(0)
    os.close(writing)
    with open(reading) as file:
        made = file.read().split()
    os.waitpid(child, 0)
    return made
