"""`mi queue`: what is queued, in which order, what is refused in one line, and what is taken out again."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from mi.cli.queue import read_moment
from mi.fleet.task_file import read_tasks
from mi.kernel.errors import UsageError
from tests.autopilot.workbench import Workbench, open_bench, say
from tests.disks import fill, read_only_disk, small_disk


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return open_bench(tmp_path)


def listed(bench: Workbench, *words: str) -> Any:
    return json.loads(bench.mi("queue", "list", "--json", *words).stdout)


def add(bench: Workbench, *words: str) -> str:
    """Queue one task and return its run."""
    found: str = json.loads(bench.mi("queue", "add", *words, "--json").stdout)["queued"][0]["run_id"]
    return found


@pytest.mark.req("fleet.queue.add")
def test_tasks_are_listed_as_they_will_run(bench: Workbench) -> None:
    first = add(bench, "write the docs")
    second = add(bench, "--priority", "5", "mend add")
    third = add(bench, "--after", first, "--agent", "codex", "--not-before", "+2h", "check the docs")
    jobs = listed(bench)["jobs"]
    assert [job["run_id"] for job in jobs] == [second, first, third]
    assert (jobs[2]["after"], jobs[2]["pending"], jobs[2]["agent"]) == ([first], 1, "codex")
    shown = bench.mi("queue").stdout
    assert "3 queued" in shown
    assert f"after {first}; not before" in shown


@pytest.mark.req("fleet.queue.add")
def test_a_run_is_named_by_the_end_of_its_id(bench: Workbench) -> None:
    first = add(bench, "write the docs")
    add(bench, "--after", first[-8:], "check the docs")
    assert [job["after"] for job in listed(bench)["jobs"]] == [[], [first]]


@pytest.mark.req("fleet.queue.refused")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["add"], "give one of"),
        (["add", "  "], "task"),
        (["add", "x", "--tasks"], "give one of"),
        (["add", "--after", "run_gone", "x"], "run_gone is no run of the queue"),
        (["add", "--agent", "nobody", "x"], "nobody"),
        (["add", "--not-before", "soon", "x"], "--not-before soon"),
        (["add", "--priority", "high", "x"], "--priority"),
        (["add", "--tasks"], "task"),
        (["cancel", "run_gone"], "run_gone is no run of the queue"),
        (["cancel"], "--all"),
        (["retry", "run_gone"], "run_gone is no run of the queue"),
    ],
)
def test_what_cannot_be_queued_is_refused_in_one_line(bench: Workbench, words: list[str], said: str) -> None:
    done = bench.mi("queue", *words)
    assert done.code in (1, 2)
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert listed(bench)["jobs"] == []


@pytest.mark.req("fleet.queue.refused")
def test_the_same_task_is_queued_once_in_a_project(bench: Workbench, tmp_path: Path) -> None:
    first = add(bench, "fix the failing test")
    done = bench.mi("queue", "add", "Fix  the failing TEST")
    assert done.code == 1
    assert first in done.stderr
    assert done.stderr.count("\n") == 1
    other = tmp_path / "other"
    other.mkdir()
    assert bench.mi("queue", "add", "fix the failing test", "--project", str(other)).code == 0
    assert len(listed(bench)["jobs"]) == 2
    assert len(listed(bench, "--project", str(other))["jobs"]) == 1


@pytest.mark.req("fleet.queue.file")
def test_a_file_is_queued_task_by_task_and_what_is_refused_stops_nothing(bench: Workbench, tmp_path: Path) -> None:
    file = tmp_path / "tasks.md"
    file.write_text("# Tonight\n\n- write the docs\n- \n- [x] was done\n- mend add\n  in calc.py\n- Write the docs\n")
    done = bench.mi("queue", "add", "--file", str(file))
    assert done.code == 1
    assert [job["task"] for job in listed(bench)["jobs"]] == ["write the docs", "mend add\nin calc.py"]
    assert done.stderr.count("\n") == 2


TEXTS = {
    "list": ("# Heading\n\n1. one\n   more of it\n\n   - and this\n2) two\n\nwords between\n\n* three\n", 3),
    "paragraphs": ("# Heading\n\none\nin two lines\n\n---\n\ntwo\n", 2),
    "code": ("one\n```\n# no heading\n\nline\n```\n\ntwo\n", 2),
    "code in a list": ("- one\n  ```\n- of one\n  ```\n- two\n\n```\n- none\n```\n", 2),
    "windows": ("\ufeff- one\r\n- two\r\n", 2),
    "ticked": ("- [ ] one\n- [x] no\n  nor this\n- [X] no\n", 1),
    "empty": ("# Heading\n\n", 0),
}


@pytest.mark.req("fleet.queue.file")
@pytest.mark.parametrize("name", TEXTS)
def test_the_tasks_of_a_text(name: str) -> None:
    text, count = TEXTS[name]
    found = read_tasks(text)
    assert len(found) == count
    assert not any("Heading" in task for task in found)


def test_what_stands_below_an_item_belongs_to_it() -> None:
    assert read_tasks(TEXTS["list"][0])[0] == "one\nmore of it\n\n- and this"


@pytest.mark.req("fleet.queue.list")
def test_the_list_of_a_project_is_queued_one_after_another(bench: Workbench) -> None:
    (bench.project / "tinyTasks.md").write_text("# Tasks\n\n- [x] begun\n- [ ] mend add\n- [ ] write the docs\n")
    done = bench.mi("queue", "add", "--tasks")
    assert done.code == 0, done.stderr
    first, second = listed(bench)["jobs"]
    assert "mend add" in first["task"]
    assert second["after"] == [first["run_id"]]
    assert bench.mi("queue", "add", "--tasks").code == 1  # they are queued already
    assert len(listed(bench)["jobs"]) == 2


@pytest.mark.req("fleet.queue.cancel")
def test_a_cancelled_task_can_be_queued_again(bench: Workbench) -> None:
    first, second = add(bench, "write the docs"), add(bench, "mend add")
    assert bench.mi("queue", "cancel", first).code == 0
    assert [job["run_id"] for job in listed(bench)["jobs"]] == [second]
    assert bench.mi("queue", "cancel", first).code == 1
    assert bench.mi("queue", "retry", second).code == 1
    assert bench.mi("queue", "retry", first).code == 0
    assert len(listed(bench)["jobs"]) == 2
    assert bench.mi("queue", "cancel", "--all").code == 0
    assert listed(bench)["counts"] == {"cancelled": 2}


@pytest.mark.req("fleet.queue.secrets")
def test_a_secret_is_taken_out_of_a_task(bench: Workbench) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    done = bench.mi("queue", "add", f"use the token {secret}")
    assert "secret" in done.stderr
    assert secret not in done.stdout
    assert secret.encode() not in b"".join(path.read_bytes() for path in bench.home.glob("queue.sqlite*"))


def test_the_list_is_bounded(bench: Workbench, tmp_path: Path) -> None:
    file = tmp_path / "tasks.md"
    file.write_text("".join(f"- task number {number}\n" for number in range(30)))
    assert "30 tasks queued" in bench.mi("queue", "add", "--file", str(file)).stdout
    shown = bench.mi("queue", "list").stdout.splitlines()
    assert len(shown) == 22
    assert "10 more" in shown[-1]
    assert len(bench.mi("queue", "list", "--all").stdout.splitlines()) == 31


def test_what_no_queue_can_hold_is_refused_in_one_line(bench: Workbench) -> None:
    for flags in (("--priority", "9" * 20), ("--priority", "high"), ("--not-before", f"+{'9' * 20}h")):
        done = bench.mi("queue", "add", "fix the failing test", *flags)
        assert (done.code, done.stderr.count("\n")) == (2, 1)
        assert flags[1] in done.stderr
    assert bench.mi("queue", "add", "fix the failing test", "--priority", "-5").code == 0
    assert "give a whole number above 0" in bench.mi("worker", "--jobs", "0").stderr


def test_a_file_that_is_no_text_makes_tasks_that_an_agent_can_be_given(bench: Workbench) -> None:
    file = bench.folder / "tasks.md"
    file.write_bytes(b"- fix \x00 it\n")
    assert bench.mi("queue", "add", "--file", str(file)).code == 0
    assert [job["task"] for job in listed(bench)["jobs"]] == ["fix \ufffd it"]


def test_moments() -> None:
    now = time.mktime((2026, 11, 18, 21, 0, 0, 0, 0, -1))
    assert read_moment("22:00", now) == now + 3600
    assert read_moment("20:00", now) == now + 23 * 3600
    assert read_moment("+90m", now) == now + 5400
    assert read_moment("2026-11-19T21:00", now) == now + 86400
    for bad in ("25:00", "tomorrow", "99999-01-01", "+99999999999999999999h"):
        with pytest.raises(UsageError):
            read_moment(bad, now)


@pytest.mark.req("fleet.queue.list")
def test_a_plan_is_queued_by_what_its_tasks_wait_for(bench: Workbench) -> None:
    """A diamond, in an order of its own: the first is done, two need it, the last needs both."""
    deps = {"4": [2, 3], "1": [], "2": [1], "3": [1]}
    done = {"1": "completed"}
    tasks = [
        {"id": int(one), "title": f"step {one}", "status": done.get(one, "pending"), "deps": first}
        for one, first in deps.items()
    ]
    place = bench.project / ".nexus" / "state" / "tasks.json"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps({"goal": "Ship", "decisions": [], "tasks": tasks}), "utf-8")
    queued = bench.mi("queue", "add", "--tasks")
    assert queued.code == 0, queued.stderr
    jobs = {job["list_task"]: job for job in listed(bench)["jobs"]}
    named = {job["run_id"]: task for task, job in jobs.items()}
    waits = {task: sorted(named[run] for run in job["after"]) for task, job in jobs.items()}
    assert waits == {"2": [], "3": [], "4": ["2", "3"]}
    assert {task: job["pending"] for task, job in jobs.items()} == {"2": 0, "3": 0, "4": 2}


@pytest.mark.req("fleet.queue.limits-of-tasks")
def test_a_queued_run_keeps_to_the_limits_it_was_given(bench: Workbench) -> None:
    bench.agent(*[[say("Not yet. I go on with the next step.")]] * 5)
    add(bench, "--max-batches", "2", "fix the failing test")
    assert bench.mi("worker", "--drain").code == 0
    ran = bench.mi("runs", "--json")
    assert (json.loads(ran.stdout)["runs"][0]["batches"], ran.end["status"]) == (2, "blocked")
    for flags in (("--max-batches", "0"), ("--max-cost", "-1"), ("--max-minutes", "soon"), ("--max-tokens", "1.5")):
        bad = bench.mi("queue", "add", *flags, "mend add")
        assert (bad.code, bad.stderr.count("\n"), flags[0] in bad.stderr) == (2, 1, True)


@pytest.mark.req("fleet.queue.cancel")
def test_where_nothing_is_queued_cancel_says_so(bench: Workbench) -> None:
    done = bench.mi("queue", "cancel", "--all")
    assert (done.code, "nothing was cancelled" in done.stdout) == (0, True)
    assert not (bench.home / "queue.sqlite").exists()


@pytest.mark.req("fleet.queue.blockers")
def test_a_run_that_others_wait_for_and_that_is_not_done_waits_for_the_person(bench: Workbench) -> None:
    bench.agent([say("I cannot do that.")])
    first = add(bench, "--max-batches", "1", "fix the failing test")
    second = add(bench, "--after", first, "write the docs")
    assert json.loads(bench.mi("inbox", "--json").stdout) == []
    assert bench.mi("worker", "--drain").code == 0
    for question in json.loads(bench.mi("inbox", "--json").stdout):
        if question["kind"] == "question":
            bench.mi("inbox", "dismiss", question["id"])
    (item,) = json.loads(bench.mi("inbox", "--json").stdout)
    assert (item["kind"], item["run_id"], item["answer_with"]) == ("run", first, f"mi queue retry {first}")
    assert f"{second} write the docs" in item["said"]
    shown = bench.mi("inbox").stdout
    assert f"{first} ended" in shown
    assert f"mi queue cancel {second}" in shown
    assert first in bench.mi("status").stdout
    told = bench.mi("answer", str(item["number"]), "yes")
    assert (told.code, f"mi queue retry {first}" in told.stderr) == (1, True)
    bench.mi("queue", "cancel", second)
    assert json.loads(bench.mi("inbox", "--json").stdout) == []


@pytest.mark.req("fleet.queue.own-tree")
def test_a_repository_that_git_refuses_is_not_worked_on_in_the_person_s_own_tree(bench: Workbench) -> None:
    bench.agent([say("Done.")])
    os.chown(bench.project, 1234, -1)
    os.chown(bench.project / ".git", 1234, -1)
    for words in (("queue", "add", "x"), ("run", "--worktree", "x"), ("run", "--detach", "x")):
        done = bench.mi(*words)
        assert (done.code, done.stderr.count("\n"), "git refuses to work in" in done.stderr) == (1, 1, True)
    assert listed(bench)["jobs"] == []


@pytest.mark.req("fleet.queue.refused")
def test_a_home_on_a_full_disk_is_named_with_its_file(bench: Workbench, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        bench.env["MI_HOME"] = str(disk / "home")
        fill(disk)
        done = bench.mi("queue", "add", "x")
        assert (done.code, done.stderr.startswith(f"mi: {disk}/home"), done.stderr.count("\n")) == (1, True, 1)
        (disk / "ballast").unlink()
        assert bench.mi("queue", "add", "x").code == 0
        fill(disk)
        again = bench.mi("queue", "add", "y " * 5000)
        assert (again.code, again.stderr.startswith(f"mi: {disk}/home"), "no space left" in again.stderr) == (1, 1, 1)


@pytest.mark.req("fleet.queue.add")
def test_a_queue_that_cannot_be_written_is_listed_and_says_so_in_a_line(bench: Workbench) -> None:
    bench.agent([say("Done.")])
    assert bench.mi("queue", "add", "fix the failing test").code == 0
    with read_only_disk(bench.home / "queue.sqlite"):
        for words in (["queue", "add", "mend add"], ["queue", "cancel", "--all"], ["worker", "--drain"]):
            done = bench.mi(*words)
            last = done.stderr.splitlines()[-1]
            assert (done.code, "queue.sqlite cannot be written" in last, "chmod u+w" in last) == (1, True, True)
        assert "fix the failing test" in bench.mi("queue").stdout
    for path in bench.home.glob("queue.sqlite*"):
        path.unlink()
    assert bench.mi("queue", "rebuild").code == 0
    assert "mend add" not in bench.mi("queue").stdout  # it was refused
