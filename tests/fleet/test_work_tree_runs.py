"""`mi run --worktree`: the agent works in a tree and on a branch of its own; the person's tree stays as it is."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from mi.kernel.home import ProjectHome
from tests.autopilot.workbench import MEND, RIGHT, TEST, Workbench, run, say, write
from tests.conftest import git
from tests.fleet.tree_bench import DONE, out, state, tree_of


@pytest.mark.req("fleet.trees.run", "fleet.trees.commit", "fleet.trees.main-untouched")
def test_a_run_that_is_done_leaves_one_commit_on_its_branch(bench: Workbench) -> None:
    before = state(bench.project)
    bench.agent(DONE)
    ran = bench.run("--worktree", "fix", "the", "failing", "test")
    ran.ended("done")
    start, tree = ran.of("run_start")[0], tree_of(ran)
    short = ran.end["run_id"].rpartition("_")[2]
    assert tree.parent.parent == Path(f"{bench.home}-worktrees")
    assert (start["branch"], start["main_root"]) == (f"mi/fix-the-failing-test-{short}", str(bench.project))
    assert start["base_commit"] == before[0]
    assert f"works in {tree} on branch {start['branch']}" in ran.stdout
    assert state(bench.project) == before
    assert out(tree, "status", "--porcelain") == ""
    assert out(bench.project, "rev-list", "--count", f"{before[0]}..{start['branch']}") == "1"
    assert RIGHT in out(bench.project, "show", f"{start['branch']}:calc.py")
    message = out(bench.project, "log", "-1", "--format=%an <%ae>%n%B", start["branch"])
    assert message.splitlines() == [
        "A Person <person@example.invalid>",
        "fix the failing test",
        "",
        f"MI-Run: {ran.end['run_id']}",
        "MI-Marks: ran, claimed, verified",
        "MI-Checks: python3 -m unittest -q (run by the agent)",
    ]
    (work,) = ran.of("tree_work")
    assert (work["act"], work["commit"]) == ("committed", out(bench.project, "rev-parse", start["branch"]))
    assert f"mi merge {ran.end['run_id']}" in ran.stdout


@pytest.mark.req("fleet.trees.commit")
def test_no_hook_runs_and_nothing_is_signed(bench: Workbench, tmp_path: Path) -> None:
    for name in (
        "post-checkout",
        "pre-commit",
        "commit-msg",
        "prepare-commit-msg",
        "post-commit",
        "reference-transaction",
    ):
        hook = bench.project / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\necho {name} >> {tmp_path}/hooks-ran\nexit 1\n", "utf-8")
        hook.chmod(0o755)
    git(bench.project, "config", "commit.gpgSign", "true")
    git(bench.project, "config", "gpg.program", str(tmp_path / "no-such-program"))
    bench.agent(DONE)
    bench.run("--worktree", "fix the failing test").ended("done")
    assert not (tmp_path / "hooks-ran").exists()


@pytest.mark.req("fleet.trees.blocked-stays", "fleet.trees.resume")
def test_a_run_that_is_blocked_leaves_its_tree_and_goes_on_there(bench: Workbench) -> None:
    before = state(bench.project)
    bench.agent([MEND, say("Which colour should the button have, red or blue?")])
    ran = bench.run("--worktree", "paint the button")
    ran.ended("blocked")
    tree = tree_of(ran)
    assert out(tree, "status", "--porcelain") == "M calc.py"
    assert f"{tree} on branch" in ran.stdout
    assert out(bench.project, "for-each-ref", f"refs/mi/{ran.end['run_id']}")
    bench.agent([], [TEST, say("Painted and tested. Done.")])
    bench.mi("answer", ran.of("question")[-1]["id"], "red")
    again = bench.run("--resume", ran.end["run_id"])
    again.ended("done")
    assert tree_of(again) == tree
    assert out(tree, "log", "-1", "--format=%s") == "paint the button"
    assert state(bench.project) == before


@pytest.mark.req("fleet.trees.agent")
def test_an_agent_that_was_named_is_this_run_s_also_when_it_goes_on(bench: Workbench) -> None:
    bench.agent([MEND, say("Which colour should the button have, red or blue?")], [TEST, say("Painted, tested. Done.")])
    bench.configure(hands={**bench.config["hands"], "provider": "codex"})
    ran = bench.run("--worktree", "--agent", "replay", "paint the button")
    ran.ended("blocked")
    bench.mi("answer", ran.of("question")[-1]["id"], "red")
    again = bench.run("--resume", ran.end["run_id"])
    again.ended("done")
    assert [start["hands"] for start in again.of("run_start")] == ["replay", "replay"]


@pytest.mark.req("fleet.trees.with-changes", "fleet.trees.main-untouched")
def test_a_dirty_main_tree_stays_dirty_and_goes_along_only_if_asked(bench: Workbench) -> None:
    (bench.project / "notes.txt").write_text("mine\n", "utf-8")
    (bench.project / "calc.py").write_text((bench.project / "calc.py").read_text("utf-8") + "# mine\n", "utf-8")
    before = state(bench.project)
    bench.agent(DONE)
    plain = bench.run("--worktree", "fix the failing test")
    plain.ended("done")
    assert not (tree_of(plain) / "notes.txt").exists()
    changed = bench.run("--worktree", "--with-changes", "fix the failing test")
    changed.ended("done")
    tree = tree_of(changed)
    assert (tree / "notes.txt").read_text("utf-8") == "mine\n"
    assert "# mine" in (tree / "calc.py").read_text("utf-8")
    assert out(tree, "diff", "--stat", "HEAD^", "HEAD", "--", "notes.txt") == ""
    assert state(bench.project) == before


@pytest.mark.req("fleet.trees.commit")
def test_secrets_and_large_files_are_not_committed_and_named(bench: Workbench) -> None:
    secret = "ghp_" + "aB3dE5gH7" * 4
    bench.agent([MEND, write("token.txt", f"{secret}\n"), TEST, say("Fixed and tested. Done.")])
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("done")
    tree = tree_of(ran)
    assert out(tree, "ls-tree", "--name-only", "HEAD", "token.txt") == ""
    assert (tree / "token.txt").exists()
    assert "token.txt is not committed (holds a secret)" in ran.stderr
    assert [left["path"] for left in ran.of("tree_work")[0]["left_out"]] == ["token.txt"]


@pytest.mark.req("fleet.trees.commit")
def test_commits_of_the_agent_stay_below_the_one_of_the_run(bench: Workbench) -> None:
    bench.agent([MEND, run("git checkout -q -b own && git commit -qam agent"), TEST, say("Fixed and tested. Done.")])
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("done")
    branch = ran.of("run_start")[0]["branch"]
    subjects = out(bench.project, "log", "-2", "--format=%s", branch).splitlines()
    assert subjects == ["fix the failing test", "agent"]


@pytest.mark.req("fleet.trees.commit")
def test_where_git_knows_nobody_the_commit_is_made_all_the_same_and_it_is_said(bench: Workbench) -> None:
    git(bench.project, "config", "user.email", "")
    git(bench.project, "config", "user.useConfigOnly", "true")
    git(bench.project, "config", "--unset", "user.email")
    bench.agent(DONE)
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("done")
    assert out(tree_of(ran), "log", "-1", "--format=%an") == "Mind Incarnation"
    assert "git does not know who you are" in ran.stderr


@pytest.mark.req("fleet.trees.main-root")
def test_a_work_tree_is_never_the_last_project(bench: Workbench) -> None:
    bench.agent(DONE)
    ran = bench.run("--worktree", "fix the failing test")
    overlay = next(bench.home.glob("projects/*/overlay.json"))
    selected = json.loads((bench.home / "global/project_selection.json").read_text("utf-8"))
    assert json.loads(overlay.read_text("utf-8"))["root_path"] == str(bench.project)
    assert selected["last"]["root_path"] == str(bench.project)
    assert len(list(bench.home.glob("projects/*"))) == 1
    assert str(tree_of(ran)) not in (bench.home / "indexes/projects.json").read_text("utf-8")


@pytest.mark.req("fleet.trees.bad-input")
@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["--with-changes", "x"], 2, "--with-changes: only with --worktree"),
        (["--worktree", "--resume", "run_x"], 2, "goes on where it worked"),
        (["--agent", "nobody", "x"], 2, "--agent nobody: no such agent (one of: codex"),
    ],
)
def test_bad_words_get_one_line(bench: Workbench, args: list[str], code: int, said: str) -> None:
    bench.agent(DONE)
    ran = bench.run(*args)
    assert (ran.code, ran.stderr.count("\n")) == (code, 1)
    assert said in ran.stderr


@pytest.mark.req("fleet.trees.bad-input")
@pytest.mark.parametrize("place", ["no git", "no commits", "bare"])
def test_a_project_without_commits_gets_one_line(bench: Workbench, tmp_path: Path, place: str) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    if place != "no git":
        git(folder, "init", "-q", *(["--bare"] if place == "bare" else []))
    bench.agent(DONE)
    ran = bench.run("--cd", str(folder), "--worktree", "x")
    assert (ran.code, ran.stderr.count("\n")) == (2, 1), ran.stderr
    assert ("has no commit yet" if place == "no commits" else "is in no git work tree") in ran.stderr
    assert not Path(f"{bench.home}-worktrees").exists()


@pytest.mark.req("fleet.trees.bad-input")
def test_a_branch_in_the_way_gets_one_line_and_leaves_nothing(bench: Workbench) -> None:
    git(bench.project, "branch", "mi")  # no branch mi/… can be beside it
    bench.agent(DONE)
    ran = bench.run("--worktree", "fix the failing test")
    assert (ran.code, ran.stderr.count("\n")) == (1, 1), ran.stderr
    assert "refs/heads/mi" in ran.stderr
    assert out(bench.project, "worktree", "list").count("\n") == 0
    assert json.loads((bench.home / "work_trees.json").read_text("utf-8"))["trees"] == {}


@pytest.mark.req("fleet.trees.commit")
def test_a_secret_in_the_task_is_in_no_branch_name_and_no_message(bench: Workbench) -> None:
    secret = "ghp_" + "aB3dE5gH7" * 4
    bench.agent(DONE)
    ran = bench.run("--worktree", "--allow-secret-in-task", f"fix the failing test with {secret}")
    ran.ended("done")
    said = out(tree_of(ran), "log", "-1", "--format=%B%D")
    assert "fix the failing test" in said
    assert secret.casefold() not in said.casefold()


@pytest.mark.req("fleet.trees.run", "fleet.merge.ways")
def test_several_at_once_do_not_meet_and_are_merged_one_after_another(bench: Workbench) -> None:
    bench.agent([MEND, run("echo $$ > own-$(basename $PWD).txt"), TEST, say("Fixed and tested. Done.")])
    before = state(bench.project)
    begun = [bench.start("--worktree", f"fix the failing test {number}") for number in range(4)]
    assert [(one.communicate(timeout=120), one.returncode)[1] for one in begun] == [0] * 4
    records = bench.records()
    runs = {one["run_id"]: one for one in records if one["kind"] == "run_start"}
    assert len({one["project_root"] for one in runs.values()}) == len({one["branch"] for one in runs.values()}) == 4
    assert {one["status"] for one in records if one["kind"] == "run_end"} == {"done"}
    assert state(bench.project) == before
    for run_id in runs:
        merged = bench.mi("merge", run_id)
        assert merged.code == 0, merged.stderr
    assert len(list(bench.project.glob("own-*.txt"))) == 4
    assert bench.mi("runs", "clean").code == 0
    assert out(bench.project, "for-each-ref", "refs/heads/mi") == ""


_HOLDS = """
import sys
from mi.autopilot.run_lock import run_lock
from mi.kernel.notices import Notices
with run_lock(*sys.argv[1:], Notices()):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.req("fleet.clean.unmerged")
def test_a_tree_in_which_a_run_goes_on_is_neither_merged_nor_removed(bench: Workbench) -> None:
    bench.agent(DONE)
    ran = bench.run("--worktree", "fix the failing test")
    place = next(bench.home.glob("projects/*"))
    lock = ProjectHome(str(place)).find_run_lock(str(tree_of(ran)))
    words = [sys.executable, "-c", _HOLDS, lock, ran.end["run_id"]]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == b"held\n"
        stays = bench.mi("runs", "clean")
        merged = bench.mi("merge", ran.end["run_id"])
    assert "a run goes on there" in stays.stdout
    assert tree_of(ran).exists()
    assert (merged.code, "a run is in progress" in merged.stderr) == (3, True)


@pytest.mark.req("fleet.trees.others")
def test_an_agent_that_works_in_the_persons_own_tree_is_not_done_before_they_said_so(bench: Workbench) -> None:
    sneak = run(f"cd {bench.project} && echo x > note.txt && git add note.txt && git commit -qm sneaked")
    bench.agent([MEND, TEST, sneak, TEST, say("Fixed and tested. Done.")])
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("blocked")
    (asked,) = ran.of("question")
    assert f"named {bench.project} in what it did" in asked["text"]
    bench.mi("answer", asked["id"], "yes")
    bench.run("--resume", ran.end["run_id"]).ended("done")


@pytest.mark.req("fleet.trees.others")
def test_what_an_agent_only_reads_in_the_persons_own_tree_is_no_question(bench: Workbench) -> None:
    look = run(f"cat {bench.project}/calc.py")
    bench.agent([look, MEND, TEST, say("Fixed and tested. Done.")])
    bench.run("--worktree", "fix the failing test").ended("done")
