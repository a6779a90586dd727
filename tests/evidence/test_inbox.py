"""The inbox across projects: newest first, each with the way to answer it."""

import json
import shlex
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mi.evidence.inbox import InboxItem
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.questions import Question, UserInput
from mi.evidence.records.thoughts import LearnSuggested
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from tests.conftest import Mi


def waits(home: Home, notices: Notices, project: str, number: int, text: str) -> str:
    """Store a question in a project's log."""
    writer = EvidenceWriter(home.project(project).evidence, f"run_20260101T00000{number}Z_aaaaaaaa", notices)
    writer.append(Question(id=f"qu_{number}", text=text))
    return f"qu_{number}"


@pytest.mark.req("mi.inbox.all-projects", "mi.inbox.cmd")
def test_all_projects_newest_first(home: Home, notices: Notices, mi: Mi) -> None:
    for number, project in enumerate(("p1", "p2", "p1")):
        waits(home, notices, project, number, f"Question {number}?")
    found = json.loads(mi("inbox", "--json").stdout)
    assert [item["ts"] for item in found] == sorted((item["ts"] for item in found), reverse=True)
    assert {(item["id"], item["project_id"]) for item in found} == {("qu_0", "p1"), ("qu_1", "p2"), ("qu_2", "p1")}
    assert all(item["answer_with"].startswith(f"mi answer {item['id']}") for item in found)
    listed = mi("inbox").stdout
    assert all(f"Question {number}?" in listed for number in range(3))


def test_an_answer_goes_into_the_log_of_its_project_and_only_its_question_leaves(
    home: Home, notices: Notices, mi: Mi
) -> None:
    waits(home, notices, "p1", 1, "One?")
    waits(home, notices, "p2", 2, "Two?")
    done = mi("answer", "qu_2", "Yes,", "do", "that.", "--json")
    assert done.returncode == 0
    stored = json.loads(done.stdout)
    last = json.loads(Path(home.project("p2").evidence).read_text("utf-8").splitlines()[-1])
    assert (last["event_id"], last["kind"]) == (stored["event_id"], "user_input")
    assert (last["question_id"], last["question"], last["answer"]) == ("qu_2", "Two?", "Yes, do that.")
    assert [item["id"] for item in json.loads(mi("inbox", "--json").stdout)] == ["qu_1"]


def test_a_question_that_was_answered_in_its_run_waits_no_more(home: Home, notices: Notices, mi: Mi) -> None:
    waits(home, notices, "p1", 1, "One?")
    writer = EvidenceWriter(home.project("p1").evidence, "run_20260101T000009Z_bbbbbbbb", notices)
    writer.append(UserInput(question="One?", answer="Yes.", question_id="qu_1"))
    assert json.loads(mi("inbox", "--json").stdout) == []
    assert mi("answer", "qu_1", "No.").returncode == 1


@pytest.mark.req("mi.inbox.kinds")
@pytest.mark.parametrize(
    ("about", "kind"), [("agent", "question"), ("tasks", "question"), ("review", "review"), ("proposal", "proposal")]
)
def test_what_waits_is_told_apart_and_answered_alike(
    home: Home, notices: Notices, mi: Mi, about: Any, kind: str
) -> None:
    writer = EvidenceWriter(home.project("p1").evidence, "run_20260101T000001Z_aaaaaaaa", notices)
    writer.append(Question(id="qu_1", text="Go on?", about=about))
    (item,) = json.loads(mi("inbox", "--json").stdout)
    assert (item["id"], item["kind"]) == ("qu_1", kind)
    assert mi("answer", "qu_1", "yes").returncode == 0
    assert json.loads(mi("inbox", "--json").stdout) == []


@pytest.mark.req("mi.inbox.kinds")
def test_the_kinds_are_closed() -> None:
    shown = msgspec.json.schema(InboxItem)["$defs"]["InboxItem"]["properties"]["kind"]["enum"]
    assert sorted(shown) == ["facts", "handoff", "notification", "proposal", "question", "review", "run", "suggestion"]


def test_a_suggestion_waits_for_a_yes_or_a_no_and_for_nothing_else(home: Home, notices: Notices, mi: Mi) -> None:
    writer = EvidenceWriter(home.project("p1").evidence, "run_20260101T000001Z_aaaaaaaa", notices)
    writer.append(LearnSuggested(id="ls_1", text="Always run the linter."))
    (item,) = json.loads(mi("inbox", "--json").stdout)
    assert (item["kind"], item["id"]) == ("suggestion", "ls_1")
    assert "ls_1" in item["answer_with"]
    refused = mi("answer", "ls_1", "perhaps")
    assert refused.returncode == 2
    assert "yes or no" in refused.stderr
    assert mi(*item["answer_with"].split()[1:]).returncode == 0
    assert json.loads(mi("inbox", "--json").stdout) == []
    assert mi("answer", "ls_1", "no").returncode == 1


def test_secrets_and_control_characters_in_a_question_are_not_printed(home: Home, notices: Notices, mi: Mi) -> None:
    waits(home, notices, "p1", 1, "Use " + "ghp_" + "aB3dE5gH7" * 4 + "\x1b[2J?")
    for options in ((), ("--json",)):
        shown = mi("inbox", *options).stdout
        assert "aB3dE5gH7aB3dE5gH7" not in shown
        assert "\x1b" not in shown


def test_an_empty_home_has_an_empty_inbox_and_stays_as_it_is(home: Home, mi: Mi) -> None:
    assert json.loads(mi("inbox", "--json").stdout) == []
    assert mi("inbox").returncode == 0
    assert mi("answer", "qu_1", "yes").returncode == 1


@pytest.mark.req("mi.inbox.all-projects", "mi.inbox.cmd")
def test_a_change_that_waits_for_a_review_is_told_from_a_question(home: Home, mi: Mi, tmp_path: Path) -> None:
    mi("project", "use")
    place = home.project(json.loads(mi("status", "--json").stdout)["project"]["id"])
    writer = EvidenceWriter(place.evidence, "run_20260101T000009Z_aaaaaaaa", Notices())
    writer.append(Question(id="qu_9", text="Seven change units. Go on?", about="review"))
    (item,) = json.loads(mi("inbox", "--json").stdout)
    assert (item["kind"], item["id"]) == ("review", "qu_9")
    status = json.loads(mi("status", "--json").stdout)
    assert (status["pending"]["reviews"], status["waiting"][0]["kind"]) == (1, "review")
    assert mi("answer", "qu_9", "yes").returncode == 0
    assert json.loads(mi("status", "--json").stdout)["pending"]["reviews"] == 0


def test_proposals_of_every_persona_wait_with_the_way_to_review_them(mi: Mi, repository, tmp_path: Path) -> None:
    root = repository("my app")
    mi("persona", "init", "--project", cwd=root)
    words = [
        "--title",
        "Migrations go alone",
        "--text",
        "A migration never shares a commit.",
        "--evidence",
        "two outages",
    ]
    assert mi("proposal", "add", "--type", "heuristic", *words, cwd=root).returncode == 0
    (item,) = json.loads(mi("inbox", "--json").stdout)  # from another folder
    assert (item["kind"], item["question"]) == ("proposal", "Migrations go alone")
    assert item["answer_with"].startswith(f"mi -C '{root}' proposal review {item['id']}")
    reviewed = mi(*shlex.split(item["answer_with"])[1:], "--reason", "seen twice")
    assert reviewed.returncode == 0, reviewed.stderr
    assert mi("inbox").stdout == "Nothing waits.\n"
