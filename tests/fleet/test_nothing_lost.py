"""What an agent or a person can do to a work tree, and `mi runs clean` and `mi merge` must not lose."""

import pytest

from tests.autopilot.side_by_side import Gate
from tests.autopilot.workbench import MEND, TEST, Ran, Workbench, run, say
from tests.conftest import git
from tests.fleet.tree_bench import commit, out, state, tree_of
from tests.waiting import wait_until

AS_ADA = "git -c user.name=Ada -c user.email=ada@example.invalid"


def kept(bench: Workbench, ran: Ran, path: str) -> str:
    """A file as it was kept of a removed tree."""
    return git(bench.project, "show", f"refs/mi/{ran.end['run_id']}/cleaned:{path}")


@pytest.mark.req("fleet.clean.hidden")
@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_a_change_that_git_was_told_not_to_look_at_is_kept(bench: Workbench, ran: Ran, flag: str) -> None:
    bench.mi("merge")
    tree = tree_of(ran)
    git(tree, "update-index", flag, "calc.py")
    (tree / "calc.py").write_text("precious\n", "utf-8")
    assert bench.mi("runs", "clean").code == 0
    assert not tree.exists()
    assert kept(bench, ran, "calc.py") == "precious"


@pytest.mark.req("fleet.clean.hidden")
def test_a_repository_in_an_ignored_folder_keeps_the_tree(bench: Workbench, ran: Ran) -> None:
    bench.mi("merge")
    (bench.project / ".git/info/exclude").write_text("scratch/\n", "utf-8")
    inner = tree_of(ran) / "scratch" / "inner"
    inner.mkdir(parents=True)
    git(inner, "init", "-q")
    commit(inner, precious_txt="x\n")
    done = bench.mi("runs", "clean")
    assert (inner / "precious.txt").exists()
    assert "scratch/inner/ is too large, unreadable, a repository of its own" in done.stdout


@pytest.mark.req("fleet.clean.hidden")
def test_a_tree_that_the_person_locked_stays(bench: Workbench, ran: Ran) -> None:
    bench.mi("merge")
    git(bench.project, "worktree", "lock", str(tree_of(ran)))
    assert f"git worktree unlock {tree_of(ran)}" in bench.mi("runs", "clean").stdout
    assert tree_of(ran).exists()
    git(bench.project, "worktree", "unlock", str(tree_of(ran)))
    bench.mi("runs", "clean")
    assert not tree_of(ran).exists()


@pytest.mark.req("fleet.clean.hidden")
def test_the_commit_of_the_person_s_own_changes_keeps_its_branch(bench: Workbench) -> None:
    (bench.project / "calc.py").write_text("def add(a, b):\n    return a  # mine\n", "utf-8")
    bench.agent([say("I cannot do that.")])
    ran = bench.run("--worktree", "--with-changes", "--max-batches", "1", "fix the failing test")
    git(bench.project, "checkout", "-q", "calc.py")
    assert bench.mi("runs", "clean", ran.end["run_id"]).code == 0
    assert not tree_of(ran).exists()
    assert "# mine" in git(bench.project, "show", f"{ran.of('run_start')[-1]['branch']}:calc.py")


@pytest.mark.req("fleet.clean.hidden")
def test_a_branch_that_is_only_pushed_stays(bench: Workbench, ran: Ran) -> None:
    branch = ran.of("run_start")[-1]["branch"]
    git(bench.project, "update-ref", f"refs/remotes/origin/{branch}", branch)
    assert bench.mi("runs", "clean").code == 0
    assert out(bench.project, "branch", "--list", branch).strip("+ ") == branch


@pytest.mark.req("fleet.clean.states")
def test_what_was_left_in_a_tree_is_no_state_of_its_run_and_comes_back_with_it(bench: Workbench) -> None:
    commit(bench.project, _gitignore="notes.txt\n")
    bench.agent([MEND, say("I cannot go on.")], [say("Still not.")])
    ran = bench.run("--worktree", "--max-batches", "1", "fix the failing test")
    run_id, tree = ran.end["run_id"], tree_of(ran)
    before = bench.mi("diff", run_id).stdout
    assert "return a + b" in before
    (tree / "notes.txt").write_text("precious\n", "utf-8")
    assert bench.mi("runs", "clean", run_id).code == 0
    assert (tree.exists(), kept(bench, ran, "notes.txt")) == (False, "precious")
    assert bench.mi("diff", run_id).stdout == before
    bench.mi("run", "--resume", run_id, "--max-batches", "2")
    assert (tree / "notes.txt").read_text("utf-8") == "precious\n"
    assert bench.mi("runs", "clean", run_id).code == 0
    assert (tree.exists(), kept(bench, ran, "notes.txt")) == (False, "precious")


@pytest.mark.req("fleet.merge.running")
def test_nothing_is_brought_into_a_tree_in_which_a_run_works(bench: Workbench, ran: Ran) -> None:
    gate = Gate(bench)
    beside = bench.start("do something else")
    assert wait_until(lambda: gate.has(bench), 30)
    before = state(bench.project)
    done = bench.mi("merge", ran.end["run_id"])
    after = state(bench.project)
    gate.open()
    beside.communicate()
    assert (done.code, done.stderr.count("\n"), after) == (3, 1, before), done.stdout
    assert "mi stop run_" in done.stderr


@pytest.mark.req("fleet.merge.merges")
def test_a_merge_of_the_agent_s_is_not_put_on_top_without_its_own_changes(bench: Workbench) -> None:
    merges = (
        f"git checkout -q -b x && {AS_ADA} commit -qam one && git checkout -q -b y HEAD~1 && echo 1 > f && git add f"
        f" && {AS_ADA} commit -qm two && {AS_ADA} merge -q --no-commit x && echo 2 > g && git add g"
        f" && {AS_ADA} commit -qm merged"
    )
    bench.agent([MEND, run(merges), TEST, say("Fixed and tested. Done.")])
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("done")
    commit(bench.project, mine_txt="mine\n")
    before = state(bench.project)
    done = bench.mi("merge", ran.end["run_id"], "--rebase")
    assert (done.code, done.stderr.count("\n"), "holds merge commits" in done.stderr) == (1, 1, True)
    assert state(bench.project) == before
    assert bench.mi("merge", ran.end["run_id"]).code == 0
    assert (bench.project / "g").read_text("utf-8") == "2\n"
