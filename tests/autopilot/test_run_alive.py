"""What the Mind and the agent hear while a run goes on: what was seen, recalled, planned, learned and sent."""

import json
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from mi.kernel import jsonl
from mi.testing import Request
from mi.testing.server import ScriptedServer
from tests.autopilot.workbench import CHECK, MEND, NO_LEARNING, TEST, Workbench, models_for, run
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


# what was seen, recalled and planned, before the judgements that rest on it


QUESTION = "Which colour should the report have?"
WISH = "The report's colour is always green"


def elsewhere(bench: Workbench, claim_id: str, text: str) -> None:
    """A preference that the person has in another project."""
    folder = bench.home / "projects/other/thoughtdb"
    folder.mkdir(parents=True)
    line = {"kind": "claim", "version": "v1", "claim_id": claim_id, "claim_type": "preference", "text": text}
    line |= {"scope": "project", "asserted_ts": "2026-01-01T00:00:00.000Z", "tags": [], "origin": "user"}
    jsonl.append(str(folder / "claims.jsonl"), json.dumps(line).encode(), sealed=True)


@pytest.mark.req("alive.loop.recall-reaches-answer", "v1.recall.in-recent-evidence")
@pytest.mark.parametrize("asked_by", ["agent", "judge"])
def test_what_a_recall_finds_answers_instead_of_the_person(bench: Workbench, judged: Open, asked_by: str) -> None:
    moves = iter([{"next_action": "ask_user", "status": "not_done", "ask_user_question": QUESTION}, {}])

    def answer(request: Request) -> Json:
        if WISH in parts(request)["RECENT EVIDENCE"]:
            return {"should_answer": True, "hands_answer_input": "Make it green.", "cited_ids": ["cl_green"]}
        return {"needs_user_input": True, "ask_user_question": QUESTION}

    judged(model(decide_next=lambda request: next(moves) if asked_by == "judge" else {}, auto_answer_to_hands=answer))
    bench.configure(runtime=NO_LEARNING)
    elsewhere(bench, "cl_green", WISH)
    bench.agent([says(QUESTION if asked_by == "agent" else "I have read it.")], [MEND, TEST, says("Done.")])
    ran = bench.run("fix the failing test")
    ran.ended("done")
    assert ran.inputs[1] == "Make it green."
    assert bench.inbox() == []
    assert ran.of("auto_answer")[0]["auto_answer"]["cited_ids"] == ["cl_green"]


@pytest.mark.req("alive.loop.plan-unless-certain", "alive.loop.unknowns-count", "v1.loop.plan-checks-step")
@pytest.mark.parametrize("unknown", ["whether negatives work", ""])
def test_a_check_is_planned_for_what_stays_unknown(bench: Workbench, judged: Open, unknown: str) -> None:
    facts = {"facts": ["add was mended"], "unknowns": [unknown] if unknown else []}
    plans = iter([{"should_run_checks": True, "hands_check_input": f"Show it with `{CHECK}`."}, {}])
    server = judged(model(extract_evidence=facts, plan_min_checks=lambda request: next(plans)))
    bench.agent([MEND, TEST, says("Done.")], [TEST, says("It passes. Done.")])
    ran = bench.run()
    ran.ended("done")
    planned = [parts(one) for one in server.requests if asked(one) == "plan_min_checks"]
    assert ran.inputs[1:] == ([f"Show it with `{CHECK}`."] if unknown else [])
    assert len(planned) == (2 if unknown else 0)
    if unknown:
        assert unknown in planned[0]["STILL UNKNOWN OF THIS BATCH"]
        assert "add was mended" in planned[0]["RECENT EVIDENCE"]


@pytest.mark.req("alive.loop.each-with-what-came-before", "v1.loop.auto-answer-step")
def test_an_answer_is_given_in_view_of_the_evidence_and_of_the_plan(bench: Workbench, judged: Open) -> None:
    bench.values("Reports are green.")

    def answer(request: Request) -> Json:
        claim = request.user_texts[-1].partition("[cl_")[2].partition("]")[0]
        return {"should_answer": True, "hands_answer_input": "Make it green.", "cited_ids": [f"cl_{claim}"]}

    server = judged(
        model(
            extract_evidence={"facts": ["a question stands between"]},
            plan_min_checks={"should_run_checks": True, "hands_check_input": "Then run the tests."},
            auto_answer_to_hands=answer,
        )
    )
    bench.agent([MEND, says(QUESTION)], [TEST, says("Done.")])
    ran = bench.run("--max-batches", "2", "fix the failing test")
    assert ran.inputs[1] == "Make it green.\n\nThen run the tests."
    order = [asked(one) for one in server.requests][:3]
    assert order == ["extract_evidence", "plan_min_checks", "auto_answer_to_hands"]
    shown = parts(server.requests[2])
    assert shown["CHECKS PLANNED"] == "Then run the tests."
    assert "a question stands between" in shown["RECENT EVIDENCE"]


@pytest.mark.req("alive.loop.seen-risks-count")
@pytest.mark.parametrize(("policy", "is_judged"), [("values_judged", True), ("allow", False)])
def test_a_risk_that_the_judge_saw_is_judged_as_one(
    bench: Workbench, judged: Open, policy: str, is_judged: bool
) -> None:
    seen = {"risk_signals": ["install: a package was set up for everybody"]}
    server = judged(model(extract_evidence=seen, risk_judge={"category": "install", "severity": "high"}))
    bench.config["runtime"] |= {"external_actions": {"install_policy": policy}}
    bench.agent([MEND, TEST, says("Done.")])
    ran = bench.run()
    ran.ended("blocked" if is_judged else "done")
    risks = [parts(one)["RISK SIGNALS"] for one in server.requests if asked(one) == "risk_judge"]
    assert risks == (["- install: a package was set up for everybody"] if is_judged else [])
    assert ["a package was set up for everybody" in one["question"] for one in bench.inbox()] == [True] * is_judged


@pytest.mark.req("alive.loop.side-by-side")
def test_risk_and_checks_are_judged_side_by_side(bench: Workbench, judged: Open) -> None:
    both = threading.Barrier(2, timeout=30)  # broken, and the judge out of order, where one waits for the other

    def wait(answer: Json) -> Callable[[Request], Json]:
        def reply(request: Request) -> Json:
            both.wait()
            return answer

        return reply

    judged(
        model(
            risk_judge=wait({"severity": "low", "should_ask_user": False}),
            plan_min_checks=wait({"should_run_checks": True, "hands_check_input": "Run the tests."}),
        )
    )
    bench.agent([MEND, run("git push origin main"), says("Pushed.")], [TEST, says("Done.")])
    ran = bench.run()
    ran.ended("done")
    assert ran.inputs[1] == "Run the tests."


@pytest.mark.req("alive.loop.side-by-side")
@pytest.mark.parametrize("is_due", [False, True])
def test_a_question_is_answered_beside_the_plan_and_in_view_of_a_check(
    bench: Workbench, judged: Open, is_due: bool
) -> None:
    bench.values("Reports are green.")
    both = threading.Barrier(2, timeout=30)
    plan = {"should_run_checks": is_due, "hands_check_input": "Then run the tests." if is_due else ""}

    def reply(request: Request) -> Json:
        if "auto_answer_to_hands" in server_asked:
            return {}
        both.wait()
        return plan

    def answer(request: Request) -> Json:
        if not server_asked:
            both.wait()
        server_asked.append("auto_answer_to_hands")
        claim = request.user_texts[-1].partition("[cl_")[2].partition("]")[0]
        seen = "Then run the tests." in parts(request).get("CHECKS PLANNED", "")
        said = "Green, and after the tests." if seen else "Green."
        return {"should_answer": True, "hands_answer_input": said, "cited_ids": [f"cl_{claim}"]}

    server_asked: list[str] = []
    judged(model(plan_min_checks=reply, auto_answer_to_hands=answer))
    bench.agent([says(QUESTION)], [MEND, TEST, says("Done.")])
    ran = bench.run()
    ran.ended("done")
    assert ran.inputs[1] == ("Green, and after the tests.\n\nThen run the tests." if is_due else "Green.")
    assert len(ran.of("auto_answer")) == 1


@pytest.mark.req("alive.loop.values-before-asking")
@pytest.mark.parametrize("asked_by", ["loop break", "open row"])
@pytest.mark.parametrize("is_known", [True, False])
def test_every_question_is_first_tried_on_the_persons_values(
    bench: Workbench, judged: Open, asked_by: str, is_known: bool
) -> None:
    bench.values("The staging region is Frankfurt.")

    def answer(request: Request) -> Json:
        if not is_known or "region" not in parts(request)["QUESTIONS"]:
            return {"needs_user_input": True, "ask_user_question": "Which region?"}
        claim = request.user_texts[-1].partition("[cl_")[2].partition("]")[0]
        return {"should_answer": True, "hands_answer_input": "Take Frankfurt.", "cited_ids": [f"cl_{claim}"]}

    way = {"action": "ask_user", "ask_user_question": "Which region is meant?"}
    in_circles = asked_by == "loop break"
    judged(model(decide_next=GO_ON if in_circles else {}, loop_break=way, auto_answer_to_hands=answer))
    needs = [TEST, says("The sum is mended. I need your decision on the region before I can finish.")]
    bench.agent(*([STUCK] * 3 if in_circles else [[MEND, *needs], needs]), [TEST, says("Done.")])
    ran = bench.run("--max-batches", "4", "fix the failing test")
    assert ("Take Frankfurt." in ran.inputs) is is_known
    assert any("region" in one["question"] for one in bench.inbox()) is not is_known


# what the agent's thread hears


LISTENER = """\
import json, pathlib, sys
heard = pathlib.Path(sys.argv[1])
said = "It adds two numbers." if heard.exists() else "Which database should I use here?"
heard.open("a").write(sys.argv[2] + "\\0")
print(json.dumps({"type": "system", "subtype": "init", "session_id": "s-1"}))
print(json.dumps({"type": "result", "is_error": False, "result": said, "session_id": "s-1"}))
"""


def listening(bench: Workbench) -> Callable[[], list[str]]:
    """An agent with a thread that asks once and then answers; returned is what tells all that it heard."""
    agent, heard = bench.folder / "agent.py", bench.folder / "heard.txt"
    agent.write_text(LISTENER, "utf-8")
    call = [sys.executable, str(agent), str(heard), "{prompt}"]
    cli = {"exec": call, "resume": [*call, "--resume", "{thread_id}"]}
    bench.configure(hands={"provider": "cli", "cli": cli})
    return lambda: heard.read_text("utf-8").split("\0")[:-1]


@pytest.mark.req("alive.loop.thread-hears-values", "v1.loop.build-input")
def test_a_resumed_thread_hears_values_that_are_new_or_gone(bench: Workbench) -> None:
    heard = listening(bench)
    bench.values("Keep changes small.")
    bench.run("what does calc.py do?").ended("blocked")
    bench.mi("values", "set", "--text", "Keep changes small.\nUse tabs in every file.")
    bench.mi("answer", bench.inbox()[0]["id"], "PostgreSQL")
    bench.run("--resume")
    bench.mi("values", "set", "--text", "Keep changes small.")
    bench.run("--continue-hands", "what is add?")
    bench.run("--continue-hands", "what is in calc.py?")
    first, second, third, fourth = heard()
    assert "Keep changes small." in first
    told = "New since you were told what the person values:\n- Use tabs in every file."
    assert (second, third) == (
        f"{told}\n\nPostgreSQL",
        "This holds no longer:\n- Use tabs in every file.\n\nwhat is add?",
    )
    assert fourth == "what is in calc.py?"  # it knows all


@pytest.mark.req("alive.loop.thread-hears-policies")
def test_a_resumed_thread_hears_changed_policies_once(bench: Workbench) -> None:
    heard = listening(bench)
    bench.run("which database?")
    bench.configure(runtime=bench.config["runtime"] | {"external_actions": {"network_policy": "ask"}})
    bench.run("--continue-hands", "what is add?")
    bench.run("--continue-hands", "what is in calc.py?")
    first, second, third = heard()
    assert "over the network" not in first
    assert second.startswith("From now on: If something is not covered by the values")
    assert second.endswith("Ask before anything goes over the network.\n\nwhat is add?")
    assert third == "what is in calc.py?"


@pytest.mark.req("alive.loop.thread-hears-lessons")
def test_what_one_batch_taught_is_told_in_the_next(bench: Workbench, judged: Open) -> None:
    rule = {"scope": "project", "severity": "high", "text": "Ask before pushing.", "rationale": "it was pushed"}
    judged(
        model(
            risk_judge={"severity": "low", "should_ask_user": False, "learn_suggested": [rule]},
            decide_next=GO_ON,
        )
    )
    bench.agent([MEND, run("git push origin main"), says("Pushed.")], STUCK, STUCK)
    ran = bench.run("--max-batches", "3", "fix the failing test")
    told = [one["light_injection"] for one in ran.of("hands_input")]
    assert "Ask before pushing." not in told[0]
    assert "- Ask before pushing." in told[1]
    assert told[2] == ""
    assert "Ask before pushing." in ran.stdout
