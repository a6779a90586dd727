"""`mi why` without a model: the recorded ids are the answer."""

import json
from pathlib import Path
from typing import Any

import pytest

from mi.app.home_context import HomeContext
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.mind import DecideNext, ThoughtsUsed
from mi.evidence.records.run import RunStart
from mi.kernel.home import Home
from tests.conftest import Mi
from tests.knowledge.thoughts.lines import claim, edge, retract, write


@pytest.fixture
def context(home: Home) -> HomeContext:
    context = HomeContext(home)
    context.use_project()
    return context


@pytest.fixture
def here(context: HomeContext) -> Path:
    root = Path(context.project_home.thoughts)
    write(root, claim("cl_cited", "cited"), claim("cl_seen", "in view"), claim("cl_edge", "by edge"))
    write(root, claim("cl_base", "what it rests on"), edge("ed_1", "depends_on", "cl_cited", "cl_base"))
    return root


def decide(context: HomeContext, cited: list[str], run_id: str = "run_a") -> str:
    writer = EvidenceWriter.resume(context.project_home.evidence, run_id, context.notices)
    used = ThoughtsUsed(values_claim_ids=["cl_seen"], query_claim_ids=["cl_cited"], node_ids=["nd_1"])
    event = writer.append(DecideNext(batch_id="b0", thought_db=used, decision={"cited_ids": cited}, status="done"))
    return event.event_id


def why(mi: Mi, *args: str) -> dict[str, Any]:
    done = mi("why", *args, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.req(
    "v1.cli.why-last",
    "v1.cli.why-event",
    "v1.tdb.why-command",
    "v1.emit.why-on-demand",
    "v1.rec.why-trace-target",
    "v1.tdb.why-top-k",
)
def test_a_decision_is_explained_by_what_it_cites(mi: Mi, context: HomeContext, here: Path) -> None:
    event_id = decide(context, ["cl_cited"])
    write(here, edge("ed_2", "depends_on", event_id, "cl_edge"))
    for args in (["last"], ["event", event_id]):
        found = why(mi, *args)
        assert found["target"] == {"target_type": "evidence_event", "id": event_id}
        assert found["output"]["status"] == "ok"
        assert found["output"]["chosen_claim_ids"] == ["cl_cited", "cl_edge"]
        roles = {one["id"]: one["role"] for one in found["grounds"]}
        assert roles == {"cl_cited": "cited", "cl_edge": "depends_on", "cl_seen": "in_view", "nd_1": "in_view"}
    record = json.loads(mi("tail", "-n", "1", "--json").stdout)[0]
    assert (record["kind"], record["state"]) == ("why_trace", "skipped")
    assert record["target"] == {"target_type": "evidence_event", "id": event_id}
    assert record["candidate_claim_ids"] == ["cl_cited", "cl_edge", "cl_seen"]
    assert set(record["output"]) == {"status", "confidence", "chosen_claim_ids", "explanation", "notes"}
    assert record["written_edge_ids"] == []
    text = mi("why", "last").stdout
    assert "cl_cited" in text
    assert event_id in text
    config = {"runtime": {"thought_db": {"why_trace": {"top_k": 1}}}}
    Path(context.home.config).write_text(json.dumps(config))
    why(mi, "last")
    assert json.loads(mi("tail", "-n", "1", "--json").stdout)[0]["candidate_claim_ids"] == ["cl_cited"]


def test_nothing_cited_is_said_not_guessed(mi: Mi, context: HomeContext, here: Path) -> None:
    decide(context, [])
    found = why(mi, "last")
    assert found["output"]["status"] == "insufficient"
    assert found["output"]["chosen_claim_ids"] == []
    assert {one["role"] for one in found["grounds"]} == {"in_view"}


def test_what_it_rests_on_is_named_once_and_in_words(mi: Mi, context: HomeContext, here: Path) -> None:
    for cited in (["cl_cited"], []):
        decide(context, cited)
        text = mi("why", "last").stdout
        assert text.count("cl_seen") == 1
        assert "in_view" not in text


def test_asking_why_elsewhere_makes_no_project_known(mi: Mi, home: Home) -> None:
    mi("init", "--values", "Keep changes small.")
    claim_id = json.loads(mi("values", "show", "--json").stdout)["values"][0]["claim_id"]
    before = sorted(Path(home.root).rglob("*"))
    assert why(mi, "claim", claim_id)["event_id"] == ""
    assert "Keep changes small." in mi("why", "claim", claim_id).stdout
    made = {path for path in Path(home.root).rglob("*") if path not in before}
    assert not [path for path in made if "projects" in path.parts or path.name == "evidence.jsonl"], made


@pytest.mark.req("v1.cli.why-claim")
def test_a_claim_is_explained_by_where_it_comes_from(mi: Mi, context: HomeContext, here: Path) -> None:
    mi("claim", "supersede", "cl_seen", "--text", "seen better")
    found = why(mi, "claim", "cl_cited")
    assert found["output"]["chosen_claim_ids"] == ["cl_base"]
    base = {one["role"]: one["id"] for one in why(mi, "claim", "cl_base")["grounds"]}
    assert base == {"used_by": "cl_cited"}
    replaced = {one["role"]: one["id"] for one in why(mi, "claim", "cl_seen")["grounds"]}
    assert replaced["replaced_by"].startswith("cl_")
    newer = {one["role"]: one["id"] for one in why(mi, "claim", replaced["replaced_by"])["grounds"]}
    assert newer["replaces"] == "cl_seen"
    assert newer["source"].startswith("ev_")
    mi("claim", "retract", "cl_base")
    gone = {one["role"]: one["id"] for one in why(mi, "claim", "cl_base")["grounds"]}
    assert gone["retracted_by"].startswith("ev_")


@pytest.mark.req("mi.asof.why")
def test_thoughts_are_shown_as_they_were_at_the_decision(mi: Mi, context: HomeContext, here: Path) -> None:
    event_id = decide(context, ["cl_cited"])
    write(here, retract("claim", "cl_cited", "2999-01-01T00:00:00Z"))

    def status(*args: str) -> str:
        found = why(mi, "event", event_id, *args)
        return str(next(one["status"] for one in found["grounds"] if one["id"] == "cl_cited"))

    assert status() == "active"
    assert status("--as-of", "2999-01-02") == "retracted"
    assert status("--as-of", "2025-01-01") == ""  # not known then
    assert mi("why", "claim", "cl_cited", "--as-of", "2025-01-01").returncode == 1


@pytest.mark.parametrize(
    ("args", "code"),
    [(["last"], 1), (["event", "ev_none_1"], 1), (["event", "cl_cited"], 2), (["claim", "cl_none"], 1)],
)
def test_what_is_not_there_is_an_error(mi: Mi, context: HomeContext, here: Path, args: list[str], code: int) -> None:
    EvidenceWriter(context.project_home.evidence, "run_a", context.notices).append(RunStart(task="x"))
    done = mi("why", *args)
    assert done.returncode == code
    assert len(done.stderr.splitlines()) == 1


def test_where_a_claim_comes_from_is_told_in_words(mi: Mi) -> None:
    mi("init", "--values", "Keep changes small.")
    claim_id = json.loads(mi("values", "show", "--json").stdout)["values"][0]["claim_id"]
    (source,) = why(mi, "claim", claim_id)["grounds"]
    assert (source["role"], source["text"]) == ("source", "values_set: Keep changes small.")
    assert "values_set: Keep changes small." in mi("why", "claim", claim_id).stdout
