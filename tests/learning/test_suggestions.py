"""Suggested preferences in whole runs: learned, waiting, merged, answered, brought together, and taken back."""

import json
from typing import Any

import pytest

from mi.app.home_context import HomeContext
from mi.app.thoughts import build_thoughts
from mi.evidence.reader import read_back
from mi.evidence.records.thoughts import LearnUpdate
from mi.kernel.home import Home
from mi.learning.consolidate import Consolidation
from mi.learning.segments import SegmentFile
from mi.learning.suggestion_policy import SuggestedPreference
from mi.learning.suggestions import Learner
from tests.autopilot.workbench import MEND, TEST, Json, Workbench, run, say
from tests.learning.conftest import Judged
from tests.learning.stored import RECALL_OFF, by_id, claims, lines, state_file, texts
from tests.learning.stretches import Stretch
from tests.mind.answers import asked, model

RULE = "Ask me before pushing to any remote."
PUSH = [MEND, TEST, run("git push origin main"), say("Done.")]
HARMLESS: Json = {"category": "push", "severity": "low", "should_ask_user": False}


def suggesting(*texts: str, scope: str = "project", severity: str = "high") -> Json:
    """A risk judgement that suggests rules."""
    suggested = [{"scope": scope, "severity": severity, "text": text, "rationale": "it pushed"} for text in texts]
    return HARMLESS | {"learn_suggested": suggested}


def learned(bench: Workbench, *args: str) -> list[str]:
    return texts(bench, "--tag", "mi:learned", *args)


@pytest.mark.req(
    "v1.learn.source-risk",
    "v1.learn.auto-true-claim",
    "v1.learn.auto-true-record",
    "v1.learn.canonical-claims",
    "v1.soft.auto-tighten",
    "v0.learned.rationale",
    "mi.ids.ls",
    "v1.cli.show-last-learn",
    "v1.root.learning-reversible",
)
def test_a_risk_tightens_the_rules_and_the_lesson_can_be_taken_back(bench: Workbench, judged: Judged) -> None:
    judged(model(risk_judge=suggesting(RULE)))
    bench.agent(PUSH)
    ran = bench.run()
    ran.ended("done")
    (suggested,) = ran.of("learn_suggested")
    assert suggested["id"].startswith("ls_")
    assert (suggested["source"], suggested["text"], suggested["rationale"]) == ("risk_judge", RULE, "it pushed")
    assert by_id(ran)[suggested["source_event_id"]]["kind"] == "risk_event"
    (claim,) = claims(bench, "--tag", "mi:learned")
    assert suggested["applied_claim_ids"] == [claim["claim_id"]]
    assert (claim["claim_type"], claim["scope"], claim["origin"], claim["notes"]) == (
        *("preference", "project", "mind"),
        "it pushed",
    )
    assert claim["source_refs"] == [{"kind": "evidence_event", "event_id": suggested["event_id"]}]
    assert bench.inbox() == []
    shown = json.loads(bench.mi("show", "last", "--json").stdout)
    assert [one["id"] for one in shown["learn_suggested"]] == [suggested["id"]]
    assert RULE in bench.mi("undo", suggested["run_id"]).stdout
    assert bench.mi("undo", suggested["run_id"], "--apply").code == 0
    assert learned(bench) == []
    assert state_file(bench, "preference_candidates.json")["candidates"].popitem()[1]["count"] == 0
    rollback = lines(bench, "claims")[-1]
    assert (rollback["kind"], rollback["claim_id"]) == ("claim_retract", claim["claim_id"])
    assert suggested["run_id"] in rollback["rationale"]
    bench.mi("redo", "--apply")
    assert learned(bench) == [RULE]
    assert state_file(bench, "preference_candidates.json")["candidates"].popitem()[1]["count"] == 1


@pytest.mark.req("v1.learn.source-decide", "mi.fail.thresholds")
@pytest.mark.parametrize(("confidence", "learns"), [(0.9, True), (0.4, False)])
def test_what_a_decision_suggests_is_learned_when_it_is_sure(
    bench: Workbench, judged: Judged, confidence: float, learns: bool
) -> None:
    suggestion = {"scope": "project", "severity": "medium", "text": RULE, "rationale": ""}
    judged(model(decide_next={"learn_suggested": [suggestion], "confidence": confidence}))
    bench.agent([MEND, TEST, say("Done.")])
    ran = bench.run()
    assert [one["source"] for one in ran.of("learn_suggested")] == ["decide_next"]
    assert learned(bench) == ([RULE] if learns else [])
    assert [one["question"] for one in bench.inbox()] == ([] if learns else [RULE])


@pytest.mark.req(
    "v1.learn.auto-false-no-claims",
    "v1.learn.apply-later",
    "v1.emit.learn-applied",
    "v1.cli.claim-apply-suggested",
    "v1.cli.claim-apply-dry-run",
    "v1.cli.claim-apply-manual",
)
def test_without_automatic_learning_the_person_applies_what_waits(bench: Workbench, judged: Judged) -> None:
    bench.configure(runtime=RECALL_OFF | {"violation_response": {"auto_learn": False}})
    judged(model(risk_judge=suggesting(RULE)))
    bench.agent(PUSH)
    ran = bench.run()
    (suggested,) = ran.of("learn_suggested")
    assert suggested["applied_claim_ids"] == []
    assert learned(bench) == []
    (waiting,) = bench.inbox()
    assert (waiting["id"], waiting["kind"], waiting["question"]) == (suggested["id"], "suggestion", RULE)
    shown = bench.mi("claim", "apply-suggested", suggested["id"], "--dry-run")
    assert RULE in shown.stdout
    assert learned(bench) == []
    done = bench.mi("claim", "apply-suggested", suggested["id"], "--json")
    applied = json.loads(done.stdout)["applied_claim_ids"]
    (claim,) = claims(bench, "--tag", "mi:learned")
    assert applied == [claim["claim_id"]]
    assert claim["origin"] == "user"
    (record,) = done.of("learn_applied")
    assert (record["suggestion_id"], record["decision"]) == (suggested["id"], "applied")
    assert claim["source_refs"][0]["event_id"] == record["event_id"]
    assert bench.inbox() == []
    assert bench.mi("claim", "apply-suggested", suggested["id"]).code == 1
    assert bench.mi("claim", "apply-suggested", "ls_nowhere").code == 1


@pytest.mark.parametrize(("word", "kept"), [("yes", [RULE]), ("不要", [])])
def test_a_suggestion_is_answered_with_yes_or_no_and_a_no_is_for_good(
    bench: Workbench, judged: Judged, word: str, kept: list[str]
) -> None:
    judged(model(risk_judge=suggesting(RULE, scope="global")))
    bench.agent(PUSH)
    bench.run()
    (waiting,) = bench.inbox()
    answered = bench.mi("answer", waiting["id"], word)
    assert answered.code == 0
    assert answered.of("learn_applied")[0]["decision"] == ("applied" if kept else "dismissed")
    assert bench.inbox() == []
    assert learned(bench, "--scope", "global") == kept
    assert bench.mi("answer", waiting["id"], word).code == 1
    for _ in range(2):
        bench.run()
    assert bench.inbox() == []
    assert learned(bench) == kept


@pytest.mark.req("mi.fail.global-scope", "mi.fail.global-inbox-first", "mi.fail.thresholds")
def test_a_global_preference_waits_first_and_is_learned_only_when_seen_again(bench: Workbench, judged: Judged) -> None:
    judged(model(risk_judge=suggesting(RULE, scope="global")))
    bench.agent(PUSH)
    bench.run()
    assert learned(bench) == []
    (waiting,) = bench.inbox()
    ran = bench.run()
    assert learned(bench, "--scope", "global") == [RULE]
    assert bench.inbox() == []
    (applied,) = ran.of("learn_applied")
    assert (applied["suggestion_id"], applied["decision"]) == (waiting["id"], "repeated")
    assert claims(bench, "--tag", "mi:learned")[0]["origin"] == "mind"


def test_near_duplicates_merge_instead_of_piling_up(bench: Workbench, judged: Judged) -> None:
    wordings = iter([RULE, "ask me before pushing to any remote", "Ask me, before pushing to any remote!"])
    judged(model(risk_judge=lambda request: suggesting(next(wordings))))
    bench.agent(PUSH)
    for _ in range(3):
        ran = bench.run()
    assert learned(bench) == [RULE]
    (claim,) = claims(bench, "--tag", "mi:learned")
    assert [one["applied_claim_ids"] for one in ran.of("learn_suggested")] == [[claim["claim_id"]]] * 3
    seen_again = [one for one in lines(bench, "edges") if one["edge_type"] == "mentions"]
    assert [one["to_id"] for one in seen_again] == [claim["claim_id"]] * 2


def test_what_the_person_said_is_not_turned_round(bench: Workbench, judged: Judged) -> None:
    bench.values("Push to the remote after each task.")
    judged(model(risk_judge=suggesting("Do not push to the remote after each task.")))
    bench.agent(PUSH)
    bench.run()
    assert learned(bench) == []
    (waiting,) = bench.inbox()
    assert waiting["question"].startswith("Do not push")


def patch(update: Json) -> Any:
    """A learn_update that is built from the ids the model is shown."""

    def answer(request: Any) -> Json:
        shown = request.user_texts[-1]
        events = shown[shown.index("<<<MAY BE CITED") :].split("\n")[1].split()
        old = shown[shown.index("<<<MAY BE RETRACTED") :].split("\n")[1].split()
        text = json.dumps({"should_apply": True, "min_confidence": 0.9, "notes": "", **update})
        for name, value in {"EVENT": events[0], "OLD0": old[0], "OLD1": old[1], "OLD2": old[2]}.items():
            text = text.replace(name, value)
        found: Json = json.loads(text)
        return found

    return answer


def new_claim(text: str, **changes: Any) -> Json:
    return {
        "local_id": text[:6],
        "claim_type": "preference",
        "text": text,
        "scope": "project",
        "visibility": "project",
        "valid_from": None,
        "valid_to": None,
        "confidence": 0.95,
        "source_event_ids": ["EVENT"],
        "tags": [],
        "notes": "",
    } | changes


def edge(edge_type: str, start: str, end: str, **changes: Any) -> Json:
    ends = {"edge_type": edge_type, "from_claim_id": start, "to_claim_id": end}
    return ends | {"confidence": 0.95, "source_event_ids": ["EVENT"], "notes": ""} | changes


def gone(claim_id: str, **changes: Any) -> Json:
    fields = {"scope": "project", "claim_id": claim_id, "rationale": "said better", "confidence": 0.95}
    return fields | {"source_event_ids": ["EVENT"]} | changes


RULES = ("Ask me before pushing.", "Never push to the main branch.", "Run all checks before pushing to a remote.")
WHOLE = "Before pushing to a remote branch, run all checks and ask me."


def update_run(bench: Workbench, judged: Judged, update: Json) -> tuple[Any, Any]:
    server = judged(model(risk_judge=suggesting(*RULES), learn_update=patch(update)))
    bench.agent(PUSH)
    ran = bench.run()
    ran.ended("done")
    return ran, server


@pytest.mark.req(
    "v1.learn.update-one-call",
    "v1.learn.update-tag",
    "v1.learn.update-edges",
    "v1.learn.update-retract-allowlist",
    "v1.learn.update-provenance",
    "v1.learn.update-record",
    "v1.prompt.learn-update-in",
    "v1.prompt.learn-update-out",
    "v1.prompt.learn-update-apply",
)
def test_a_runs_lessons_are_brought_together_at_its_end(bench: Workbench, judged: Judged) -> None:
    bench.values("Keep changes small.")
    value = claims(bench, "--tag", "values:base")[0]["claim_id"]
    update = {
        "patch": {
            "claims": [new_claim(WHOLE, tags=["values:base"]), new_claim("Never push.", source_event_ids=["ev_x"])],
            "edges": [
                edge("supersedes", "OLD0", WHOLE[:6]),
                edge("same_as", "OLD1", WHOLE[:6]),
                edge("supports", "OLD2", WHOLE[:6]),
                edge("supersedes", value, WHOLE[:6]),
            ],
            "notes": "",
        },
        "retract": [gone("OLD2"), gone(value), gone("cl_nowhere")],
    }
    ran, server = update_run(bench, judged, update)
    calls = [asked(request) for request in server.requests]
    assert calls.count("learn_update") == 1
    shown = server.requests[calls.index("learn_update")].user_texts[-1]
    assert all(rule in shown for rule in RULES)
    assert '"max_claims":6' in shown
    assert '"project_id"' in shown
    (record,) = ran.of("learn_update")
    assert record["output"]["patch"]["claims"][0]["text"] == WHOLE
    applied = record["applied"]
    assert (len(applied["claim_ids"]), len(applied["edge_ids"]), len(applied["retracted"])) == (1, 2, 1)
    assert len(applied["dropped"]) == 5
    assert learned(bench) == [WHOLE]
    assert texts(bench, "--tag", "values:base") == ["Keep changes small."]
    events = {one["event_id"] for one in ran.of("learn_suggested")}
    written = [*claims(bench, "--tag", "mi:learned"), *lines(bench, "edges"), *lines(bench, "claims")[-1:]]
    updated = [one for one in written if one.get("edge_type") != "derived_from"]
    assert len(updated) == 4
    assert all({ref["event_id"] for ref in one["source_refs"]} <= events for one in updated)
    bench.mi("undo", record["run_id"], "--apply")
    assert learned(bench) == []


@pytest.mark.req("v1.learn.update-retract-allowlist", "mi.trust.hands-never-rule")
def test_what_the_person_accepted_is_theirs_and_no_update_touches_it(home: Home) -> None:
    stretch = Stretch(HomeContext(home), {"violation_response": {}}, "fix the test")
    mine = build_thoughts(stretch.context).own.new_claim(
        "Ask me before releasing.", ["mi:learned"], "ev_run_0_1", "user"
    )
    build_thoughts(stretch.context).own.add_claims([mine])
    update = {
        "patch": {"claims": [new_claim(WHOLE)], "edges": [edge("supersedes", mine.claim_id, WHOLE[:6])], "notes": ""},
        "retract": [gone(mine.claim_id), gone("OLD0")],
    }
    file = SegmentFile(stretch.knowledge.place, "run_1", 0, stretch.context.notices)
    learner = Learner(stretch.knowledge, file, "run_1")
    with stretch.judged(learn_update=patch(update)) as (hand, server):
        for text in RULES:
            learner.take(
                hand, SuggestedPreference("risk_judge", "project", text, severity="high", event_id="ev_run_1_5")
            )
        Consolidation(learner, file)(hand, stretch.segment)
        shown = server.requests[0].user_texts[-1]
    assert mine.claim_id in shown.partition("<<<LEARNED BEFORE")[2].partition(">>>")[0]
    assert mine.claim_id not in shown.partition("<<<MAY BE RETRACTED")[2].partition(">>>")[0]
    assert set(stretch.texts("mi:learned")) == {mine.text, RULES[1], RULES[2], WHOLE}


@pytest.mark.req(
    "v1.learn.update-condition",
    "v1.learn.update-min-new",
    "v1.learn.update-min-active",
    "v1.learn.update-min-confidence",
    "v1.learn.update-max-claims",
    "v1.learn.update-max-retracts",
)
@pytest.mark.parametrize(
    ("knobs", "written", "retracted"),
    [
        ({}, 2, 2),
        ({"auto_learn": False}, None, None),
        ({"learn_update": {"enabled": False}}, None, None),
        ({"learn_update": {"min_new_suggestions_per_run": 4}}, None, None),
        ({"learn_update": {"min_active_learned_claims": 4}}, None, None),
        ({"learn_update": {"min_confidence": 0.99}}, 0, 0),
        ({"learn_update": {"max_claims": 1}}, 1, 2),
        ({"learn_update": {"max_retracts": 1}}, 2, 1),
    ],
)
def test_every_knob_of_the_update_is_heard(home: Home, knobs: Json, written: int | None, retracted: int | None) -> None:
    update = {
        "patch": {"claims": [new_claim(WHOLE), new_claim("Never push to a remote.")], "edges": [], "notes": ""},
        "retract": [gone("OLD0"), gone("OLD1")],
    }
    stretch = Stretch(HomeContext(home), {"violation_response": knobs}, "fix the test")
    file = SegmentFile(stretch.knowledge.place, "run_1", 0, stretch.context.notices)
    learner = Learner(stretch.knowledge, file, "run_1")
    with stretch.judged(learn_update=patch(update)) as (hand, server):
        for text in RULES:
            learner.take(
                hand, SuggestedPreference("risk_judge", "project", text, severity="high", event_id="ev_run_1_5")
            )
        Consolidation(learner, file)(hand, stretch.segment)
        assert len(server.requests) == (0 if written is None else 1)
    log = read_back(stretch.knowledge.place.evidence, stretch.context.notices)
    records = [event.record() for event in log if event.head.kind == "learn_update"]
    if written is None:
        assert records == []
        return
    (record,) = records
    assert isinstance(record, LearnUpdate)
    assert (len(record.applied["claim_ids"]), len(record.applied["retracted"])) == (written, retracted)
