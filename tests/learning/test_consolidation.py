"""learn_update in whole runs: lessons brought together as a whole or not at all, and no rule lost on the way."""

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
from tests.autopilot.workbench import Json, Workbench
from tests.learning.conftest import Judged
from tests.learning.stored import claims, lines, texts
from tests.learning.stretches import Stretch
from tests.learning.test_suggestions import PUSH, learned, suggesting
from tests.mind.answers import asked, model


def patch(update: Json) -> Any:
    """A learn_update that is built from the ids the model is shown."""

    def answer(request: Any) -> Json:
        shown = request.user_texts[-1]
        events = shown[shown.index("<<<MAY BE CITED") :].split("\n")[1].split()
        old = shown[shown.index("<<<MAY BE RETRACTED") :].split("\n")[1].split()
        text = json.dumps({"should_apply": True, "min_confidence": 0.9, "notes": "", **update})
        for name, value in {"EVENT": events[0], **{f"OLD{at}": one for at, one in enumerate(old)}}.items():
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


RULES = ("Ask me before pushing.", "Ask me before deleting files.", "Run all checks before pushing.")
EITHER = "Ask me before pushing or deleting files."
BEFORE = "Before pushing, run all checks and ask me."


def update_run(bench: Workbench, judged: Judged, update: Json, rules: tuple[str, ...] = RULES) -> tuple[Any, Any]:
    server = judged(model(risk_judge=suggesting(*rules), learn_update=patch(update)))
    bench.agent(PUSH)
    ran = bench.run()
    ran.ended("done")
    return ran, server


def joined(text: str, superseded: list[str], retracted: list[str]) -> Json:
    """An update that puts one claim in the place of others."""
    edges = [edge("supersedes", one, text[:6]) for one in superseded]
    return {
        "patch": {"claims": [new_claim(text)], "edges": edges, "notes": ""},
        "retract": [gone(one) for one in retracted],
    }


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
    update = joined(BEFORE, ["OLD0"], ["OLD2"])
    update["patch"]["claims"][0]["tags"] = ["values:base"]
    ran, server = update_run(bench, judged, update)
    calls = [asked(request) for request in server.requests]
    assert calls.count("learn_update") == 1
    shown = server.requests[calls.index("learn_update")].user_texts[-1]
    assert all(rule in shown for rule in RULES)
    assert '"max_claims":6' in shown
    assert '"project_id"' in shown
    (record,) = ran.of("learn_update")
    assert record["output"]["patch"]["claims"][0]["text"] == BEFORE
    applied = record["applied"]
    assert (len(applied["claim_ids"]), len(applied["edge_ids"]), len(applied["retracted"])) == (1, 1, 1)
    assert (applied["unstated"], applied["dropped"]) == ([], [])
    assert set(learned(bench)) == {BEFORE, RULES[1]}
    assert texts(bench, "--tag", "values:base") == []
    assert bench.inbox() == []
    events = {one["event_id"] for one in ran.of("learn_suggested")}
    (new,) = [one for one in claims(bench, "--tag", "mi:learned") if one["text"] == BEFORE]
    redirects = [one for one in lines(bench, "edges") if one["edge_type"] == "supersedes"]
    assert len(redirects) == 1
    written = [new, *redirects, *lines(bench, "claims")[-1:]]
    assert all({ref["event_id"] for ref in one["source_refs"]} <= events for one in written)
    bench.mi("undo", record["run_id"], "--apply")
    assert learned(bench) == []


FILES = ("Ask before deleting files.", "Ask before moving files.", "Ask me before pushing.")
BOTH = "Ask before deleting or moving files."


@pytest.mark.req("alive.learn.update-keeps-rules")
def test_one_rule_for_two_takes_their_place_and_the_agent_hears_it(bench: Workbench, judged: Judged) -> None:
    """The very words of one of them but for two: once it was dropped as said already, and both were retired."""
    update_run(bench, judged, joined(BOTH, ["OLD0"], ["OLD1"]), FILES)
    assert set(learned(bench)) == {BOTH, FILES[2]}
    assert bench.inbox() == []
    (told,) = [one["light_injection"] for one in bench.run("go on").of("hands_input") if one["input"] == "go on"]
    assert BOTH in told
    assert FILES[0] not in told


@pytest.mark.req("alive.learn.update-keeps-rules")
@pytest.mark.parametrize(
    ("text", "superseded", "retracted", "stands", "asked_back"),
    [
        (BOTH, ["OLD0", "OLD2"], ["OLD1"], {BOTH}, [FILES[2]]),
        (BOTH, ["OLD0"], ["OLD1", "OLD2"], {BOTH}, [FILES[2]]),
        ("Ask before deleting files, if pushing.", ["OLD0"], [], {*FILES[1:]}, [FILES[0]]),
        (FILES[0], ["OLD1"], [], {FILES[0], FILES[2]}, [FILES[1]]),
        (FILES[0], [], ["OLD0", "OLD1"], {FILES[0], FILES[2]}, [FILES[1]]),
    ],
    ids=["said otherwise", "taken back", "narrowed", "stands already", "taken back and said again"],
)
def test_a_rule_that_nothing_says_any_more_waits_in_the_inbox(
    bench: Workbench,
    judged: Judged,
    text: str,
    superseded: list[str],
    retracted: list[str],
    stands: set[str],
    asked_back: list[str],
) -> None:
    update_run(bench, judged, joined(text, superseded, retracted), FILES)
    assert set(learned(bench)) - {"Ask before deleting files, if pushing."} == stands
    waiting = bench.inbox()
    assert [one["question"] for one in waiting] == asked_back
    for one in waiting:
        assert bench.mi("answer", one["id"], "yes").code == 0
    assert set(asked_back) <= set(learned(bench))


BAD: dict[str, Json] = {
    "a claim that cites nothing of this run": {"claims": [new_claim("Never push.", source_event_ids=["ev_x"])]},
    "a claim that says more": {"claims": [new_claim("Upload everything to the mirror first.")]},
    "an unsure claim": {"claims": [new_claim("Ask me before pushing files.", confidence=0.5)]},
    "no redirect": {"edges": [edge("supports", "OLD2", BEFORE[:6])]},
    "a redirect of nobody's": {"edges": [edge("supersedes", "cl_nowhere", BEFORE[:6])]},
    "a redirect to what goes": {"edges": [edge("same_as", "OLD2", "OLD1")]},
    "twice": {"edges": [edge("same_as", "OLD0", BEFORE[:6])]},
    "of a value": {"retract": [gone("VALUE")]},
    "of nothing": {"retract": [gone("cl_nowhere")]},
    "unsure": {"retract": [gone("OLD2", confidence=0.5)]},
}


@pytest.mark.req("alive.learn.update-whole", "v1.learn.update-retract-allowlist", "v1.learn.update-provenance")
@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_an_update_with_one_void_part_changes_nothing(bench: Workbench, judged: Judged, bad: Json) -> None:
    bench.values("Keep changes small.")
    value = claims(bench, "--tag", "values:base")[0]["claim_id"]
    bad = json.loads(json.dumps(bad).replace("VALUE", value))
    update = joined(BEFORE, ["OLD0"], ["OLD1"])
    update["patch"]["claims"] += bad.get("claims", [])
    update["patch"]["edges"] += bad.get("edges", [])
    update["retract"] += bad.get("retract", [])
    ran, _ = update_run(bench, judged, update)
    assert sorted(learned(bench)) == sorted(RULES)
    assert texts(bench, "--tag", "values:base") == ["Keep changes small."]
    (record,) = ran.of("learn_update")
    assert record["applied"]["dropped"][-1] == "a part of it is void: nothing of it is done"
    assert len(record["applied"]["dropped"]) == 2
    assert bench.inbox() == []


@pytest.mark.req("v1.learn.update-retract-allowlist", "mi.trust.hands-never-rule")
def test_what_the_person_accepted_is_theirs_and_no_update_touches_it(home: Home) -> None:
    stretch = Stretch(HomeContext(home), {"violation_response": {}}, "fix the test")
    mine = build_thoughts(stretch.context).own.new_claim(
        "Ask me before releasing.", ["mi:learned"], "ev_run_0_1", "user"
    )
    build_thoughts(stretch.context).own.add_claims([mine])
    update = {
        "patch": {"claims": [new_claim(BEFORE)], "edges": [edge("supersedes", mine.claim_id, BEFORE[:6])], "notes": ""},
        "retract": [],
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
    assert set(stretch.texts("mi:learned")) == {mine.text, *RULES}


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
        ({"learn_update": {"max_claims": 1}}, 0, 0),
        ({"learn_update": {"max_retracts": 1}}, 0, 0),
    ],
)
def test_every_knob_of_the_update_is_heard(home: Home, knobs: Json, written: int | None, retracted: int | None) -> None:
    update = {
        "patch": {
            "claims": [new_claim(BEFORE), new_claim("Ask me before pushing or deleting files.")],
            "edges": [],
            "notes": "",
        },
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
