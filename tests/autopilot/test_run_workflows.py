"""A workflow in a whole run: called for by the task, told once, followed, asked at its gates, closed."""

import json
from typing import Any

import pytest

from tests.autopilot.test_person_steps import add_claim
from tests.autopilot.test_run_resume import killed
from tests.autopilot.workbench import MEND, TEST, Ran, Workbench, models_for, run, say
from tests.mind.answers import asked, model, parts

TASK = ("cut", "a", "release")
TOLD = "in a way of their own, 'Release'"
WORKED = [MEND, TEST, say("Done: the changelog is written and the tests pass.")]


def workflow(bench: Workbench, *steps: str, pattern: str = "release", scope: str = "project") -> str:
    flags = [flag for step in steps for flag in ("--step", step)]
    bench.configure()
    made = bench.mi("workflow", "create", "--name", "Release", "--pattern", pattern, "--scope", scope, *flags, "--json")
    assert made.code == 0, made.stderr
    return str(json.loads(made.stdout)["id"])


def cursor(bench: Workbench) -> dict[str, Any]:
    overlay = next(bench.home.glob("projects/*/overlay.json"))
    found: dict[str, Any] = json.loads(overlay.read_bytes())["workflow_run"]
    return found


def sent(ran: Ran) -> list[str]:
    return [f"{one['light_injection']}\n{one['input']}" for one in ran.of("hands_input")]


@pytest.mark.req(
    "v1.wf.trigger-match",
    "v1.wf.trigger-first-batch",
    "v1.wf.trigger-record",
    "v1.cursor.init-on-trigger",
    "v1.cursor.update-per-batch",
    "v1.emit.workflow-progress",
    "v1.loop.workflow-step",
    "v1.overlay.rfc3339",
)
def test_a_workflow_is_told_once_followed_and_closed(bench: Workbench) -> None:
    """Two hands steps and a check: the check that is next is planned as a check; then all is complete."""
    wf = workflow(bench, "Update the changelog", "check: run `python3 -m unittest -q`", "Write the news")
    bench.agent(
        [MEND, say("Done: the changelog.")], [TEST, say("It passes.")], [say("Done: the news.")], [say("Done.")]
    )
    ran = bench.run(*TASK)
    ran.ended("done")
    trigger = ran.of("workflow_trigger")[0]
    assert (trigger["workflow_id"], trigger["pattern"]) == (wf, "release")
    assert [TOLD in text for text in sent(ran)] == [True, False, False]
    assert "2. Check: run `python3" in sent(ran)[0]
    assert ran.inputs[1] == "run `python3 -m unittest -q`"
    assert "The next step: Write the news" in ran.inputs[2]
    progress = ran.of("workflow_progress")
    assert [one["output"]["next_step_id"] for one in progress] == ["s2", "s3", None]
    assert [one["batch_id"] for one in progress] == ["b0", "b1", "b2"]
    order = [kind for kind in ran.kinds if kind in ("evidence", "workflow_progress", "check_plan")]
    assert order[:3] == ["evidence", "workflow_progress", "check_plan"]
    assert "step s2 of the workflow" in ran.of("check_plan")[0]["checks"]["notes"]
    closed = cursor(bench)
    assert (closed["active"], closed["close_reason"]) == (False, "all steps are complete")
    assert closed["completed_step_ids"] == ["s1", "s2", "s3"]
    assert closed["last_batch_id"] == "b2"
    assert closed["started_ts"].endswith("Z")
    assert closed["thread_id"] == progress[-1]["thread_id"]


@pytest.mark.req("v1.loop.workflow-step", "v1.recall.in-recent-evidence")
def test_progress_is_judged_by_what_was_recalled_and_decides_what_is_checked(bench: Workbench) -> None:
    """What the Mind is asked, in which order, and what the agent is sent by its answer."""
    workflow(bench, "Push the tag", "check: run `python3 -m unittest -q`")
    add_claim(bench, "cl_push", "git push needs a review by two people", claim_type="fact")
    follows = {"should_update": True, "completed_step_ids": ["s1"], "next_step_id": "s2"}
    with models_for(bench) as judge:
        server = judge(model(workflow_progress=follows, risk_judge={"severity": "low", "should_ask_user": False}))
        bench.configure(runtime={})
        bench.agent([MEND, run("git push origin v1"), say("The tag is pushed.")], [TEST, say("It passes.")])
        ran = bench.run(*TASK)
        seen = [(asked(one), parts(one)) for one in server.requests]
    names = [name for name, _ in seen]
    assert names.index("extract_evidence") < names.index("workflow_progress") < names.index("decide_next")
    progress = seen[names.index("workflow_progress")][1]
    assert "git push needs a review by two people" in progress["LATEST EVIDENCE"]
    assert ran.inputs[1] == "run `python3 -m unittest -q`"


STEPS: dict[str, str] = {
    "network": "values_judged",
    "install": "allow",
    "push": "values_judged",
    "publish": "allow",
    "delete": "values_judged",
    "privilege": "allow",
    "privacy": "values_judged",
    "cost": "allow",
    "other": "ask",
}


@pytest.mark.req("v1.wfir.step-fields", "v1.wfir.step-kind", "v1.wfir.step-risk-category", "v1.wfir.step-policy")
def test_every_kind_category_and_policy_of_a_step_reaches_the_agent_in_words(bench: Workbench, tmp_path: Any) -> None:
    gates = [
        {"id": risk, "kind": "gate", "title": f"About {risk}", "risk_category": risk, "policy": policy}
        for risk, policy in STEPS.items()
    ]
    work = {"id": "w", "kind": "hands", "title": "Changelog", "hands_input": "Write the changelog.", "notes": "briefly"}
    check = {"id": "c", "kind": "check", "title": "Tests", "check_input": "Run `make test`."}
    closed = {"id": "d", "kind": "gate", "title": "Drop the old tags", "risk_category": "delete", "policy": "deny"}
    flow = {"id": "wf_all", "name": "Release", "steps": [work, check, *gates, closed]}
    flow["trigger"] = {"mode": "task_contains", "pattern": "release"}
    (tmp_path / "wf.json").write_text(json.dumps(flow))
    bench.configure()
    assert bench.mi("workflow", "import", str(tmp_path / "wf.json")).code == 0
    bench.agent(WORKED)
    told = sent(bench.run("--max-batches", "1", *TASK))[0]
    assert "1. Changelog: Write the changelog. (briefly)" in told
    assert "2. Check: Tests: Run `make test`." in told
    says = {
        "allow": "allowed",
        "values_judged": "only if the person's values allow it",
        "ask": "stop before this and ask the person",
    }
    for number, (risk, policy) in enumerate(STEPS.items(), 3):
        assert f"{number}. Gate ({risk}): {says[policy]}: About {risk}" in told
    assert "Gate (delete): do not do this unless the person says otherwise: Drop the old tags" in told


def test_several_steps_in_one_batch_and_nothing_more_is_sent(bench: Workbench) -> None:
    workflow(bench, "Update the changelog", "check: run the tests")
    bench.agent(WORKED)
    ran = bench.run(*TASK)
    ran.ended("done")
    assert len(ran.inputs) == 1
    assert cursor(bench)["completed_step_ids"] == ["s1", "s2"]


@pytest.mark.req("v1.wf.disabled-no-trigger")
@pytest.mark.parametrize("how", ["task", "disabled", "override", "manual"])
def test_no_workflow_where_none_is_called_for(bench: Workbench, how: str) -> None:
    wf = workflow(bench, "Update the changelog", scope="global")
    if how == "disabled":
        bench.mi("workflow", "disable", wf)
    if how == "override":
        bench.mi("workflow", "disable", wf, "--scope", "global", "--project-override")
    if how == "manual":
        bench.mi("workflow", "delete", wf, "--scope", "global")
        bench.mi("workflow", "create", "--name", "Release", "--step", "x")
    bench.agent(WORKED)
    ran = bench.run(*(("fix", "it") if how == "task" else TASK))
    ran.ended("done")
    assert not {"workflow_trigger", "workflow_progress"} & set(ran.kinds)
    assert TOLD not in sent(ran)[0]


def test_a_gate_asks_before_the_batch_that_would_reach_it(bench: Workbench) -> None:
    workflow(bench, "Update the changelog", "gate: push the tag", "Write the news")
    bench.agent(WORKED, [TEST, say("Done: pushed, and the news is written.")])
    ran = bench.run(*TASK)
    ran.ended("blocked")
    assert "End your turn before a gate" in sent(ran)[0]
    assert len(ran.inputs) == 1
    waiting = bench.inbox()
    assert [one["question"] for one in waiting] == [
        "The workflow 'Release' comes to a gate (other): push the tag. Go on?"
    ]
    assert cursor(bench)["next_step_id"] == "s2"
    bench.mi("answer", waiting[0]["id"], "yes, but only the tag")
    again = bench.run("--resume")
    again.ended("done")
    assert again.inputs[1].startswith("The person was asked about this step and said: yes, but only the tag")
    assert "So you may do it now: push the tag" in again.inputs[1]
    assert cursor(bench)["completed_step_ids"] == ["s1", "s2", "s3"]
    assert [one["text"] for one in again.of("question")] == [waiting[0]["question"]]


def test_a_gate_that_stays_closed_stops_the_run(bench: Workbench) -> None:
    workflow(bench, "gate: delete the old tags", "Update the changelog")
    bench.agent(WORKED)
    bench.run(*TASK).ended("blocked")
    assert bench.records()[-1]["reason"].startswith("a gate of the workflow")
    assert "hands_input" not in [one["kind"] for one in bench.records()]
    bench.mi("answer", bench.inbox()[0]["id"], "no")
    bench.run("--resume").ended("blocked")
    assert bench.records()[-1]["reason"] == "you did not open the gate 'delete the old tags'"
    assert cursor(bench)["active"] is False


@pytest.mark.parametrize("policy", ["allow", "values_judged"])
def test_other_gates_are_text_only(bench: Workbench, policy: str, tmp_path: Any) -> None:
    gate = {"id": "s2", "kind": "gate", "title": "Push", "hands_input": "Push the tag.", "policy": policy}
    flow = {"id": "wf_x", "name": "Release", "steps": [{"id": "s1", "title": "Changelog"}, gate]}
    flow["trigger"] = {"mode": "task_contains", "pattern": "release"}
    (tmp_path / "wf.json").write_text(json.dumps(flow))
    bench.configure()
    bench.mi("workflow", "import", str(tmp_path / "wf.json"))
    bench.agent(WORKED)
    ran = bench.run(*TASK)
    ran.ended("done")
    assert bench.inbox() == []
    assert "2. Gate (other)" in sent(ran)[0]


def test_a_new_run_leaves_the_workflow_of_an_old_one(bench: Workbench) -> None:
    workflow(bench, "gate: ask first")
    bench.agent(WORKED)
    bench.run(*TASK).ended("blocked")
    bench.run("fix", "it").ended("done")
    assert cursor(bench)["active"] is False
    assert "began" in cursor(bench)["close_reason"]


def test_a_workflow_that_was_deleted_meanwhile_is_left(bench: Workbench) -> None:
    wf = workflow(bench, "gate: ask first", "Update the changelog")
    bench.agent(WORKED)
    bench.run(*TASK).ended("blocked")
    bench.mi("workflow", "delete", wf)
    bench.run("--resume").ended("done")
    assert cursor(bench)["close_reason"] == "the workflow is gone"


def test_a_thread_that_is_continued_is_told_too(bench: Workbench) -> None:
    bench.agent(WORKED, [run("echo 1.0 > VERSION"), TEST, say("Done: the changelog.")])
    bench.run("fix", "it").ended("done")
    workflow(bench, "Update the changelog")
    ran = bench.run("--continue-hands", *TASK)
    ran.ended("done")
    assert TOLD in sent(ran)[-1]


@pytest.mark.parametrize("count", [2, 4, 5, 9, 10])
def test_a_run_that_is_killed_goes_on_following(bench: Workbench, count: int) -> None:
    """After the trigger, before the agent started, after its batch, after the progress, after the plan."""
    wf = workflow(bench, "Update the changelog", "check: run `python3 -m unittest -q`")
    bench.agent([MEND, say("Done: the changelog.")], [TEST, say("It passes. Done.")], [say("Done.")])
    before = killed(bench, count, *TASK)
    kinds = ["run_start", "workflow_trigger", "tree_snapshot", "hands_input", "batch_end", "tree_snapshot"]
    kinds += ["verification", "evidence", "workflow_progress", "check_plan"]
    assert [one["kind"] for one in before] == kinds[:count]
    ran = bench.run("--resume")
    ran.ended("done")
    heard = sent(ran)[1 if count == 4 else 0 :]  # the agent never started on what was sent just before the kill
    assert any(TOLD in text for text in heard)
    assert (cursor(bench)["workflow_id"], cursor(bench)["completed_step_ids"]) == (wf, ["s1", "s2"])
    assert cursor(bench)["close_reason"] == "all steps are complete"
