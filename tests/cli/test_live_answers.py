"""A run that waits at its own terminal hears an answer from anywhere; `mi attach` shows its agent and can answer."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests.autopilot.test_run_resume import staying
from tests.autopilot.workbench import MEND, TEST, Workbench, open_bench, run, say
from tests.conftest import MI
from tests.terminals import Terminal
from tests.waiting import wait_until

DONE = [MEND, TEST, say("Fixed and tested. Done.")]
COLOUR = "Which colour should the report have, red or green?"
Open = Callable[..., Terminal]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    bench = open_bench(tmp_path)
    bench.agent([say(COLOUR)], DONE)
    bench.mi("settings", "set", "--prove", "no")  # so that nothing is asked about it
    return bench


@pytest.fixture
def open_terminal(bench: Workbench) -> Iterator[Open]:
    """Opens a terminal in which a command of MI runs."""
    with ExitStack() as opened:
        yield lambda *words, **env: opened.enter_context(
            closing(Terminal([str(MI), *words], bench.project, **bench.env, **env))
        )


def answers(bench: Workbench) -> list[str]:
    return [one["answer"] for one in bench.records() if one["kind"] == "user_input"]


@pytest.mark.req("person.answer.live", "person.answer.goes-on")
def test_a_run_at_its_own_terminal_hears_an_answer_from_another(bench: Workbench, open_terminal: Open) -> None:
    waiting = open_terminal("run", "fix it")
    waiting.read_until("\n> ")
    assert "A  red" in waiting.shown
    waiting.type("half a tho")  # is no answer to anything
    said = bench.mi("answer", "1", "B")
    assert said.code == 0, said.stderr
    run_id = bench.records()[0]["run_id"]
    assert f"1 {COLOUR} → green" in said.stdout
    assert f"{run_id} goes on." in said.stdout
    assert "--resume" not in said.stdout
    shown = waiting.finish()
    assert "answered elsewhere: green" in shown
    assert answers(bench) == ["green"]
    assert [one["input"] for one in bench.records() if one["kind"] == "hands_input"] == ["fix it", "green"]


@pytest.mark.req("person.answer.lone-mark")
def test_a_letter_that_is_no_option_is_refused_wherever_it_is_given(bench: Workbench, open_terminal: Open) -> None:
    waiting = open_terminal("run", "fix it")
    waiting.read_until("\n> ")
    refused = bench.mi("answer", "1", "Z")
    assert refused.code == 2
    assert "1 has no option 'Z'; say A (red) | B (green), or answer in your own words" in refused.stderr
    waiting.type("z\n")
    waiting.read_until("there is no option 'z'; say A (red) | B (green), or answer in your own words")
    assert answers(bench) == []
    waiting.type("b\n")
    waiting.finish()
    assert answers(bench) == ["green"]


@pytest.mark.req("person.answer.first-wins")
def test_of_two_answers_the_first_counts_and_the_second_is_told(bench: Workbench, open_terminal: Open) -> None:
    waiting = open_terminal("run", "fix it")
    waiting.read_until("\n> ")
    waiting.type("Green, please.\n")
    waiting.finish()
    (question,) = [one["id"] for one in bench.records() if one["kind"] == "question"]
    late = bench.mi("answer", question, "red")
    assert (late.code, "Green, please." in late.stderr) == (1, True)
    assert answers(bench) == ["Green, please."]


@pytest.mark.req("person.answer.first-wins")
def test_many_answers_at_once_leave_one(bench: Workbench, open_terminal: Open) -> None:
    waiting = open_terminal("run", "fix it")
    waiting.read_until("\n> ")
    bench.inbox()
    rivals = [open_terminal("answer", "1", word) for word in ("red", "green", "blue")]
    waiting.type("Yellow.\n")
    for rival in rivals:
        rival.process.wait(60)
    shown = waiting.finish()
    (counted,) = answers(bench)
    assert (f"answered elsewhere: {counted}" in shown) == (counted != "Yellow.")
    assert [one["input"] for one in bench.records() if one["kind"] == "hands_input"] == ["fix it", counted]
    won = [rival for rival in rivals if rival.process.returncode == 0]
    assert len(won) == (counted != "Yellow.")
    for rival in rivals:
        if rival not in won:
            assert "was answered already" in rival.finish(1)


@pytest.mark.req("person.inbox.dismiss")
def test_a_question_closed_elsewhere_ends_the_wait_and_is_no_answer(bench: Workbench, open_terminal: Open) -> None:
    waiting = open_terminal("run", "fix it")
    waiting.read_until("\n> ")
    assert bench.mi("inbox", "dismiss", "1", "--why", "not now").code == 0
    ended = waiting.finish(3)
    assert "closed elsewhere without an answer: not now" in ended
    assert "you closed its question without an answer (not now); mi run --resume asks it anew" in ended
    assert "a question waits for you" not in ended
    assert len([one for one in bench.records() if one["kind"] == "hands_input"]) == 1


@pytest.mark.req("person.answer.goes-on")
def test_an_answer_to_a_run_that_stopped_names_the_command_for_that_very_run(bench: Workbench, tmp_path: Path) -> None:
    ran = bench.run()
    ran.ended("blocked")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    command = f"mi -C {bench.project} run --resume {ran.end['run_id']}"
    (here, bench.project) = (bench.project, elsewhere)
    assert f"Go on with {command}\n" in bench.mi("answer", "1", "B").stdout
    assert bench.mi(*command.split()[1:]).code == 0
    bench.project = here
    assert bench.records()[-1]["status"] == "done"


@pytest.mark.req("person.answer.goes-on")
def test_an_answer_to_a_run_whose_folder_is_gone_says_so(bench: Workbench, tmp_path: Path) -> None:
    bench.run().ended("blocked")
    bench.project.rename(tmp_path / "moved")
    (gone, bench.project) = (bench.project, tmp_path)
    said = bench.mi("answer", "1", "B")
    assert (said.code, f"its folder {gone} is gone" in said.stdout) == (0, True)


@pytest.mark.req("person.attach.agent")
@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_attach_shows_what_the_agent_says_and_runs(bench: Workbench, open_terminal: Open, as_json: bool) -> None:
    there = staying(bench, say("I look around first."), run("echo found-it"))
    process = bench.start("fix", "it")
    try:
        assert wait_until(there.exists, 20)
        watching = open_terminal("attach", *(["--json"] if as_json else []))
        watching.read_until("echo found-it")
        assert "I look around first." in watching.shown
        if as_json:
            lines = [json.loads(line) for line in watching.shown.splitlines()[:3]]
            assert {"run_start", "hands_input"} <= {line["kind"] for line in lines}
        else:
            assert "[hands] $ echo found-it" in watching.shown
        bench.mi("stop")
        watching.read_until("run_end")
        watching.finish()
    finally:
        bench.finish(process)


@pytest.mark.req("person.attach.answers")
def test_attach_answers_in_place(bench: Workbench, open_terminal: Open) -> None:
    waiting = open_terminal("run", "fix it")
    waiting.read_until("\n> ")
    watching = open_terminal("attach")
    watching.read_until("\n> ")
    assert COLOUR in watching.shown
    watching.type("b\n")
    assert "answered elsewhere: green" in waiting.finish()
    assert "run_end" in watching.finish()
    assert answers(bench) == ["green"]


def test_attach_leaves_a_question_to_whoever_answers_it(bench: Workbench, open_terminal: Open) -> None:
    waiting = open_terminal("run", "fix it")
    waiting.read_until("\n> ")
    leaving = open_terminal("attach")
    leaving.read_until("\n> ")
    leaving.type("\n")
    watching = open_terminal("attach")  # meanwhile the empty line is read
    watching.read_until("\n> ")
    waiting.type("Red.\n")
    waiting.finish()
    assert "answered elsewhere: Red." in watching.finish()
    assert "answered elsewhere" not in leaving.finish()
    assert answers(bench) == ["Red."]


@pytest.mark.req("person.answer.live")
def test_an_agent_that_starts_a_run_or_watches_one_on_a_terminal_is_not_asked(
    bench: Workbench, open_terminal: Open
) -> None:
    started = open_terminal("run", "fix it", CLAUDECODE="1")
    shown = started.finish(3)
    assert "\n> " not in shown
    waiting = open_terminal("run", "--resume")
    waiting.read_until("\n> ")
    agent, person = open_terminal("attach", CLAUDECODE="1"), open_terminal("attach")
    agent.read_until("run_start b0")
    agent.type("red\n")
    person.read_until("\n> ")  # the question is older than this part of the run
    person.type("Green.\n")
    assert "answered elsewhere: Green." in waiting.finish()
    assert "\n> " not in agent.finish()
    assert answers(bench) == ["Green."]
