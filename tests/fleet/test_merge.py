"""`mi merge`: a run's work comes to the person's branch, or nothing changes at all."""

import json
from pathlib import Path

import pytest

from tests.autopilot.workbench import MEND, RIGHT, Ran, Workbench, run, say
from tests.conftest import git
from tests.fleet.tree_bench import DONE, commit, out, state, tree_of


@pytest.mark.req("fleet.merge.ways")
def test_where_nothing_else_moved_it_is_a_fast_forward(bench: Workbench, ran: Ran) -> None:
    done = bench.mi("merge", ran.end["run_id"], "--json")
    told = json.loads(done.stdout)
    assert (done.code, told["way"], told["files"], told["into"]) == (
        0,
        "fast-forward",
        ["calc.py"],
        out(bench.project, "branch", "--show-current"),
    )
    assert state(bench.project)[1:] == ("", (tree_of(ran) / "calc.py").read_text("utf-8"))
    assert out(bench.project, "rev-parse", "HEAD") == told["commit"] == out(tree_of(ran), "rev-parse", "HEAD")
    assert (done.of("tree_work")[-1]["act"], done.of("tree_work")[-1]["result"]) == ("merged", told["commit"])
    again = bench.mi("merge", ran.end["run_id"])
    assert (again.code, "already" in again.stdout) == (0, True)


@pytest.mark.req("fleet.merge.ways")
@pytest.mark.parametrize(("flag", "parents"), [("--merge", 2), ("--rebase", 1), ("", 2)])
def test_beside_work_of_the_person_s_it_is_a_merge_or_put_on_top(bench: Workbench, ran: Ran, flag: str, parents: int):
    mine = commit(bench.project, other_txt="mine\n")
    done = bench.mi("merge", ran.end["run_id"], *([flag] if flag else []))
    assert done.code == 0, done.stderr
    assert len(out(bench.project, "log", "-1", "--format=%P").split()) == parents
    git(bench.project, "merge-base", "--is-ancestor", mine, "HEAD")
    assert RIGHT in (bench.project / "calc.py").read_text("utf-8")
    assert out(bench.project, "status", "--porcelain") == ""
    assert len(out(bench.project, "worktree", "list").splitlines()) == 2  # nothing is left of the trial


@pytest.mark.req("fleet.queue.killed-at-random")
@pytest.mark.parametrize("is_index_new", [False, True])
def test_a_commit_that_a_kill_kept_from_the_branch_is_taken_up(bench: Workbench, ran: Ran, is_index_new: bool) -> None:
    tree, branch = tree_of(ran), out(tree_of(ran), "branch", "--show-current")
    git(tree, "update-ref", f"refs/heads/{branch}", f"{branch}^")
    if not is_index_new:
        git(tree, "read-tree", "HEAD")
        Path(out(tree, "rev-parse", "--path-format=absolute", "--git-path", "index.lock")).touch()
    assert bench.mi("merge", ran.end["run_id"]).code == 0
    assert RIGHT in (bench.project / "calc.py").read_text("utf-8")
    assert (out(tree, "status", "--porcelain"), out(tree, "rev-list", "--count", "HEAD")) == ("", "2")


@pytest.mark.req("fleet.merge.ways")
def test_only_a_fast_forward_is_refused_where_it_would_be_none(bench: Workbench, ran: Ran) -> None:
    commit(bench.project, other_txt="mine\n")
    before = state(bench.project)
    done = bench.mi("merge", ran.end["run_id"], "--ff-only")
    assert (done.code, done.stderr.count("\n")) == (1, 1)
    assert "has moved on" in done.stderr
    assert state(bench.project) == before


@pytest.mark.req("fleet.merge.conflicts")
@pytest.mark.parametrize("flag", ["--merge", "--rebase"])
def test_conflicts_are_told_with_the_files_and_nothing_is_half_done(bench: Workbench, ran: Ran, flag: str) -> None:
    commit(bench.project, calc_py="def add(a, b):\n    return b + a\n")
    before = state(bench.project)
    done = bench.mi("merge", ran.end["run_id"], flag)
    assert (done.code, done.stderr.count("\n")) == (1, 1)
    assert "calc.py; nothing was changed" in done.stderr
    assert state(bench.project) == before
    assert not (bench.project / ".git/MERGE_HEAD").exists()
    assert len(out(bench.project, "worktree", "list").splitlines()) == 2


@pytest.mark.req("fleet.merge.dirty")
def test_what_the_person_changed_stays_and_only_what_is_in_the_way_stops_it(bench: Workbench, ran: Ran) -> None:
    (bench.project / "test_calc.py").write_text("# mine\n", "utf-8")
    (bench.project / "calc.py").write_text("# mine\n", "utf-8")
    before = state(bench.project)
    done = bench.mi("merge", ran.end["run_id"])
    assert (done.code, done.stderr.count("\n")) == (1, 1)
    assert "changes of yours in calc.py;" in done.stderr
    assert state(bench.project) == before
    git(bench.project, "checkout", "-q", "calc.py")
    assert bench.mi("merge", ran.end["run_id"]).code == 0
    assert (bench.project / "test_calc.py").read_text("utf-8") == "# mine\n"
    assert RIGHT in (bench.project / "calc.py").read_text("utf-8")


@pytest.mark.req("fleet.merge.ways")
def test_it_goes_to_another_branch_without_touching_the_tree(bench: Workbench, ran: Ran) -> None:
    git(bench.project, "branch", "release")
    before = state(bench.project)
    assert bench.mi("merge", ran.end["run_id"], "--into", "release").code == 0
    assert RIGHT in out(bench.project, "show", "release:calc.py")
    assert state(bench.project) == before


@pytest.mark.req("fleet.merge.bad-input")
def test_a_detached_head_asks_for_the_branch(bench: Workbench, ran: Ran) -> None:
    git(bench.project, "checkout", "-q", "--detach")
    done = bench.mi("merge", ran.end["run_id"])
    assert (done.code, done.stderr.count("\n"), "--into BRANCH" in done.stderr) == (2, 1, True)
    done = bench.mi("merge", ran.end["run_id"], "--into", "nowhere")
    assert (done.code, "no branch nowhere" in done.stderr) == (1, True)


@pytest.mark.req("fleet.merge.not-done")
def test_a_run_that_is_not_done_is_refused_with_what_is_missing(bench: Workbench) -> None:
    bench.agent([MEND, say("Done.")], [say("Done.")])
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("blocked")
    before = state(bench.project)
    done = bench.mi("merge", ran.end["run_id"])
    assert (done.code, done.stderr.count("\n")) == (3, 1)
    assert "is blocked, not done: verified" in done.stderr
    assert state(bench.project) == before
    assert bench.mi("merge", ran.end["run_id"], "--anyway").code == 0
    assert RIGHT in (bench.project / "calc.py").read_text("utf-8")
    assert "MI-Marks: ran, claimed" in out(bench.project, "log", "-1", "--format=%B")


@pytest.mark.req("fleet.merge.not-done")
def test_a_run_without_a_tree_of_its_own_has_nothing_to_bring(bench: Workbench) -> None:
    bench.agent(DONE)
    ran = bench.run("fix the failing test")
    done = bench.mi("merge", ran.end["run_id"])
    assert (done.code, done.stderr.count("\n"), "worked in" in done.stderr) == (2, 1, True)


@pytest.mark.req("fleet.merge.tick")
def test_the_task_of_the_list_is_ticked_where_the_person_has_it(bench: Workbench) -> None:
    listed = bench.project / "tinyTasks.md"
    listed.write_text("# Goal\n\n- [ ] fix the failing test\n- [ ] another\n", "utf-8")  # git does not keep it
    bench.agent(DONE)
    ran = bench.run("--worktree", "--task")
    ran.ended("done")
    assert "[x]" not in listed.read_text("utf-8")
    done = bench.mi("merge", ran.end["run_id"])
    assert done.code == 0, done.stderr
    assert "is ticked" in done.stdout
    assert listed.read_text("utf-8").count("[x]") == 1


@pytest.mark.req("fleet.merge.ways")
def test_a_branch_that_was_removed_is_brought_over_by_its_commit(bench: Workbench, ran: Ran) -> None:
    tree, branch = tree_of(ran), ran.of("run_start")[0]["branch"]
    git(bench.project, "worktree", "remove", str(tree))
    git(bench.project, "branch", "-D", branch)
    assert bench.mi("merge", ran.end["run_id"]).code == 0
    assert RIGHT in (bench.project / "calc.py").read_text("utf-8")


@pytest.mark.req("fleet.merge.not-done")
@pytest.mark.parametrize("is_on_top", [True, False])
def test_what_another_agent_put_on_the_branch_of_a_run_is_refused(bench: Workbench, ran: Ran, is_on_top: bool) -> None:
    """A commit on top of the run's, or in its place, that no run answers for."""
    branch, before = ran.of("run_start")[0]["branch"], state(bench.project)
    left = out(bench.project, "rev-parse", branch)
    parent = left if is_on_top else before[0]
    foreign = out(bench.project, "commit-tree", f"{before[0]}^{{tree}}", "-p", parent, "-m", "not judged")
    git(bench.project, "update-ref", f"refs/heads/{branch}", foreign)
    done = bench.mi("merge", ran.end["run_id"])
    assert (done.code, done.stderr.count("\n")) == (3, 1)
    assert foreign[:12] in done.stderr
    assert left[:12] in done.stderr
    assert state(bench.project) == before
    assert bench.mi("merge", ran.end["run_id"], "--anyway").code == 0
    assert out(bench.project, "rev-parse", "HEAD") == foreign


@pytest.mark.req("fleet.merge.ways")
def test_a_run_begun_from_another_tree_of_the_person_s_goes_back_there(bench: Workbench, tmp_path: Path) -> None:
    main, feature = bench.project, tmp_path / "feature"
    git(main, "worktree", "add", "-q", "-b", "feature", str(feature))
    base = commit(feature, other_txt="on the feature\n")
    before = state(main)
    bench.project = feature
    bench.agent(DONE)
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("done")
    assert ran.of("run_start")[0]["base_commit"] == base
    bench.agent([say("Nothing to do.")])
    bench.run("say hello")  # the latest run, but none with a tree
    done = bench.mi("merge")
    assert done.code == 0, done.stderr
    assert (out(feature, "log", "-1", "--format=%s"), state(main)) == ("fix the failing test", before)


@pytest.mark.req("fleet.merge.dirty")
@pytest.mark.parametrize("flag", ["--ff-only", "--merge"])
def test_an_ignored_file_of_the_person_s_is_not_overwritten(bench: Workbench, flag: str) -> None:
    commit(bench.project, _gitignore="notes.txt\n")
    (bench.project / "notes.txt").write_text("mine\n", "utf-8")
    bench.agent([run("echo theirs > notes.txt; git add -f notes.txt; git commit -qm notes"), *DONE])
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("done")
    before = state(bench.project)
    done = bench.mi("merge", ran.end["run_id"], flag)
    assert (done.code, "notes.txt" in done.stderr, done.stderr.count("\n")) == (1, True, 1)
    assert state(bench.project) == before
    assert bench.read("notes.txt") == "mine\n"
