"""One type gives the schema a model is held to and the check of its answer."""

import json

import pytest

from mi.evidence.records.mind import Checks
from mi.kernel.jsontext import BadJson
from mi.mind.prompts import all_prompts
from mi.mind.strict import json_schema, read_answer

CHECKS = {
    "should_run_checks": True,
    "needs_testless_strategy": False,
    "testless_strategy_question": "",
    "check_goals": [],
    "commands_hints": ["pytest"],
    "hands_check_input": "Run pytest.",
    "notes": "",
}


def nodes(schema: object):
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from nodes(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from nodes(value)


@pytest.mark.parametrize("name", all_prompts())
def test_every_key_is_required_and_no_other_is_allowed(name: str):
    schema = json_schema(all_prompts()[name].output)
    objects = [node for node in nodes(schema) if node.get("type") == "object"]
    assert objects
    for node in objects:
        assert sorted(node["required"]) == sorted(node["properties"])
        assert node["additionalProperties"] is False
    assert not [node for node in nodes(schema) if "$ref" in node or "default" in node]
    assert not [node for node in nodes(schema) if "enum" in node and "type" not in node]


def test_a_right_answer_is_read_even_in_a_fence():
    text = f"Here it is:\n```json\n{json.dumps(CHECKS)}\n```"
    assert read_answer(text, Checks).commands_hints == ["pytest"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"notes": None}, "notes"),
        ({"should_run_checks": "yes"}, "should_run_checks"),
        ({"extra": 1}, "extra"),
    ],
)
def test_a_wrong_answer_is_refused_with_the_place(change: dict[str, object], problem: str):
    with pytest.raises(BadJson, match=problem):
        read_answer(json.dumps(CHECKS | change), Checks)


def test_a_missing_key_is_refused_although_the_record_has_a_default():
    incomplete = {key: value for key, value in CHECKS.items() if key != "notes"}
    with pytest.raises(BadJson, match="notes"):
        read_answer(json.dumps(incomplete), Checks)


@pytest.mark.parametrize("text", ["", "I think it is done.", "{", "[1, 2]", '{"a": 1} trailing }'])
def test_what_is_no_object_is_refused(text: str):
    with pytest.raises(BadJson):
        read_answer(text, Checks)
