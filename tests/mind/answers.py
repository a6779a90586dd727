"""What a scripted model answers to each prompt: whole, by the schema, and easy to vary."""

import json
from collections.abc import Callable
from typing import Any

from mi.testing import Request, answer_json, say
from mi.testing.replies import Reply

Json = dict[str, Any]
ANSWERS: dict[str, Json] = {
    "extract_evidence": {"facts": ["seen"], "actions": [], "results": [], "unknowns": [], "risk_signals": []},
    "risk_judge": {
        "category": "push",
        "severity": "high",
        "should_ask_user": True,
        "mitigation": [],
        "learn_suggested": [],
    },
    "plan_min_checks": {
        "should_run_checks": False,
        "needs_testless_strategy": False,
        "testless_strategy_question": "",
        "check_goals": [],
        "commands_hints": [],
        "hands_check_input": "",
        "notes": "",
    },
    "auto_answer_to_hands": {
        "should_answer": False,
        "confidence": 0.9,
        "hands_answer_input": "",
        "needs_user_input": False,
        "ask_user_question": "",
        "unanswered_questions": [],
        "cited_ids": [],
        "notes": "",
    },
    "decide_next": {
        "next_action": "stop",
        "status": "done",
        "confidence": 0.9,
        "next_hands_input": "",
        "ask_user_question": "",
        "cited_ids": [],
        "parts": [],
        "learn_suggested": [],
        "update_project_overlay": {"set_testless_strategy": None},
        "notes": "it looks done",
    },
    "loop_break": {
        "action": "stop_blocked",
        "confidence": 0.9,
        "rewritten_next_input": "",
        "check_intent": "",
        "ask_user_question": "",
        "notes": "",
    },
    "checkpoint_decide": {
        "should_checkpoint": True,
        "checkpoint_kind": "other",
        "should_mine_workflow": False,
        "should_mine_preferences": False,
        "confidence": 0.9,
        "notes": "",
    },
    "suggest_workflow": {"should_suggest": False, "suggestion": None, "notes": ""},
    "workflow_progress": {
        "should_update": False,
        "completed_step_ids": [],
        "next_step_id": None,
        "should_close": False,
        "close_reason": None,
        "confidence": 0.9,
        "notes": "",
    },
    "mine_claims": {"claims": [], "edges": [], "notes": ""},
    "mine_preferences": {"suggestions": [], "notes": ""},
    "learn_update": {
        "should_apply": False,
        "min_confidence": 0.9,
        "patch": {"claims": [], "edges": [], "notes": ""},
        "retract": [],
        "notes": "",
    },
}


def asked(request: Request) -> str:
    """The prompt a request is about, by the schema it wants."""
    schema = request.schema or {}
    keys = set(schema.get("properties", {}))
    return next((name for name in ANSWERS if set(ANSWERS[name]) == keys), "")


def parts(request: Request) -> dict[str, str]:
    """The fenced sections of a prompt, by name."""
    found: dict[str, str] = {}
    for piece in request.user_texts[-1].split("<<<")[1:]:
        name, _, text = piece.partition("\n")
        found[name] = text.rpartition("\n>>>")[0]
    return found


def model(structured: bool = False, **changes: Json | Callable[[Request], Json]) -> Callable[[Request], Reply]:
    """A model that answers every prompt; `changes` vary an answer by the prompt's name."""

    def reply(request: Request) -> Reply:
        name = asked(request)
        change = changes.get(name, {})
        answer = ANSWERS[name] | (change(request) if callable(change) else change)
        return answer_json(answer) if structured else say(json.dumps(answer, ensure_ascii=False))

    return reply
