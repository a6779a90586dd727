"""What a work tree shares, gets and runs: dependency folders, `.mi/worktree.toml`, ports; and a tree that is lost."""

import json
import os
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from mi.app.home_context import HomeContext
from mi.app.work_trees import begin_tree
from mi.kernel.home import Home
from tests.autopilot.workbench import MEND, RIGHT, TEST, Workbench, run, say
from tests.conftest import git
from tests.fleet.tree_bench import DONE, commit, out, state, tree_of

ASKS = say("Which colour should the button have, red or blue?")


def rules(bench: Workbench, text: str, trusted: bool = True) -> None:
    (bench.project / ".mi").mkdir(exist_ok=True)
    (bench.project / ".mi/worktree.toml").write_text(text, "utf-8")
    if trusted:
        assert bench.mi("trust").code == 0


def trees_left(bench: Workbench) -> list[str]:
    left = out(bench.project, "worktree", "list", "--porcelain").count("worktree ") - 1
    return [str(left), *out(bench.project, "branch", "--list", "mi/*").splitlines()]


def working_folders() -> list[str]:
    """Where the processes of this machine work; one that was removed still has its name."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            found.append(os.readlink(f"/proc/{name}/cwd"))
    return found


@pytest.mark.req("fleet.trees.link")
def test_dependency_folders_are_shared_said_and_never_committed(bench: Workbench) -> None:
    commit(bench.project, _gitignore="node_modules/\n.venv/\n")
    for name in ("node_modules/left-pad", ".venv/lib", "sub/node_modules/other"):
        (bench.project / name).mkdir(parents=True)
    (bench.project / "node_modules/left-pad/index.js").write_text("1\n", "utf-8")
    (bench.project / "sub/file.txt").write_text("x\n", "utf-8")
    git(bench.project, "add", "-A")
    git(bench.project, "commit", "-qm", "sub")
    before = out(bench.project, "status", "--porcelain", "--ignored")
    bench.agent([MEND, run("git status --porcelain > ../seen.txt; git add -A"), TEST, say("Fixed and tested. Done.")])
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("done")
    tree = tree_of(ran)
    assert (tree / "node_modules/left-pad/index.js").read_text("utf-8") == "1\n"
    assert "shared with your own tree: .venv, node_modules, sub/node_modules" in ran.stdout
    assert (tree.parent / "seen.txt").read_text("utf-8") == " M calc.py\n"
    assert out(tree, "diff", "--name-only", "HEAD^", "HEAD") == "calc.py"
    assert out(tree, "status", "--porcelain") == ""
    assert [record["left_out"] for record in ran.of("tree_snapshot")] == [[]] * len(ran.of("tree_snapshot"))
    assert "node_modules" not in out(bench.project, "ls-tree", "-r", "--name-only", f"refs/mi/{ran.end['run_id']}/end")
    assert out(bench.project, "status", "--porcelain", "--ignored") == before


@pytest.mark.req("fleet.trees.link", "fleet.trees.rules")
def test_what_the_tree_was_given_is_in_no_commit_though_the_agent_commits_it(bench: Workbench) -> None:
    commit(bench.project, _gitignore="node_modules/\n.env\n")
    (bench.project / "node_modules").mkdir()
    (bench.project / ".env").write_text("PASSWORD=kept-at-home\n", "utf-8")
    rules(bench, 'copy = [".env"]\n')
    bench.agent([run("git add -f .env node_modules; git commit -qm mine"), MEND, TEST, say("Fixed and tested. Done.")])
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("done")
    start = ran.of("run_start")[0]
    commits = f"{start['base_commit']}..{start['branch']}"
    assert out(bench.project, "log", "--format=", "--name-only", commits) == "calc.py"
    assert (tree_of(ran) / ".env").exists()
    assert bench.mi("merge", ran.end["run_id"]).code == 0
    assert (bench.project / "node_modules").is_dir()
    assert not (bench.project / "node_modules").is_symlink()


@pytest.mark.req("fleet.trees.link")
def test_what_leads_back_to_the_person_s_sources_is_not_shared(bench: Workbench) -> None:
    commit(bench.project, _gitignore=".venv/\nnode_modules/\n")
    packages = bench.project / ".venv/lib/python3.11/site-packages"
    packages.mkdir(parents=True)
    (packages / "__editable__.calc.pth").write_text(f"{bench.project}\n", "utf-8")
    (bench.project / "packages/own").mkdir(parents=True)
    (bench.project / "node_modules").mkdir()
    (bench.project / "node_modules/own").symlink_to("../packages/own")
    bench.agent(DONE)
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("done")
    assert not (tree_of(ran) / ".venv").exists()
    assert not (tree_of(ran) / "node_modules").exists()
    assert "__editable__.calc.pth leads back to your own tree" in ran.stderr
    assert "node_modules/own leads back to your own tree" in ran.stderr


@pytest.mark.req("fleet.trees.rules")
def test_the_person_s_file_links_copies_gives_ports_and_runs_commands(bench: Workbench) -> None:
    (bench.project / ".env").write_text("TOKEN=ghp_" + "aB3dE5gH7" * 4 + "\n", "utf-8")
    (bench.project / "data").mkdir()
    (bench.project / "data/big.bin").write_text("x", "utf-8")
    wanted = ["setup = 'echo ready-$MI_PORT_BASE > made.txt; echo 1 > kept.txt'", "link = ['data']", "copy = ['.env']"]
    rules(bench, "\n".join([*wanted, "ports = 5"]))
    before = out(bench.project, "status", "--porcelain")
    bench.agent(
        [MEND, run('echo "$MI_PORT_BASE" > ../port.txt; echo 22 > kept.txt'), TEST, say("Fixed and tested. Done.")], []
    )
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("done")
    tree = tree_of(ran)
    port = (tree.parent / "port.txt").read_text("utf-8").strip()
    assert (tree / "made.txt").read_text("utf-8") == f"ready-{port}\n"
    assert f"ports {port} to {int(port) + 4}" in ran.stdout
    assert (tree / ".env").read_text("utf-8") == (bench.project / ".env").read_text("utf-8")
    assert (tree / "data/big.bin").exists()
    named = out(tree, "diff", "--name-only", "HEAD^", "HEAD").splitlines()
    assert named == ["calc.py", "kept.txt"]  # what the set-up made only where the agent changed it
    assert ".env" not in ran.stderr
    assert before == "?? .env\n?? .mi/\n?? data/"
    assert out(bench.project, "status", "--porcelain") == "?? .mi/"  # what it names is hidden in every tree
    other = bench.run("--worktree", "fix the failing test")
    listed = json.loads((bench.home / "work_trees.json").read_text("utf-8"))["trees"]
    assert len({tree["ports"] for tree in listed.values()}) == 2, other.stdout


@pytest.mark.req("fleet.trees.trust")
def test_no_command_of_the_file_runs_before_the_person_trusts_it(bench: Workbench, tmp_path: Path) -> None:
    rules(bench, f'setup = "touch {tmp_path}/ran"\n', trusted=False)
    bench.agent(DONE)
    ran = bench.run("--worktree", "fix the failing test")
    assert (ran.code, ran.stderr.count("\n")) == (3, 1)
    assert "mi trust" in ran.stderr
    assert not (tmp_path / "ran").exists()
    assert trees_left(bench) == ["0"]
    assert f"touch {tmp_path}/ran" in bench.mi("trust").stdout
    bench.run("--worktree", "fix the failing test").ended("done")
    assert (tmp_path / "ran").exists()


@pytest.mark.req("fleet.trees.trust")
def test_the_agent_s_own_copy_of_the_file_is_not_obeyed(bench: Workbench, tmp_path: Path) -> None:
    rules(bench, f'teardown = "touch {tmp_path}/good"\n')
    git(bench.project, "add", "-f", ".mi/worktree.toml")
    git(bench.project, "commit", "-qm", "rules")
    changed = "sed -i s/good/bad/ .mi/worktree.toml"
    bench.agent([MEND, run(changed), TEST, say("Fixed and tested. Done.")])
    ran = bench.run("--worktree", "fix the failing test")
    listed = json.loads((bench.home / "work_trees.json").read_text("utf-8"))["trees"]
    assert listed[ran.end["run_id"]]["teardown"] == [f"touch {tmp_path}/good"]


@pytest.mark.req("fleet.trees.setup-fails")
@pytest.mark.parametrize(
    ("command", "how"), [("echo no database >&2; exit 4", "exit 4): no database"), ("sleep 60 & sleep 61", "1 s): ")]
)
def test_a_set_up_that_fails_or_hangs_ends_the_run_and_leaves_nothing(bench: Workbench, command: str, how: str) -> None:
    rules(bench, f'setup = "{command}"\nseconds = 1\n')
    before = state(bench.project)
    bench.agent(DONE)
    ran = bench.run("--worktree", "fix the failing test")
    assert (ran.code, ran.stderr.count("\n")) == (1, 1)
    assert how in ran.stderr
    assert (ran.end["status"], ran.end["exit"]) == ("failed", 1)
    assert how in ran.end["reason"]
    assert trees_left(bench) == ["0"]
    assert state(bench.project) == before
    assert not [place for place in working_folders() if place.startswith(f"{bench.home}-worktrees")]
    rules(bench, 'setup = "true"\n')
    again = bench.run("--resume", ran.end["run_id"])
    again.ended("done")
    assert RIGHT in (tree_of(again) / "calc.py").read_text("utf-8")


@pytest.mark.req("fleet.trees.bad-input")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("setup = [", "cannot be read"),
        ('set_up = "x"', "set_up is no key of it (one of: setup, teardown"),
        ('link = ["../outside"]', 'link = "../outside" cannot be taken'),
        ('copy = ["/etc/passwd"]', 'copy = "/etc/passwd" cannot be taken'),
        ("ports = -1", "ports = -1 cannot be taken"),
        ("setup = 3", "setup = 3 cannot be taken"),
    ],
)
def test_bad_rules_get_one_line(bench: Workbench, text: str, said: str) -> None:
    rules(bench, text, trusted=False)
    bench.agent(DONE)
    ran = bench.run("--worktree", "fix the failing test")
    assert (ran.code, ran.stderr.count("\n")) == (2, 1), ran.stderr
    assert said in ran.stderr


@pytest.mark.req("fleet.trees.lost")
def test_a_work_tree_that_is_gone_is_made_again_with_what_the_agent_did(bench: Workbench) -> None:
    bench.agent([MEND, ASKS], [TEST, say("Painted and tested. Done.")])
    ran = bench.run("--worktree", "paint the button")
    ran.ended("blocked")
    tree = tree_of(ran)
    shutil.rmtree(tree)
    bench.mi("answer", ran.of("question")[-1]["id"], "red")
    again = bench.run("--resume", ran.end["run_id"])
    again.ended("done")
    assert tree_of(again) == tree
    assert RIGHT in (tree / "calc.py").read_text("utf-8")
    assert "was gone; made again" in again.stderr


@pytest.mark.req("fleet.trees.lost")
def test_a_repository_that_was_moved_finds_its_work_trees(bench: Workbench) -> None:
    bench.agent([MEND, ASKS], [TEST, say("Painted and tested. Done.")])
    ran = bench.run("--worktree", "paint the button")
    tree, moved = tree_of(ran), bench.project.parent / "moved"
    os.rename(bench.project, moved)
    bench.project = moved
    bench.mi("answer", ran.of("question")[-1]["id"], "red")
    again = bench.run("--resume", ran.end["run_id"])
    again.ended("done")
    assert out(tree, "log", "-1", "--format=%s") == "paint the button"
    merged = bench.mi("merge", ran.end["run_id"])
    assert merged.code == 0, merged.stderr
    assert RIGHT in (moved / "calc.py").read_text("utf-8")


@pytest.mark.req("fleet.trees.lost")
def test_a_tree_whose_making_was_killed_is_made_anew(bench: Workbench, tmp_path: Path) -> None:
    rules(bench, f"setup = 'test -e {tmp_path}/second || {{ touch {tmp_path}/second; kill -9 $PPID; }}'\n")
    bench.agent(DONE)
    context = HomeContext(Home(str(bench.home)), str(bench.project))
    run_id = "run_20261118T100000Z_aaaaaaaa"
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            begin_tree(context, run_id, "fix it", with_changes=False)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -9
    half = context.home.work_trees
    assert json.loads(Path(half).read_text("utf-8"))["trees"][run_id]["ready"] is False
    tree = begin_tree(context, run_id, "fix it", with_changes=False)
    assert tree.ready
    assert out(Path(tree.path), "status", "--porcelain") == ""
    assert trees_left(bench)[0] == "1"
    assert begin_tree(context, run_id, "fix it", with_changes=False) == tree


@pytest.mark.req("fleet.trees.rules")
def test_checks_that_git_does_not_keep_hold_in_a_work_tree(bench: Workbench) -> None:
    own = "python3 -m unittest -q test_calc"
    assert bench.mi("checks", "set", own, "--share").code == 0
    bench.agent([MEND, run(own), say("Fixed and tested. Done.")])
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("done")
    assert ran.of("run_start")[0]["checks"][0]["argv"] == own.split()
