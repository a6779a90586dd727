"""Questions of runs, answered on another machine: two homes, a hub, a run that waits."""

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege

from mi.hub import membership
from mi.kernel import jsonl
from mi.kernel.home import Home
from mi.kernel.jsontext import encode
from mi.kernel.notices import Notices
from tests.autopilot.workbench import MEND, TEST, Workbench, open_bench, run, say
from tests.conftest import MI
from tests.hub.team import Team, TeamHome
from tests.hub.test_watch import start_watch
from tests.terminals import Terminal
from tests.waiting import wait_until

COLOUR = "Which colour should the report have, red or green?"
DONE = [MEND, TEST, say("Fixed and tested. Done.")]


@pytest.fixture
def bench(team: Team, tmp_path: Path) -> Workbench:
    """A home of ana's in which a run asks."""
    folder = tmp_path / "desk"
    folder.mkdir()
    bench = open_bench(folder)
    bench.env = {"MI_HOME": str(bench.home)}
    bench.agent([say(COLOUR)], DONE)
    bench.mi("settings", "set", "--prove", "no")
    membership.join(Home(str(bench.home)), Notices(), *team.invite("ana"))
    return bench


@pytest.fixture
def laptop(team: Team) -> TeamHome:
    """Another home of ana's."""
    return team.join("ana", "laptop")


@contextmanager
def watching(home: TeamHome) -> Iterator["subprocess.Popen[str]"]:
    process = start_watch(home)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


def ask(bench: Workbench) -> str:
    """A run asks, ends, and its question is at the hub; its id."""
    assert bench.run("fix it").code == 3
    (question,) = [one for one in bench.records() if one["kind"] == "question"]
    return str(question["id"])


def answers(bench: Workbench) -> list[tuple[str, str, str]]:
    said = [one for one in bench.records() if one["kind"] == "user_input"]
    return [(one["answer"], one["by"], one.get("author", "")) for one in said]


def inbox(home: TeamHome) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = home.json("inbox")
    return found


@pytest.mark.req("hub.questions", "hub.question-marked")
def test_a_run_that_waits_at_its_terminal_hears_an_answer_from_another_machine(
    bench: Workbench, laptop: TeamHome
) -> None:
    with closing(Terminal([str(MI), "run", "fix it"], bench.project, **bench.env)) as waiting, watching(laptop):
        waiting.read_until("\n> ")
        assert wait_until(lambda: inbox(laptop) != [], 60)
        (item,) = inbox(laptop)
        assert (item["question"], item["asked_by"], item["project"]) == (COLOUR, "ana", "project")
        shown = laptop.mi("inbox").stdout
        assert f"ana, at {item['machine']}" in shown
        assert COLOUR in laptop.mi("status").stdout
        said = laptop.mi("answer", "1", "B").stdout
        assert f"1 {COLOUR} → green" in said
        assert f"{item['run_id']} goes on." in said
        assert "answered elsewhere: green" in waiting.finish()
    assert answers(bench) == [("green", "hub", "")]
    assert [one["input"] for one in bench.records() if one["kind"] == "hands_input"] == ["fix it", "green"]
    assert inbox(laptop) == []


@pytest.mark.req("hub.questions")
def test_an_answer_goes_to_a_run_that_ended_with_its_question_and_is_kept_for_the_next_time(
    bench: Workbench, laptop: TeamHome
) -> None:
    ask(bench)
    laptop.mi("sync")
    assert "Sent. run_" in laptop.mi("answer", "green").stdout
    assert inbox(laptop) == []
    came = bench.mi("sync")
    assert "ana answered elsewhere" in came.stdout
    assert "run --resume run_" in came.stdout
    assert answers(bench) == [("green", "hub", "")]
    assert [one["text"] for one in bench.records() if one["kind"] == "answer_kept"] != []
    assert laptop.json("sync")["questions"] == []


@pytest.mark.req("hub.question-first")
def test_of_two_answers_the_first_counts_and_the_other_is_told(team: Team, bench: Workbench, laptop: TeamHome) -> None:
    phone = team.join("ana", "phone")
    ask(bench)
    for home in (laptop, phone):
        home.mi("sync")
    laptop.mi("answer", "green")
    late = phone.mi("answer", "red", code=1)
    assert late.stderr.startswith("mi: ana answered first: ")
    bench.mi("sync")
    assert answers(bench) == [("green", "hub", "")]
    assert inbox(phone) == []


@pytest.mark.req("hub.question-first")
def test_an_answer_at_the_machine_itself_comes_first_and_the_other_is_told(bench: Workbench, laptop: TeamHome) -> None:
    ask(bench)
    laptop.mi("sync")
    bench.mi("answer", "1", "red")
    assert "Sent." in laptop.mi("answer", "green").stdout  # nobody knows yet
    bench.mi("sync")
    assert "ana answered first: " in laptop.mi("sync").stdout
    assert [one[:2] for one in answers(bench)] == [("red", "terminal")]
    assert laptop.mi("sync").stdout == "0 went to the hub, 0 came.\n"  # it is said once


@pytest.mark.req("hub.question-gone", "hub.question-marked")
def test_a_question_that_waits_no_more_is_gone_elsewhere_and_its_words_are_gone_at_the_hub(
    team: Team, bench: Workbench, laptop: TeamHome
) -> None:
    note = laptop.root.parent / "note"
    (laptop.root / "config.json").write_text(json.dumps({"notify": f"sh -c 'printf %s \"$1\" > {note}' sh"}), "utf-8")
    ask(bench)
    came = laptop.mi("sync").stdout
    assert f": {COLOUR} (mi inbox)" in came
    told = note.read_text("utf-8")
    assert COLOUR in told
    assert "ana, at " in told
    assert COLOUR in team.read_everything()
    bench.mi("inbox", "dismiss", "1")
    bench.mi("sync")
    laptop.mi("sync")
    assert inbox(laptop) == []
    assert COLOUR not in team.read_everything()


@pytest.mark.req("hub.question-offline")
def test_an_answer_without_the_hub_is_kept_and_goes_with_the_next_sync(
    team: Team, bench: Workbench, laptop: TeamHome
) -> None:
    ask(bench)
    laptop.mi("sync")
    state = laptop.state()
    nobody = state | {"dsn": state["dsn"].replace(f"port={team.server.port}", "port=1")}
    (laptop.root / "hub.json").write_text(json.dumps(nobody), "utf-8")
    kept = laptop.mi("answer", "green").stdout
    assert "Kept here, and sent with the next mi sync: the hub 127.0.0.1:1" in kept
    assert inbox(laptop) == []
    (laptop.root / "hub.json").write_text(json.dumps(state), "utf-8")
    laptop.mi("sync")
    bench.mi("sync")
    assert answers(bench) == [("green", "hub", "")]


def preview(bench: Workbench) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(bench.mi("sync", "--dry-run", "--json").stdout)["would_leave"]
    return found


@pytest.mark.req("hub.question-private", "hub.preview")
def test_a_question_leaves_only_for_whom_it_concerns_and_without_secrets(team: Team, bench: Workbench) -> None:
    bo = team.join("bo")
    bench.agent([say(f"The key is AKIAIOSFODNN7EXAMPLQ. {COLOUR}")], DONE)
    ask(bench)
    assert COLOUR not in team.read_everything()  # nobody else could answer it
    assert preview(bench) == []
    laptop = team.join("ana", "laptop")
    (would_leave,) = preview(bench)
    assert COLOUR in would_leave["text"]
    assert "AKIAIOSFODNN7EXAMPLQ" not in would_leave["text"]
    bench.mi("sync")
    assert preview(bench) == []
    bo.mi("sync")
    laptop.mi("sync")
    assert len(inbox(laptop)) == 1
    assert inbox(bo) == []
    held = team.read_everything()
    assert COLOUR in held
    assert not [one for one in ("AKIAIOSFODNN7EXAMPLQ", str(bench.project)) if one in held]
    refused = laptop.mi("answer", "1", "my key is ghp_" + "a1B2" * 9, code=2)
    assert "does not go through a hub" in refused.stderr


@pytest.mark.req("hub.question-cited", "hub.question-author")
def test_a_teammate_whose_word_is_cited_answers_by_name(team: Team, bench: Workbench) -> None:
    bo, eve = team.join("bo"), team.join("eve")
    ask(bench)
    cited = {"would": {"answer": "green", "cited_ids": [f"{bo.state()['home_id']}/cl_report"]}}
    write_question(bench, "qu_cited_by_bo", "Shall reports be green?", keep=True, **cited)
    bench.mi("sync")
    for home in (bo, eve):
        home.mi("sync")
    assert inbox(eve) == []
    (item,) = inbox(bo)
    assert (item["question"], item["asked_by"]) == ("Shall reports be green?", "ana")
    bo.mi("answer", "1", "Yes, as the others are.")
    bench.mi("sync")
    assert answers(bench)[-1] == ("Yes, as the others are.", "hub", "bo")
    assert not [one for one in bench.records() if one["kind"] == "answer_kept"]  # it is not ana's word


def write_question(bench: Workbench, question_id: str, text: str, **more: object) -> None:
    """A question as a run asks it."""
    (log,) = bench.home.glob("projects/*/evidence.jsonl")
    run_id = bench.records()[0]["run_id"]
    line = {"kind": "question", "v": 1, "event_id": f"ev_{question_id}", "run_id": run_id, "id": question_id}
    line |= {"ts": "2026-11-18T12:00:00.000Z", "text": text, "blocks": True, "about": "agent"} | more
    jsonl.append(str(log), encode(line), sealed=True)


def call(connection: psycopg.Connection[Any], name: str, *values: object) -> Any:
    marks = ", ".join(["%s"] * len(values))
    return connection.execute(f"SELECT * FROM mi_hub.{name}({marks})", values).fetchone()


@pytest.mark.req("hub.questions")
def test_a_question_of_a_queued_run_goes_to_whoever_queued_it(team: Team, bench: Workbench) -> None:
    bo, eve = team.join("bo"), team.join("eve")
    assert bench.run("fix it").code == 3
    home_id = json.loads((bench.home / "hub.json").read_text("utf-8"))["home_id"]
    with team.server.connect(team.database, "postgres") as connection:  # as a claim of ana's worker leaves it
        values = ("bo", bench.records()[0]["run_id"], home_id)
        connection.execute("INSERT INTO mi_hub.job (member, run, home) VALUES (%s, %s, %s)", values)
        connection.execute("INSERT INTO mi_hub.job (member, run) VALUES ('eve', %s)", values[1:2])  # a made-up one
    bench.mi("sync")
    for home in (bo, eve):
        home.mi("sync")
    assert inbox(eve) == []
    assert [one["asked_by"] for one in inbox(bo)] == ["ana"]
    bo.mi("answer", "1", "green")
    bench.mi("sync")
    with team.server.connect(team.database, "postgres") as connection:  # it stays for whoever takes the run up next
        assert connection.execute("SELECT member, body FROM mi_hub.answer").fetchall() == [("bo", "green")]
    assert answers(bench) == []


@pytest.mark.req("hub.question-roles")
def test_nobody_asks_answers_or_closes_for_another(team: Team, bench: Workbench, laptop: TeamHome) -> None:
    bo, home_id = team.join("bo"), json.loads((bench.home / "hub.json").read_text("utf-8"))["home_id"]
    question = ask(bench)
    bench.mi("sync")
    before = team.read_everything()
    with team.connect_as(bo) as connection:
        assert connection.execute("SELECT * FROM mi_hub.question").fetchall() == []
        for words in (("answer", question, "red", False), ("ask", home_id, "qu_by_bo_12345", "run_x", [], "{}")):
            with pytest.raises(InsufficientPrivilege):
                call(connection, *words)
        call(connection, "close_question", question, False)
        with pytest.raises(InsufficientPrivilege):
            call(connection, "tell_of_question", "ana")
    assert team.read_everything() == before
    password = (bench.home / "hub" / "password").read_text("utf-8").strip()
    dsn = json.loads((bench.home / "hub.json").read_text("utf-8"))["dsn"]
    refused = pytest.raises(InsufficientPrivilege, match="answer it there")
    with psycopg.connect(dsn, password=password, autocommit=True) as connection, refused:
        call(connection, "answer", question, "red", False)  # as an agent of the run could


@pytest.mark.req("hub.question-removed")
def test_what_a_removed_member_said_does_not_count(team: Team, bench: Workbench) -> None:
    bo = team.join("bo")
    ask(bench)
    cited = {"would": {"answer": "green", "cited_ids": [f"{bo.state()['home_id']}/cl_report"]}}
    write_question(bench, "qu_cited_by_bo", "Shall reports be green?", **cited)
    bench.mi("sync")
    bo.mi("sync")
    bo.mi("answer", "1", "yes")
    team.remove("bo")
    bench.mi("sync")
    assert answers(bench) == []
    assert "does not let this home in" in bo.mi("sync", code=3).stderr


@pytest.mark.req("hub.pulled-sealed")
def test_an_agent_leads_the_home_to_no_other_hub(bench: Workbench) -> None:
    hub = bench.home / "hub.json"
    before = hub.read_text("utf-8")
    bench.agent([run(f"sed -i s/127.0.0.1/127.0.0.2/ {hub}"), *DONE])
    bench.run("fix it")
    assert hub.read_text("utf-8") == before
    changed = [one["details"] for one in bench.records() if one.get("code") == "HOME_CHANGED"]
    assert any("hub.json" in one for one in changed)
