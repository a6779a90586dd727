"""What a judge is told, what it may decide, and what happens when it fails to."""

import json
from collections.abc import Callable, Iterator

import pytest

from mi.testing import fail
from mi.testing.server import ScriptedServer
from tests.autopilot.workbench import MEND, TEST, Json, Workbench, models_for, run, write
from tests.autopilot.workbench import say as says
from tests.mind.answers import asked, model, parts

Open = Callable[..., ScriptedServer]
DONE = [MEND, TEST, says("Fixed and tested. Done.")]
GO_ON = {"next_action": "send_to_hands", "status": "not_done", "next_hands_input": "Go on."}
ASKS = {"next_action": "ask_user", "status": "not_done", "ask_user_question": "Which colour?"}


@pytest.fixture
def judged(bench: Workbench) -> Iterator[Open]:
    """Opens a model and lets it judge the bench's runs."""
    with models_for(bench) as make:
        yield make


def prompts(server: ScriptedServer) -> dict[str, dict[str, str]]:
    """The first prompt of each name that the model got."""
    found: dict[str, dict[str, str]] = {}
    for request in server.requests:
        found.setdefault(asked(request), parts(request))
    return found


# what it is told


@pytest.mark.req(
    "v1.prompt.extract-in",
    "v1.prompt.risk-in",
    "v1.prompt.checks-in",
    "v1.prompt.answer-in",
    "v1.prompt.decide-in",
    "v1.prompt.loop-break-in",
    "v1.cfg.mindspec-base-name",
    "v1.cfg.prompt-merge",
    "v1.cfg.sanitized-compiled",
    "v0.prompt.decide-risk-input",
    "v1.loop.load",
)
def test_every_prompt_gets_what_it_needs(bench: Workbench, judged: Open) -> None:
    (bench.project / "test_calc.py").unlink()
    bench.values("Keep changes small.")
    looping = {"action": "stop_blocked", "notes": "stuck"}
    harmless = {"category": "push", "severity": "low", "should_ask_user": False, "mitigation": ["revoke it"]}
    server = judged(model(decide_next=GO_ON, loop_break=looping, risk_judge=harmless))
    act = [write("a.txt", "x\n"), run("git push origin main"), says("Still looking. Is that right?")]
    bench.agent(*[act] * 8)
    ran = bench.run("fix the parser")
    ran.ended("blocked")
    got = prompts(server)
    names = {"extract_evidence", "risk_judge", "plan_min_checks", "auto_answer_to_hands", "decide_next", "loop_break"}
    assert set(got) == names
    for name in names:
        assert got[name]["HANDS"] == "replay", name
        assert got[name]["TASK"] == "fix the parser", name
        assert got[name]["AGENT'S LAST MESSAGE"] == "Still looking. Is that right?", name
    for name in names - {"extract_evidence"}:
        spec = json.loads(got[name]["mindspec_base"])
        assert spec["verification"]["no_tests_policy"] == "ask_once_per_project_then_remember"
        assert set(spec["project_overlay"]) == {"stack_hints", "testless_verification_strategy", "workflow_run"}
        assert not {"values_summary", "decision_procedure", "compiled_values"} & set(spec)
        decides = name in ("decide_next", "loop_break")
        assert "Keep changes small." in got[name]["thought_db_context" if decides else "VALUES"]
    assert "git push origin main (exit 128)" in got["extract_evidence"]["COMMANDS SEEN"]
    assert "command_execution" in got["extract_evidence"]["EVENTS"]
    assert "?? a.txt" in got["extract_evidence"]["REPOSITORY"]
    assert "?? a.txt" in got["plan_min_checks"]["REPOSITORY"]
    assert "$ git push origin main\n" in got["risk_judge"]["TRANSCRIPT"]
    assert got["decide_next"]["RISK AS JUDGED"] == "low push; revoke it"
    assert "risk: low push" in got["decide_next"]["RECENT EVIDENCE"]
    assert "Is that right?" in got["auto_answer_to_hands"]["QUESTIONS"]
    assert got["loop_break"]["PATTERN"].startswith("aaa: ")
    assert got["loop_break"]["NEXT INPUT"] == "Go on."


@pytest.mark.req("v1.prompt.decide-in")
def test_decide_next_sees_the_thoughts_and_how_they_relate(bench: Workbench, judged: Open) -> None:
    bench.values("Keep changes small.")
    bench.agent([says("Looking.")])
    bench.mi("node", "create", "--type", "decision", "--title", "Parser", "--text", "The parser stays recursive.")
    node = next(iter(_thoughts(bench, "nodes.jsonl")))["node_id"]
    claim = next(one for one in _thoughts(bench, "claims.jsonl") if "values:base" in one["tags"])["claim_id"]
    linked = bench.mi("edge", "create", "--type", "supports", "--from", node, "--to", claim)
    assert linked.code == 0, linked.stderr
    server = judged(model(decide_next={"next_action": "stop", "status": "blocked"}))
    ran = bench.run("change the parser")
    got = prompts(server)["decide_next"]
    assert node in got["thought_db_context"]
    assert claim in got["thought_db_context"]
    used = ran.of("decide_next")[0]["thought_db"]
    assert (node in used["node_ids"], claim in used["values_claim_ids"], used["edges_n"]) == (True, True, 1)


def _thoughts(bench: Workbench, name: str) -> list[Json]:
    return [json.loads(line) for file in bench.home.glob(f"**/{name}") for line in file.read_text("utf-8").splitlines()]


@pytest.mark.req("mi.mind.stable-first", "mi.mind.token-budget")
def test_the_stable_part_comes_first_and_a_long_message_is_cut_to_the_budget(bench: Workbench, judged: Open) -> None:
    bench.values("Keep changes small.")
    server = judged(model())
    bench.agent([MEND, TEST, says("Done. " + "It is a long story. " * 5000)])
    bench.run().ended("done")
    bench.agent([TEST, says("Checked. Done.")])
    bench.run("check it once more")
    told = [request for request in server.requests if asked(request) == "decide_next"]
    assert len({json.dumps(request.body["messages"][0]) for request in told}) == 1
    sections = list(parts(told[0]))
    assert sections.index("thought_db_context") < sections.index("mindspec_base") < sections.index("RECENT EVIDENCE")
    assert sections.index("RECENT EVIDENCE") < sections.index("TASK") < sections.index("AGENT'S LAST MESSAGE")
    assert max(len(request.user_texts[-1]) for request in server.requests) <= 6000 * 4 * 1.1
    assert "characters left out" in parts(told[0])["AGENT'S LAST MESSAGE"]


# what it decides


@pytest.mark.req("v1.rec.decide-next-phase", "v1.loop.decide-outcomes", "v1.ctx.after-user")
def test_the_persons_answer_is_decided_upon_again(bench: Workbench, judged: Open) -> None:
    bench.values("Keep changes small.")
    moves = iter([ASKS, GO_ON | {"next_hands_input": "Make it green."}, {}])
    server = judged(model(decide_next=lambda request: next(moves)))
    bench.agent([says("I have read the code.")], DONE)
    bench.run().ended("blocked")
    (item,) = bench.inbox()
    assert bench.mi("answer", item["id"], "Green, as ever.").code == 0
    ran = bench.run("--resume")
    ran.ended("done")
    assert [one["phase"] for one in ran.of("decide_next")] == ["initial", "after_user", "initial"]
    assert ran.inputs[-1] == "Make it green."
    again = [parts(request) for request in server.requests if asked(request) == "decide_next"][1]
    assert again["THE PERSON JUST ANSWERED"] == "Green, as ever."
    assert "Keep changes small." in again["thought_db_context"]
    first, second, _ = (one["thought_db"] for one in ran.of("decide_next"))
    assert (first["values_claim_ids"], first["as_of_ts"] < second["as_of_ts"]) == (second["values_claim_ids"], True)


@pytest.mark.req("v1.rec.decide-next-phase", "mi.prompt.decide-next-overlay")
def test_a_judge_that_would_ask_twice_passes_the_answer_on(bench: Workbench, judged: Open) -> None:
    strategy = {"set_testless_strategy": {"strategy": "The page renders.", "rationale": "said so"}}
    moves = iter([ASKS, ASKS | {"update_project_overlay": strategy}, {}])
    judged(model(decide_next=lambda request: next(moves)))
    bench.agent([says("I have read the code.")], DONE)
    bench.run().ended("blocked")
    bench.mi("answer", bench.inbox()[0]["id"], "Green. And it is enough when the page renders.")
    ran = bench.run("--resume")
    ran.ended("done")
    assert ran.inputs[-1] == "Green. And it is enough when the page renders."
    assert [one["strategy"] for one in ran.of("testless_strategy_set")] == ["The page renders."]


@pytest.mark.req("v1.mindfail.ask-override")
def test_a_judge_that_fails_to_decide_leaves_it_to_the_person(bench: Workbench, judged: Open) -> None:
    script = model()
    failures = iter([True])
    judged(
        lambda request: (
            fail(500, "out of order") if asked(request) == "decide_next" and next(failures, False) else script(request)
        )
    )
    bench.agent(DONE, [TEST, says("Checked again. Done.")])
    ran = bench.run()
    ran.ended("blocked")
    (item,) = bench.inbox()
    assert "out of order" in item["question"]
    assert ran.of("decide_next")[0]["state"] == "error"
    bench.mi("answer", item["id"], "Check it once more.")
    ran = bench.run("--resume")
    ran.ended("done")
    assert ran.inputs[-1] == "Check it once more."


@pytest.mark.req("v1.mindfail.blocked")
def test_a_judge_that_fails_to_decide_blocks_whoever_does_not_want_to_be_asked(bench: Workbench, judged: Open) -> None:
    script = model()
    judged(lambda request: fail(500, "out of order") if asked(request) == "decide_next" else script(request))
    bench.mi("settings", "set", "--ask-when-uncertain", "proceed")
    bench.agent(DONE)
    ran = bench.run()
    ran.ended("blocked")
    assert "the judge failed" in ran.end["reason"]
    assert ran.of("question") == []


@pytest.mark.parametrize(
    ("way", "status", "reason"),
    [
        ({"action": "stop_done"}, "blocked", "no check was seen"),
        ({"action": "stop_blocked"}, "blocked", "repeats itself"),
        ({"action": "run_checks_then_continue", "check_intent": "the sum is right"}, "done", "a check"),
    ],
    ids=lambda one: one["action"] if isinstance(one, dict) else "",
)
@pytest.mark.req("v1.rec.loop-break-stop", "v1.rec.loop-break-checks", "v1.guard.no-step-reporting")
def test_a_loop_is_left_in_the_way_the_judge_says(
    bench: Workbench, judged: Open, way: Json, status: str, reason: str
) -> None:
    plan = {"should_run_checks": True, "hands_check_input": "Run `python3 -m unittest -q`.", "notes": "planned"}
    server = judged(
        model(
            decide_next=lambda request: {} if "verified" in parts(request)["MARKS"] else GO_ON,
            loop_break=way,
            plan_min_checks=plan,
        )
    )
    stuck = [says("Thinking.")]
    bench.agent(stuck, stuck, stuck, DONE if status == "done" else stuck)
    ran = bench.run()
    ran.ended(status)
    assert reason in ran.end["reason"]
    plans = [one for one in ran.of("check_plan") if one["batch_id"].endswith(".loop_break")]
    if status == "done":
        assert [one["checks"]["notes"] for one in plans] == ["planned"]
        assert ran.inputs[3] == "Run `python3 -m unittest -q`."
        forced = [parts(one) for one in server.requests if asked(one) == "plan_min_checks"][-1]
        assert forced["A CHECK MUST SHOW NOW"] == "the sum is right"
    else:
        assert plans == []
    assert not any("step" in text.lower() for text in ran.inputs)


def test_stop_done_ends_a_proved_run_as_done(bench: Workbench, judged: Open) -> None:
    judged(model(decide_next=GO_ON, loop_break={"action": "stop_done"}))
    bench.agent(DONE, *[[TEST, says("Fixed and tested. Done.")]] * 3)
    bench.run().ended("done")


@pytest.mark.req("v1.rec.check-plan-after-tls-claim", "v1.rec.testless-consistent", "v1.overlay.testless-refresh")
@pytest.mark.parametrize("when", ["planning", "loop break"])
def test_a_strategy_that_was_chosen_is_not_asked_for_again(bench: Workbench, judged: Open, when: str) -> None:
    (bench.project / "test_calc.py").unlink()
    needs = {"needs_testless_strategy": True, "testless_strategy_question": "What counts?"}
    planned = {"should_run_checks": True, "hands_check_input": "Show the page."}
    bench.agent([write("a.txt", "x\n"), says("Done.")])
    bench.run("write a").ended("blocked")
    bench.mi("answer", bench.inbox()[0]["id"], "The page renders.")
    bench.run("--resume")
    (overlay,) = bench.home.glob("projects/*/overlay.json")
    chosen = json.loads(overlay.read_text("utf-8"))
    claim = chosen["testless_verification_strategy"]["claim_id"]
    chosen["testless_verification_strategy"] = {"chosen_once": False, "claim_id": "", "rationale": ""}
    overlay.write_text(json.dumps(chosen), "utf-8")
    answers = iter([needs, planned] if when == "planning" else [{}] * 3 + [needs, planned])
    judged(
        model(
            plan_min_checks=lambda request: next(answers, {}),
            decide_next=lambda request: {} if when == "planning" else GO_ON,
            loop_break={"action": "run_checks_then_continue", "check_intent": "the page"},
        )
    )
    bench.agent(*[[write("b.txt", "x\n"), says("Same.")]] * 3, [says("It renders. Done.")])
    before = len(bench.records())
    bench.run("--max-batches", "4", "write b")
    later = bench.records()[before:]
    plans = [one["batch_id"] for one in later if one["kind"] == "check_plan"]
    expected = (
        ["b0", "b0.after_tls_claim"] if when == "planning" else ["b2.loop_break", "b2.loop_break.after_tls_claim"]
    )
    assert [one for one in plans if one in expected] == expected
    assert [one for one in later if one["kind"] == "question" and one["about"] != "limit"] == []
    assert "Show the page." in [one["input"] for one in later if one["kind"] == "hands_input"]
    assert json.loads(overlay.read_text("utf-8"))["testless_verification_strategy"]["claim_id"] == claim


@pytest.mark.req("mi.check.argv-planned-hint", "v1.checks.new-if-aligned")
@pytest.mark.parametrize(
    ("hint", "status"),
    [("python3 -m unittest -q selfcheck", "done"), ("echo fine", "blocked"), ("true; true || true", "blocked")],
)
def test_a_command_that_the_plan_names_is_a_check_when_it_can_fail(
    bench: Workbench, judged: Open, hint: str, status: str
) -> None:
    """Nothing in the project says how it is tested: the judge names a command, and the agent runs it."""
    (bench.project / "test_calc.py").rename(bench.project / "selfcheck.py")
    plan = {"should_run_checks": True, "commands_hints": [hint], "hands_check_input": f"Run `{hint}`."}
    server = judged(model(plan_min_checks=plan))
    bench.agent([MEND, says("Done.")], *[[run(hint), says("It passes. Done.")]] * 3)
    ran = bench.run()
    assert ran.end["marks"]["verified"] is (status == "done")
    if status == "done":
        ran.ended("done")
    told = next(request for request in server.requests if asked(request) == "plan_min_checks")
    assert "new smoke tests only if the values want them" in json.dumps(told.body["messages"][0])
