"""The team's rules in a run: preflight, override, the review gate after each batch, reviewers' findings."""

import json
import shutil
from typing import Any

import pytest

from mi.testing import KEY, answer_json, chat_server, fail, hang, say
from tests.autopilot.workbench import MEND, TEST, Ran, Workbench, edit, write
from tests.autopilot.workbench import say as says

DONE = [MEND, TEST, says("Fixed and tested. Done.")]
TASK = ("fix", "the", "failing", "test")
# 7 new files in 3 folders, one a migration: 7 change units, raw risk 3 + 1
RISKY = [
    *(write(f"db/migrations/00{n}.sql", f"select {n};\n") for n in range(3)),
    *(write(f"app/part{n}.txt", "text\n") for n in range(2)),
    *(write(f"web/part{n}.txt", "text\n") for n in range(2)),
]


def gates(ran: Ran) -> list[dict[str, Any]]:
    """What the rules recorded about the person's word; a run also records its own verification."""
    return [one for one in ran.of("verification") if one["gate"] in ("preflight", "review")]


def rules(bench: Workbench, preflight: str = "advise", **more: Any) -> None:
    bench.configure(governance={"preflight": preflight, **more})


@pytest.mark.req(
    "mi.product.run-preflight", "mi.product.preflight-asks-high", "mi.kind.preflight-written", "gov.spec.run-done-rule",
)  # fmt: skip
def test_a_harmless_run_is_asked_nothing_and_pays_one_record(bench: Workbench) -> None:
    bench.agent(DONE)
    rules(bench)
    ran = bench.run(*TASK)
    ran.ended("done")
    assert [one["verdict"] for one in ran.of("preflight")] == ["free"]
    assert {"question", "review", "override"} & {*ran.kinds} == set()
    assert gates(ran) == []
    assert "preflight" not in ran.stdout
    assert ran.end["spent"]["calls"] == 0


def test_a_question_about_something_risky_is_no_risk(bench: Workbench) -> None:
    bench.agent([says("It fails because add() ignores b.")])
    rules(bench)
    ran = bench.run("why", "does", "the", "login", "fail?")
    ran.ended("done")
    assert ran.of("question") == []


@pytest.mark.req("mi.config.gov-preflight")
def test_switched_off_nothing_is_said_or_recorded(bench: Workbench) -> None:
    bench.agent([*RISKY, *DONE])
    rules(bench, "off")
    ran = bench.run("fix", "the", "login", "test")
    ran.ended("done")
    assert {"preflight", "question"} & {*ran.kinds} == set()
    assert gates(ran) == []


@pytest.mark.req("gov.lang.message", "gov.intro.zh-verbatim")
def test_the_person_is_asked_in_the_language_of_the_task(bench: Workbench) -> None:
    bench.agent(DONE)
    rules(bench)
    ran = bench.run("赶紧修复登录测试")
    ran.ended("blocked")
    (question,) = ran.of("question")
    assert "⚡ 速度模式:本次决策建议后续review" in question["text"]
    bench.mi("answer", question["id"], "同意")
    again = bench.run("--resume")
    again.ended("done")
    assert len(again.of("question")) == 1


@pytest.mark.req("mi.product.preflight-asks-high", "mx.challenge.wait-ack", "mx.tier.high-ack", "mx.orch.high-confirm")
def test_a_high_risk_task_asks_before_anything_runs_and_goes_on_with_the_answer(bench: Workbench) -> None:
    bench.agent(DONE)
    rules(bench)
    ran = bench.run("fix", "the", "login", "test")
    ran.ended("blocked")
    assert ran.of("hands_input") == []
    (question,) = ran.of("question")
    assert question["about"] == "rules"
    assert "risk 3" in question["text"]
    assert [one["id"] for one in bench.inbox()] == [question["id"]]
    bench.mi("answer", question["id"], "yes")
    again = bench.run("--resume")
    again.ended("done")
    assert gates(again)[0]["user_action"] == "confirmed"
    assert len(again.of("question")) == 1


@pytest.mark.req("one.smaller.preflight-light")
def test_under_light_single_words_start_the_agent_and_are_said(bench: Workbench) -> None:
    bench.agent(DONE)
    rules(bench, "irreversible")
    ran = bench.run("fix", "the", "production", "login", "test", "permanently")
    ran.ended("done")
    assert len(ran.of("hands_input")) == 1
    assert [one["verdict"] for one in ran.of("preflight")] == ["advise"]
    assert ran.of("question") == []


@pytest.mark.req("one.smaller.preflight-light")
def test_under_light_an_order_that_cannot_be_taken_back_is_asked_first(bench: Workbench) -> None:
    bench.agent(DONE)
    rules(bench, "irreversible")
    ran = bench.run("fix the add function and deploy it to production")
    ran.ended("blocked")
    assert ran.of("hands_input") == []
    (question,) = ran.of("question")
    assert "'deploy it to production'" in question["text"]
    bench.mi("answer", question["id"], "yes")
    again = bench.run("--resume")
    assert len(again.of("hands_input")) == 1
    assert len(again.of("question")) == 1


@pytest.mark.parametrize(
    ("answer", "status", "told"),
    [("no, not today", "blocked", None), ("only the add function", "done", "only the add")],
)
def test_the_person_may_refuse_or_say_more(bench: Workbench, answer, status, told) -> None:
    bench.agent(DONE)
    rules(bench)
    (question,) = bench.run("fix", "the", "login", "test").of("question")
    bench.mi("answer", question["id"], answer)
    ran = bench.run("--resume")
    ran.ended(status)
    assert gates(ran)[0]["user_action"] == ("rejected" if told is None else "modified")
    assert told is None or told in ran.inputs[0]


@pytest.mark.req(
    "mx.obey.log", "mx.obey.execute", "gov.mode.obey-run", "mi.kind.override-written", "gov.review.large-high-override"
)
@pytest.mark.parametrize(
    "args",
    [("--override", "agreed in the meeting", "fix", "the", "login", "test"), ("override,", "fix", "the", "login")],
)
def test_an_override_is_obeyed_for_the_whole_run_and_logged(bench: Workbench, args) -> None:
    bench.agent([*RISKY, *DONE])
    rules(bench)
    ran = bench.run(*args)
    ran.ended("done")
    assert ran.of("question") == []
    assert [one["verdict"] for one in ran.of("preflight")] == ["override"]
    scopes = [one["scope"] for one in ran.of("override")]
    assert scopes[0] == "run"
    assert "split required" in scopes[1]


def test_an_override_needs_a_reason(bench: Workbench) -> None:
    bench.agent(DONE)
    ran = bench.run("--override", " ", *TASK)
    assert (ran.code, ran.records) == (2, [])


@pytest.mark.req("gov.spec.run-advise")
def test_an_unclear_task_is_advised_about(bench: Workbench) -> None:
    bench.agent(DONE)
    rules(bench)
    ran = bench.run("fix", "it")
    ran.ended("done")
    assert "acceptance criteria are unclear" in ran.stdout


@pytest.mark.req("gov.spec.run-enforce", "mx.spec.ask", "gov.spec.no-execution")
def test_an_unclear_task_is_blocked_where_rules_are_enforced(bench: Workbench) -> None:
    bench.agent(DONE)
    rules(bench, "enforce")
    ran = bench.run("fix", "it")
    ran.ended("blocked")
    assert ran.of("hands_input") == []
    bench.mi("answer", ran.of("question")[-1]["id"], "the failing test of calc.py")
    again = bench.run("--resume")
    again.ended("done")
    assert "the failing test of calc.py" in again.inputs[-1]


@pytest.mark.req(
    "mi.product.run-review-gate", "gov.review.large-high", "mx.review.large-confirm", "gov.cu.more-approval",
    "gov.ext.degraded", "gov.ext.degraded-recorded", "gov.verif.gate", "gov.verif.user-action", "gov.verif.post-result",
    "gov.verif.evidence-log", "mx.life.during-batch",
)  # fmt: skip
def test_seven_units_at_risk_four_ask_and_stop_without_a_terminal(bench: Workbench) -> None:
    bench.agent([*RISKY, *DONE])
    rules(bench)
    ran = bench.run(*TASK)
    ran.ended("blocked")
    assert ran.code == 3
    (question,) = ran.of("question")
    assert "8 units at risk 4" in question["text"]  # with the mended line
    assert [one["kind"] for one in bench.inbox()] == ["review"]
    status = json.loads(bench.mi("status", "--json").stdout)
    assert (status["pending"]["reviews"], status["waiting"][0]["kind"]) == (1, "review")
    bench.mi("answer", question["id"], "yes")
    again = bench.run("--resume")
    again.ended("done")
    assert [(one["reviewer"], one["degraded"], one["verdict"]) for one in again.of("review")] == [
        ("human", True, "accept")
    ]
    (seen,) = gates(again)
    assert (seen["gate"], seen["user_action"], seen["post_result"]) == ("review", "confirmed", "pending")
    assert any("split" in one["scope"] for one in again.of("override"))


@pytest.mark.parametrize(
    ("preflight", "status"), [("irreversible", "done"), ("advise", "blocked"), ("enforce", "blocked")]
)
def test_many_harmless_units_are_said_under_light_and_asked_about_elsewhere(bench, preflight, status) -> None:
    bench.agent([*(write(f"part{n}.txt", "text\n") for n in range(7)), *DONE])
    rules(bench, preflight)
    ran = bench.run(*TASK)
    ran.ended(status)
    assert bool(ran.of("question")) == (status == "blocked")
    if status == "done":
        assert "mi gate review" in gates(ran)[0]["verdict"]


@pytest.mark.req("gov.review.medium-low", "mx.review.medium-low", "mx.orch.middle")
def test_a_review_that_is_only_offered_is_said_and_asks_nothing(bench: Workbench) -> None:
    bench.agent([*(write(f"part{n}.txt", "text\n") for n in range(3)), *DONE])
    rules(bench)
    ran = bench.run(*TASK)
    ran.ended("done")
    assert "offered" in gates(ran)[0]["verdict"]


# reviewers

FINDING = {"severity": "high", "title": "Wrong sign", "detail": "calc.py subtracts", "action": "add instead"}


def verdict(name: str, *findings: dict[str, str]) -> dict[str, Any]:
    rest = {"confidence": 0.9, "risks": [], "unknowns": [], "next_action": "go on"}
    return {"verdict": name, "findings": list(findings), **rest}


def reviewing(bench: Workbench, url: str, monkeypatch: pytest.MonkeyPatch, **more: Any) -> None:
    monkeypatch.setenv("REVIEW_KEY", KEY)
    http = {"base_url": f"{url}/v1", "model": "reviewer", "api_key_env": "REVIEW_KEY", "max_retries": 0, **more}
    mind = {"provider": "rules", "openai_compatible": http}
    bench.configure(mind=mind, governance={"preflight": "advise", "reviewers": ["openai_compatible"]})


@pytest.mark.req(
    "mi.product.run-review-gate", "mi.kind.review-written", "mi.ids.rv", "mi.config.gov-reviewers",
    "mx.orch.high-review", "mx.ext.annotate-passed", "gov.ext.annotate-english",
)  # fmt: skip
def test_a_required_review_goes_to_the_reviewer_and_what_it_found_to_the_agent(bench, monkeypatch) -> None:
    migration = write("db/migrations/001.sql", "select 1;\n")
    notes = [write(f"app/n{n}.txt", "x\n") for n in range(2)]
    first = [migration, *notes, edit("calc.py", "    return a", "    return a - b - 0"), says("Done.")]
    second = [edit("calc.py", "    return a - b - 0", "    return a + b"), TEST, says("Fixed and tested. Done.")]
    bench.agent(first, second)
    with chat_server([answer_json(verdict("revise", FINDING)), answer_json(verdict("accept"))]) as server:
        reviewing(bench, server.url, monkeypatch)
        ran = bench.run(*TASK)
        ran.ended("blocked")  # at risk 4 a reviewer's yes is not the person's
        asked = [str(one.body) for one in server.requests]
        (question,) = ran.of("question")
        assert "4 units at risk 4" in question["text"]
        bench.mi("answer", question["id"], "yes")
        bench.run("--resume").ended("done")
        assert len(server.requests) == 2  # what was paid for is not asked again
    assert "Wrong sign" in ran.inputs[1]
    review = ran.of("review")[0]
    assert (review["reviewer"], review["verdict"], review["adopted"]) == ("openai_compatible", "revise", "full")
    assert review["id"].startswith("rv_")
    assert "db/migrations/001.sql" in asked[0]
    assert "python3 -m unittest" not in asked[0]  # nothing of the session


@pytest.mark.req("gov.ext.after-retry", "mx.ext.max-retries", "gov.ext.degraded")
@pytest.mark.parametrize("bad", [fail(500), say("Looks good to me!")], ids=["down", "prose"])
def test_a_reviewer_that_fails_twice_leaves_the_review_to_the_person(bench, monkeypatch, bad) -> None:
    bench.agent([*RISKY, *DONE])
    with chat_server([bad, bad]) as server:
        reviewing(bench, server.url, monkeypatch)
        ran = bench.run(*TASK)
        assert len(server.requests) == 2
    ran.ended("blocked")
    (failed,) = ran.of("review")
    assert (failed["verdict"], failed["meta"]["retries"], failed["adopted"]) == ("failed", 1, "none")
    assert "no reviewer answered" in ran.of("question")[0]["text"]
    assert failed["meta"]["adoption_notes"] in ran.stdout


@pytest.mark.req("gov.ext.degraded", "gov.ext.degraded-recorded")
def test_a_review_below_risk_four_that_nobody_gives_is_the_persons_too(bench, monkeypatch) -> None:
    bench.agent([write("auth/a.py", "x = 1\n"), *(write(f"auth/n{n}.txt", "x\n") for n in range(2)), *DONE])
    with chat_server([fail(500), fail(500)]) as server:
        reviewing(bench, server.url, monkeypatch)
        ran = bench.run(*TASK)
        ran.ended("blocked")
        (question,) = ran.of("question")
        assert "risk 3" in question["text"]
        bench.mi("answer", question["id"], "yes")
        again = bench.run("--resume")
    again.ended("done")
    assert [(one["reviewer"], one["degraded"]) for one in again.of("review")][-1] == ("human", True)


def test_a_reviewer_that_rejects_is_put_before_the_person(bench, monkeypatch) -> None:
    bench.agent([write("auth/a.py", "x = 1\n"), *(write(f"app/n{n}.txt", "x\n") for n in range(2)), *DONE])
    with chat_server([answer_json(verdict("reject", FINDING))]) as server:
        reviewing(bench, server.url, monkeypatch)
        ran = bench.run(*TASK)
    ran.ended("blocked")
    assert "Wrong sign" in ran.of("question")[0]["text"]


def test_a_reviewer_that_hangs_is_given_up(bench, monkeypatch) -> None:
    bench.agent([*RISKY, *DONE])
    with chat_server([hang(), hang()]) as server:
        reviewing(bench, server.url, monkeypatch, timeout_s=1)
        ran = bench.run(*TASK)
    ran.ended("blocked")
    assert "timeout" in ran.of("review")[0]["meta"]["adoption_notes"]


def test_a_run_outside_of_git_counts_files(bench: Workbench) -> None:
    shutil.rmtree(bench.project / ".git")
    bench.agent([*(write(f"part{n}.txt", "text\n") for n in range(3)), MEND, TEST, says("Done. Tested.")])
    rules(bench)
    ran = bench.run(*TASK)
    assert ran.of("batch_end")[0]["seen"]["change"]["units"] == 4


@pytest.mark.req("one.runs.team-waits")
def test_a_reviewers_yes_is_enough_where_the_matrix_wants_no_person(bench, monkeypatch) -> None:
    bench.agent([write("auth/a.py", "x = 1\n"), *(write(f"auth/n{n}.txt", "x\n") for n in range(2)), *DONE])
    with chat_server([answer_json(verdict("accept"))]) as server:
        reviewing(bench, server.url, monkeypatch)
        ran = bench.run(*TASK)
        assert len(server.requests) == 1
    ran.ended("done")
    assert ran.of("question") == []
