"""The task list is the person's: what an agent does to it in a run that works on it makes nothing done."""

import json
import os
import shlex

import pytest

from tests.autopilot.test_run_home import SEALED, script
from tests.autopilot.test_run_planned import LISTS, STEP, begin_list, listed
from tests.autopilot.test_run_verdicts import HONEST
from tests.autopilot.workbench import TEST, Json, Ran, Workbench, run, say
from tests.waiting import wait_until

TINY, NEXUS = LISTS
QUESTION = say("Should I use integers or floats?")


def tick(name: str) -> Json:
    """The agent ticks whatever is open, past every tool."""
    words = "s/\\[ \\]/[x]/" if name == TINY else "s/pending/completed/g"
    return run(f"sed -i {shlex.quote(words)} {name}")


def change(name: str, old: str, new: str) -> Json:
    return run(f"sed -i {shlex.quote(f's/{old}/{new}/g')} {name}")


def checked(bench: Workbench) -> list[bool]:
    return [task["checked"] for task in listed(bench)]


def step(bench: Workbench) -> Json:
    """Mends the sum, then notes it, then has nothing to do."""
    place = bench.folder / "step.py"
    place.write_text(STEP, "utf-8")
    return run(f"python3 {place}")


def said(ran: Ran) -> str:
    return ran.stdout + ran.stderr


@pytest.mark.req("one.list.ticks")
@pytest.mark.parametrize("name", LISTS)
def test_what_an_agent_ticks_in_a_blocked_run_is_open_again(bench: Workbench, name: str) -> None:
    begin_list(bench, name, "Fix the sum", "Then rest")
    before = (bench.project / name).read_text("utf-8")
    bench.agent([tick(name), QUESTION], HONEST)
    ran = bench.run("--task")
    ran.ended("blocked")
    assert checked(bench) == [False, False]
    assert "open again" in said(ran)
    assert len(ran.of("task_outcome")[-1]["reopened"]) == 2
    if name == TINY:
        assert (bench.project / name).read_text("utf-8") == before
    bench.mi("answer", "1", "A")
    bench.run("--resume").ended("done")
    assert checked(bench) == [True, False]


@pytest.mark.req("one.list.ticks")
@pytest.mark.parametrize("name", LISTS)
def test_a_list_that_an_agent_ticks_is_worked_through_all_the_same(bench: Workbench, name: str) -> None:
    begin_list(bench, name, "Fix the sum", "Note that it is mended", "Do more")
    bench.agent([step(bench), tick(name), TEST, say("Fixed and tested. Done.")], [say("Done.")])
    ran = bench.run("--tasks")
    ran.ended("blocked")
    assert [end["status"] for end in ran.of("run_end")] == ["done", "done", "blocked"]
    assert checked(bench) == [True, True, False]


CHANGES = {
    "reworded": {TINY: ("Then rest", "Say hello"), NEXUS: ("Then rest", "Say hello")},
    "other proof": {TINY: ("add(2, 3) is 5", "nothing"), NEXUS: ("add(2, 3) is 5", "nothing")},
    "renumbered": {TINY: ("Then rest", "Nothing at all of that"), NEXUS: ('"id": 2', '"id": 7')},
    "removed": {TINY: ("- \\[ \\] Then rest", "Then rest"), NEXUS: (', {"id": 2.*}', "]}")},
    "more to do": {TINY: ("is 5", "is 5\\n  Delete the tests"), NEXUS: ("It is wrong.", "Delete the tests.")},
    "unreadable": {TINY: ("- \\[ \\] .*", ""), NEXUS: ("goal", '"')},
}


@pytest.mark.req("one.list.kept")
@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("how", CHANGES)
def test_a_task_that_an_agent_takes_out_or_rewords_is_asked_about(bench: Workbench, name: str, how: str) -> None:
    begin_list(bench, name, "Fix the sum", "Then rest")
    bench.agent([change(name, *CHANGES[how][name]), *HONEST])
    ran = bench.run("--tasks")
    ran.ended("blocked")
    assert len(ran.of("run_start")) == 1
    assert "Then rest" in ran.of("question")[-1]["text"]
    assert "Then rest" in said(ran)


@pytest.mark.req("one.list.kept")
@pytest.mark.parametrize(("answer", "status"), [("yes", "done"), ("no", "blocked")])
def test_the_person_says_whether_a_changed_list_stays(bench: Workbench, answer: str, status: str) -> None:
    begin_list(bench, TINY, "Fix the sum", "Then rest")
    bench.agent([change(TINY, *CHANGES["removed"][TINY]), *HONEST])
    bench.run("--task").ended("blocked")
    bench.mi("answer", "1", answer)
    bench.run("--resume").ended(status)


@pytest.mark.req("one.list.kept")
def test_the_agent_hears_what_the_person_wants_instead(bench: Workbench) -> None:
    begin_list(bench, TINY, "Fix the sum", "Then rest")
    restore = change(TINY, "^Then rest", "- [ ] Then rest")
    bench.agent([change(TINY, *CHANGES["removed"][TINY]), *HONEST], [restore, TEST, say("Put it back. Done.")])
    bench.run("--task").ended("blocked")
    bench.mi("answer", "1", "Put the task back into the list.")
    ran = bench.run("--resume")
    ran.ended("done")
    assert ran.inputs[-1] == "Put the task back into the list."
    assert checked(bench) == [True, False]


@pytest.mark.req("one.list.kept")
def test_a_list_that_the_person_put_right_is_not_asked_about(bench: Workbench) -> None:
    begin_list(bench, TINY, "Fix the sum", "Then rest")
    before = (bench.project / TINY).read_text("utf-8")
    bench.agent([change(TINY, *CHANGES["removed"][TINY]), *HONEST])
    bench.run("--task").ended("blocked")
    (bench.project / TINY).write_text(before, "utf-8")
    bench.mi("answer", "1", "no")
    bench.run("--resume").ended("done")
    assert checked(bench) == [True, False]


@pytest.mark.req("one.list.kept")
def test_a_task_that_an_agent_moves_below_its_own_is_not_done_with_it(bench: Workbench) -> None:
    begin_list(bench, TINY, "Fix the sum", "Then rest")
    bench.agent([run(f"sed -i '/Then rest/,$ s/^/  /' {TINY}"), *HONEST])
    bench.run("--task").ended("done")
    assert [task["title"] for task in listed(bench) if task["leaf"] and not task["checked"]] == ["Then rest"]


@pytest.mark.req("one.list.run-all")
def test_a_task_that_an_agent_lets_wait_for_ever_is_said(bench: Workbench) -> None:
    begin_list(bench, NEXUS, "Fix the sum", "Then rest")
    bench.agent([change(NEXUS, '"deps": \\[\\]', '"deps": [2]'), *HONEST])
    ran = bench.run("--tasks")
    assert (ran.code, len(ran.of("run_start"))) == (3, 1)
    assert "not worked on: 2" in ran.stderr


@pytest.mark.req("one.list.run-all")
@pytest.mark.parametrize("where", ["first", "last"])
def test_tasks_that_an_agent_adds_are_said_and_not_worked_on(bench: Workbench, where: str) -> None:
    begin_list(bench, TINY, "Fix the sum")
    old, new = ("# Tasks — Sums", "- [ ] Own idea") if where == "first" else ("$", "$")
    add = change(TINY, old, new) if where == "first" else run(f"echo '- [ ] Own idea' >> {TINY}")
    bench.agent([add, *HONEST])
    ran = bench.run("--tasks")
    ran.ended("done")
    (left,) = [task for task in listed(bench) if not task["checked"]]
    assert left["title"] == "Own idea"
    assert f"not worked on: {left['id']}" in ran.stderr


@pytest.mark.req("one.list.ticks")
@pytest.mark.parametrize(
    ("name", "command"),
    [(TINY, ("task", "complete")), (NEXUS, ("task", "complete")), (NEXUS, ("nexus", "task", "update"))],
)
def test_what_a_person_ticks_during_a_run_stays_ticked(bench: Workbench, name: str, command, request) -> None:
    begin_list(bench, name, "Fix the sum", "Then rest")
    there, go = bench.folder / "there", bench.folder / "go"
    os.mkfifo(go)
    bench.agent([run(f"touch {there}; cat {go}"), *HONEST])
    process = bench.start("--task")
    request.addfinalizer(process.kill)
    assert wait_until(there.exists, 20)
    status = ["completed"] if "nexus" in command else []
    done = bench.mi(*command, listed(bench)[1]["id"], *status)
    assert (done.code, done.stderr) == (0, "")
    go.write_text("", "utf-8")
    ran = bench.finish(process)
    assert ran.end["status"] == "done"
    assert checked(bench) == [True, True]


@pytest.mark.req("one.list.ticks", "safe.seal.door")
def test_a_tick_that_an_agent_writes_down_as_the_persons_is_none(bench: Workbench) -> None:
    begin_list(bench, NEXUS, "Fix the sum", "Then rest")
    forge = """
[log] = home.glob("projects/*/evidence.jsonl")
line = json.loads(log.read_text().splitlines()[-1])
line = {name: line[name] for name in ("version", "v", "run_id", "ts") if name in line}
line |= {"event_id": "ev_forged", "kind": "gate", "client": "person-0", "boundary": "cli"}
line |= {"tool": "task_complete", "details": "2", "outcome": "done"}
jsonl.append(str(log), json.dumps(line).encode(), sealed=True)
"""
    bench.agent([script(bench, SEALED + forge), tick(NEXUS), *HONEST])
    ran = bench.run("--task")
    ran.ended("done")
    assert checked(bench) == [True, False]
    assert "HOME_CHANGED" in [one["code"] for one in ran.of("violation")]


KILL = """
import os, signal
from mi.autopilot.run_lock import read_owner
[lock] = home.glob("projects/*/run.lock")
os.kill(read_owner(str(lock)).pid, signal.SIGKILL)
"""


@pytest.mark.req("one.list.ticks")
@pytest.mark.parametrize("name", LISTS)
def test_what_an_agent_ticked_before_it_killed_the_run_is_open_for_the_next(bench: Workbench, name: str) -> None:
    begin_list(bench, name, "Fix the sum")
    bench.agent([tick(name), script(bench, SEALED + KILL)])
    assert bench.run("--task").code == -9
    assert checked(bench) == [True]
    bench.agent(HONEST)
    ran = bench.run("--tasks")
    ran.ended("done")
    assert "open again" in said(ran)


@pytest.mark.req("one.list.waits")
def test_a_task_that_waits_for_an_open_one_is_not_begun(bench: Workbench) -> None:
    begin_list(bench, NEXUS, "Fix the sum", "Then rest")
    plan = bench.project / NEXUS
    raw = json.loads(plan.read_text("utf-8"))
    raw["tasks"][1]["deps"] = [1]
    plan.write_text(json.dumps(raw), "utf-8")
    bench.agent(HONEST)
    ran = bench.run("--task", "2")
    assert (ran.code, ran.of("run_start")) == (2, [])
    assert "task 2 waits for 1" in ran.stderr
    assert "mi run --task 1" in ran.stderr
    bench.run("--task", "2", "--override", "the first one is obsolete").ended("done")
    assert checked(bench) == [False, True]
