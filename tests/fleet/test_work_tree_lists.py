"""The task list of the person while runs work on it in trees of their own: only what is done and merged is ticked."""

import os

import pytest

from tests.autopilot.test_run_list_kept import tick
from tests.autopilot.test_run_planned import LISTS, begin_list, listed
from tests.autopilot.workbench import Workbench, commit, run, say
from tests.fleet.tree_bench import DONE, tree_of
from tests.waiting import wait_until


@pytest.mark.req("one.list.ticks", "fleet.merge.tick")
@pytest.mark.parametrize("status", ["done", "blocked"])
@pytest.mark.parametrize("name", LISTS)
def test_what_an_agent_ticks_in_the_person_s_own_list_is_open_again(bench: Workbench, name: str, status: str) -> None:
    begin_list(bench, name, "Fix the sum", "Then rest")
    commit(bench.project)
    copied = run(f"cp {name} {bench.project / name}")
    bench.agent([tick(name), copied, *(DONE if status == "done" else [say("Which one?")])])
    ran = bench.run("--worktree", "--task")
    ran.ended(status)
    ticked = "[x]" if name == "tinyTasks.md" else "completed"
    assert ticked not in bench.read(name) + (tree_of(ran) / name).read_text("utf-8")
    assert len(ran.of("task_outcome")[-1]["reopened"]) == 2
    if (status, name) == ("done", "tinyTasks.md"):
        assert "is ticked" in bench.mi("merge").stdout
        assert [task["checked"] for task in listed(bench)] == [True, False]


@pytest.mark.req("one.list.run-all")
@pytest.mark.parametrize("lies", [False, True])
def test_a_list_is_worked_through_in_work_trees(bench: Workbench, lies: bool) -> None:
    begin_list(bench, "tinyTasks.md", "Fix the sum", "Mend the addition")
    bench.agent([run(f"sed -i 's/[[] []]/[x]/' {bench.project}/tinyTasks.md"), *DONE] if lies else DONE)
    ran = bench.run("--worktree", "--tasks")
    ran.ended("done")
    assert [end["status"] for end in ran.of("run_end")] == ["done", "done"]
    assert "still open" not in ran.stderr
    assert [task["checked"] for task in listed(bench)] == [False, False]


@pytest.mark.req("one.list.ticks", "fleet.merge.tick")
def test_what_is_merged_while_another_run_goes_on_stays_ticked(bench: Workbench) -> None:
    begin_list(bench, "tinyTasks.md", "Fix the sum", "Mend the addition")
    bench.agent(DONE)
    (first, _) = bench.run("--worktree", "--tasks").of("run_end")
    gate, begun = bench.folder / "gate", bench.folder / "begun"
    os.mkfifo(gate)
    bench.agent([run(f"touch {begun}; cat {gate}"), *DONE])
    going = bench.start("--worktree", "--task", listed(bench)[1]["id"])
    assert wait_until(begun.exists, 60)
    assert "is ticked" in bench.mi("merge", first["run_id"]).stdout
    gate.write_text("go on", "utf-8")
    bench.finish(going).ended("done")
    assert [task["checked"] for task in listed(bench)] == [True, False]
