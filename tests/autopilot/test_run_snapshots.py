"""A run keeps the work tree before each batch: what an agent destroys can be had back."""

import shutil
from pathlib import Path

import pytest

from tests.autopilot.workbench import MEND, TEST, Workbench, git, run, say

DESTROYS = run("rm notes.txt")
DONE = [MEND, TEST, say("Fixed and tested. Done.")]


def refs(project: Path) -> list[str]:
    return git(project, "for-each-ref", "--format=%(refname)", "refs/mi/").split()


@pytest.mark.req("person.net.before-each-batch")
def test_what_an_agent_destroys_is_in_the_snapshot_of_the_batch(bench: Workbench) -> None:
    bench.agent([DESTROYS, say("Cleaned up first.")], DONE)
    (bench.project / "notes.txt").write_text("an hour of thought\n", "utf-8")
    ran = bench.run()
    ran.ended("done")
    assert not (bench.project / "notes.txt").exists()
    run_id = ran.records[0]["run_id"]
    batches = [record["batch_id"] for record in ran.of("hands_input")]
    assert refs(bench.project) == sorted(f"refs/mi/{run_id}/{name}" for name in (*batches, "end"))
    assert git(bench.project, "show", f"refs/mi/{run_id}/{batches[0]}:notes.txt") == "an hour of thought"
    assert "return a + b" in git(bench.project, "show", f"refs/mi/{run_id}/end:calc.py")
    taken = ran.of("tree_snapshot")
    assert [record["of"] for record in taken] == [batches[0], "end", batches[1], "end"]
    assert taken[0]["commit"] == git(bench.project, "rev-parse", f"refs/mi/{run_id}/{batches[0]}")
    assert ran.kinds.index("tree_snapshot") < ran.kinds.index("hands_input")


@pytest.mark.req("person.net.said-once", "person.net.before-each-batch")
def test_the_first_snapshot_of_a_repository_is_said_in_one_line(bench: Workbench) -> None:
    bench.agent([MEND, say("Halfway.")], [TEST, say("Fixed. Done.")])
    first = bench.run()
    assert first.stdout.count("refs/mi/") == 1
    again = bench.run()
    assert "refs/mi/" not in again.stdout
    assert len({ref.split("/")[2] for ref in refs(bench.project)}) == 2


@pytest.mark.req("person.net.can-be-off")
def test_a_run_can_do_without(bench: Workbench) -> None:
    bench.configure(snapshot={"enabled": False})
    bench.agent(DONE)
    ran = bench.run()
    ran.ended("done")
    assert (refs(bench.project), ran.of("tree_snapshot")) == ([], [])


@pytest.mark.req("person.net.failure-is-a-value")
def test_a_snapshot_that_fails_is_said_and_stops_nothing(bench: Workbench) -> None:
    (bench.project / ".git/refs/mi").write_text("a file where a folder must be\n", "utf-8")
    bench.agent(DONE)
    ran = bench.run()
    ran.ended("done")
    assert "no snapshot of the work tree" in ran.stdout
    assert all(record["reason"] and not record["commit"] for record in ran.of("tree_snapshot"))


@pytest.mark.req("person.net.outside-git", "person.net.before-each-batch")
def test_outside_of_git_the_home_keeps_it(bench: Workbench) -> None:
    shutil.rmtree(bench.project / ".git")
    (bench.project / "notes.txt").write_text("an hour of thought\n", "utf-8")
    bench.agent([run("rm notes.txt"), *DONE])
    ran = bench.run()
    ran.ended("done")
    (first, _) = ran.of("tree_snapshot")
    kept = Path(first["place"])
    assert kept.is_relative_to(bench.home)
    assert git(kept, "show", f"{first['commit']}:notes.txt") == "an hour of thought"
    assert not (bench.project / ".git").exists()


@pytest.mark.req("person.net.left-out")
def test_what_is_left_out_is_named_in_the_record(bench: Workbench) -> None:
    bench.configure(snapshot={"max_file": 1000})
    bench.agent(DONE)
    (bench.project / "large.bin").write_bytes(b"x" * 2000)
    ran = bench.run()
    ran.ended("done")
    assert ran.of("tree_snapshot")[0]["left_out"] == [{"path": "large.bin", "why": "large", "size": 2000}]


@pytest.mark.req("person.net.left-out")
def test_what_cannot_be_brought_back_is_said_before_the_agent_works_and_after_it_is_gone(bench: Workbench) -> None:
    bench.configure(snapshot={"max_file": 1000})
    bench.agent([run("rm large.bin"), say("Looked around.")], DONE)
    (bench.project / "large.bin").write_bytes(b"x" * 2000)
    ran = bench.run()
    said = [line for line in ran.stdout.splitlines() if "large.bin (large)" in line]
    assert len(said) == 1
    assert ran.stdout.index(said[0]) < ran.stdout.index("batch b0")
    shown = bench.mi("restore", f"{ran.end['run_id']}/b0", "--yes")
    assert "left as it is: large.bin (gone, and no snapshot holds it" in shown.stdout


@pytest.mark.req("judge.rules.frozen")
def test_a_rule_that_the_agent_writes_hides_none_of_its_changes(bench: Workbench) -> None:
    bench.agent([run("echo '*' > .gitignore; echo x > hidden.py"), *DONE])
    ran = bench.run()
    assert {"hidden.py", ".gitignore"} <= set(ran.of("batch_end")[0]["seen"]["changed_files"])


DESTRUCTIVE = {
    "reset": "git reset -q --hard",
    "clean": "git clean -qfd",
    "check out": "git checkout -q -- .",
    "restore": "git restore .",
    "a folder": "rm -r thoughts",
    "stash": "git stash -q -u && git stash drop -q",
}


@pytest.mark.req("person.net.risk-names-it")
@pytest.mark.parametrize("command", DESTRUCTIVE.values(), ids=DESTRUCTIVE)
@pytest.mark.parametrize("in_git", [True, False], ids=["in git", "outside"])
def test_a_command_that_destroys_work_names_the_snapshot_to_restore_it_from(
    bench: Workbench, command: str, in_git: bool
) -> None:
    if not in_git:
        shutil.rmtree(bench.project / ".git")
        command = "rm -rf thoughts calc.py" if command.startswith("git") else command
    (bench.project / "thoughts").mkdir()
    (bench.project / "thoughts/one").write_text("an hour of thought\n", "utf-8")
    (bench.project / "calc.py").write_text("mine\n", "utf-8")
    bench.agent([run(command), say("Cleaned up.")])
    ran = bench.run("clean up here")
    ran.ended("blocked")
    (risk,) = ran.of("risk_event")
    (asked,) = bench.inbox()
    assert risk["snapshot"] == f"refs/mi/{ran.records[0]['run_id']}/{risk['batch_id']}"
    assert risk["snapshot"] in asked["question"]
    assert risk["snapshot"] in ran.stdout
    how = asked["question"].rpartition(": mi ")[2].split()
    assert bench.mi(*how, "--yes").code == 0
    assert bench.read("thoughts/one") == "an hour of thought\n"
    assert bench.read("calc.py") == "mine\n"


@pytest.mark.req("person.net.risk-names-it")
def test_without_a_snapshot_none_is_named(bench: Workbench) -> None:
    bench.configure(snapshot={"enabled": False})
    bench.agent([run("rm -r __pycache__ *.py"), say("Cleaned up.")])
    ran = bench.run("clean up here")
    (risk,) = ran.of("risk_event")
    assert risk["snapshot"] == ""
    assert "refs/mi" not in bench.inbox()[0]["question"]


@pytest.mark.req("person.net.restore", "person.net.diff")
def test_after_a_run_its_work_is_shown_and_what_it_destroyed_is_put_back(bench: Workbench) -> None:
    bench.agent([DESTROYS, run("git reset --hard -q"), MEND, say("Cleaned up first.")])
    (bench.project / "notes.txt").write_text("an hour of thought\n", "utf-8")
    (bench.project / "more.py").write_text("# half done\n", "utf-8")
    bench.run().ended("blocked")
    shown = bench.mi("diff", "last", "--stat").stdout
    assert ("notes.txt" in shown, "calc.py" in shown, "more.py" in shown) == (True, True, False)
    assert bench.mi("restore", "last", "notes.txt", "--yes").code == 0
    assert (bench.project / "notes.txt").read_text("utf-8") == "an hour of thought\n"
    assert "return a + b" in (bench.project / "calc.py").read_text("utf-8")
    assert bench.mi("restore", "last", "--yes").code == 0
    assert "return a + b" not in (bench.project / "calc.py").read_text("utf-8")
