"""A run that reached a limit is paused: it goes on when the person raises the limit, wherever they say so."""

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest

from mi.kernel import clock
from tests.autopilot.test_run_limits import DONE, failing
from tests.autopilot.test_run_resume import is_alive, staying
from tests.autopilot.workbench import Json, Ran, Workbench, say
from tests.conftest import MI
from tests.terminals import Terminal

Open = Callable[..., Terminal]
COLOUR = "Which colour should the report have, red or green?"


@pytest.fixture
def open_terminal(bench: Workbench) -> Iterator[Open]:
    """Opens a terminal in which a command of MI runs."""
    bench.mi("settings", "set", "--prove", "no")  # so that nothing is asked about it
    with ExitStack() as opened:
        yield lambda *words, **env: opened.enter_context(
            closing(Terminal([str(MI), *words], bench.project, **bench.env, **env))
        )


def paused(bench: Workbench, *batches: list[Json]) -> Ran:
    """A run that reached its two batches."""
    bench.agent(failing(0), failing(1), *batches)
    ran = bench.run("--max-batches", "2", "fix it")
    ran.ended("blocked")
    return ran


@pytest.mark.req("person.limit.pauses", "person.limit.question")
def test_a_limit_leaves_the_question_by_how_much_it_is_raised(bench: Workbench) -> None:
    ran = paused(bench, DONE)
    (item,) = bench.inbox()
    assert "2 batches" in item["question"]
    assert "Raise the limit by how much?" in item["question"]
    assert (item["about"], item["run_id"], item["task"]) == ("limit", ran.end["run_id"], "fix it")
    assert {one["key"]: one["text"] for one in item["options"]}["yes"] == "2 batches more"
    assert item["default"]
    assert json.loads(bench.mi("status", "--json").stdout)["run"]["batches"] == 2  # the third never began


@pytest.mark.req("person.limit.answered")
@pytest.mark.parametrize("answer", ["yes", "3 more batches", "再加三个批次", "to 9"])
def test_an_answer_raises_the_limit_of_the_run_that_is_resumed(bench: Workbench, answer: str) -> None:
    paused(bench, DONE)
    said = bench.mi("answer", "1", answer)
    assert said.code == 0, said.stderr
    ran = bench.run("--resume")
    ran.ended("done")
    assert len(ran.of("hands_input")) == 3
    assert [one["was"] for one in ran.of("limit_raised")] == [2]
    assert bench.inbox() == []


@pytest.mark.req("person.limit.waiting-is-free")
@pytest.mark.parametrize(("long", "status"), [("question", "done"), ("hands_input", "blocked")])
def test_a_day_of_waiting_for_an_answer_is_no_time_of_the_run(bench: Workbench, long: str, status: str) -> None:
    bench.agent([say(COLOUR)], DONE)
    bench.run("--max-minutes", "60", "fix it").ended("blocked")
    (log,) = bench.home.glob("projects/*/evidence.jsonl")
    lines = log.read_text("utf-8").splitlines(keepends=True)
    latest = next(at for at, line in enumerate(lines) if json.loads(line)["kind"] == long)
    a_day_ago = clock.format_ms(int((time.time() - 86_400) * 1000))
    before = [re.sub(r'"ts":"[^"]+"', f'"ts":"{a_day_ago}"', line) for line in lines[: latest + 1]]
    log.write_text("".join([*before, *lines[latest + 1 :]]), "utf-8")
    assert bench.mi("answer", "1", "green").code == 0
    ran = bench.run("--resume")
    ran.ended(status)
    assert ("60 minutes" in ran.end["reason"]) == (status == "blocked")


@pytest.mark.req("person.answer.follows")
@pytest.mark.parametrize("answer", ["0", "no", "不"])
def test_a_limit_that_stays_is_no_reason_to_go_on(bench: Workbench, answer: str) -> None:
    run_id = paused(bench, DONE).end["run_id"]
    said = bench.mi("answer", "1", answer)
    assert said.code == 0, said.stderr
    assert f"{run_id} goes no further" in said.stdout
    assert f"run --resume {run_id} --max-batches N" in said.stdout
    assert "Go on with" not in said.stdout
    bench.run("--resume", "--max-batches", "5").ended("done")


@pytest.mark.req("person.limit.answered")
def test_a_raised_limit_holds_and_is_remembered(bench: Workbench) -> None:
    paused(bench, failing(2), failing(3), failing(4), DONE)
    bench.mi("answer", "1", "1 more")
    ran = bench.run("--resume")
    ran.ended("blocked")
    assert len(ran.of("hands_input")) == 3
    assert "3 batches" in ran.end["reason"]
    (item,) = bench.inbox()
    bench.mi("answer", item["id"], "+2")
    again = bench.run("--resume")
    again.ended("blocked")
    assert len(again.of("hands_input")) == 5


@pytest.mark.req("person.limit.remembered")
def test_a_run_that_is_resumed_without_a_word_about_its_limit_does_nothing(bench: Workbench) -> None:
    paused(bench, DONE)
    again = bench.run("--resume")
    again.ended("blocked")
    assert len(again.of("hands_input")) == 2
    assert len(again.of("limit")) == 1
    assert len(bench.inbox()) == 1


@pytest.mark.req("person.limit.refused")
def test_a_no_keeps_the_run_paused_and_it_can_still_be_raised(bench: Workbench) -> None:
    paused(bench, DONE)
    bench.mi("answer", "1", "no")
    ran = bench.run("--resume")
    ran.ended("blocked")
    assert len(ran.of("hands_input")) == 2
    assert len(bench.inbox()) == 1  # whoever resumes it all the same is asked anew
    bench.run("--resume", "--max-batches", "3").ended("done")


@pytest.mark.req("person.limit.raised-by-option")
def test_an_option_raises_the_limit_and_closes_the_question(bench: Workbench) -> None:
    paused(bench, DONE)
    ran = bench.run("--resume", "--max-batches", "3")
    ran.ended("done")
    assert len(ran.of("hands_input")) == 3
    assert bench.inbox() == []
    assert ran.of("user_input")[0]["answer"] == "3 batches"


@pytest.mark.req("person.limit.raised-by-option")
def test_the_configuration_raises_a_limit_that_it_set(bench: Workbench) -> None:
    bench.config["runtime"]["limits"] = {"batches": 1}
    bench.agent(failing(0), DONE)
    bench.run().ended("blocked")
    bench.config["runtime"]["limits"] = {"batches": None}
    bench.configure()
    bench.run("--resume").ended("done")
    assert bench.inbox() == []


@pytest.mark.req("person.limit.unclear")
@pytest.mark.parametrize("answer", ["a bit", "30 minutes", "-5", "10-20", "see issue 17", "20 batches?"])
def test_an_answer_that_names_no_amount_is_refused_with_the_way_out(bench: Workbench, answer: str) -> None:
    paused(bench, DONE)
    said = bench.mi("answer", "1", "--", answer)
    assert said.code == 2
    assert answer in said.stderr
    assert "batches" in said.stderr
    assert said.of("user_input") == []
    assert len(bench.inbox()) == 1


@pytest.mark.req("person.limit.nothing-lost")
def test_an_answer_that_was_on_its_way_to_the_agent_arrives_after_the_pause(bench: Workbench) -> None:
    bench.agent([say(COLOUR)], DONE)
    bench.run("--max-batches", "1", "fix it").ended("blocked")
    bench.mi("answer", "1", "Green, please.")
    bench.run("--resume").ended("blocked")  # now it has come to its limit
    (item,) = bench.inbox()
    assert item["about"] == "limit"
    bench.mi("answer", item["id"], "5 more")
    ran = bench.run("--resume")
    ran.ended("done")
    assert ran.inputs == ["fix it", "Green, please."]


@pytest.mark.req("person.limit.terminal")
def test_at_a_terminal_the_run_goes_on_with_the_raised_limit(bench: Workbench, open_terminal: Open) -> None:
    bench.agent(failing(0), failing(1), DONE)
    waiting = open_terminal("run", "--max-batches", "1", "fix it")
    waiting.read_until("\n> ")
    assert "Raise the limit by how much?" in waiting.shown
    waiting.type("a lot\n")
    waiting.read_until("“a lot” does not say")
    waiting.type("5 more\n")
    waiting.finish()
    assert [one["to"] for one in bench.records() if one["kind"] == "limit_raised"] == [6]
    assert len([one for one in bench.records() if one["kind"] == "run_start"]) == 1


@pytest.mark.req("person.limit.terminal", "person.limit.children")
def test_an_agent_stopped_by_the_clock_goes_on_in_place_and_its_children_are_gone(
    bench: Workbench, open_terminal: Open
) -> None:
    there = staying(bench)
    waiting = open_terminal("run", "--max-minutes", "0.04", "fix it")
    waiting.read_until("\n> ")
    assert not is_alive(int(there.read_text("utf-8")))
    waiting.type("10 minutes\n")
    waiting.finish()
    (end,) = [one for one in bench.records() if one["kind"] == "run_end"]
    assert end["status"] == "done"
