"""What the prompts of learning answer, key by key, and what they answer without a model."""

from typing import Any

import pytest

from mi.mind.prompts.checkpoint_decide import SegmentCase, checkpoint_decide
from mi.mind.prompts.learn_update import Suggestions, learn_update
from mi.mind.prompts.mine_claims import SegmentToMine, mine_claims
from mi.mind.prompts.mine_preferences import mine_preferences
from mi.mind.strict import json_schema
from mi.mind.views import CitableText

CLAIM = """local_id claim_type text scope visibility valid_from valid_to confidence source_event_ids tags notes"""
EDGE = "edge_type from_claim_id to_claim_id confidence source_event_ids notes"
SEEDS_KINDS = "none phase_change subtask_complete risk_boundary user_interaction timebox max_batches done blocked other"


def resolved(schema: Any, root: Any) -> Any:
    """A schema with its reference followed, and of a list that of its items."""
    while "$ref" in schema or "items" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema["items"]
    return schema


def at(prompt: Any, *path: str) -> Any:
    root = json_schema(prompt.output)
    schema = resolved(root, root)
    for name in path:
        schema = resolved(schema["properties"][name], root)
    return schema


@pytest.mark.parametrize(
    ("prompt", "path", "keys"),
    [
        pytest.param(
            checkpoint_decide,
            (),
            "should_checkpoint checkpoint_kind should_mine_workflow should_mine_preferences confidence notes",
            marks=pytest.mark.req("mi.prompt.checkpoint-decide"),
        ),
        pytest.param(mine_preferences, (), "suggestions notes", marks=pytest.mark.req("mi.prompt.mine-preferences")),
        pytest.param(mine_preferences, ("suggestions",), "scope text rationale confidence benefit"),
        pytest.param(mine_claims, (), "claims edges notes", marks=pytest.mark.req("mi.prompt.mine-claims")),
        pytest.param(mine_claims, ("claims",), CLAIM, marks=pytest.mark.req("mi.prompt.mine-claims-claim")),
        pytest.param(mine_claims, ("edges",), EDGE, marks=pytest.mark.req("mi.prompt.mine-claims-edge")),
        pytest.param(
            learn_update,
            (),
            "should_apply min_confidence patch retract notes",
            marks=pytest.mark.req("mi.prompt.learn-update"),
        ),
        pytest.param(
            learn_update, ("patch",), "claims edges notes", marks=pytest.mark.req("mi.prompt.learn-update-patch")
        ),
        pytest.param(
            learn_update,
            ("retract",),
            "scope claim_id rationale confidence source_event_ids",
            marks=pytest.mark.req("mi.prompt.learn-update-retract"),
        ),
    ],
)
def test_every_key_is_there_and_required_and_no_other(prompt: Any, path: tuple[str, ...], keys: str) -> None:
    schema = at(prompt, *path)
    assert list(schema["properties"]) == keys.split()
    assert sorted(schema["required"]) == sorted(keys.split())
    assert schema["additionalProperties"] is False


@pytest.mark.req("v1.rec.checkpoint-kinds")
def test_the_kinds_of_a_checkpoint_are_the_seeds() -> None:
    assert sorted(at(checkpoint_decide, "checkpoint_kind")["enum"]) == sorted(SEEDS_KINDS.split())


@pytest.mark.parametrize(
    ("hint", "lasting", "kind", "mines"),
    [
        ("", True, "none", False),
        ("done", False, "done", False),
        ("done", True, "done", True),
        ("blocked", True, "blocked", True),
        ("failed", False, "other", False),
        ("interrupted", True, "none", False),
    ],
)
def test_without_a_model_a_run_that_ends_is_cut_and_mined_for_named_preferences_only(
    hint: str, lasting: bool, kind: str, mines: bool
) -> None:
    case = SegmentCase(task="t", events=[], batches=1, status_hint=hint, lasting=lasting)
    decision = checkpoint_decide.rules(case)
    assert (decision.checkpoint_kind, decision.should_checkpoint) == (kind, kind != "none")
    assert (decision.should_mine_preferences, decision.should_mine_workflow) == (mines, False)


def test_without_a_model_only_the_persons_own_lasting_sentences_are_preferences() -> None:
    said = [
        CitableText(id="ev_1", text="Fix the parser. Always add a test. ```\nnever\n```"),
        CitableText(id="ev_2", text="以后都用 pytest。好的"),
    ]
    agents = [CitableText(id="ev_3", text="batch_end: The user always wants a push.")]
    given = SegmentToMine(task="", events=agents, said=said)
    assert [one.text for one in mine_preferences.rules(given).suggestions] == [
        "Always add a test.",
        "以后都用 pytest。",
    ]
    assert mine_claims.rules(given).claims == []
    assert learn_update.rules(Suggestions(suggested=said, learned=[])).should_apply is False
