"""What the Mind and the agent hear while a run goes on: what was seen, recalled, planned, learned and sent."""

from collections.abc import Callable, Iterator

import pytest

from mi.testing.server import ScriptedServer
from tests.autopilot.workbench import CHECK, Workbench, models_for
from tests.autopilot.workbench import say as says
from tests.mind.answers import Json, asked, model, parts

Open = Callable[..., ScriptedServer]
GO_ON: Json = {"next_action": "send_to_hands", "status": "not_done", "next_hands_input": "Go on."}
STUCK = [says("Thinking.")]


@pytest.fixture
def judged(bench: Workbench) -> Iterator[Open]:
    """Opens a model and lets it judge the bench's runs."""
    with models_for(bench) as make:
        yield make


# going round in circles


@pytest.mark.req("alive.loop.break-asks-only-if-wanted", "v1.guard.blocked")
@pytest.mark.parametrize(("wish", "asks"), [("ask", True), ("proceed", False)])
def test_a_loop_break_asks_only_whoever_wants_to_be_asked(
    bench: Workbench, judged: Open, wish: str, asks: bool
) -> None:
    judged(model(decide_next=GO_ON, loop_break={"action": "ask_user", "ask_user_question": "What now?"}))
    bench.mi("settings", "set", "--ask-when-uncertain", wish)
    bench.agent(*[STUCK] * 4)
    ran = bench.run()
    ran.ended("blocked")
    assert [one["question"] for one in bench.inbox()] == (["What now?"] if asks else [])
    assert ("repeats itself" in ran.end["reason"]) is not asks


@pytest.mark.req("alive.loop.break-intent-in-words")
@pytest.mark.parametrize("intent", ["the sum of two negatives is right", CHECK])
def test_only_a_command_is_put_to_the_agent_as_one(bench: Workbench, judged: Open, intent: str) -> None:
    way = {"action": "run_checks_then_continue", "check_intent": intent}
    judged(model(decide_next=GO_ON, loop_break=way))  # the plan wants no check
    bench.agent(*[STUCK] * 4)
    sent = bench.run("--max-batches", "4", "fix the failing test").inputs[3]
    assert intent in sent
    assert (f"`{intent}`" in sent) is (intent == CHECK)
    assert "`python" in sent


@pytest.mark.req("alive.loop.signatures-of-sent")
def test_an_input_that_was_rewritten_is_no_repetition_of_the_planned_one(bench: Workbench, judged: Open) -> None:
    way = {"action": "rewrite_next_input", "rewritten_next_input": "Read the test first."}
    server = judged(model(decide_next=GO_ON, loop_break=way))
    bench.agent(*[STUCK] * 5)
    ran = bench.run("--max-batches", "5", "fix the failing test")
    assert ran.inputs[1:] == ["Go on.", "Go on.", "Read the test first.", "Go on."]
    assert [asked(one) for one in server.requests].count("loop_break") == 1


@pytest.mark.req("alive.loop.break-thoughts", "v1.prompt.loop-break-in")
def test_a_loop_break_sees_the_thoughts_that_a_decision_sees(bench: Workbench, judged: Open) -> None:
    bench.values("Never guess twice; read the test.")
    server = judged(model(decide_next=GO_ON))
    bench.agent(*[STUCK] * 3)
    bench.run("--max-batches", "4", "fix the failing test")
    shown = {asked(one): parts(one) for one in server.requests}
    assert "Never guess twice" in shown["loop_break"]["thought_db_context"]
    assert shown["loop_break"]["thought_db_context"] == shown["decide_next"]["thought_db_context"]
    assert shown["loop_break"]["NEXT INPUT"] == "Go on."
