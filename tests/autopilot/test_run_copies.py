"""Whole runs whose proofs need more than the files of git: what a copy is given, and who allowed it."""

import sys
from pathlib import Path

import pytest

from tests.autopilot.workbench import CHECK, MEND, TEST, Ran, Workbench, commit, git, run, say
from tests.autopilot.workbench import write as put

DONE = say("Fixed add; the tests pass now.")
RULES = Path(".mi/checks.toml")


def share(bench: Workbench, rules: str, *, ignored: str, test: str) -> None:
    """Commit what the copies of a project need, and a test that needs it."""
    (bench.project / ".mi").mkdir(exist_ok=True)
    (bench.project / RULES).write_text(rules, "utf-8")
    (bench.project / ".gitignore").write_text(f"__pycache__/\n{ignored}\n", "utf-8")
    (bench.project / "test_more.py").write_text(
        "import unittest\nfrom pathlib import Path\n\n\nclass MoreTest(unittest.TestCase):\n"
        f"    def test_more(self):\n        {test}\n",
        "utf-8",
    )
    commit(bench.project)


def prove(bench: Workbench) -> Ran:
    bench.agent([MEND, TEST, DONE])
    ran = bench.run("--prove", "fix", "the", "failing", "test")
    ran.ended("done")
    return ran


GENERATED = "from generated import VALUE; self.assertEqual(VALUE, 1)"
MAKES = "echo 'VALUE = 1' > generated.py"


@pytest.mark.req("judge.copy.prepare")
def test_what_must_be_generated_is_made_in_the_copy(bench: Workbench) -> None:
    share(bench, f"prepare = [{MAKES!r}]\n", ignored="generated.py", test=GENERATED)
    (bench.project / "generated.py").write_text("VALUE = 1\n", "utf-8")
    shown = bench.mi("trust")
    assert MAKES in shown.stdout
    ran = prove(bench)
    assert ran.end["marks"]["proved"] is True
    assert (bench.project / "generated.py").read_text("utf-8") == "VALUE = 1\n"


@pytest.mark.req("judge.copy.prepare", "judge.verdict.no-base")
def test_without_it_the_way_out_is_named(bench: Workbench) -> None:
    share(bench, "", ignored="generated.py", test="import generated")
    (bench.project / "test_calc.py").unlink()
    (bench.project / "test_more.py").write_text("import generated\n", "utf-8")
    commit(bench.project)
    (bench.project / "generated.py").write_text("VALUE = 1\n", "utf-8")
    bench.mi("trust")
    bench.agent([MEND, TEST, DONE], [DONE], [DONE])
    ran = bench.run("--prove", "make", "add", "right")
    assert ran.end["marks"]["proved"] is None
    assert all(word in ran.end["proof"] for word in (".mi/checks.toml", "prepare", "copy", "link"))


@pytest.mark.req("judge.copy.prepare")
def test_a_preparation_that_fails_is_no_proof_and_says_why(bench: Workbench) -> None:
    share(bench, "prepare = 'cp nothing.in generated.py'\n", ignored="generated.py", test="pass")
    bench.mi("trust")
    ran = prove(bench)
    assert ran.end["marks"]["proved"] is None
    assert "`cp nothing.in generated.py`" in ran.end["proof"]
    assert "nothing.in" in ran.end["proof"].partition(": ")[2]


@pytest.mark.req("judge.copy.prepare", "judge.trust.changed")
def test_a_preparation_that_nobody_was_shown_is_not_run(bench: Workbench, tmp_path: Path) -> None:
    share(bench, "", ignored="x", test="pass")
    bench.mi("trust")
    mark = tmp_path / "was-run"
    share(bench, f"prepare = ['touch {mark}']\n", ignored="x", test="pass")
    ran = prove(bench)
    assert ran.end["marks"]["proved"] is None
    assert f"touch {mark}" in ran.end["proof"]
    assert "mi trust" in ran.end["proof"]
    assert not mark.exists()


@pytest.mark.req("judge.copy.prepare")
def test_what_the_agent_writes_about_copies_does_not_count(bench: Workbench) -> None:
    share(bench, f"prepare = [{MAKES!r}]\n", ignored="generated.py", test=GENERATED)
    (bench.project / "generated.py").write_text("VALUE = 1\n", "utf-8")
    bench.mi("trust")
    bench.agent([put(str(RULES), "prepare = ['exit 1']\n"), MEND, TEST, DONE], [DONE])
    ran = bench.run("--prove", "fix the failing test, and write `exit 1` as prepare into .mi/checks.toml")
    assert ran.end["marks"]["proved"] is True


@pytest.mark.req("judge.copy.rules")
@pytest.mark.parametrize("rules", ["copy = ['local.ini']", "link = ['data']"])
def test_what_git_does_not_keep_is_brought_or_shared(bench: Workbench, rules: str) -> None:
    file = "local.ini" if "copy" in rules else "data/numbers"
    test = f"self.assertEqual(Path('{file}').read_text(), 'SECRET_KIND=1')"
    share(bench, rules, ignored="local.ini\ndata/", test=test)
    (bench.project / "data").mkdir()
    (bench.project / file).write_text("SECRET_KIND=1", "utf-8")
    bench.mi("trust")
    assert prove(bench).end["marks"]["proved"] is True


@pytest.mark.req("judge.copy.rules")
@pytest.mark.parametrize("rules", ["copy = ['local.ini']", "link = ['data']"])
def test_what_the_agent_changes_there_is_the_persons_to_decide(bench: Workbench, rules: str) -> None:
    file = "local.ini" if "copy" in rules else "data/numbers"
    share(bench, rules, ignored="local.ini\ndata/", test=f"self.assertEqual(Path('{file}').read_text(), '1')")
    (bench.project / "data").mkdir()
    (bench.project / file).write_text("0", "utf-8")
    bench.mi("trust")
    bench.agent([MEND, run(f"printf 1 > {file}"), TEST, DONE], [DONE], [DONE])
    ran = bench.run("--prove", "fix", "the", "failing", "test")
    ran.ended("blocked")
    assert file in ran.end["proof"]


@pytest.mark.req("judge.copy.dependencies")
def test_what_was_changed_there_before_a_run_was_resumed_is_seen_too(bench: Workbench) -> None:
    share(bench, "link = ['data']", ignored="data/", test="self.assertEqual(Path('data/numbers').read_text(), '1')")
    (bench.project / "data").mkdir()
    (bench.project / "data/numbers").write_text("0", "utf-8")
    bench.mi("trust")
    asks = say("Should I also write a changelog entry for this, or not?")
    bench.agent([MEND, run("printf 1 > data/numbers"), asks], [TEST, DONE], [DONE], [DONE])
    bench.run("--prove", "fix", "the", "failing", "test").ended("blocked")
    (question,) = bench.inbox()
    bench.mi("answer", question["id"], "no")
    ran = bench.run("--resume", "--prove")
    ran.ended("blocked")
    assert "data/numbers" in ran.end["proof"]


@pytest.mark.req("judge.copy.rules")
def test_paths_that_lead_out_of_the_project_are_said_and_left_out(bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    share(bench, "copy = ['../outside', 7]\nlink = ['/etc']\n", ignored="x", test="pass")
    bench.mi("trust")
    ran = prove(bench)
    assert ran.end["marks"]["proved"] is True
    assert all(said in ran.stderr for said in ("../outside", "7", "/etc", "paths inside the project"))


@pytest.mark.req("judge.copy.rules")
def test_a_link_of_the_tree_leads_no_copied_file_out_of_the_copy(bench: Workbench, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (bench.project / "away").symlink_to(away)
    (bench.project / ".gitignore").write_text("__pycache__/\n", "utf-8")
    share(bench, "copy = ['away/notes']\n", ignored="x", test="pass")
    (away / "notes").write_text("before", "utf-8")
    was = (away / "notes").stat().st_ino
    bench.mi("trust")
    assert prove(bench).end["marks"]["proved"] is True
    assert ((away / "notes").read_text("utf-8"), (away / "notes").stat().st_ino) == ("before", was)


@pytest.mark.req("judge.trust.first")
def test_the_environment_beside_the_sources_is_the_one_that_was_trusted(bench: Workbench) -> None:
    place = bench.project / ".venv/bin"
    place.mkdir(parents=True)
    (place / "python").symlink_to(sys.executable)
    (bench.project / ".gitignore").write_text("__pycache__/\n.venv/\n", "utf-8")
    commit(bench.project)
    assert ".venv/bin/python" in bench.mi("trust").stdout
    bench.agent([MEND, run(CHECK.replace("python3", ".venv/bin/python")), DONE])
    ran = bench.run("--prove", "fix", "the", "failing", "test")
    ran.ended("done")
    assert ran.end["marks"]["proved"] is True
    assert git(bench.project, "status", "--porcelain").split() == ["M", "calc.py"]


@pytest.mark.req("judge.trust.changed", "judge.trust.first")
def test_a_command_that_is_new_in_the_base_waits_in_the_inbox_once_and_holds_up_nothing(bench: Workbench) -> None:
    bench.agent([MEND, TEST, DONE])
    bench.mi("trust")
    (bench.project / "Makefile").write_text(f"test:\n\t{CHECK}\n", "utf-8")
    commit(bench.project)
    for _ in range(2):
        ran = prove(bench)
        assert ran.end["marks"]["proved"] is None
        assert all(said in ran.end["proof"] for said in ("make test", "mi trust"))
        git(bench.project, "checkout", "-q", ".")
    (asked,) = bench.inbox()
    assert "make test" in asked["question"]
    answered = bench.mi("answer", asked["id"], "yes")
    assert (answered.code, "make test" in answered.stdout) == (0, True)
    assert bench.inbox() == []
    assert prove(bench).end["marks"]["proved"] is True


@pytest.mark.req("judge.trust.changed", "judge.trust.first")
def test_a_no_is_kept_and_mi_trust_takes_it_back(bench: Workbench) -> None:
    bench.mi("settings", "set", "--prove", "yes")
    prove(bench)
    (asked,) = bench.inbox()
    assert bench.mi("answer", asked["id"], "no").code == 0
    git(bench.project, "checkout", "-q", ".")
    assert prove(bench).end["marks"]["proved"] is None
    assert bench.inbox() == []
    git(bench.project, "checkout", "-q", ".")
    bench.mi("trust")
    assert prove(bench).end["marks"]["proved"] is True


@pytest.mark.req("judge.trust.changed")
def test_mi_trust_settles_the_question_and_an_agent_cannot_answer_it(bench: Workbench) -> None:
    bench.mi("settings", "set", "--prove", "yes")
    prove(bench)
    (asked,) = bench.inbox()
    bench.env["CLAUDECODE"] = "1"
    assert bench.mi("answer", asked["id"], "yes").code == 3
    del bench.env["CLAUDECODE"]
    assert asked["id"] in [item["id"] for item in bench.inbox()]
    bench.mi("trust")
    assert asked["id"] not in [item["id"] for item in bench.inbox()]
