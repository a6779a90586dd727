"""`mi uninstall` knows fleets: work trees and branches are listed, and unmerged work is not taken out unasked."""

import json
from pathlib import Path

import pytest

from tests.autopilot.workbench import MEND, RIGHT, Workbench, say
from tests.fleet.tree_bench import DONE, commit, open_tree_bench, out, state, tree_of


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    bench = open_tree_bench(tmp_path)
    bench.env["HOME"] = str(tmp_path / "person")
    (tmp_path / "person").mkdir()
    return bench


@pytest.mark.req("fleet.uninstall")
def test_work_that_is_not_merged_is_refused_without_yes(bench: Workbench) -> None:
    bench.agent(DONE)
    ran = bench.run("--worktree", "fix the failing test")
    branch = ran.of("run_start")[0]["branch"]
    done = bench.mi("uninstall")
    assert (done.code, done.stderr.count("\n")) == (3, 1)
    assert branch in done.stderr
    dry = json.loads(bench.mi("uninstall", "--dry-run", "--json").stdout)
    assert (dry["work_trees"], dry["branches"]) == ([str(tree_of(ran))], [f"{bench.project} {branch}"])
    assert tree_of(ran).exists()
    assert bench.mi("uninstall", "--yes").code == 0
    assert not tree_of(ran).exists()
    assert out(bench.project, "for-each-ref", "refs/heads/mi") == ""


@pytest.mark.req("fleet.uninstall")
def test_merged_work_goes_without_a_question_and_the_repository_is_as_it_was(bench: Workbench) -> None:
    commit(bench.project, _gitignore="node_modules/\n")
    (bench.project / "node_modules").mkdir()
    excluded = (bench.project / ".git/info/exclude").read_text("utf-8")
    bench.agent(DONE)
    ran = bench.run("--worktree", "fix the failing test")
    bench.mi("merge", ran.end["run_id"])
    before = state(bench.project)
    done = bench.mi("uninstall")
    assert done.code == 0, done.stderr
    assert str(tree_of(ran)) in done.stdout
    assert not tree_of(ran).exists()
    assert state(bench.project) == before
    assert RIGHT in before[2]
    assert (bench.project / ".git/info/exclude").read_text("utf-8") == excluded
    assert len(out(bench.project, "worktree", "list").splitlines()) == 1


@pytest.mark.req("fleet.uninstall", "fleet.clean.kept")
def test_what_a_blocked_run_left_is_refused_and_kept_with_yes(bench: Workbench) -> None:
    bench.agent([MEND, say("Which colour, red or blue?")])
    ran = bench.run("--worktree", "paint the button")
    ran.ended("blocked")
    assert bench.mi("uninstall").code == 3
    assert bench.mi("uninstall", "--yes").code == 0
    assert RIGHT in out(bench.project, "show", f"refs/mi/{ran.end['run_id']}/cleaned:calc.py")


@pytest.mark.req("fleet.uninstall")
def test_tasks_in_the_queue_are_told_of_and_not_purged_unasked(bench: Workbench) -> None:
    bench.agent(DONE)
    assert bench.mi("queue", "add", "fix the failing test").code == 0
    told = json.loads(bench.mi("uninstall", "--dry-run", "--json").stdout)
    assert (told["queued"], told["git"]) == (1, [])
    assert "1 task is still in the queue" in bench.mi("uninstall", "--dry-run").stdout
    done = bench.mi("uninstall", "--purge")
    assert (done.code, "1 task is still in the queue" in done.stderr) == (3, True)
    assert (bench.home / "queue.sqlite").exists()
