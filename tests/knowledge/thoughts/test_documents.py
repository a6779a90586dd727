"""What the stores hand to memory."""

import json
from pathlib import Path

import pytest

from mi.app.home_context import HomeContext
from mi.app.recall import build_recall
from mi.kernel.home import Home, ThoughtFiles
from mi.knowledge.search.backend import Query
from mi.knowledge.search.words import compact


def line(path: str, **fields: object) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(fields) + "\n")


def claim(files: ThoughtFiles, name: str, text: str, **more: object) -> None:
    line(files.claims, **{"kind": "claim", "claim_id": name, "claim_type": "fact", "text": text} | more)


def edge(files: ThoughtFiles, name: str, type_: str, old: str, new: str) -> None:
    line(files.edges, kind="edge", edge_id=name, edge_type=type_, from_id=old, to_id=new)


@pytest.fixture
def files(home: Home) -> ThoughtFiles:
    return ThoughtFiles(home.project("p1").thoughts)


def found(home: Home, words: str, **more: object) -> list[str]:
    query = Query(**{"tokens": compact(words).tokens, "project_id": "p1"} | more)  # type: ignore[arg-type]
    return [hit.document.id for hit in build_recall(HomeContext(home)).index.search(query)]


@pytest.mark.req("v1.tdb.indexed-claims", "mi.recall.correction-outranks")
def test_only_active_canonical_claims_are_found(home: Home, files: ThoughtFiles) -> None:
    for name in ("cl_a", "cl_b", "cl_c", "cl_d"):
        claim(files, name, "gateway")
    edge(files, "ed_1", "supersedes", "cl_a", "cl_b")
    edge(files, "ed_2", "same_as", "cl_c", "cl_b")
    edge(files, "ed_3", "supports", "cl_d", "cl_b")
    assert set(found(home, "gateway")) == {"cl_b", "cl_d"}
    line(files.edges, kind="edge_retract", edge_id="ed_1")
    line(files.claims, kind="claim_retract", claim_id="cl_d")
    assert set(found(home, "gateway")) == {"cl_a", "cl_b"}
    claim(files, "cl_d", "gateway")
    assert set(found(home, "gateway")) == {"cl_a", "cl_b", "cl_d"}


@pytest.mark.req("v1.cli.recall-nodes-incremental", "v1.cli.recall-nodes-backfill", "mi.fail.recall-retracted")
def test_nodes_are_found_as_they_come_and_after_a_rebuild(home: Home, files: ThoughtFiles) -> None:
    node = {"kind": "node", "node_type": "decision", "title": "Proxy", "source_refs": [{"event_id": "ev_1"}]}
    line(files.nodes, **node, node_id="nd_a", text="We take envoy")
    assert found(home, "envoy") == ["nd_a"]
    line(files.nodes, **node, node_id="nd_b", text="We keep envoy")
    assert set(found(home, "proxy")) == {"nd_a", "nd_b"}
    line(files.nodes, kind="node_retract", node_id="nd_a")
    assert found(home, "envoy") == ["nd_b"]
    build_recall(HomeContext(home)).index.rebuild([], lambda done, total: None)
    assert found(home, "envoy") == ["nd_b"]


def test_a_claim_brings_its_provenance_type_and_validity(home: Home, files: ThoughtFiles) -> None:
    refs = [{"kind": "evidence_event", "event_id": "ev_1"}]
    times = {"asserted_ts": "2026-01-01T00:00:00.000Z", "valid_to": "1970-01-01T00:01:40Z"}
    claim(files, "cl_a", "gateway", tags=["infra"], source_refs=refs, **times)
    (hit,) = build_recall(HomeContext(home)).index.search(Query(("gateway",), project_id="p1"))
    assert hit.document.event_ids == ("ev_1",)
    assert hit.document.tags == ("fact", "infra")
    assert found(home, "gateway", now=99.0) == ["cl_a"]
    assert found(home, "gateway", now=100.0) == []


def test_lines_that_cannot_be_read_are_passed_over(home: Home, files: ThoughtFiles) -> None:
    claim(files, "cl_a", "gateway")
    with open(files.claims, "a", encoding="utf-8") as file:
        file.write("no json\n[]\n\n" + json.dumps({"kind": "claim"}) + "\n")
    claim(files, "cl_b", "gateway")
    assert set(found(home, "gateway")) == {"cl_a", "cl_b"}


@pytest.mark.req("v1.tdb.values-raw-excluded", "mi.inject.raw-never-recalled")
def test_raw_values_are_not_handed_over(home: Home, files: ThoughtFiles) -> None:
    claim(files, "cl_raw", "gateway", tags=["values:raw"])
    assert found(home, "gateway") == []
    assert found(home, "gateway", corrected=True) == []
