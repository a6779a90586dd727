"""Whole runs that are to be proved in repositories that are not as one expects: one line, and the run goes on."""

import shutil
from collections.abc import Callable

import pytest

from tests.autopilot.workbench import CHECK, MEND, RIGHT, TEST, Ran, Workbench, commit, git, run, say
from tests.autopilot.workbench import write as put

DONE = say("Fixed add; the tests pass now.")
TASK = ("fix", "the", "failing", "test")
WHOLE = f"def add(a, b):\n{RIGHT}\n"


def prove(bench: Workbench, *steps: dict[str, object]) -> Ran:
    bench.mi("trust")
    bench.agent([*(steps or (MEND, TEST)), DONE], [DONE])
    return bench.run("--prove", *TASK)


def detach(bench: Workbench) -> None:
    git(bench.project, "checkout", "-q", "--detach")


def forget_commits(bench: Workbench) -> None:
    shutil.rmtree(bench.project / ".git")
    git(bench.project, "init", "-q")


def add_submodule(bench: Workbench) -> None:
    """A repository inside, whose file a test reads; with a change of its own that is not committed."""
    other = bench.folder / "other"
    other.mkdir()
    (other / "number").write_text("5", "utf-8")
    git(other, "init", "-q")
    commit(other)
    git(bench.project, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "inner")
    test = (
        (bench.project / "test_calc.py")
        .read_text("utf-8")
        .replace("add(2, 3), 5", "add(2, 3), int(open('inner/number').read())")
    )
    (bench.project / "test_calc.py").write_text(test, "utf-8")
    commit(bench.project)
    (bench.project / "inner/more").write_text("not committed", "utf-8")


def add_huge_file(bench: Workbench) -> None:
    with (bench.project / "disk.img").open("wb") as file:
        file.truncate(2 << 30)


STATES: dict[str, Callable[[Workbench], None]] = {
    "a detached HEAD": detach,
    "no commits": forget_commits,
    "a submodule": add_submodule,
    "a file of two gigabytes": add_huge_file,
}


@pytest.mark.req("judge.proof.bad-input")
@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_whatever_state_a_repository_is_in_its_runs_are_proved(
    bench: Workbench, state: Callable[[Workbench], None]
) -> None:
    state(bench)
    ran = prove(bench)
    ran.ended("done")
    assert ran.end["marks"]["proved"] is True, ran.end["proof"]


@pytest.mark.req("judge.proof.bad-input")
def test_in_an_empty_repository_there_is_nothing_to_prove_and_that_is_said(bench: Workbench) -> None:
    for path in (*bench.project.glob("*.py"), bench.project / ".gitignore"):
        path.unlink()
    forget_commits(bench)
    tests = (
        "import unittest\nfrom calc import add\n\n\nclass T(unittest.TestCase):\n"
        "    def test_add(self):\n        self.assertEqual(add(1, 1), 2)\n"
    )
    wrote = say("Wrote calc.py and its test; it passes.")
    bench.agent([put("calc.py", WHOLE), put("test_calc.py", tests), TEST, wrote], [DONE])
    bench.mi("settings", "set", "--prove", "yes")
    ran = bench.run("write", "calc.py", "with", "add()", "and", "a", "test")
    ran.ended("done")
    assert ran.end["marks"]["proved"] is None
    assert ran.end["proof"]
    later = bench.mi("prove", "last")
    assert (later.code, later.stdout.count("\n")) == (3, 1)


SHARED = {
    "broken": ("[[check]\n", "cannot be read"),
    "a missing tool": ('[[check]]\ncommand = "no-such-tool test"\n', "no-such-tool"),
    "no command": ("[[check]]\nkind = 7\n", "is no check"),
}


@pytest.mark.req("judge.proof.bad-input", "judge.order.broken-file")
@pytest.mark.parametrize(("rules", "words"), SHARED.values(), ids=SHARED)
def test_rules_that_cannot_be_used_are_said_and_the_rest_is_proved(bench: Workbench, rules: str, words: str) -> None:
    (bench.project / ".mi").mkdir()
    (bench.project / ".mi/checks.toml").write_text(rules, "utf-8")
    commit(bench.project)
    ran = prove(bench)
    ran.ended("done")
    assert [line for line in ran.stderr.splitlines() if words in line]
    assert ran.end["marks"]["proved"] is True, ran.end["proof"]


@pytest.mark.req("judge.proof.bad-input")
def test_a_check_whose_program_goes_missing_is_no_proof_and_said(bench: Workbench) -> None:
    (bench.project / "Makefile").write_text(f"test:\n\tno-such-tool && {CHECK}\n", "utf-8")
    commit(bench.project)
    ran = prove(bench)
    assert ran.end["marks"]["proved"] is None
    assert ran.end["proof"].count("\n") == 0
    assert ".mi/checks.toml" in ran.end["proof"]


@pytest.mark.req("judge.proof.bad-input")
def test_a_report_that_is_no_xml_is_no_proof_and_said(bench: Workbench) -> None:
    place = "build/test-results/test"
    script = f"{CHECK} || exit 1\nmkdir -p {place}\necho 'no report' > {place}/TEST-calc.xml\n"
    (bench.project / "build.gradle").write_text("", "utf-8")
    (bench.project / "ci.sh").write_text(script, "utf-8")
    (bench.project / "calc.py").write_text(WHOLE.replace("a + b", "b + a"), "utf-8")
    (bench.project / ".gitignore").write_text("__pycache__/\nbuild/\n", "utf-8")
    commit(bench.project)
    bench.mi("checks", "set", "sh ci.sh")
    bench.mi("trust")
    bench.agent([put("calc.py", WHOLE), run("sh ci.sh"), DONE], [DONE])
    ran = bench.run("--prove", "write add as a + b, nothing else")
    ran.ended("done")
    assert ran.end["marks"]["proved"] is None
    assert "report cannot be read" in ran.end["proof"]
