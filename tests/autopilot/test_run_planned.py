"""A run in a repository with a plan: the next task is told, tags are heard, closing a finished cycle is offered."""

import json

import pytest

from tests.autopilot.test_run_verdicts import HONEST
from tests.autopilot.workbench import Workbench


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
    assert "Third" not in told
    assert "Work through the tasks" in told
    assert "task close" not in ran.stdout
    for number in ("2", "3"):
        bench.mi("nexus", "task", "update", number, "completed")
    bench.agent(HONEST)
    (bench.project / "calc.py").write_text("def add(a, b):\n    return a\n", "utf-8")
    assert "mi nexus task close archives them" in bench.run("fix", "it").stdout
    assert json.loads(bench.mi("nexus", "task", "list", "--json").stdout)["summary"]["completed"] == 3


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
