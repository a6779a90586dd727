"""What runs really write and really ask: a few runs of one home that meet every judgement, looked at from outside.

A shape that only its class declares proves nothing; here each record is read from the log of a run and by `mi show`,
and each answer's form is the one that a model on the line was asked for.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from mi.testing import Request, fail
from mi.testing import say as reply
from tests.autopilot.test_run_workflows import workflow
from tests.autopilot.workbench import MEND, TEST, Json, Workbench, models_for, open_bench, run, say
from tests.mind.answers import ANSWERS, asked, model

QUESTION = "Which colour should the report have?"
RULE = {"scope": "project", "severity": "high", "text": "Ask before pushing.", "rationale": "it was pushed"}
GO_ON = {"next_action": "send_to_hands", "status": "not_done", "next_hands_input": "Go on."}
WHY = {"status": "ok", "confidence": 0.9, "chosen_claim_ids": [], "explanation": "It passed.", "notes": ""}
LEARNS: Json = {
    "cross_project_recall": {"enabled": False},
    "violation_response": {"learn_update": {"min_new_suggestions_per_run": 1, "min_active_learned_claims": 1}},
}


class Told(NamedTuple):
    """All that the runs wrote, and all that the model was asked."""

    bench: Workbench
    records: list[Json]
    requests: list[Request]

    def of(self, kind: str) -> list[Json]:
        found = [one for one in self.records if one["kind"] == kind]
        assert found, f"no {kind} was written"
        return found

    def schema(self, prompt: str, *path: str) -> Json:
        """The form of an answer, or of a part of it, as it went over the line."""
        sent = next((one for one in self.requests if asked(one) == prompt), None)
        assert sent is not None, f"{prompt} was never asked"
        whole: Any = sent.schema
        node = whole
        for name in path:
            node = _resolve(whole, node["properties"][name])
            node = _resolve(whole, node.get("items", node))
        found: Json = node
        return found


def _resolve(whole: Json, node: Json) -> Json:
    ref = node.get("$ref", "")
    return whole["$defs"][ref.rpartition("/")[2]] if ref else node


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    bench = open_bench(tmp_path_factory.mktemp("written"))
    bench.env = {"MI_HOME": str(bench.home)}
    with models_for(bench) as judge:
        requests = [*_ask_and_learn(bench, judge), *_go_round(bench, judge)]
        _follow(bench, judge)
        judge(lambda request: fail(500, "out of order"))
        bench.agent([say("Done.")])
        bench.run("what is add?")
    return Told(bench, bench.records(), requests)


def _ask_and_learn(bench: Workbench, judge: Any) -> list[Request]:
    """A push, a question that waits, the person's answer, a verdict, why, and everything that can be learned."""
    judged = model(
        extract_evidence={"facts": ["add was mended"], "unknowns": ["the colour"]},
        risk_judge={"severity": "low", "should_ask_user": False, "learn_suggested": [RULE]},
        plan_min_checks={"check_goals": ["the sum is right"], "commands_hints": ["make test"], "notes": "later"},
        auto_answer_to_hands={"needs_user_input": True, "ask_user_question": QUESTION},
        checkpoint_decide={"should_mine_workflow": True, "should_mine_preferences": True},
    )
    server = judge(lambda request: judged(request) if asked(request) else reply(json.dumps(WHY)))
    bench.configure(runtime=LEARNS)
    bench.values("Keep changes small.")
    bench.agent([MEND, run("git push origin main"), say(QUESTION)], [TEST, say("Done.")])
    bench.run().ended("blocked")
    bench.mi("answer", bench.inbox()[0]["id"], "Green.")
    bench.run("--resume", "--why").ended("done")
    return list(server.requests)


def _go_round(bench: Workbench, judge: Any) -> list[Request]:
    server = judge(model(decide_next=GO_ON))
    bench.agent(*[[say("Thinking.")]] * 3)
    bench.run("what is add?").ended("blocked")
    return list(server.requests)


def _follow(bench: Workbench, judge: Any) -> None:
    workflow(bench, "Update the changelog")
    judge(model(workflow_progress={"should_close": True, "close_reason": "all is done", "should_update": True}))
    bench.agent([TEST, say("Done.")])
    bench.run("cut a release")


def rec(name: str, kind: str, keys: str, empty: str = "") -> Any:
    """Case: the keys that every written record of a kind has; all are filled but those named `empty`."""
    return pytest.param(kind, keys.split(), empty.split(), id=kind, marks=pytest.mark.req(f"v1.rec.{name}"))


@pytest.mark.parametrize(
    ("kind", "keys", "empty"),
    [
        rec(
            "evidence",
            "evidence",
            """hands_transcript_ref mind_transcript_ref mi_input transcript_observation repo_observation facts actions
            results unknowns risk_signals""",
            empty="actions results",
        ),
        rec("hands-input", "hands_input", "transcript_path input light_injection prompt_sha256"),
        rec("mind-error", "mind_error", "schema_filename tag mind_transcript_ref error"),
        rec(
            "mind-circuit",
            "mind_circuit",
            "state threshold failures_total failures_consecutive schema_filename tag error",
        ),
        rec("check-plan", "check_plan", "mind_transcript_ref checks"),
        rec("user-input", "user_input", "question answer"),
        rec("auto-answer", "auto_answer", "mind_transcript_ref auto_answer"),
        rec(
            "decide-next",
            "decide_next",
            """phase next_action status confidence notes ask_user_question next_hands_input mind_transcript_ref
            thought_db decision""",
            empty="ask_user_question",
        ),
        rec(
            "why-trace",
            "why_trace",
            "target as_of_ts query candidate_claim_ids state mind_transcript_ref output written_edge_ids",
            empty="written_edge_ids",
        ),
        rec("workflow-progress", "workflow_progress", "workflow_id workflow_name state mind_transcript_ref output"),
        rec(
            "checkpoint",
            "checkpoint",
            "segment_id state mind_transcript_ref planned_next_input status_hint note output",
            empty="note",
        ),
        rec("loop-guard", "loop_guard", "pattern hands_last_message next_input reason"),
        rec("loop-break", "loop_break", "pattern reason state mind_transcript_ref output"),
    ],
)
def test_a_run_writes_every_key_of_a_record_and_show_prints_it(
    told: Told, kind: str, keys: list[str], empty: list[str]
) -> None:
    written = told.of(kind)
    common = ["event_id", "run_id", "seq", "ts", "batch_id", "thread_id"]
    for one in written:
        assert set(one) >= {*common, *keys}
    for key in set(keys) - set(empty):
        assert any(one[key] not in ("", None, [], {}) for one in written), key
    shown = told.bench.mi("show", written[-1]["event_id"], "--json")
    assert {name: json.loads(shown.stdout)[name] for name in keys} == {name: written[-1][name] for name in keys}


@pytest.mark.req("v1.rec.repo-observation")
def test_a_run_notes_the_repository_as_it_was(told: Told) -> None:
    seen = told.of("evidence")[0]["repo_observation"]
    assert set(seen) >= {
        *["project_root", "stack_hints", "has_tests", "test_hints", "git_is_repo", "git_root", "git_head"],
        *["git_status_porcelain", "git_diff_stat", "git_diff_cached_stat"],
    }
    assert (seen["project_root"], seen["git_root"]) == (str(told.bench.project), str(told.bench.project))
    assert (seen["has_tests"], seen["git_is_repo"], len(seen["git_head"])) == (True, True, 40)
    assert "calc.py" in seen["git_status_porcelain"]
    assert "calc.py" in seen["git_diff_stat"]


@pytest.mark.req("v1.rec.state-enum")
def test_what_a_mind_did_is_told_in_every_run(told: Told) -> None:
    found = {
        kind: {one["state"] for one in told.of(kind)}
        for kind in ("why_trace", "workflow_progress", "checkpoint", "loop_break")
    }
    assert all(states <= {"ok", "error", "skipped"} for states in found.values())
    assert all("ok" in states for states in found.values())
    assert "skipped" in {one["state"] for one in told.of("check_plan")}


@pytest.mark.req("v1.ev.run-id", "v1.ev.seq", "v1.ev.event-id", "v1.ev.ts-rfc3339", "mi.ids.ev")
def test_the_records_of_every_run_are_numbered_and_timed(told: Told) -> None:
    by_run: dict[str, list[Json]] = {}
    for one in told.records:
        by_run.setdefault(one["run_id"], []).append(one)
    assert sum(run_id.startswith("run_") for run_id in by_run) == 4
    assert all(run_id.startswith(("run_", "cli_")) for run_id in by_run)
    for run_id, records in by_run.items():
        numbers = [one["seq"] for one in records]
        assert numbers == sorted(set(numbers))
        assert [one["event_id"] for one in records] == [f"ev_{run_id}_{number}" for number in numbers]
        assert all(len(one["ts"]) == 24 and one["ts"][10] == "T" and one["ts"].endswith("Z") for one in records)


PLAN = """should_run_checks needs_testless_strategy testless_strategy_question check_goals commands_hints
    hands_check_input notes"""
CLAIM = """local_id claim_type text scope visibility valid_from valid_to confidence source_event_ids tags notes"""
EDGE = "edge_type from_claim_id to_claim_id confidence source_event_ids notes"


def form(prompt: str, keys: str, *ids: str, at: str = "") -> Any:
    marks = pytest.mark.req(*(ids or (f"mi.prompt.{prompt.replace('_', '-')}",)))
    return pytest.param(prompt, at.split(), keys.split(), id=f"{prompt}-{at or 'whole'}", marks=marks)


@pytest.mark.parametrize(
    ("prompt", "path", "keys"),
    [
        form(
            "extract_evidence",
            "facts actions results unknowns risk_signals",
            *["mi.prompt.extract-evidence", "v1.prompt.extract-out"],
        ),
        form("risk_judge", "category severity should_ask_user mitigation learn_suggested"),
        form("plan_min_checks", PLAN, "mi.prompt.plan-min-checks", "v1.rec.check-plan-checks"),
        form(
            "auto_answer_to_hands",
            """should_answer confidence hands_answer_input needs_user_input ask_user_question unanswered_questions
            cited_ids notes""",
            *["mi.prompt.auto-answer", "v1.prompt.answer-out"],
        ),
        form(
            "decide_next",
            """next_action status confidence next_hands_input ask_user_question cited_ids parts learn_suggested
            update_project_overlay notes""",
        ),
        form(
            "loop_break",
            "action confidence rewritten_next_input check_intent ask_user_question notes",
            *["mi.prompt.loop-break", "v1.prompt.loop-break-out"],
        ),
        form(
            "checkpoint_decide",
            """should_checkpoint checkpoint_kind should_mine_workflow should_mine_preferences confidence notes""",
        ),
        form("mine_preferences", "suggestions notes"),
        form(
            "mine_preferences",
            "scope text rationale confidence benefit",
            "mi.prompt.mine-preferences",
            at="suggestions",
        ),
        form("mine_claims", "claims edges notes"),
        form("mine_claims", CLAIM, "mi.prompt.mine-claims-claim", at="claims"),
        form("mine_claims", EDGE, "mi.prompt.mine-claims-edge", at="edges"),
        form("learn_update", "should_apply min_confidence patch retract notes"),
        form("learn_update", "claims edges notes", "mi.prompt.learn-update-patch", at="patch"),
        form(
            "learn_update",
            "scope claim_id rationale confidence source_event_ids",
            "mi.prompt.learn-update-retract",
            at="retract",
        ),
        form("suggest_workflow", "should_suggest suggestion notes"),
    ],
)
def test_a_run_asks_a_model_for_every_key_of_an_answer(
    told: Told, prompt: str, path: list[str], keys: list[str]
) -> None:
    schema = told.schema(prompt, *path)
    assert set(schema["properties"]) == set(keys)
    assert sorted(schema["required"]) == sorted(keys)  # what is optional is null, never left out
    assert schema["additionalProperties"] is False


@pytest.mark.req("v1.rec.checkpoint-kinds")
def test_a_run_offers_a_model_the_kinds_of_a_checkpoint(told: Told) -> None:
    kinds = "none phase_change subtask_complete risk_boundary user_interaction timebox max_batches done blocked other"
    offered = told.schema("checkpoint_decide")["properties"]["checkpoint_kind"]["enum"]
    assert sorted(offered) == sorted(kinds.split())
    assert {one["output"]["checkpoint_kind"] for one in told.of("checkpoint")} <= set(offered)


@pytest.mark.req("v1.prov.schema-all-required", "v1.prov.schema-null-optional")
def test_every_object_that_a_model_is_asked_for_names_all_its_keys(told: Told) -> None:
    def objects(node: Any) -> Iterator[Json]:
        if isinstance(node, dict) and node.get("type") == "object":
            yield node
        for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else []:
            yield from objects(inner)

    prompts = {asked(one) for one in told.requests}
    assert prompts >= set(ANSWERS) - {"workflow_progress"}
    for one in told.requests:
        for found in objects(one.schema):
            assert sorted(found["required"]) == sorted(found["properties"])


@pytest.mark.req("v1.prompt.extract-out", "v1.prompt.answer-out", "v1.rec.check-plan-checks", "mi.prompt.risk-judge")
def test_what_a_model_answered_is_what_stands_in_the_log(told: Told) -> None:
    evidence, plan, answer = (told.of(kind)[0] for kind in ("evidence", "check_plan", "auto_answer"))
    assert (evidence["facts"], evidence["unknowns"]) == (["add was mended"], ["the colour"])
    assert (plan["checks"]["check_goals"], plan["checks"]["commands_hints"]) == (["the sum is right"], ["make test"])
    assert answer["auto_answer"]["ask_user_question"] == QUESTION
    assert told.of("risk_event")[0]["risk"]["learn_suggested"][0]["text"] == RULE["text"]
    assert told.of("user_input")[0]["answer"] == "Green."
