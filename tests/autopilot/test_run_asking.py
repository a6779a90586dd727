"""What a run asks the person, what it answers by itself, and how it goes on with an answer."""

import json
from pathlib import Path

import pytest

from tests.autopilot.workbench import MEND, TEST, Json, Ran, Workbench, run, say, write
from tests.waiting import wait_until

DONE = [MEND, TEST, say("Fixed and tested. Done.")]
COLOUR = "Which colour should the report have, red or green?"


def answered(bench: Workbench, text: str) -> str:
    """Answer what waits; the id of the run that asked."""
    waiting = bench.inbox()
    assert len(waiting) == 1, waiting
    assert bench.mi("answer", waiting[0]["id"], text).code == 0
    return str(waiting[0]["run_id"])


@pytest.mark.req(
    "v1.goal.answers-questions",
    "v1.root.auto-advance",
    "v1.emit.auto-answer",
    "v1.rec.auto-answer-body",
    "v1.loop.auto-answer-step",
    "v1.loop.plan-checks-step",
    "mi.ask.never-invented",
    "mi.prompt.auto-answer-cited",
)
def test_a_question_covered_by_the_values_is_answered_with_a_citation(bench: Workbench) -> None:
    bench.values("Use the unittest framework for tests, not pytest. Keep changes small.")
    bench.agent([say("Should I use the unittest framework or pytest for the tests?")], DONE)
    ran = bench.run()
    ran.ended("done")
    answer = ran.of("auto_answer")[0]["auto_answer"]
    assert answer["should_answer"] is True
    claims = {json.loads(line)["claim_id"]: json.loads(line)["text"] for line in _claims(bench)}
    assert [claims[cited] for cited in answer["cited_ids"]] == ["Use the unittest framework for tests, not pytest."]
    assert "unittest framework" in ran.inputs[1]
    assert bench.inbox() == []
    order = [kind for kind in ran.kinds if kind in ("evidence", "check_plan", "auto_answer")]
    assert order[:3] == ["evidence", "check_plan", "auto_answer"]


def _claims(bench: Workbench) -> list[str]:
    return [
        line
        for file in bench.home.glob("**/claims.jsonl")
        for line in file.read_text("utf-8").splitlines()
        if json.loads(line)["kind"] == "claim"
    ]


@pytest.mark.req(
    "mi.inbox.one",
    "mi.inbox.no-terminal-exit3",
    "mi.inbox.cmd",
    "mi.inbox.json",
    "mi.inbox.answer",
    "mi.inbox.resume",
    "mi.ids.qu",
    "mi.kind.question-written",
    "mi.kind.answer-user-input",
    "v1.arb.needs-user-input",
    "v1.arb.user-answer-sent",
    "v1.emit.user-input",
    "mi.fail.answers-recorded",
    "v1.root.ask-only-when-needed",
    "v1.prompt.answer-ask-last",
    "v1.loop.minimal-question",
)
def test_a_question_nothing_covers_waits_and_the_run_goes_on_with_the_answer(bench: Workbench) -> None:
    bench.values("Keep changes small.")
    bench.agent([say(COLOUR)], DONE)
    asked = bench.run()
    asked.ended("blocked")
    assert asked.of("question")[0]["text"] == COLOUR
    (item,) = bench.inbox()
    assert item["id"].startswith("qu_")
    assert {"id", "kind", "question", "run_id", "project_id", "ts", "answer_with"} <= set(item)
    assert (item["kind"], item["question"], item["run_id"]) == ("question", COLOUR, asked.end["run_id"])
    assert item["id"] in item["answer_with"]
    answered(bench, "Green, please.")
    assert bench.inbox() == []
    ran = bench.run("--resume")
    ran.ended("done")
    assert ran.inputs[-1] == "Green, please."
    (given,) = ran.of("user_input")
    assert (given["question_id"], given["answer"]) == (item["id"], "Green, please.")
    assert len(ran.of("hands_input")) == 2
    assert ran.end["run_id"] == asked.end["run_id"]


@pytest.mark.req("mi.inbox.answer-bad-id")
def test_an_answer_to_nothing_or_twice_is_refused(bench: Workbench) -> None:
    bench.agent([say(COLOUR)])
    bench.run()
    item = bench.inbox()[0]
    assert bench.mi("answer", "qu_unknown", "Green").code == 1
    assert bench.mi("answer", item["id"], "Green").code == 0
    again = bench.mi("answer", item["id"], "Red")
    assert again.code == 1
    assert item["id"] in again.stderr
    assert [one["answer"] for one in again.of("user_input")] == ["Green"]


@pytest.mark.req("mi.cli.exit-3")
def test_a_blocked_run_resumed_without_an_answer_asks_again_and_runs_nothing(bench: Workbench) -> None:
    bench.agent([say(COLOUR)], DONE)
    bench.run()
    again = bench.run("--resume")
    again.ended("blocked")
    assert {"mi inbox", "mi run --resume"} <= set(json.loads(bench.mi("status", "--json").stdout)["next"])
    assert len(again.of("hands_input")) == 1
    assert len(bench.inbox()) == 1
    answered(bench, "Green")
    bench.run("--resume").ended("done")


@pytest.mark.req(
    "v1.arb.user-answer-plus-checks",
    "v1.arb.combined-one-input",
    "v1.loop.arbitration-step",
    "v1.arb.answer-and-or-checks",
)
def test_an_answer_and_a_check_travel_together(bench: Workbench) -> None:
    bench.values("Use the unittest framework for tests, not pytest.")
    asks = [MEND, say("Should I use the unittest framework or pytest for the tests?")]
    bench.agent(asks, [TEST, say("It passes.")])
    ran = bench.run()
    ran.ended("done")
    assert "unittest framework" in ran.inputs[1]
    assert "Run `" in ran.inputs[1]


def test_a_grave_question_is_answered_only_by_a_value_that_names_it(bench: Workbench) -> None:
    bench.values("Keep the main branch clean. Name the version in every commit.")
    bench.agent([say("Should I push the new version to the main branch now?")])
    ran = bench.run()
    ran.ended("blocked")
    assert "push" in bench.inbox()[0]["question"]


def test_a_value_that_wants_to_be_asked_is_no_answer(bench: Workbench) -> None:
    bench.values("Ask me before you change the public API of calc.")
    bench.agent([say("May I change the public API of calc?")])
    bench.run().ended("blocked")


@pytest.mark.req("mi.mind.rules-conservative")
def test_chinese_task_values_and_question(bench: Workbench) -> None:
    bench.values("测试框架一律使用 unittest。改动要小。")
    bench.agent([say("请问测试框架使用 unittest 还是 pytest？")], [MEND, TEST, say("已修复，测试通过了。")])
    ran = bench.run("修复失败的测试")
    ran.ended("done")
    assert ran.of("auto_answer")[0]["auto_answer"]["cited_ids"]
    assert "测试框架一律使用 unittest" in ran.inputs[1]
    assert ran.of("run_start")[0]["task"] == "修复失败的测试"


def test_chinese_question_without_an_answer_waits(bench: Workbench) -> None:
    bench.values("改动要小。")
    bench.agent([say("报告要用红色还是绿色，请确认？")], [MEND, TEST, say("已完成。")])
    bench.run("修复失败的测试").ended("blocked")
    assert "红色" in bench.inbox()[0]["question"]
    assert bench.records()[-1]["reason"] == "有一个问题在等你回答"
    answered(bench, "绿色")
    ran = bench.run("--resume")
    ran.ended("done")
    assert ran.inputs[-1] == "绿色"


@pytest.mark.req("mi.inbox.notify", "mi.config.notify")
def test_nobody_at_the_terminal_is_told_by_the_configured_command(bench: Workbench, tmp_path: Path) -> None:
    told = tmp_path / "told"
    script = tmp_path / "tell.sh"
    part = tmp_path / "part"
    script.write_text(f'#!/bin/sh\nprintf "%s|%s" "$1" "$MI_QUESTION_ID" > {part} && mv {part} {told}\n', "utf-8")
    script.chmod(0o755)
    bench.config["notify"] = str(script)
    bench.agent([say(COLOUR)])
    bench.run().ended("blocked")
    assert wait_until(told.exists, 30)
    said, asked = told.read_text("utf-8").split("|")
    assert asked == bench.inbox()[0]["id"]
    for one in (bench.project.name, "fix the failing test", COLOUR, "  A  red", "  B  green", "mi answer 1"):
        assert one in said


def test_a_notify_command_that_fails_changes_nothing(bench: Workbench) -> None:
    bench.config["notify"] = "/nowhere/tell 'unbalanced"
    bench.agent([say(COLOUR)])
    bench.run().ended("blocked")
    assert wait_until(lambda: len(bench.inbox()) == 2, 30)
    assert {item["kind"] for item in bench.inbox()} == {"question", "notification"}


# without tests


@pytest.fixture
def testless(bench: Workbench) -> Workbench:
    (bench.project / "test_calc.py").unlink()
    return bench


CHANGE = [write("words.txt", "one\n"), say("Done.")]
SHOWN = [run("cat words.txt"), say("Here it is.")]
STRATEGY = "Show the file with cat; that is enough."


@pytest.mark.req(
    "v1.hard.no-tests-ask-once",
    "v1.hard.no-tests-reuse",
    "v1.plan.no-tests-once",
    "v1.arb.testless-second",
    "v1.arb.testless-claim",
    "v1.arb.testless-mirror",
    "v1.arb.testless-replan",
    "v1.rec.check-plan-multiple",
    "v1.rec.check-plan-after-testless",
    "v1.emit.testless-strategy-set",
    "v1.overlay.testless-shape",
    "v1.overlay.testless-pointer",
    "mi.done.close-testless",
)
def test_what_counts_without_tests_is_asked_once_per_project_and_remembered(testless: Workbench) -> None:
    testless.agent(CHANGE, SHOWN)
    asked = testless.run("write the notes")
    asked.ended("blocked")
    assert "no tests" in testless.inbox()[0]["question"]
    answered(testless, STRATEGY)
    ran = testless.run("--resume")
    ran.ended("done")
    (chosen,) = ran.of("testless_strategy_set")
    assert chosen["strategy"] == STRATEGY
    (claim,) = [one for one in map(json.loads, _claims(testless)) if one["scope"] == "project"]
    assert claim["text"] == STRATEGY
    assert claim["tags"] == ["mi:testless_verification_strategy"]
    assert (claim["claim_type"], claim["scope"]) == ("preference", "project")
    assert claim["source_refs"] == [{"kind": "evidence_event", "event_id": chosen["event_id"]}]
    overlay = json.loads(next(testless.home.glob("projects/*/overlay.json")).read_text("utf-8"))
    pointer = overlay["testless_verification_strategy"]
    assert (pointer["chosen_once"], pointer["claim_id"]) == (True, claim["claim_id"])
    assert STRATEGY not in json.dumps(overlay)
    assert STRATEGY in ran.inputs[-1]
    plans = [plan["batch_id"] for plan in ran.of("check_plan")]
    assert plans == ["b0", "b0.after_testless", "b1"]

    testless.agent([write("words.txt", "two and two\n"), say("Done.")], SHOWN)
    again = testless.run("write more notes")
    again.ended("done")
    assert len(again.of("question")) == 1
    assert len(again.of("testless_strategy_set")) == 1


@pytest.mark.req("judge.strategy.values")
def test_a_value_says_what_counts_without_tests_until_the_project_says_otherwise(testless: Workbench) -> None:
    value = "Where there are no tests, showing the file counts as verified."
    testless.values(value)
    testless.agent(CHANGE, SHOWN)
    ran = testless.run("write the notes")
    ran.ended("done")
    assert ran.of("question") == []
    assert value in ran.inputs[1]
    cited = next(one["claim_id"] for one in map(json.loads, _claims(testless)) if one["tags"][0] == "values:base")
    assert cited in ran.of("run_end")[0]["reason"]
    assert ran.of("hands_input")[0]["light_injection"].count(value) == 1
    testless.values("Keep changes small.")
    testless.agent([write("words.txt", "two and two\n"), say("Done.")], SHOWN)
    testless.run("write the notes").ended("blocked")
    assert "no tests" in testless.inbox()[0]["question"]


@pytest.mark.parametrize("named", ["python3 -c 'open(\"words.txt\")'", "Run `grep -q one words.txt`, that is enough."])
@pytest.mark.req("mi.done.close-testless", "mi.done.text-never-closes", "mi.check.argv-planned-hint")
def test_a_command_that_was_agreed_must_be_seen_to_succeed(testless: Workbench, named: str) -> None:
    command = named.split("`")[1] if "`" in named else named
    testless.agent(CHANGE, [say("I looked at it, all is well. Done.")], [run(command), say("Done.")])
    testless.run("write the notes")
    answered(testless, named)
    ran = testless.run("--resume")
    ran.ended("blocked")
    assert f"`{command}`" in ran.inputs[1]

    testless.agent([write("words.txt", "one more\n"), run(command), say("Done.")], [run(command), say("Done.")])
    again = testless.run("write more notes")
    again.ended("done")
    assert again.end["marks"]["verified"] is True


@pytest.mark.req("mi.config.verification-policy")
def test_never_ask_means_never(testless: Workbench) -> None:
    testless.config["runtime"] = {"verification": {"no_tests_policy": "never_ask"}}
    testless.agent(CHANGE, SHOWN)
    ran = testless.run("write the notes")
    ran.ended("blocked")
    assert ran.of("question") == []


# risk

PUSH = [MEND, TEST, run("git push origin main"), say("Fixed and pushed. Done.")]


def policy(bench: Workbench, **knobs: object) -> None:
    bench.config["runtime"] = {"violation_response": knobs}


@pytest.mark.req(
    "v1.soft.post-hoc-detection",
    "v1.soft.escalation",
    "v1.risk.prompt-to-continue",
    "v1.risk.shape",
    "v1.emit.risk-event",
    "v1.root.controller-only",
    "mi.product.no-command-gating",
    "ac.hook.run-never-gates",
)
def test_a_risky_command_is_not_gated_but_recorded_and_asked_about(bench: Workbench) -> None:
    bench.agent(PUSH)
    ran = bench.run()
    ran.ended("blocked")
    (event,) = ran.of("risk_event")
    assert event["risk_signals"] == ["push: git push origin main"]
    assert (event["risk"]["category"], event["risk"]["severity"]) == ("push", "high")
    assert set(event["risk"]) == {"category", "severity", "should_ask_user", "mitigation", "learn_suggested"}
    assert "git push origin main" in bench.inbox()[0]["question"]
    commands = ran.of("batch_end")[0]["seen"]["commands"]
    assert [one["exit_code"] for one in commands] == [0, 128]  # it ran: there is only no such remote


@pytest.mark.parametrize(
    ("word", "status"),
    [("yes, go on", "done"), ("no, stop here", "blocked"), ("可以，继续", "done"), ("不行", "blocked")],
)
def test_the_answer_about_a_risk_is_obeyed(bench: Workbench, word: str, status: str) -> None:
    bench.agent(PUSH, [TEST, say("Done.")])
    bench.run().ended("blocked")
    told = bench.mi("answer", "1", word)
    assert ("Go on with" in told.stdout, "goes no further" in told.stdout) == (status == "done", status == "blocked")
    ran = bench.run("--resume")
    ran.ended(status)
    if status == "blocked":
        assert len(ran.of("hands_input")) == 1


@pytest.mark.parametrize(
    ("knobs", "asked"),
    [
        ({}, True),
        ({"ask_user_on_high_risk": False}, False),
        ({"ask_user_risk_severities": ["critical"]}, False),
        ({"ask_user_risk_categories": ["publish"]}, False),
        ({"ask_user_risk_categories": ["push"]}, True),
    ],
)
@pytest.mark.req("v1.risk.master-switch", "v1.risk.severities", "v1.risk.categories")
def test_the_policy_says_which_risks_are_asked_about(bench: Workbench, knobs: Json, asked: bool) -> None:
    policy(bench, **knobs)
    bench.agent(PUSH)
    ran = bench.run()
    ran.ended("blocked" if asked else "done")
    assert len(ran.of("risk_event")) == 1
    assert bool(ran.of("question")) is asked


@pytest.mark.req("v1.risk.respect-should-ask")
def test_whether_the_judge_wants_to_ask_counts_as_configured(bench: Workbench) -> None:
    install = [MEND, TEST, run("pip install --dry-run --no-index nothing-of-that-name || true"), say("Done.")]
    severities = ["low", "medium", "high", "critical"]
    policy(bench, ask_user_risk_severities=severities)
    bench.agent(install)
    bench.run().ended("done")
    policy(bench, ask_user_risk_severities=severities, ask_user_respect_should_ask_user=False)
    bench.agent([TEST, *install[2:]])
    bench.run("check it once more").ended("blocked")


INSTALL = "pip install --dry-run --no-index nothing-of-that-name || true"
FETCH = "curl --max-time 1 http://nowhere.invalid/nothing || true"


@pytest.mark.parametrize(
    ("key", "command", "policy", "said"),
    [
        ("install_policy", INSTALL, "ask", "Ask before you install anything."),
        ("install_policy", INSTALL, "values_judged", "delete, install, spend"),
        ("install_policy", INSTALL, "allow", "Installing what the work needs is allowed."),
        ("network_policy", FETCH, "ask", "Ask before anything goes over the network."),
        ("network_policy", FETCH, "values_judged", "stop and ask."),
        ("network_policy", FETCH, "allow", "The network may be used."),
    ],
)
@pytest.mark.req("mi.config.network-policy", "mi.config.install-policy")
def test_network_and_installing_go_by_the_persons_policy(
    bench: Workbench, key: str, command: str, policy: str, said: str
) -> None:
    bench.config["runtime"] = {"external_actions": {key: policy}}
    bench.agent([MEND, TEST, run(command), say("Done.")])
    ran = bench.run()
    ran.ended("blocked" if policy == "ask" else "done")
    assert bool(bench.inbox()) is (policy == "ask")
    assert bool(ran.of("risk_event")) is (policy != "allow")  # what is allowed is seen, and judged no more
    assert any(command.split()[0] in signal for signal in ran.of("evidence")[0]["risk_signals"])
    assert said in ran.of("hands_input")[0]["light_injection"]


def test_a_chinese_task_is_asked_about_in_chinese(bench: Workbench) -> None:
    bench.agent(PUSH)
    ran = bench.run("修复失败的测试")
    ran.ended("blocked")
    assert bench.inbox()[0]["question"] == "代理做了有风险的操作（推送，高）：push: git push origin main。要继续吗？"
    assert ran.end["reason"] == "有一项风险需要你表态"
    answered(bench, "不行")
    assert bench.run("--resume").end["reason"] == "因为一项风险被你停止"


def test_a_command_that_is_only_mentioned_is_no_risk(bench: Workbench) -> None:
    bench.agent([MEND, TEST, run("echo git push origin main"), say("Done. I did NOT run `git push`.")])
    ran = bench.run()
    ran.ended("done")
    assert ran.of("risk_event") == []


# going round in circles


def stuck(ran: Ran, pattern: str) -> None:
    (guard,) = ran.of("loop_guard")
    (way,) = ran.of("loop_break")
    assert guard["pattern"] == way["pattern"] == pattern
    assert set(way["output"]) >= {"action", "confidence", "rewritten_next_input", "check_intent", "ask_user_question"}


FAILS = [run("date +%N >> tries.txt"), run("python3 -m unittest -q missing 2>/dev/null"), say("It still fails.")]


@pytest.mark.req(
    "v1.guard.aaa",
    "v1.guard.signature",
    "v1.rec.loop-break-output",
    "v1.rec.loop-pattern-enum",
    "v1.guard.record",
    "v1.guard.calls-loop-break",
    "v1.guard.break-record",
    "v1.guard.ask-when-uncertain",
)
def test_the_same_exchange_three_times_is_broken(bench: Workbench) -> None:
    bench.agent(*[FAILS] * 8)
    ran = bench.run()
    ran.ended("blocked")
    stuck(ran, "aaa")
    assert len(ran.of("hands_input")) == 3
    assert "repeats itself" in bench.inbox()[0]["question"]


@pytest.mark.req("v1.guard.abab")
def test_two_exchanges_in_turn_are_broken(bench: Workbench) -> None:
    other = [FAILS[0], run("python3 -m unittest -q absent 2>/dev/null"), say("Now something else fails.")]
    bench.agent(*[FAILS, other] * 4)
    ran = bench.run()
    ran.ended("blocked")
    stuck(ran, "abab")


@pytest.mark.req("v1.guard.blocked", "v1.mindfail.effective-claim")
def test_a_loop_is_blocked_without_a_question_when_the_person_does_not_want_to_be_asked(bench: Workbench) -> None:
    bench.values("Keep changes small.")
    bench.mi("settings", "set", "--ask-when-uncertain", "proceed")
    bench.agent(*[FAILS] * 8)
    ran = bench.run()
    ran.ended("blocked")
    stuck(ran, "aaa")
    assert ran.of("question") == []


@pytest.mark.req("v1.cli.show-last-loop")
def test_show_last_tells_of_the_loop(bench: Workbench) -> None:
    bench.agent(*[FAILS] * 8)
    bench.run()
    shown = json.loads(bench.mi("show", "last", "--json").stdout)
    assert shown["loop_guard"]["pattern"] == "aaa"
    assert shown["loop_break"]["output"]["action"] == "ask_user"


@pytest.mark.req("person.answer.beside")
def test_an_agent_without_a_thread_hears_the_answer_beside_its_own_question(bench: Workbench, tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    agent = ["sh", "-c", f'printf "%s" "$0" > {heard}; echo "Which colour should the report have?"', "{prompt}"]
    bench.configure(hands={"provider": "cli", "cli": {"exec": agent}})
    bench.run("write the report").ended("blocked")
    answered(bench, "Green.")
    bench.run("--resume")
    assert "write the report\n\nYou wrote last:\nWhich colour should the report have?\n\nGreen." in heard.read_text(
        "utf-8"
    )
