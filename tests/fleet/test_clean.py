"""`mi runs clean`: work trees go, work never does."""

import json
from pathlib import Path

import pytest

from tests.autopilot.workbench import MEND, RIGHT, TEST, Ran, Workbench, run, say, write
from tests.conftest import git
from tests.fleet.test_tree_setup import rules
from tests.fleet.tree_bench import DONE, commit, out, tree_of


def branches(bench: Workbench) -> list[str]:
    return out(bench.project, "for-each-ref", "--format=%(refname:short)", "refs/heads/mi").splitlines()


def listed(bench: Workbench) -> dict[str, dict[str, object]]:
    return json.loads((bench.home / "work_trees.json").read_text("utf-8"))["trees"]


@pytest.mark.req("fleet.clean.merged")
@pytest.mark.parametrize("way", ["--ff-only", "--merge", "--rebase"])
def test_a_merged_work_tree_goes_with_its_branch(bench: Workbench, ran: Ran, way: str) -> None:
    if way != "--ff-only":
        commit(bench.project, other_txt="mine\n")
    assert bench.mi("merge", ran.end["run_id"], way).code == 0
    dry = bench.mi("runs", "clean", "--dry-run")
    assert (dry.code, tree_of(ran).exists(), "would go" in dry.stdout) == (0, True, True)
    done = bench.mi("runs", "clean")
    assert done.code == 0
    assert not tree_of(ran).exists()
    assert branches(bench) == []
    assert listed(bench) == {}
    assert done.of("tree_work")[-1]["act"] == "removed"
    assert len(out(bench.project, "worktree", "list").splitlines()) == 1
    assert RIGHT in (bench.project / "calc.py").read_text("utf-8")


@pytest.mark.req("fleet.clean.unmerged")
def test_unmerged_work_keeps_its_branch_and_can_still_be_merged(bench: Workbench, ran: Ran) -> None:
    done = bench.mi("runs", "clean")
    assert (done.code, tree_of(ran).exists()) == (0, False)
    assert branches(bench) == [ran.of("run_start")[0]["branch"]]
    assert f"its work stays on {branches(bench)[0]}" in done.stdout
    assert bench.mi("merge", ran.end["run_id"]).code == 0
    assert RIGHT in (bench.project / "calc.py").read_text("utf-8")


@pytest.mark.req("fleet.clean.kept")
def test_what_is_not_committed_is_kept_in_a_reference_first(bench: Workbench) -> None:
    commit(bench.project, _gitignore="*.sqlite\n__pycache__/\n")
    bench.agent([MEND, write("data.sqlite", "rows\n"), TEST, say("Fixed and tested. Done.")])
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("done")
    tree = tree_of(ran)
    (tree / "later.txt").write_text("by hand\n", "utf-8")
    done = bench.mi("runs", "clean", "--json")
    (told,) = json.loads(done.stdout)["trees"]
    assert (told["removed"], tree.exists()) == (True, False)
    assert out(bench.project, "show", f"{told['kept']}:later.txt") == "by hand"
    assert out(bench.project, "show", f"{told['kept']}:data.sqlite") == "rows"
    assert "__pycache__" not in out(bench.project, "ls-tree", "-r", "--name-only", told["kept"])


@pytest.mark.req("fleet.clean.kept")
def test_a_tree_with_what_cannot_be_kept_stays_and_says_what(bench: Workbench) -> None:
    secret = "ghp_" + "aB3dE5gH7" * 4
    bench.agent([MEND, write("token.txt", f"{secret}\n"), TEST, say("Fixed and tested. Done.")])
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("done")
    done = bench.mi("runs", "clean")
    assert (done.code, (tree_of(ran) / "token.txt").exists()) == (0, True)
    assert "token.txt is too large" in done.stdout
    (tree_of(ran) / "token.txt").unlink()
    assert "removed" in bench.mi("runs", "clean").stdout


@pytest.mark.req("fleet.clean.unmerged")
def test_a_run_that_is_not_done_stays_unless_it_is_named_and_goes_on_later(bench: Workbench) -> None:
    bench.agent([MEND, say("Which colour, red or blue?")], [TEST, say("Painted and tested. Done.")])
    ran = bench.run("--worktree", "paint the button")
    ran.ended("blocked")
    tree = tree_of(ran)
    stays = bench.mi("runs", "clean")
    assert ("not done" in stays.stdout, tree.exists()) == (True, True)
    gone = bench.mi("runs", "clean", ran.end["run_id"])
    assert ("kept for 30 days" in gone.stdout, tree.exists()) == (True, False)
    bench.mi("answer", ran.of("question")[-1]["id"], "red")
    again = bench.run("--resume", ran.end["run_id"])
    again.ended("done")
    assert RIGHT in (tree / "calc.py").read_text("utf-8")


@pytest.mark.req("fleet.clean.teardown")
def test_teardown_runs_links_stay_and_ports_are_free_again(bench: Workbench, tmp_path: Path) -> None:
    commit(bench.project, _gitignore="node_modules/\n")
    (bench.project / "node_modules").mkdir()
    (bench.project / "node_modules/a.js").write_text("1\n", "utf-8")
    (bench.project / ".env").write_text("A=1\n", "utf-8")
    wanted = (
        f"teardown = 'echo $MI_PORT_BASE > {tmp_path}/down.txt'\nlink = ['node_modules']\ncopy = ['.env']\nports = 3\n"
    )
    rules(bench, wanted)
    excluded = (bench.project / ".git/info/exclude").read_text("utf-8")
    bench.agent([MEND, run("true"), TEST, say("Fixed and tested. Done.")])
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("done")
    port = listed(bench)[ran.end["run_id"]]["ports"]
    assert (bench.project / ".git/info/exclude").read_text("utf-8") != excluded
    done = bench.mi("runs", "clean")
    assert (tmp_path / "down.txt").read_text("utf-8") == f"{port}\n", done.stdout + done.stderr
    assert (bench.project / "node_modules/a.js").exists()
    assert (bench.project / ".git/info/exclude").read_text("utf-8") == excluded
    again = bench.run("--worktree", "fix the failing test")
    assert listed(bench)[again.end["run_id"]]["ports"] == port


@pytest.mark.req("fleet.clean.teardown")
def test_a_teardown_that_fails_leaves_the_tree(bench: Workbench) -> None:
    rules(bench, "teardown = 'echo still busy; exit 3'\n")
    bench.agent(DONE)
    ran = bench.run("--worktree", "fix the failing test")
    done = bench.mi("runs", "clean")
    assert (done.code, tree_of(ran).exists(), "still busy" in done.stdout) == (0, True, True)


@pytest.mark.req("fleet.clean.kept")
def test_commits_beside_the_branch_and_a_merge_under_way_are_not_lost(bench: Workbench, ran: Ran) -> None:
    tree = tree_of(ran)
    git(tree, "checkout", "-q", "--detach")
    head = commit(tree, loose_txt="x\n")
    (told,) = json.loads(bench.mi("runs", "clean", "--json").stdout)["trees"]
    assert out(bench.project, "rev-parse", told["kept"]) == head
    bench.agent(DONE)
    other = bench.run("--worktree", "fix the failing test")
    folder = Path(out(tree_of(other), "rev-parse", "--absolute-git-dir"))
    (folder / "MERGE_HEAD").write_text(head + "\n", "utf-8")
    assert "under way" in bench.mi("runs", "clean").stdout
    assert tree_of(other).exists()


@pytest.mark.req("fleet.clean.kept")
def test_a_tree_that_is_gone_already_is_only_forgotten(bench: Workbench, ran: Ran) -> None:
    git(bench.project, "worktree", "remove", str(tree_of(ran)))
    assert bench.mi("runs", "clean").code == 0
    assert listed(bench) == {}
    assert branches(bench) == [ran.of("run_start")[0]["branch"]]


@pytest.mark.req("fleet.clean.kept")
def test_unknown_runs_get_one_line(bench: Workbench) -> None:
    done = bench.mi("runs", "clean", "run_x")
    assert (done.code, done.stderr.count("\n"), "run_x has no work tree" in done.stderr) == (1, 1, True)
