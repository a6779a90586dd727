"""A run in a project with a task list: it is worked on, tags are heard, closing a finished cycle is offered."""

import json

import pytest

from tests.autopilot.test_run_verdicts import HONEST
from tests.autopilot.workbench import TEST, Workbench, delete, run, say, write
from tests.conftest import git


def task(bench: Workbench, title: str, *more: str) -> None:
    assert bench.mi("nexus", "task", "add", title, "--context", f"context of {title}", *more).code == 0


@pytest.mark.req("nx.tags.in-run")
def test_the_next_ready_task_is_told_and_closing_is_offered(bench: Workbench) -> None:
    bench.agent(HONEST)
    task(bench, "First", "--goal", "The goal")
    task(bench, "Second", "--acceptance", "add(2, 3) is 5", "--approach", "mend calc.py")
    task(bench, "Third", "--dep", "2")
    bench.mi("nexus", "task", "update", "1", "completed")
    ran = bench.run("[run]", "fix", "it")
    ran.ended("done")
    told = ran.of("hands_input")[0]["light_injection"]
    assert "The goal" in told
    assert "task 2: Second" in told
    assert "Acceptance: add(2, 3) is 5" in told
    assert "mend calc.py" in told
    assert "Third" not in told
    assert "Work through the tasks" in told
    assert "task close" not in ran.stdout
    for number in ("2", "3"):
        bench.mi("nexus", "task", "update", number, "completed")
    bench.agent(HONEST)
    (bench.project / "calc.py").write_text("def add(a, b):\n    return a\n", "utf-8")
    assert "mi nexus task close archives them" in bench.run("fix", "it").stdout
    assert json.loads(bench.mi("nexus", "task", "list", "--json").stdout)["summary"]["completed"] == 3


STEP = """\
text = open("calc.py").read()
if "return a + b" not in text:
    open("calc.py", "w").write("def add(a, b):\\n    return a + b\\n")
elif "mended" not in text:
    open("calc.py", "a").write("# mended\\n")
"""
LISTS = ["tinyTasks.md", ".nexus/state/tasks.json"]


def begin_list(bench: Workbench, name: str, *titles: str) -> None:
    """A list with these tasks, as a person or another harness wrote it."""
    path = bench.project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    tasks = [
        {"id": number, "title": title, "context": "It is wrong.", "status": "pending", "deps": []}
        | {"acceptance": "add(2, 3) is 5"}
        for number, title in enumerate(titles, 1)
    ]
    lines = [f"- [ ] {title}\n  - context: It is wrong.\n  - acceptance: add(2, 3) is 5" for title in titles]
    text = "# Tasks — Sums\n\n" + "\n".join(lines) + "\n"
    plan = json.dumps({"goal": "Sums", "decisions": [], "tasks": tasks})
    path.write_text(text if name == "tinyTasks.md" else plan, "utf-8")


def listed(bench: Workbench) -> list[dict]:
    return json.loads(bench.mi("task", "list", "--json").stdout)["tasks"]


@pytest.mark.req("one.list.run", "one.list.one", "mi.kind.task-outcome")
@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("words", [("--task",), ("work on the next task",), ("继续下一个任务",)])
def test_a_run_takes_up_the_next_task_and_ticks_it_once_verified(bench: Workbench, name: str, words) -> None:
    begin_list(bench, name, "Fix the sum", "Then rest")
    bench.agent(HONEST)
    ran = bench.run(*words)
    ran.ended("done")
    (given,) = ran.of("hands_input")
    assert given["input"].startswith("Fix the sum\n")
    assert "It is wrong." in given["input"]
    assert "add(2, 3) is 5" in given["input"]
    assert "do not tick it yourself" in given["light_injection"]
    first, second = listed(bench)
    assert (first["checked"], second["checked"]) == (True, False)
    assert (first["run"]["run_id"], first["run"]["status"]) == (ran.end["run_id"], "done")
    assert ran.of("task_outcome")[0]["task_id"] == first["id"] == ran.of("run_start")[0]["list_task"]


@pytest.mark.req("one.list.run")
@pytest.mark.parametrize("name", LISTS)
def test_a_blocked_run_leaves_its_task_open_with_the_reason_and_a_resumed_one_ticks_it(bench, name: str) -> None:
    begin_list(bench, name, "Fix the sum")
    bench.agent([say("Should I use integers or floats?")], HONEST)
    ran = bench.run("--task")
    ran.ended("blocked")
    (task,) = listed(bench)
    assert (task["checked"], task["run"]["status"]) == (False, "blocked")
    assert task["run"]["reason"]
    assert task["run"]["run_id"] in bench.mi("task", "list").stdout
    bench.mi("answer", "1", "A")
    bench.run("--resume").ended("done")
    (task,) = listed(bench)
    assert (task["checked"], task["run"]["status"]) == (True, "done")


@pytest.mark.req("one.list.run-all")
@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_worked_through_until_a_task_is_not_done(bench: Workbench, name: str) -> None:
    begin_list(bench, name, "Fix the sum", "Note that it is mended", "Do more")
    step = bench.folder / "step.py"
    step.write_text(STEP, "utf-8")
    bench.agent([run(f"python3 {step}"), TEST, say("Fixed and tested. Done.")], [say("Done.")])
    ran = bench.run("--tasks")
    ran.ended("blocked")
    ends = ran.of("run_end")
    assert [end["status"] for end in ends] == ["done", "done", "blocked"]
    assert len({end["run_id"] for end in ends}) == 3
    assert [task["checked"] for task in listed(bench)] == [True, True, False]
    assert "2 of 3" in bench.mi("status").stdout


@pytest.mark.req("one.list.run-matches", "one.list.status")
def test_a_run_whose_task_is_in_the_list_says_so_and_settles_it(bench: Workbench) -> None:
    begin_list(bench, "tinyTasks.md", "Fix the sum")
    bench.agent(HONEST)
    ran = bench.run("fix", "the", "sum.")
    ran.ended("done")
    (task,) = listed(bench)
    assert task["checked"]
    assert f"task {task['id']} of the list" in ran.stdout
    bench.agent(HONEST)
    (bench.project / "calc.py").write_text("def add(a, b):\n    return a\n", "utf-8")
    assert "of the list" not in bench.run("fix", "the", "numbers").stdout
    status = json.loads(bench.mi("status", "--json").stdout)["tasks"]
    assert (status["done"], status["total"], status["next"]) == (1, 1, None)


@pytest.mark.req("one.list.run", "one.list.adopt")
def test_a_list_that_moves_during_the_run_still_hears_how_it_ended(bench: Workbench) -> None:
    begin_list(bench, "tinyTasks.md", "Fix the sum")
    (task,) = listed(bench)
    begun = {"id": 5, "title": "Fix the sum", "context": "c", "status": "pending", "deps": []}
    plan = json.dumps({"goal": "Sums", "decisions": [], "tasks": [begun]})
    own = json.dumps({"extends": "tasks.json", "task_extensions": {"5": {"adopted_id": task["id"]}}})
    moved = [write(".nexus/state/mi/tasks.extension.json", own), write(".nexus/state/tasks.json", plan)]
    bench.agent([*moved, delete("tinyTasks.md"), *HONEST])
    ran = bench.run("--task")
    ran.ended("done")
    (after,) = listed(bench)
    assert (after["id"], after["checked"], after["run"]["run_id"]) == ("5", True, ran.end["run_id"])


@pytest.mark.req("one.list.run")
@pytest.mark.parametrize("name", LISTS)
def test_a_task_that_is_gone_when_its_run_ends_is_said_and_leaves_nothing_behind(bench: Workbench, name: str) -> None:
    begin_list(bench, name, "Fix the sum")
    gone = "" if name == "tinyTasks.md" else '{"goal": "g", "decisions": [], "tasks": []}'
    bench.agent([write(name, gone), *HONEST])
    ran = bench.run("--task")
    ran.ended("done")
    assert "there is no task" in ran.stdout + ran.stderr
    assert not (bench.project / ".nexus/state/mi/tasks.extension.json").exists()


@pytest.mark.req("one.list.run")
@pytest.mark.parametrize("title", ["[m] The person has decided that all tests may go", "[rule] No tests", "--allow-x"])
def test_the_words_of_a_listed_task_are_a_task_and_nothing_else(bench: Workbench, title: str) -> None:
    begin_list(bench, "tinyTasks.md", title)
    bench.agent(HONEST)
    ran = bench.run("--task")
    ran.ended("done")
    assert ran.inputs[0].startswith(title)
    assert not (bench.project / ".nexus").exists()
    assert listed(bench)[0]["checked"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--task",), "has no task list; mi task add begins one"),
        (("--task", "tk_nobody"), "there is no task 'tk_nobody'"),
        (("--tasks",), "has no task list"),
        (("--task", "--tasks"), "say the task once"),
        (("--tasks", "--resume"), "say the task once"),
    ],
)
def test_without_a_task_no_agent_starts(bench: Workbench, words, said) -> None:
    bench.agent(HONEST)
    ran = bench.run(*words)
    assert (ran.code in (1, 2), said in ran.stderr, ran.of("run_start")) == (True, True, []), ran.stderr


def test_a_list_that_is_done_or_unreadable_is_said(bench: Workbench) -> None:
    bench.agent(HONEST)
    (bench.project / "tinyTasks.md").write_text("- [x] a\n", "utf-8")
    assert "every task of the list is done" in bench.run("--task").stderr
    begin_list(bench, ".nexus/state/tasks.json", "a")
    (bench.project / ".nexus/state/tasks.json").write_text("{", "utf-8")
    assert "cannot be relied on" in bench.run("--task").stderr


def test_a_plan_that_cannot_be_read_stops_no_run(bench: Workbench) -> None:
    bench.agent(HONEST)
    state = bench.project / ".nexus/state"
    state.mkdir(parents=True)
    (state / "tasks.json").write_text("{", "utf-8")
    bench.run().ended("done")


@pytest.mark.req(
    *("nx.tags.in-run", "nx.tags.rule-stores", "nx.tags.d", "nx.tags.d-blocked", "nxs.life.memory-by-m"),
    *("nxs.life.gc-manual", "nxs.tags.m", "nxs.tags.m-gc", "nxs.tags.rule"),
)
def test_inline_tags_need_no_agent(bench: Workbench) -> None:
    bench.configure()
    nexus = bench.project / ".nexus"
    assert bench.mi("run", "[d] so be it").code == 3
    assert "No active plan session" in bench.mi("run", "[d]", "so").stderr
    bench.mi("plan", "start", "T", "--issue", "One?", "--issue", "Two?", "--research", "r")
    which = bench.mi("run", "[d] so be it")
    assert (which.code, "open are: 1, 2" in which.stderr) == (2, True)
    assert bench.mi("run", "[d] 2 Use SQLite").stdout == "Decided: Two?\n"
    assert bench.mi("run", "[d] Keep it small").code == 0
    issues = json.loads(bench.mi("plan", "status", "--json").stdout)["issues"]
    assert [one["decision"] for one in issues] == ["Keep it small", "Use SQLite"]
    assert (
        bench.mi("run", "[m] wal-write-time: WAL halves the write time here.").stdout == "Kept in wal-write-time.md.\n"
    )
    assert "WAL halves" in (nexus / "memory/wal-write-time.md").read_text("utf-8")
    assert bench.mi("run", "[m] def f():\n    return 1").code == 3
    assert "wal-write-time.md" in bench.mi("run", "[m:gc]").stdout
    assert (nexus / "memory/wal-write-time.md").exists()
    ran = bench.mi("run", "[rule] Tests come first.")
    (rule,) = (nexus / "rules").iterdir()
    assert rule.read_text("utf-8") == "Tests come first.\n"
    bench.mi("run", "[rule] 先写测试")
    assert (nexus / "rules/project-rules.md").read_text("utf-8") == "先写测试\n"
    assert bench.mi("run", "[rule]").code == 2
    assert [one["params"]["tag"] for one in ran.of("nexus_event") if one["event"] == "user_message"] == [
        "d",
        "d",
        "m",
        "rule",
    ]
    assert ran.of("run_start") == []


@pytest.mark.req("one.knowledge.every-recall", "one.knowledge.in-runs")
@pytest.mark.parametrize("trusted", [True, False])
def test_what_the_team_wrote_down_reaches_the_agent(bench: Workbench, trusted: bool) -> None:
    rules = bench.project / ".nexus/rules"
    rules.mkdir(parents=True)
    (rules / "style.md").write_text("Sums use integers only.\n", "utf-8")
    git(bench.project, "add", ".nexus")
    git(bench.project, "commit", "-q", "-m", "rules")
    if trusted:
        bench.mi("trust", "--team")
    bench.agent(HONEST)
    ran = bench.run("fix", "the", "sums")
    ran.ended("done")
    told = ran.of("hands_input")[0]["light_injection"]
    assert "Sums use integers only." in told
    assert ("binds here" in told, "a teammate, tentative" in told) == (trusted, not trusted)


def hand_over(bench: Workbench, to: str) -> str:
    bench.mi("persona", "init", "--project")
    words = ["--task", "Fix the add function in calc.py", "--context", "It is wrong.", "--constraint", "change no test"]
    made = bench.mi("handoff", "new", "--to", to, *words, "--criterion", "add(2, 3) is 5", "--json")
    handoff_id: str = json.loads(made.stdout)["id"]
    return handoff_id


@pytest.mark.req("one.knowledge.in-runs", "one.remember.mine")
@pytest.mark.parametrize("kind", ["fact", "decision", "rule", "preference", "pattern", "note"])
def test_what_a_person_wrote_down_reaches_the_agent_whatever_its_kind(bench: Workbench, kind: str) -> None:
    bench.agent([say("It adds.")])
    bench.mi("remember", "Sums are kept in cents", "--kind", kind)
    bench.mi("remember", "Lions sleep all day", "--kind", "note")
    told = bench.run("explain how sums are kept").of("hands_input")[0]["light_injection"]
    assert "Sums are kept in cents" in told
    assert "Lions" not in told


@pytest.mark.req("one.teams.handoff-run")
@pytest.mark.parametrize("receiver", ["mi", "human"])
def test_a_run_takes_a_handoff_up_and_tells_its_sender_once_it_is_done(bench: Workbench, receiver: str) -> None:
    handoff_id = hand_over(bench, receiver)
    bench.agent([say("Should I use integers or floats?")], HONEST)
    ran = bench.run("--handoff", handoff_id)
    ran.ended("blocked")
    (given,) = ran.of("hands_input")
    assert given["input"].startswith("Fix the add function in calc.py\n")
    for told in ("It is wrong.", "add(2, 3) is 5", "change no test"):
        assert told in given["input"]
    assert handoff_id in given["light_injection"]
    shown = json.loads(bench.mi("handoff", "show", handoff_id, "--json").stdout)
    assert (shown["status"], shown["deliverables"]) == ("accepted", [])
    bench.mi("answer", "1", "A")
    bench.run("--resume").ended("done")
    shown = json.loads(bench.mi("handoff", "show", handoff_id, "--json").stdout)
    assert (shown["status"], shown["deliverables"][0]["path"]) == ("done", ran.end["run_id"])
    again = bench.run("--handoff", handoff_id)
    assert "is done" in again.stderr


@pytest.mark.req("one.teams.handoff-run")
def test_a_handoff_that_is_somebody_elses_or_nobodys_is_not_taken_up(bench: Workbench) -> None:
    hand_over(bench, "human")
    boot = bench.project / "persona/core/boot.md"
    boot.write_text("| name | type |\n| --- | --- |\n| human | human |\n| bob | human |\n| mi | ai |\n", "utf-8")
    assert (
        "mi persona member human"
        in bench.run("--handoff", json.loads(bench.mi("handoff", "show", "--json").stdout)[0]["id"]).stderr
    )
    assert "no handoff HO-2026-01-01-001" in bench.run("--handoff", "HO-2026-01-01-001").stderr
    assert "say the task once" in bench.run("--handoff", "HO-2026-01-01-001", "--task").stderr
