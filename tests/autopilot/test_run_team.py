"""A run in a project with a persona: it boots, tells the agent what binds, and writes its own session log."""

import pytest

from tests.autopilot.workbench import MEND, TEST, Workbench, say

DONE = [say("I will mend add."), MEND, TEST, say("All tests pass now; add is mended.")]


def logs(bench: Workbench) -> list[str]:
    return [path.read_text("utf-8") for path in sorted((bench.project / "persona/sessions").rglob("*.md"))]


@pytest.fixture
def team(bench: Workbench) -> Workbench:
    bench.configure()
    bench.mi("persona", "init", "--project")
    (bench.project / "persona/core/principles.md").write_text("# Principles\n\n1. Name the cause.\n", "utf-8")
    return bench


@pytest.mark.req(
    *("gov.boot.run", "mi.product.run-boots-persona", "mi.product.run-session-log", "gov.session.run-entry"),
    *("mi.kind.session-log-written", "mx.mem.log-at-end"),
)
def test_a_run_boots_and_leaves_its_log(team):
    team.agent(DONE)
    ran = team.run()
    ran.ended("done")
    assert "Name the cause." in ran.of("hands_input")[0]["light_injection"]
    (text,) = logs(team)
    assert "fix the failing test" in text
    assert ran.end["run_id"] in text
    (stored,) = ran.of("session_log")
    assert stored["trigger"] == "run_end"


@pytest.mark.req("gov.session.run-deterministic")
def test_the_entry_takes_no_model_call(team):
    team.agent(DONE)
    before = team.run().end["spent"]["calls"]
    assert before == 0
    assert logs(team)[0].count("## Session 1") == 1


def test_a_blocked_run_leaves_its_question_as_the_next_step(team):
    team.agent([say("Which database should I use, Postgres or SQLite?")])
    ran = team.run("set", "up", "storage")
    ran.ended("blocked")
    (text,) = logs(team)
    question = ran.of("question")[-1]["text"].split("\n")[0]
    assert question[:30] in text.partition("### Next steps")[2]


def test_a_persona_that_cannot_boot_is_said_and_the_work_goes_on(team):
    (team.project / "persona/core/boot.md").unlink()
    team.agent(DONE)
    ran = team.run()
    ran.ended("done")
    assert "core/boot.md" in ran.stderr
    assert logs(team) == []


def test_without_a_persona_nothing_is_written(bench):
    bench.agent(DONE)
    ran = bench.run()
    ran.ended("done")
    assert ran.of("session_log") == []
    assert not (bench.project / "persona").exists()
