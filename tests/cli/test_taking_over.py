"""A home of the earlier tool, with a record of every shape that the seed shows, goes on as the person's own."""

import json
from pathlib import Path
from typing import Any

import pytest

from mi.project.identity import make_project_id
from tests.conftest import Mi

pytestmark = pytest.mark.req("alive.home.taken-over")
TS = "2025-05-01T10:00:00Z"
RUN = "run_old"
THOUGHTS = {
    "as_of_ts": TS,
    "node_ids": [],
    "values_claim_ids": ["cl_1"],
    "pref_goal_claim_ids": [],
    "query_claim_ids": [],
    "edges_n": 0,
    "notes": "",
}
CHECKS = {
    "should_run_checks": True,
    "needs_testless_strategy": False,
    "testless_strategy_question": "",
    "check_goals": ["tests pass"],
    "commands_hints": ["npm test"],
    "hands_check_input": "Run npm test.",
    "notes": "",
}
REPO = {"project_root": "/x", "stack_hints": ["node"], "has_tests": True, "test_hints": ["npm test"]}
SHAPES: list[dict[str, Any]] = [
    {"kind": "state_corrupt", "items": [{"label": "overlay.json", "quarantined_to": "overlay.json.corrupt.1"}]},
    {"kind": "defaults_claim_sync", "event": {"ok": True}},
    {"kind": "workflow_trigger", "workflow_id": "wf_1", "workflow_name": "release"},
    {
        "kind": "cross_project_recall",
        "reason": "run_start",
        "query_raw": "a b",
        "query_compact": "a",
        "tokens_used": [],
    },
    {
        "kind": "hands_input",
        "transcript_path": "hands/old.jsonl",
        "input": "Add a flag to the parser",
        "light_injection": "Keep changes small.",
        "prompt_sha256": "00",
    },
    {"kind": "hands_resume_failed", "error": "no such thread"},
    {
        "kind": "evidence",
        "hands_transcript_ref": "hands/old.jsonl",
        "mind_transcript_ref": "mind/old.jsonl",
        "mi_input": "Add a flag",
        "transcript_observation": {"event_type_counts": {"item": 2}, "file_paths": ["p.py"], "errors": []},
        "repo_observation": REPO,
        "facts": ["The flag is there."],
        "actions": [{"kind": "edit", "detail": "p.py"}],
        "results": ["tests pass"],
        "unknowns": [],
        "risk_signals": [],
    },
    {"kind": "mind_error", "schema_filename": "risk_judge.json", "tag": "risk_judge", "error": "timeout"},
    {"kind": "mind_circuit", "state": "open", "threshold": 2, "failures_total": 2, "failures_consecutive": 2},
    {"kind": "risk_event", "risk_signals": ["push: git push"], "risk": {"category": "push", "severity": "high"}},
    {"kind": "check_plan", "mind_transcript_ref": "mind/old.jsonl", "checks": CHECKS},
    {"kind": "testless_strategy_set", "strategy": "Run it.", "claim_id": "cl_9"},
    {
        "kind": "auto_answer",
        "auto_answer": {"should_answer": True, "confidence": 0.9, "hands_answer_input": "Use argparse."},
    },
    {"kind": "user_input", "question": "May I push?", "answer": "No."},
    {
        "kind": "workflow_progress",
        "workflow_id": "wf_1",
        "state": "ok",
        "output": {"should_update": True, "completed_step_ids": ["s1"], "next_step_id": "s2"},
    },
    {"kind": "loop_guard", "pattern": "aaa", "hands_last_message": "hm", "next_input": "again", "reason": "repeated"},
    {"kind": "loop_break", "pattern": "aaa", "state": "ok", "output": {"action": "rewrite_next_input"}},
    {
        "kind": "decide_next",
        "phase": "initial",
        "next_action": "stop",
        "status": "done",
        "confidence": 0.9,
        "notes": "The flag works.",
        "ask_user_question": "",
        "next_hands_input": "",
        "thought_db": THOUGHTS,
        "decision": {"status": "done"},
    },
    {"kind": "checkpoint", "segment_id": "seg_1", "state": "ok", "output": {"should_checkpoint": True}},
    {"kind": "snapshot", "snapshot_id": "snap_1", "text": "A flag was added.", "source_refs": []},
    {"kind": "node_materialized", "written": ["nd_1"]},
    {"kind": "workflow_suggestion", "output": {"should_suggest": False}},
    {"kind": "workflow_solidified", "workflow_id": "wf_1"},
    {"kind": "host_sync", "results": []},
    {"kind": "preference_mining", "output": {"suggestions": []}},
    {"kind": "preference_solidified", "signature": "s", "count": 2},
    {"kind": "claim_mining", "applied_claim_ids": []},
    {
        "kind": "learn_suggested",
        "id": "ls_flat",
        "scope": "project",
        "text": "Sort the imports.",
        "rationale": "Twice.",
    },
    {
        "kind": "learn_suggested",
        "suggestion_id": "ls_deep",
        "source": "risk_judge",
        "auto_learn": False,
        "learn_suggested": [{"scope": "project", "severity": "medium", "text": "Never push.", "rationale": "Asked."}],
        "applied_claim_ids": [],
    },
    {"kind": "learn_update", "output": {}, "applied": {}},
    {"kind": "why_trace", "target": {"target_type": "evidence_event"}, "state": "ok", "output": {}},
]


def setting(claim_id: str, name: str, text: str) -> dict[str, Any]:
    return {
        "kind": "claim",
        "version": "v1",
        "claim_id": claim_id,
        "claim_type": "preference",
        "text": text,
        "visibility": "global",
        "scope": "global",
        "project_id": "",
        "asserted_ts": TS,
        "valid_from": None,
        "valid_to": None,
        "status": "active",
        "tags": [f"mi:setting:{name}"],
        "source_refs": [{"kind": "evidence_event", "event_id": "ev_cli_old_1"}],
        "confidence": 1.0,
        "notes": "",
    }


def write(path: Path, records: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    own = home / "projects" / make_project_id(f"path:{tmp_path / 'work'}")
    stamps = ({"event_id": f"ev_{RUN}_{seq}", "run_id": RUN, "seq": seq} for seq in range(1, 99))
    common = {"batch_id": "b0", "ts": TS, "thread_id": "th_1"}
    write(own / "evidence.jsonl", [shape | stamp | common for shape, stamp in zip(SHAPES, stamps, strict=False)])
    claims = [
        setting("cl_1", "ask_when_uncertain", "ask_when_uncertain = proceed"),
        setting("cl_2", "refactor_intent", "refactor_intent: behavior_changing"),
    ]
    write(home / "thoughtdb/global/claims.jsonl", claims)
    return own


def ask(mi: Mi, *words: str) -> Any:
    done = mi(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_its_settings_hold(mi: Mi, place: Path):
    shown = ask(mi, "settings", "show")
    assert shown["ask_when_uncertain"] == {"value": "proceed", "source": "global", "claim_id": "cl_1"}
    assert shown["refactor_intent"]["value"] == "behavior_changing"
    mi("settings", "set", "--ask-when-uncertain", "ask")
    assert ask(mi, "settings", "show")["ask_when_uncertain"]["value"] == "ask"
    listed = {one["claim_id"]: one["status"] for one in ask(mi, "claim", "list", "--all", "--scope", "global")}
    assert listed["cl_1"] == "superseded"


@pytest.mark.parametrize(("said", "value"), [("true", "ask"), ("false", "proceed")])
def test_a_setting_may_be_true_or_false(mi: Mi, tmp_path: Path, said: str, value: str):
    claim = setting("cl_1", "ask_when_uncertain", f"ask_when_uncertain: {said}")
    write(tmp_path / "home/thoughtdb/global/claims.jsonl", [claim])
    assert ask(mi, "settings", "show")["ask_when_uncertain"]["value"] == value


@pytest.mark.parametrize(("one", "text"), [("ls_flat", "Sort the imports."), ("ls_deep", "Never push.")])
def test_what_it_suggested_is_learned_in_its_words(mi: Mi, place: Path, one: str, text: str):
    assert text in mi("inbox").stdout
    assert ask(mi, "claim", "apply-suggested", one, "--dry-run")["text"] == text
    learned = ask(mi, "claim", "apply-suggested", one)
    (claim,) = learned["applied_claim_ids"]
    assert ask(mi, "claim", "show", claim)["text"] == text
    assert text not in mi("inbox").stdout


def test_its_done_run_is_shown_as_done(mi: Mi, place: Path):
    assert ask(mi, "status")["run"]["status"] == "done"
    run = ask(mi, "show", "last")["run"]
    assert (run["status"], run["reason"], run["batches"]) == ("done", "The flag works.", 1)
    assert run["task"] == "Add a flag to the parser"
    assert [one["answer"] for one in run["answered"]] == ["Use argparse."]
    whole = ask(mi, "show", RUN)
    assert (whole["status"], whole["task"], whole["batches"]) == ("done", "Add a flag to the parser", 1)
    why = ask(mi, "why", "last")
    assert why["run"]["status"] == "done"


def test_a_run_that_did_not_stop_is_not_done(mi: Mi, place: Path):
    log = place / "evidence.jsonl"
    log.write_text(log.read_text("utf-8").replace('"next_action": "stop"', '"next_action": "send_to_hands"'), "utf-8")
    assert ask(mi, "status")["run"]["status"] == "interrupted"
    assert ask(mi, "show", "last")["run"]["status"] is None


def test_cost_and_tail_read_every_record(mi: Mi, place: Path):
    (row,) = ask(mi, "cost")["rows"]
    assert (row["run_id"], row["status"], row["spent"]["cost_usd"]) == (RUN, "done", None)
    shown = mi("tail", "-n", "99")
    assert shown.returncode == 0
    lines = shown.stdout.splitlines()
    assert len(lines) == len(SHAPES)
    assert [line for line in lines if '{"kind"' in line] == []  # each is told, none printed as it is stored
    for said in ("tests pass", "npm test", "Use argparse.", "No.", "The flag works.", "Never push.", "high push"):
        assert said in shown.stdout
