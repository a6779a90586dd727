"""Values compiled by a model: what it proposes is held against what was said, what stands and what may be cited."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mi.evidence.log import EvidenceWriter
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.knowledge.thoughts.store import ThoughtStore
from mi.knowledge.thoughts.store_state import Filter
from mi.learning.values import BASE, RAW, SUMMARY, ValuesChange, set_values
from mi.mind.prompts.compile_values import CompiledValues
from mi.mind.prompts.learn_update import learn_update
from mi.mind.prompts.mine_claims import mine_claims
from mi.mind.prompts.mine_preferences import mine_preferences
from mi.mind.prompts.values_claim_patch import ValuesClaimPatch, values_claim_patch
from mi.mind.prompts.why_trace import WhyAnswer
from mi.mind.strict import json_schema
from mi.testing import Request
from tests.conftest import Mi
from tests.learning.models import PROCEDURE, answering, claim, compiled, edge, mind_of, name_of, settings

Json = dict[str, Any]
Patching = Callable[[str, dict[str, str]], Json]  # from the event and the standing claims by text


@pytest.fixture
def store(home: Home, notices: Notices) -> ThoughtStore:
    return ThoughtStore(home.thoughts, "global", "", notices)


def patch(claims: list[Json] = [], edges: list[Json] = [], retract: list[str] = []) -> Json:  # noqa: B006
    return {"claims": claims, "edges": edges, "retract_claim_ids": retract, "notes": ""}


def event_in(request: Request) -> str:
    return re.findall(r"ev_cli_\w+", request.user_texts[-1])[-1]


@pytest.fixture
def say(home: Home, store: ThoughtStore, notices: Notices) -> Callable[..., ValuesChange]:
    """Sets values with a model whose patch is made from the event's id and the claims that stand."""

    def say(text: str, patching: Patching, summary: Json | None = None, **flags: bool) -> ValuesChange:
        standing = {one.text: one.claim_id for one in store.active(BASE)}
        answers = {"values_claim_patch": lambda request: patching(event_in(request), standing)}
        with answering(compile_values=summary or compiled(text), **answers) as server:
            writer = EvidenceWriter.for_command(home.evidence, notices)
            return set_values(store, writer, text, mind_of(server, home), **flags)

    return say


def texts(store: ThoughtStore, tag: str = BASE) -> list[str]:
    return [one.text for one in store.active(tag)]


def events(home: Home) -> list[Json]:
    return [json.loads(line) for line in Path(home.evidence).read_bytes().splitlines()]


@pytest.mark.req(
    *["v1.root.values-in-prompts", "v1.prompt.values-patch-use", "v1.cli.values-base-tag", "v1.cfg.values-canonical"],
    *["v1.cfg.values-summary-node", "v1.cli.values-summary-node", "v1.tdb.values-summary", "v1.cli.values-patch-call"],
    *["v1.prompt.compile-values-out", "v1.cfg.compiled-intermediate", "v0.data.values-summary-list"],
    *["mi.trust.origin-stamped", "v1.prompt.values-patch-out"],
)
def test_a_model_turns_a_text_into_claims_and_a_summary(home: Home, store: ThoughtStore, say) -> None:
    text = "Keep changes small. I hate surprises in production"

    def proposed(event: str, standing: dict[str, str]) -> Json:
        own = claim("Keep changes small.", event, tags=["style", "mi:setting:x", "values:raw"])
        return patch([own, claim("No surprises in production.", event, claim_type="goal", confidence=7)])

    change = say(text, proposed, compiled("Small changes.", "No surprises."))
    (event,) = events(home)
    assert (event["kind"], event["compiled_by"]) == ("values_set", "openai_compatible")
    assert event["compiled_values"] == compiled("Small changes.", "No surprises.")
    assert Path(home.path(event["mind_transcript_ref"])).exists()
    assert change.by == "openai_compatible"
    assert texts(store) == ["Keep changes small.", "No surprises in production."]
    own, derived = store.active(BASE)
    assert (own.tags, own.origin, own.scope) == ([BASE, "style"], "user", "global")
    assert (derived.claim_type, derived.origin, derived.confidence) == ("goal", "mind", 1.0)
    assert {ref.event_id for one in (own, derived) for ref in one.source_refs} == {event["event_id"]}
    assert texts(store, RAW) == [text]
    (node,) = store.read().find("node")
    assert (node.type, node.scope, node.raw["tags"]) == ("summary", "global", [SUMMARY])
    for part in ("Small changes.", "No surprises.", *PROCEDURE.values()):
        assert part in node.raw["text"]


@pytest.mark.req("v1.prompt.values-patch-in", "v1.prompt.compile-values-in")
def test_what_the_model_is_shown(home: Home, store: ThoughtStore, notices: Notices) -> None:
    set_values(store, EvidenceWriter.for_command(home.evidence, notices), "Old value.")
    (old,) = store.active(BASE)
    with answering(compile_values=compiled("Short."), values_claim_patch=patch()) as server:
        writer = EvidenceWriter.for_command(home.evidence, notices)
        change = set_values(store, writer, "A new text.", mind_of(server, home))
    assert [name_of(one) for one in server.requests] == ["compile_values", "values_claim_patch"]
    assert "A new text." in server.requests[0].user_texts[-1]
    shown = server.requests[1].user_texts[-1]
    procedure = compiled("Short.")["decision_procedure"]
    for part in (
        procedure["summary"],
        procedure["mermaid"],
        "A new text.",
        "Short.",
        f"[{old.claim_id}] Old value.",
        change.event_id,
    ):
        assert part in shown


VOID: dict[str, Patching] = {
    "uncited": lambda event, standing: patch([claim("X."), claim("Y.", event)]),
    "another event": lambda event, standing: patch([claim("X.", event, "ev_run_1_1"), claim("Y.", event)]),
    "a fact": lambda event, standing: patch([claim("X.", event, claim_type="fact"), claim("Y.", event)]),
    "a secret": lambda event, standing: patch([claim("Use ghp_" + "aB3dE5gH7jK9" * 3, event), claim("Y.", event)]),
    "an essay": lambda event, standing: patch([claim("X" * 700, event), claim("Y.", event)]),
    "empty": lambda event, standing: patch([claim(" ", event), claim("Y.", event)]),
}


@pytest.mark.req("v1.prompt.values-patch-allowlists", "mi.prompt.citation-voids-claim")
@pytest.mark.parametrize("why", VOID)
def test_a_claim_that_may_not_be_is_dropped_and_noted(store: ThoughtStore, say, why: str) -> None:
    change = say("Y.", VOID[why])
    assert texts(store) == ["Y."]
    assert len(change.notes) == 1


@pytest.mark.req("mi.prompt.unknown-claim-ids", "v1.prompt.values-patch-allowlists")
def test_only_values_that_stand_are_taken_back_or_replaced(home: Home, store: ThoughtStore, say, notices) -> None:
    set_values(store, EvidenceWriter.for_command(home.evidence, notices), "Small steps. Tests first. Be quick.")
    other = store.new_claim("mine", ["mi:setting:x"], "ev_1", "user")
    store.add_claims([other])

    def proposed(event: str, standing: dict[str, str]) -> Json:
        edges = [
            edge("supersedes", standing["Small steps."], "n1", event),
            edge("same_as", "n1", standing["Small steps."], event),  # a circle
            edge("supersedes", other.claim_id, "n1", event),
            edge("supports", standing["Tests first."], "n1", event),
            edge("supersedes", standing["Tests first."], "n1"),
        ]
        new = claim("Very small steps.", event, local_id="n1")
        return patch([new], edges, [standing["Be quick."], other.claim_id, "cl_unknown", standing["Small steps."]])

    change = say("Very small steps. Tests first.", proposed)
    assert texts(store) == ["Tests first.", "Very small steps."]
    assert [one.text for one in store.active("mi:setting:x")] == ["mine"]
    statuses = {one.raw["text"]: one.status for one in store.read().find("claim", Filter(status=None, tags=(BASE,)))}
    assert statuses["Small steps."] == "superseded"
    assert statuses["Be quick."] == "retracted"
    assert sorted(one.text for one in change.gone) == ["Be quick.", "Small steps."]
    assert len(change.notes) == 6


@pytest.mark.parametrize(
    "proposed",
    [
        lambda event, standing: patch(),
        lambda event, standing: patch(retract=list(standing.values())),
        lambda event, standing: {"nonsense": True},
    ],
)
def test_a_model_cannot_leave_the_person_without_values(store: ThoughtStore, home: Home, say, proposed) -> None:
    say("Old value.", lambda event, standing: patch([claim("Old value.", event)]))
    before = Path(store.files.claims).read_bytes()
    change = say("New value.", proposed)
    assert texts(store)  # an empty patch keeps what stands; one that takes all is not heard
    assert change.by == ("openai_compatible" if texts(store) == ["Old value."] else "rules")
    assert Path(store.files.claims).read_bytes().startswith(before)


def test_the_same_value_is_not_said_twice(store: ThoughtStore, say) -> None:
    say("A. B.", lambda event, standing: patch([claim("A.", event), claim("A.", event, local_id="again")]))
    (first,) = store.active(BASE)
    change = say("A.", lambda event, standing: patch([claim("A.", event)], retract=list(standing.values())))
    assert [one.claim_id for one in store.active(BASE)] == [first.claim_id]
    assert len(change.notes) == 1


def test_a_summary_set_anew_replaces_the_former(store: ThoughtStore, say) -> None:
    for text in ("One.", "Two."):
        say(text, lambda event, standing: patch(), compiled(text))
    nodes = {one.raw["text"].splitlines()[0]: one.status for one in store.read().find("node", Filter(status=None))}
    assert nodes == {"- Two.": "active", "- One.": "superseded"}


def test_without_claims_the_summary_is_kept_and_no_patch_is_asked(home: Home, store: ThoughtStore, notices) -> None:
    with answering(compile_values=compiled("Short.")) as server:
        writer = EvidenceWriter.for_command(home.evidence, notices)
        set_values(store, writer, "A text.", mind_of(server, home), claims=False)
    assert len(server.requests) == 1
    assert texts(store) == []
    assert len(list(store.read().find("node"))) == 1


@pytest.mark.req("v1.cfg.not-canonical")
def test_a_model_that_is_down_costs_nothing_but_its_judgement(mi: Mi, home: Home) -> None:
    with answering() as server:
        Path(home.root).mkdir()
        Path(home.config).write_text(json.dumps(settings(server)))
        done = mi("init", "--values", "Be kind. Be small.", "--json")
    assert done.returncode == 0
    assert "openai_compatible" in done.stderr
    assert json.loads(done.stdout)["values"] == ["Be kind.", "Be small."]
    assert [one["kind"] for one in events(home)] == ["mind_error", "values_set"]
    assert events(home)[1]["compiled_values"] is None
    assert json.loads(mi("node", "list", "--json").stdout) == []
    assert "values" not in json.loads(Path(home.config).read_text())


@pytest.mark.req("v1.prompt.compile-values-provenance", "v1.storage.global-mind-transcripts")
@pytest.mark.req("v1.cli.values-flag-show", "v1.cli.values-flag-dry-run", "v1.cli.values-flag-no-claims")
@pytest.mark.parametrize("command", [["init", "--values"], ["values", "set", "--text"]])
def test_the_flags_with_a_model(mi: Mi, home: Home, command: list[str]) -> None:
    def proposed(request: Request) -> Json:
        return patch([claim("Prefer kindness.", event_in(request))])

    with answering(compile_values=compiled("Kindness."), values_claim_patch=proposed) as server:
        Path(home.root).mkdir()
        Path(home.config).write_text(json.dumps(settings(server)))
        dry = mi(*command, "Be kind.", "--dry-run").stdout
        assert not Path(home.evidence).exists()
        assert not Path(home.thoughts).exists()
        shown = mi(*command, "Be kind.", "--show").stdout
        for text in (dry, shown):
            for part in ("Kindness.", PROCEDURE["summary"], "A[choice] --> B[ask]"):
                assert part in text
        assert "Prefer kindness." in shown
        told = mi("values", "show", "--injection").stdout
        assert "Prefer kindness." in told
        assert "Kindness." not in told  # what was compiled is for people; agents are told the claims
        before = json.loads(mi("values", "show", "--json").stdout)["values"]
        mi(*command, "Be quick.", "--no-values-claims")
        assert json.loads(mi("values", "show", "--json").stdout)["values"] == before
    assert [name_of(one) for one in server.requests] == [
        *["compile_values", "compile_values", "values_claim_patch", "compile_values"],
    ]
    assert len(list(Path(home.root, "global/transcripts/mind").glob("*.jsonl"))) == 4


@pytest.mark.req("mi.prompt.compile-values", "mi.prompt.compile-values-procedure", "mi.prompt.values-claim-patch")
@pytest.mark.req("mi.prompt.why-trace", "v1.prompt.why-out")
@pytest.mark.parametrize(
    ("shape", "keys"),
    [
        (CompiledValues, {"version", "values_summary", "decision_procedure"}),
        (ValuesClaimPatch, {"claims", "edges", "retract_claim_ids", "notes"}),
        (WhyAnswer, {"status", "confidence", "chosen_claim_ids", "explanation", "notes"}),
    ],
)
def test_the_shapes_of_answers(shape: type, keys: set[str]) -> None:
    schema = json_schema(shape)
    assert set(schema["properties"]) == set(schema["required"]) == keys
    if shape is CompiledValues:
        assert schema["properties"]["version"]["enum"] == ["v1"]
        assert set(schema["properties"]["decision_procedure"]["properties"]) == {"summary", "mermaid"}
    if shape is WhyAnswer:
        assert schema["properties"]["status"]["enum"] == ["insufficient", "ok"]


@pytest.mark.req("mi.trust.origin-stamped")
@pytest.mark.parametrize("prompt", [values_claim_patch, mine_claims, mine_preferences, learn_update])
def test_no_model_is_asked_for_an_origin_nor_may_give_one(prompt) -> None:
    def closed(node: Any) -> bool:
        if isinstance(node, list):
            return all(closed(one) for one in node)
        if not isinstance(node, dict):
            return True
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
            assert "origin" not in node["properties"]
        return all(closed(one) for one in node.values())

    assert closed(json_schema(prompt.output))
