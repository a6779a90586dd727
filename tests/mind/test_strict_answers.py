"""Every prompt of the pack takes strict JSON only: asked over HTTP, answered badly, repaired or refused."""

import importlib
import json
import pkgutil
from collections.abc import Callable
from typing import Any

import pytest

import mi.mind.prompts
from mi.kernel.home import Home
from mi.mind.prompt import Prompt
from mi.mind.strict import json_schema
from mi.testing import chat_server, say
from tests.learning.models import mind_of

Json = dict[str, Any]
PROMPTS: dict[str, Prompt[Any, Any]] = {
    found.name: found
    for module in pkgutil.iter_modules(mi.mind.prompts.__path__)
    for found in vars(importlib.import_module(f"mi.mind.prompts.{module.name}")).values()
    if isinstance(found, Prompt)
}
SEED = (
    "compile_values values_claim_patch extract_evidence risk_judge plan_min_checks auto_answer_to_hands decide_next"
    " workflow_progress checkpoint_decide suggest_workflow mine_preferences mine_claims learn_update why_trace"
    " loop_break edit_workflow"
).split()


def least(schema: Json) -> Any:
    """The least that a schema takes."""
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return least(schema["anyOf"][-1])
    if schema.get("type") == "object":
        return {name: least(one) for name, one in schema.get("properties", {}).items()}
    return {"array": [], "string": "", "boolean": False, "number": 0.5, "integer": 0, "null": None}[schema["type"]]


def without_one(good: Json) -> str:
    return json.dumps(dict(list(good.items())[1:]))


def with_another(good: Json) -> str:
    return json.dumps(good | {"surprise": 1})


def of_wrong_type(good: Json) -> str:
    first = next(iter(good))
    return json.dumps(good | {first: {"surprise": 1}})


def in_prose(good: Json) -> str:
    return "I would say that all is well."


def cut_off(good: Json) -> str:
    return json.dumps(good)[:-1]


BAD: list[Callable[[Json], str]] = [without_one, with_another, of_wrong_type, in_prose, cut_off]


def test_the_pack_is_whole() -> None:
    assert sorted(PROMPTS) == sorted(SEED)


@pytest.mark.req("v1.prompt.strict-json", "mi.prompt.all-required")
@pytest.mark.parametrize("name", SEED)
def test_a_bad_answer_is_shown_to_the_model_and_the_next_one_counts(home: Home, name: str) -> None:
    prompt = PROMPTS[name]
    good = least(json_schema(prompt.output))
    plain: Prompt[None, Any] = Prompt(name, prompt.output, "Judge.", lambda given: [], prompt.rules)
    for make in BAD:
        bad = make(good)
        with chat_server([say(bad), say(json.dumps(good))]) as server:
            judged = mind_of(server, home).ask(plain, None)
        assert (judged.state, judged.spent.calls) == ("ok", 2), make.__name__
        assert "does not fit the schema" in server.requests[1].user_texts[-1]
        with chat_server([say(bad)] * 3) as server:
            refused = mind_of(server, home).ask(plain, None)
        assert (refused.value, refused.state) == (None, "error"), make.__name__
