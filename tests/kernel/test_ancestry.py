"""The chain of processes above one, read from the system."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mi.kernel import ancestry
from mi.kernel.ancestry import ProcessInfo, measure_boot, read_ancestry, read_start, sees_users
from tests.waiting import wait_until

ASK = "from mi.kernel.ancestry import read_ancestry; print([(one.pid, one.name) for one in read_ancestry()])"


@pytest.mark.req("person.chain")
def test_the_chain_leads_from_this_process_to_the_first() -> None:
    chain = read_ancestry()
    assert chain is not None
    assert [chain[0].pid, chain[1].pid] == [os.getpid(), os.getppid()]
    assert [one.parent for one in chain[:-1]] == [one.pid for one in chain[1:]]
    assert chain[-1].parent == 0
    assert measure_boot() <= chain[-1].started <= chain[0].started <= time.time()
    assert os.path.realpath(sys.executable) == chain[0].program
    assert chain[0].owner == os.getuid()


def test_names_and_words_are_those_of_the_program(tmp_path: Path) -> None:
    """A name may hold spaces and parentheses, and a word anything."""
    program = tmp_path / "a) S 1 (b"
    program.write_text('#!/bin/sh\n"$@"\nexit $?\n', "utf-8")
    program.chmod(0o755)
    said = subprocess.run([program, sys.executable, "-c", ASK], capture_output=True, encoding="utf-8", check=True)
    assert "'a) S 1 (b'" in said.stdout


def test_two_forks_and_a_session_of_its_own_lead_to_the_first_process(tmp_path: Path) -> None:
    """The child's chain is read after its parents are gone."""
    out = tmp_path / "chain"
    ask = f'{sys.executable} -c "{ASK}" > {out}.tmp; mv {out}.tmp {out}'
    script = f"(setsid sh -c 'while kill -0 {{}} 2>/dev/null; do :; done; {ask}' &)"
    parent = subprocess.Popen(["sh", "-c", 'eval "$(cat)"'], stdin=subprocess.PIPE, encoding="utf-8")
    parent.communicate(script.format(parent.pid))
    assert wait_until(out.exists, 60)
    chain = eval(out.read_text("utf-8"))
    assert len(chain) == 3
    assert str(os.getpid()) not in out.read_text("utf-8")


def make_process(proc: Path, pid: int, parent: int, started: int = 100, name: str = "sh") -> None:
    folder = proc / str(pid)
    folder.mkdir(parents=True)
    (folder / "stat").write_text(f"{pid} ({name}) S {parent} " + "0 " * 17 + f"{started} 0 0\n", "utf-8")
    (folder / "cmdline").write_bytes(b"sh\0-c\0true\0")


def test_a_chain_that_changes_while_it_is_read_cannot_be_read(tmp_path: Path) -> None:
    proc = tmp_path / "proc"
    (proc / "self").mkdir(parents=True)
    make_process(proc, 3_999_990, 3_999_991)  # a number that no process has
    assert read_ancestry(3_999_990, str(proc)) is None
    make_process(proc, 3_999_991, 0, started=900)  # given to another, which began later
    assert read_ancestry(3_999_990, str(proc)) is None


def test_what_the_system_hides_ends_the_chain(tmp_path: Path) -> None:
    proc = tmp_path / "proc"
    (proc / "self").mkdir(parents=True)
    make_process(proc, 3_999_990, os.getppid())  # it lives, and this /proc does not show it
    chain = read_ancestry(3_999_990, str(proc))
    assert chain is not None
    assert [(one.pid, one.parent, one.words) for one in chain] == [(3_999_990, os.getppid(), ("sh", "-c", "true"))]


@pytest.mark.parametrize("line", ["", "4 (sh S", "4 (sh) S x", "4 (sh) S 1"])
def test_a_broken_entry_cannot_be_read(tmp_path: Path, line: str) -> None:
    proc = tmp_path / "proc"
    (proc / "self").mkdir(parents=True)
    make_process(proc, 3_999_990, 0)
    (proc / "3999990" / "stat").write_text(line, "utf-8")
    assert read_ancestry(3_999_990, str(proc)) is None


def test_without_proc_the_chain_is_that_of_ps(tmp_path: Path) -> None:
    chain = read_ancestry(proc=str(tmp_path / "none"))
    known = read_ancestry()
    assert chain is not None
    assert known is not None
    assert [(one.pid, one.parent, one.owner) for one in chain] == [(one.pid, one.parent, one.owner) for one in known]
    assert all(abs(one.started - other.started) < 3 for one, other in zip(chain, known, strict=True))


def test_a_line_of_ps_on_another_system() -> None:
    line = "  501   500  1000 Mon Nov 16 09:08:07 2026 -zsh"
    started = time.mktime((2026, 11, 16, 9, 8, 7, 0, 0, -1))
    assert ancestry._parse_ps(line) == ProcessInfo(501, "zsh", ("-zsh",), started, 500, "-zsh", 1000)


def test_without_proc_and_ps_it_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ancestry, "_PS", (str(tmp_path / "ps"),))
    assert read_ancestry(proc=str(tmp_path / "none")) is None


WHOLE, CONTAINER = "0 0 4294967295\n", "0 1000 1\n1 100000 65536\n"


@pytest.mark.req("person.closed")
@pytest.mark.parametrize(
    ("own", "first", "sees"),
    [
        (WHOLE, WHOLE, True),
        (CONTAINER, CONTAINER, True),  # all of a container is in it
        ("0 1000 1\n", WHOLE, False),  # unshare -Ur
        ("", "0 4294967295 4294967295\n", False),  # unshare -U
        ("0 1000 1\n", "0 1000 1\n", False),  # with a first process of one's own
        (CONTAINER, WHOLE, False),
    ],
)
def test_in_a_user_namespace_of_ones_own_nobody_is_seen(tmp_path: Path, own: str, first: str, sees: bool) -> None:
    for name, said in (("self", own), ("1", first)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "uid_map").write_text(said, "ascii")
    assert sees_users(str(tmp_path)) is sees


def test_a_system_without_user_namespaces_has_none_of_ones_own(tmp_path: Path) -> None:
    assert sees_users(str(tmp_path))


def test_the_beginning_of_a_process_tells_whether_it_is_still_that_one() -> None:
    child = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    began = read_start(child.pid)
    assert abs(began - time.time()) < 60
    child.communicate()
    assert read_start(child.pid) == 0
