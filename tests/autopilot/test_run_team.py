"""A run in a project with a persona: it boots, tells the agent what binds, and writes its own session log."""

import json

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


@pytest.mark.req("mx.life.during-capture", "mx.capture.no-interrupt", "gov.capture.once", "mx.capture.reply-save")
def test_what_the_person_said_and_is_worth_a_card_waits_in_the_inbox_once(team):
    team.agent(DONE)
    words = ("fix", "the", "failing", "test.", "From", "now", "on", "every", "fix", "names", "its", "cause.")
    ran = team.run(*words)
    ran.ended("done")
    (question,) = ran.of("question")
    assert (question["about"], question["blocks"]) == ("capture", False)
    assert "every fix names its cause" in question["text"]
    (item,) = team.inbox()
    assert item["answer_with"] == f"mi answer {question['id']} save"
    assert "From now on" not in logs(team)[0].partition("### Next steps")[2]
    answered = team.mi("answer", question["id"], "save", "--json")
    path = json.loads(answered.stdout)["proposal"]
    assert "every fix names its cause" in (team.project / "persona" / path).read_text("utf-8")
    assert [one["kind"] for one in team.inbox()] == ["proposal"]  # now it waits to be reviewed
    team.agent(DONE)
    assert len(team.run(*words).of("question")) == 1  # never a second time


@pytest.mark.req("mx.capture.ignored")
def test_a_suggestion_that_is_not_taken_up_leaves_nothing_and_stops_no_run(team):
    team.agent([say("Which database should I use, Postgres or SQLite?")])
    ran = team.run("set", "up", "storage.", "We", "decided", "to", "keep", "it", "local.")
    ran.ended("blocked")
    asked, suggested = ran.of("question")
    assert (asked["about"], suggested["about"]) == ("agent", "capture")
    team.mi("answer", suggested["id"], "no")
    assert not list((team.project / "persona/proposals").rglob("*.md"))
    team.mi("answer", asked["id"], "SQLite")
    team.agent(DONE)
    assert any("SQLite" in one["input"] for one in team.run("--resume").of("hands_input"))
