"""Suggested preferences in whole runs: learned, waiting, merged, answered, brought together, and taken back."""

import json

import pytest

from tests.autopilot.workbench import MEND, TEST, Json, Workbench, run, say
from tests.learning.conftest import Judged
from tests.learning.stored import RECALL_OFF, by_id, claims, lines, state_file, texts
from tests.mind.answers import model

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
