"""Work trees of repositories that are not plain: submodules, Git LFS, filters, sparse, a full disk, a proof."""

import json
from pathlib import Path

import pytest

from tests.autopilot.workbench import MEND, RIGHT, TEST, Workbench, run, say
from tests.conftest import git
from tests.disks import small_disk
from tests.fleet.tree_bench import DONE, commit, out, state, tree_of


def add_submodule(bench: Workbench, folder: Path) -> Path:
    """A repository `lib` inside of the project, as the person has it checked out."""
    folder.mkdir()
    git(folder, "init", "-q")
    commit(folder, lib_txt="one\n")
    git(bench.project, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(folder), "lib")
    git(bench.project, "commit", "-qm", "lib")
    return bench.project / "lib"


@pytest.mark.req("fleet.trees.submodules")
def test_submodules_are_there_and_commits_in_them_outlive_the_tree(bench: Workbench, tmp_path: Path) -> None:
    lib = add_submodule(bench, tmp_path / "upstream")
    in_lib = "cd lib && cat lib.txt > ../../seen.txt && echo two > lib.txt && git add -A"
    named = "git -c user.name=x -c user.email=x@example.invalid commit -qm inside"
    bench.agent([MEND, run(f"{in_lib} && {named}"), TEST, say("Fixed and tested. Done.")])
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("done")
    tree = tree_of(ran)
    assert (tree.parent / "seen.txt").read_text("utf-8") == "one\n"
    inside = out(tree, "rev-parse", "HEAD:lib")
    assert out(lib, "log", "-1", "--format=%s", inside) == "inside"
    assert (lib / "lib.txt").read_text("utf-8") == "one\n"
    assert out(bench.project, "status", "--porcelain") == ""
    done = bench.mi("runs", "clean")
    assert not tree.exists(), done.stdout
    assert out(lib, "for-each-ref", f"--contains={inside}", "--format=%(refname)", "refs/heads/mi")
    assert len(out(lib, "worktree", "list").splitlines()) == 1


@pytest.mark.req("fleet.trees.submodules")
def test_what_is_not_committed_in_a_submodule_keeps_the_tree(bench: Workbench, tmp_path: Path) -> None:
    add_submodule(bench, tmp_path / "upstream")
    bench.agent([MEND, run("echo two > lib/lib.txt"), TEST, say("Fixed and tested. Done.")])
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("done")
    assert "lib is not committed (a submodule with changes)" in ran.stderr
    done = bench.mi("runs", "clean")
    assert ("the submodule lib holds" in done.stdout, tree_of(ran).exists()) == (True, True)


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 12\n"


@pytest.mark.req("fleet.trees.filters")
def test_pointers_of_git_lfs_stay_where_it_is_missing(bench: Workbench, tmp_path: Path) -> None:
    commit(bench.project, _gitattributes="*.bin filter=lfs diff=lfs merge=lfs -text\n", large_bin=POINTER)
    settings = tmp_path / "gitconfig"
    settings.write_text(
        '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n\trequired = true\n'
    )
    bench.env["GIT_CONFIG_GLOBAL"] = str(settings)
    bench.agent(DONE)
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("done")
    assert (tree_of(ran) / "large.bin").read_text("utf-8") == POINTER
    assert out(tree_of(ran), "diff", "--name-only", "HEAD^", "HEAD") == "calc.py"


@pytest.mark.req("fleet.trees.filters")
def test_filters_of_the_repository_run_only_once_it_is_trusted(bench: Workbench, tmp_path: Path) -> None:
    commit(bench.project, _gitattributes="*.txt filter=own\n", given_txt="x\n")
    git(bench.project, "config", "filter.own.smudge", f"touch {tmp_path}/ran; cat")
    bench.agent(DONE)
    bench.run("--worktree", "fix the failing test").ended("done")
    assert not (tmp_path / "ran").exists()
    bench.mi("trust")
    bench.run("--worktree", "fix the failing test").ended("done")
    assert (tmp_path / "ran").exists()


@pytest.mark.req("fleet.trees.filters")
def test_what_a_filter_would_encrypt_is_not_committed_without_it(bench: Workbench) -> None:
    commit(bench.project, _gitattributes="*.rot filter=crypt\n")
    for name in ("clean", "smudge"):
        git(bench.project, "config", f"filter.crypt.{name}", "tr a-zA-Z n-za-mN-ZA-M")
    bench.agent([MEND, run("echo Attack > plan.rot"), TEST, say("Fixed and tested. Done.")])
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("done")
    assert "plan.rot goes through the filter crypt" in ran.stderr
    assert out(tree_of(ran), "log", "-1", "--format=%s") == "by the person"
    assert (tree_of(ran) / "plan.rot").read_text("utf-8") == "Attack\n"
    bench.mi("trust")
    merged = bench.mi("merge", ran.end["run_id"])
    assert merged.code == 0, merged.stderr
    assert out(bench.project, "cat-file", "blob", "HEAD:plan.rot") == "Nggnpx"
    assert (bench.project / "plan.rot").read_text("utf-8") == "Attack\n"
    assert out(bench.project, "status", "--porcelain") == ""


@pytest.mark.req("fleet.trees.sparse")
def test_a_sparse_tree_stays_sparse_and_loses_nothing(bench: Workbench) -> None:
    (bench.project / "large").mkdir()
    (bench.project / "large/file.txt").write_text("x\n", "utf-8")
    git(bench.project, "add", "-A")
    git(bench.project, "commit", "-qm", "large")
    git(bench.project, "sparse-checkout", "set", "--no-cone", "/*", "!/large/")
    bench.agent(DONE)
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("done")
    assert not (tree_of(ran) / "large").exists()
    assert out(tree_of(ran), "diff", "--name-only", "HEAD^", "HEAD") == "calc.py"


@pytest.mark.req("fleet.trees.lost")
def test_git_gc_between_two_stretches_loses_nothing(bench: Workbench) -> None:
    bench.agent([MEND, say("Which colour, red or blue?")], [TEST, say("Painted and tested. Done.")])
    ran = bench.run("--worktree", "paint the button")
    git(bench.project, "gc", "-q", "--prune=now")
    git(bench.project, "worktree", "prune")
    bench.mi("answer", ran.of("question")[-1]["id"], "red")
    again = bench.run("--resume", ran.end["run_id"])
    again.ended("done")
    assert RIGHT in out(bench.project, "show", f"{again.of('run_start')[0]['branch']}:calc.py")


@pytest.mark.req("fleet.trees.main-root")
def test_trust_of_the_repository_holds_in_its_work_trees_and_a_proof_runs_there(bench: Workbench) -> None:
    commit(bench.project, _gitignore="node_modules/\n__pycache__/\n")
    (bench.project / "node_modules").mkdir()
    (bench.project / "node_modules/a.js").write_text("1\n", "utf-8")
    bench.mi("settings", "set", "--prove", "yes")
    bench.mi("trust")
    before = state(bench.project)
    bench.agent(DONE)
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("done")
    assert ran.end["marks"]["proved"] is True, ran.end["proof"]
    assert not [one for one in ran.of("question") if one["about"] == "trust"]
    assert state(bench.project) == before
    assert json.loads((bench.home / "work_trees.json").read_text("utf-8"))["trees"][ran.end["run_id"]]["links"]


@pytest.mark.req("fleet.trees.bad-input")
def test_a_full_disk_gets_one_line_and_leaves_nothing(bench: Workbench, tmp_path: Path) -> None:
    (bench.project / "large.bin").write_bytes(b"x" * 400_000)
    git(bench.project, "add", "-A")
    git(bench.project, "commit", "-qm", "large")
    bench.agent(DONE)
    with small_disk(tmp_path / "disk", "200k") as disk:
        bench.env["MI_WORKTREES"] = str(disk / "trees")
        ran = bench.run("--worktree", "fix the failing test")
        assert (ran.code, ran.stderr.count("\n")) == (1, 1), ran.stderr
        assert "its disk has 0 MB left" in ran.stderr
        assert not list((disk / "trees").glob("*/*"))
    assert out(bench.project, "for-each-ref", "refs/heads/mi") == ""
    assert len(out(bench.project, "worktree", "list").splitlines()) == 1
    assert json.loads((bench.home / "work_trees.json").read_text("utf-8"))["trees"] == {}


@pytest.mark.req("fleet.trees.run")
def test_a_place_inside_the_home_is_refused(bench: Workbench) -> None:
    bench.agent(DONE)
    bench.env["MI_WORKTREES"] = str(bench.home / "trees")
    ran = bench.run("--worktree", "fix the failing test")
    assert (ran.code, ran.stderr.count("\n"), "may not be in MI's own home" in ran.stderr) == (2, 1, True)
