"""A question that the person answered once is answered from their answer the next time."""

import json
from contextlib import closing

import pytest

from tests.autopilot.workbench import MEND, TEST, Json, Ran, Workbench, models_for, say
from tests.conftest import MI
from tests.mind.answers import model
from tests.terminals import Terminal

DONE = [MEND, TEST, say("Fixed and tested. Done.")]
COLOUR = "Which colour should the report have, red or green?"
OTHER_WORDS = "Do you want the report in green or in red?"


def answer(bench: Workbench, text: str, *flags: str) -> Ran:
    """Answer what waits."""
    (waiting,) = bench.inbox()
    answered = bench.mi("answer", waiting["id"], text, *flags)
    assert answered.code == 0, answered.stderr
    return answered


def claims(bench: Workbench) -> list[Json]:
    """What stands of the answers that were kept."""
    shown = json.loads(bench.mi("claim", "list", "--json").stdout)
    return [one for one in shown if "mi:answer" in one.get("tags", [])]


@pytest.mark.req("person.asked-once.claim", "person.asked-once.cited", "person.asked-once.said")
def test_an_answer_is_kept_and_answers_the_same_question_in_other_words_of_the_next_run(bench: Workbench) -> None:
    bench.agent([say(COLOUR)], DONE)
    bench.run().ended("blocked")
    told = answer(bench, "green")
    (kept,) = claims(bench)
    assert kept["claim_id"] in told.stdout
    assert (kept["origin"], kept["scope"], kept["notes"]) == ("user", "project", COLOUR)
    assert kept["text"] == f"{COLOUR} → green"
    bench.agent([say(OTHER_WORDS)], DONE)
    ran = bench.run()
    ran.ended("done")
    assert bench.inbox() == []
    said = ran.of("auto_answer")[-1]["auto_answer"]
    assert said["cited_ids"] == [kept["claim_id"]]
    assert ran.inputs[-1] == (f"green. The person was asked “{COLOUR}” before and answered: “green”. Go by that.")


@pytest.mark.req("person.asked-once.once")
@pytest.mark.parametrize(("text", "flags"), [("green", ["--once"]), ("green, just this once", [])])
def test_an_answer_for_this_one_time_is_asked_for_again(bench: Workbench, text: str, flags: list[str]) -> None:
    bench.agent([say(COLOUR)], DONE)
    bench.run()
    answer(bench, text, *flags)
    assert claims(bench) == []
    bench.agent([say(COLOUR)], DONE)
    bench.run().ended("blocked")
    assert len(bench.inbox()) == 1


@pytest.mark.req("person.asked-once.no-permission")
@pytest.mark.parametrize("question", ["May I rewrite the parser?", "我可以重写解析器吗？"])
def test_a_permission_is_asked_for_again(bench: Workbench, question: str) -> None:
    for _ in range(2):
        bench.agent([say(question)], DONE)
        bench.run().ended("blocked")
        answer(bench, "yes")
        assert claims(bench) == []


@pytest.mark.req("person.asked-once.supersede")
def test_an_answer_that_says_otherwise_takes_the_place_of_the_former(bench: Workbench) -> None:
    for question in (COLOUR, OTHER_WORDS):  # two runs ask before either is answered
        bench.agent([say(question)], DONE)
        bench.run().ended("blocked")
    later, earlier = (item["id"] for item in bench.inbox())
    bench.mi("answer", earlier, "green")
    (former,) = claims(bench)
    bench.mi("answer", later, "red")
    (standing,) = claims(bench)
    assert standing["text"] == f"{OTHER_WORDS} → red"
    kept = [one for one in bench.records() if one["kind"] == "answer_kept"][-1]
    assert kept["replaced"] == [former["claim_id"]]
    bench.agent([say(COLOUR)], DONE)
    ran = bench.run()
    ran.ended("done")
    assert ran.inputs[-1].startswith("red.")


@pytest.mark.req("person.asked-once.reversible")
def test_a_kept_answer_can_be_taken_back_and_the_former_one_holds_again(bench: Workbench) -> None:
    for question in (COLOUR, OTHER_WORDS):
        bench.agent([say(question)], DONE)
        bench.run().ended("blocked")
    later, earlier = (item["id"] for item in bench.inbox())
    bench.mi("answer", earlier, "green")
    (former,) = claims(bench)
    bench.mi("answer", later, "red")
    kept = [one for one in bench.records() if one["kind"] == "answer_kept"][-1]
    assert bench.mi("undo", kept["event_id"], "--apply").code == 0
    assert [one["claim_id"] for one in claims(bench)] == [former["claim_id"]]
    assert bench.mi("undo", former["source_refs"][0]["event_id"], "--apply").code == 0
    assert claims(bench) == []
    bench.agent([say(COLOUR)], DONE)
    bench.run().ended("blocked")


@pytest.mark.req("person.asked-once.said")
def test_the_summary_of_a_run_says_what_was_kept_of_an_answer_at_its_terminal(bench: Workbench) -> None:
    bench.agent([say(COLOUR)], DONE)
    bench.mi("settings", "set", "--prove", "no")
    with closing(Terminal([str(MI), "run", "fix it"], bench.project, **bench.env)) as terminal:
        terminal.read_until("\n> ")
        terminal.type("B\r")
        shown = " ".join(terminal.finish().split())
    (kept,) = claims(bench)
    assert f"Kept for the next time as {kept['claim_id']}: {COLOUR} → green" in shown
    (end,) = [one for one in bench.records() if one["kind"] == "run_end"]
    assert [one["claim_id"] for one in end["kept"]] == [kept["claim_id"]]


@pytest.mark.req("person.asked-once.cited")
def test_a_mind_that_would_ask_the_very_question_again_is_helped_by_the_answer(bench: Workbench) -> None:
    bench.agent([say(COLOUR)], DONE)
    bench.run().ended("blocked")
    answer(bench, "green")
    (kept,) = claims(bench)
    asks = {"needs_user_input": True, "ask_user_question": COLOUR}
    with models_for(bench) as judged:
        server = judged(model(auto_answer_to_hands=asks))
        bench.agent([say(COLOUR)], DONE)
        ran = bench.run()
        shown = [text for request in server.requests for text in request.user_texts if "<<<QUESTIONS" in text]
    assert f"[{kept['claim_id']}] {COLOUR} → green" in shown[0]
    assert ran.of("auto_answer")[-1]["auto_answer"]["cited_ids"] == [kept["claim_id"]]
    assert bench.inbox() == []


@pytest.mark.req("person.asked-once.no-permission")
def test_a_mind_that_takes_one_answer_for_leave_to_do_something_grave_is_not_heard(bench: Workbench) -> None:
    bench.agent([say(COLOUR)], DONE)
    bench.run().ended("blocked")
    answer(bench, "green")
    (kept,) = claims(bench)
    bold = {"should_answer": True, "hands_answer_input": "Yes, push it.", "cited_ids": [kept["claim_id"]]}
    with models_for(bench) as judged:
        judged(model(auto_answer_to_hands=bold))
        bench.agent([say("The report is green. Should I push it to origin?")], DONE)
        ran = bench.run()
    assert ran.of("question")[-1]["text"] == "Should I push it to origin?"
    assert "Yes, push it." not in ran.inputs
