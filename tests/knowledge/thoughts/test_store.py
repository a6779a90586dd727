import json
import os
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from mi.kernel.errors import MiError
from mi.knowledge.thoughts.records import (
    Claim,
    ClaimRetractLine,
    ClaimType,
    Edge,
    EdgeRetractLine,
    EdgeType,
    Origin,
    Scope,
)
from mi.knowledge.thoughts.store import ThoughtStore
from tests.seals import unseal

EVENT = "ev_cli_20261116T145233Z_abcdefgh_1"


@pytest.fixture
def store(home, notices) -> ThoughtStore:
    return ThoughtStore(home.thoughts, "global", "", notices)


@pytest.fixture
def project_store(home, notices) -> ThoughtStore:
    return ThoughtStore(home.project("p1").thoughts, "project", "p1", notices)


def add(store: ThoughtStore, text: str, *tags: str) -> Claim:
    claim = store.new_claim(text, list(tags), EVENT, "user")
    store.add_claims([claim])
    return claim


def texts(store: ThoughtStore, tag: str) -> list[str]:
    return [claim.text for claim in store.active(tag)]


def stored(path: str) -> list[dict]:
    return [json.loads(line) for line in Path(path).read_bytes().splitlines()]


def write(path: str, *lines: dict | bytes) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    unseal(path)
    with open(path, "ab") as file:
        for line in lines:
            file.write((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n")


@pytest.mark.req("mi.tdb.one-object-per-line", "mi.tdb.claim-record", "mi.tdb.claim-status-active", "mi.ids.cl")
def test_a_claim_is_one_object_on_one_line_with_every_field(store):
    claim = add(store, 'two\nlines "quoted"', "values:base")
    (line,) = stored(store.files.claims)
    assert set(line) == {
        *["kind", "version", "claim_id", "claim_type", "text", "visibility", "scope", "project_id", "asserted_ts"],
        *["valid_from", "valid_to", "status", "tags", "source_refs", "confidence", "notes", "origin"],
    }
    assert (line["kind"], line["version"], line["status"]) == ("claim", "v1", "active")
    assert line["claim_id"] == claim.claim_id
    assert claim.claim_id.startswith("cl_")
    assert line["text"] == 'two\nlines "quoted"'
    assert (line["valid_from"], line["valid_to"]) == (None, None)


@pytest.mark.req("mi.tdb.source-refs", "mi.trust.origin-field")
def test_every_line_cites_its_event_and_says_where_it_comes_from(store):
    old, new = add(store, "old", "t"), add(store, "new", "t")
    store.link("supersedes", old.claim_id, new.claim_id, EVENT, "mind")
    store.retract([new.claim_id], "why not", EVENT, origin="hands")
    lines = stored(store.files.claims) + stored(store.files.edges)
    assert [line["source_refs"] for line in lines] == [[{"kind": "evidence_event", "event_id": EVENT}]] * 4
    assert [line["origin"] for line in lines] == ["user", "user", "hands", "mind"]
    assert {line["version"] for line in lines} == {"v1"}
    assert get_args(Origin) == ("user", "hands", "mind", "import")


@pytest.mark.req("mi.tdb.project-id-global", "mi.tdb.scope", "mi.tdb.visibility")
def test_a_claim_belongs_to_its_store(store, project_store):
    ours, theirs = add(store, "x", "t"), add(project_store, "x", "t")
    assert (ours.scope, ours.project_id, ours.visibility) == ("global", "", "global")
    assert (theirs.scope, theirs.project_id, theirs.visibility) == ("project", "p1", "project")
    edge = project_store.link("supports", "a", "b", EVENT, "user")
    assert (edge.scope, edge.project_id, edge.visibility) == ("project", "p1", "project")


@pytest.mark.req("mi.tdb.claim-type", "mi.tdb.scope", "mi.tdb.visibility")
def test_types_scopes_and_visibilities_are_closed():
    assert get_args(ClaimType) == ("fact", "preference", "assumption", "goal")
    assert get_args(Scope) == ("project", "global")
    assert len(get_args(EdgeType)) == 7
    right = {"kind": "claim", "claim_id": "cl_1", "claim_type": "fact", "text": "x"}
    for name, allowed in (
        ("claim_type", ["fact", "preference", "assumption", "goal"]),
        ("scope", ["project", "global"]),
        ("visibility", ["private", "project", "global"]),
    ):
        for value in allowed:
            assert getattr(msgspec.convert(right | {name: value}, Claim), name) == value
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(right | {name: "other"}, Claim)


def test_active_claims_are_found_by_tag_or_its_beginning(store):
    add(store, "a", "values:base")
    add(store, "b", "values:raw")
    add(store, "c", "mi:setting:x", "values:base")
    add(store, "d", "values:base:more")
    add(store, "the text names values:base", "other")
    assert texts(store, "values:base") == ["a", "c"]
    assert texts(store, "values:*") == ["a", "b", "c", "d"]
    assert texts(store, "mi:setting:*") == ["c"]
    assert texts(store, "none") == []


def test_no_store_has_no_claims_and_reading_makes_none(store, home, notices):
    assert store.active("values:base") == []
    assert store.find("cl_x") is None
    assert not home.exists()
    assert list(notices) == []


def test_what_is_retracted_is_gone_and_may_be_said_again(store):
    first = add(store, "small", "t")
    store.retract([first.claim_id], "not any more", EVENT)
    assert texts(store, "t") == []
    again = add(store, "small", "t")
    assert [claim.claim_id for claim in store.active("t")] == [again.claim_id]
    assert len(stored(store.files.claims)) == 3
    store.retract([], "nothing", EVENT)
    assert len(stored(store.files.claims)) == 3


@pytest.mark.parametrize("edge", ["supersedes", "same_as"])
def test_what_is_replaced_is_gone(store, edge):
    old, new = add(store, "old", "t"), add(store, "new", "t")
    store.link(edge, old.claim_id, new.claim_id, EVENT, "user")
    assert texts(store, "t") == ["new"]


@pytest.mark.parametrize("edge", ["depends_on", "supports", "contradicts", "derived_from", "mentions"])
def test_other_relations_replace_nothing(store, edge):
    one, two = add(store, "one", "t"), add(store, "two", "t")
    store.link(edge, one.claim_id, two.claim_id, EVENT, "user")
    assert texts(store, "t") == ["one", "two"]


def test_a_retracted_edge_replaces_nothing(store):
    old, new = add(store, "old", "t"), add(store, "new", "t")
    edge = store.link("supersedes", old.claim_id, new.claim_id, EVENT, "user")
    write(store.files.edges, {"kind": "edge_retract", "edge_id": edge.edge_id})
    assert texts(store, "t") == ["old", "new"]


def test_retracted_goes_before_replaced(store):
    old, new = add(store, "old", "t"), add(store, "new", "t")
    store.link("supersedes", old.claim_id, new.claim_id, EVENT, "user")
    store.retract([new.claim_id], "x", EVENT)
    assert texts(store, "t") == []


@pytest.mark.parametrize(
    ("edges", "standing"),
    [
        (["AA"], "ABCD"),
        (["AB", "BA"], "ACD"),
        (["BA", "AB"], "BCD"),
        (["AB", "BC", "CA"], "AD"),
        (["AB", "BC", "CA", "AD"], "D"),
        (["CA", "BC", "AB"], "BD"),
        (["AB", "AC", "CA"], "ABD"),
        (["AB", "CD"], "BD"),
    ],
)
def test_of_claims_that_replace_each_other_in_a_circle_the_last_word_stands(store, edges, standing):
    claims = {name: add(store, name, "t") for name in "ABCD"}
    for old, new in edges:
        store.link("supersedes", claims[old].claim_id, claims[new].claim_id, EVENT, "user")
    assert "".join(texts(store, "t")) == standing


def test_a_long_chain_of_replacements_is_read_at_once(store):
    write(
        store.files.claims,
        *[
            {"kind": "claim", "claim_id": f"cl_{n}", "claim_type": "preference", "text": str(n), "tags": ["t"]}
            for n in range(5000)
        ],
    )
    edges = [{"kind": "edge", "edge_id": f"ed_{n}", "edge_type": "supersedes"} for n in range(4999)]
    write(store.files.edges, *[edge | {"from_id": f"cl_{n}", "to_id": f"cl_{n + 1}"} for n, edge in enumerate(edges)])
    assert texts(store, "t") == ["4999"]


SECRET = "sk-ant-api03-" + "aB3dE5gH7jK9" * 4


def test_a_text_with_a_secret_is_refused_and_the_secret_not_repeated(store):
    with pytest.raises(MiError) as caught:
        store.new_claim(f"first line\nuse {SECRET} for it", ["t"], EVENT, "user")
    assert caught.value.code == "secret-refused"
    assert (caught.value.details["line"], caught.value.details["column"]) == (2, 5)
    assert SECRET not in caught.value.line() + caught.value.line("zh") + repr(caught.value)
    assert not Path(store.files.claims).exists()


def test_no_other_field_of_a_thought_holds_a_secret(store):
    for make in (
        lambda: store.new_claim("x", ["t", f"use {SECRET}"], EVENT, "user"),
        lambda: store.new_node("decision", "x", "y", [SECRET], EVENT, "user"),
    ):
        with pytest.raises(MiError, match="secret") as caught:
            make()
        assert SECRET not in caught.value.line()
    assert SECRET not in store.new_claim("x", ["t"], EVENT, "mind", notes=f"seen: {SECRET}").notes


@pytest.mark.req("mi.tdb.unknown-fields-kept")
def test_fields_of_a_newer_version_stay_in_the_file_and_are_shown(store):
    line = {"kind": "claim", "claim_id": "cl_1", "claim_type": "fact", "text": "x", "tags": ["t"], "mood": {"deep": 1}}
    write(store.files.claims, line)
    add(store, "y", "t")
    store.retract(["cl_1"], "x", EVENT)
    assert stored(store.files.claims)[0] == line
    assert (store.find("cl_1") or {}).items() >= line.items()


@pytest.mark.req("mi.rec.version-absent")
def test_a_home_of_an_earlier_tool_reads_as_it_is(store, notices):
    """Lines with the documented fields, without version and origin, written by a Python tool."""
    head = {"kind": "claim", "claim_id": "cl_old", "claim_type": "preference", "text": "保持简单", "status": "active"}
    place = {"visibility": "global", "scope": "global", "project_id": "", "tags": ["values:base"], "notes": ""}
    times = {"asserted_ts": "2026-02-08T10:00:00Z", "valid_from": None, "valid_to": None, "confidence": 1}
    refs = {"source_refs": [{"kind": "evidence_event", "event_id": "ev_1", "more": 1}]}
    claim = head | place | times | refs
    write(
        store.files.claims,
        claim,
        b'{"kind":"claim","claim_id":"cl_odd","claim_type":"goal","text":"a\\ud800","tags":["values:base"]}',
    )
    old, odd = store.active("values:base")
    assert (old.text, old.version, old.origin, old.source_refs[0].event_id) == ("保持简单", "v1", "import", "ev_1")
    assert odd.text == "a\ufffd"
    assert list(notices) == []


def test_broken_lines_cost_only_themselves(store, notices):
    add(store, "one", "t")
    write(store.files.claims, b'{"kind":"claim" "tags":["t"]}', b'{"kind":"claim","claim_id":5,"tags":["t"]}')
    with open(store.files.claims, "ab") as file:
        file.write(b'{"kind":"claim","tags":["t"],"te')
    assert texts(store, "t") == ["one"]
    found = {notice.key: notice.details for notice in notices}
    assert set(found) == {"unreadable-lines", "torn-line"}
    add(store, "two", "t")
    assert texts(store, "t") == ["one", "two"]
    assert "torn-set-aside" in {notice.key for notice in notices}


def test_a_claim_of_megabytes_is_read_whole(store, notices):
    add(store, "x" * 3_000_000, "t")
    (claim,) = store.active("t")
    assert len(claim.text) == 3_000_000
    found = store.find(claim.claim_id)
    assert found is not None
    assert len(found["text"]) == 3_000_000
    assert list(notices) == []


def test_claims_nodes_and_edges_are_found_by_id(store):
    claim = add(store, "names nothing", "t")
    other = add(store, f"mentions {claim.claim_id}", "t")
    edge = store.link("mentions", other.claim_id, claim.claim_id, EVENT, "user")
    write(
        store.files.nodes,
        {"kind": "node", "node_id": "nd_1", "title": "T"},
        {"kind": "node_retract", "node_id": "nd_1"},
    )
    store.retract([claim.claim_id], "x", EVENT)
    for thought_id, kind in ((claim.claim_id, "claim"), (edge.edge_id, "edge"), ("nd_1", "node")):
        found = store.find(thought_id)
        assert found is not None
        assert found["kind"] == kind
    assert store.find("cl_none") is None
    assert store.find("nd_none") is None


def test_retractions_have_the_documented_fields(store):
    store.retract(["cl_1", "cl_2"], "because", EVENT)
    for line in stored(store.files.claims):
        assert set(line) == {"kind", "version", "ts", "claim_id", "rationale", "source_refs", "origin"}
    assert set(msgspec.to_builtins(EdgeRetractLine(edge_id="x"))) == {
        *["kind", "version", "ts", "edge_id", "rationale", "source_refs", "origin"]
    }
    edge = msgspec.to_builtins(Edge(edge_id="x", edge_type="supports", from_id="a", to_id="b"))
    assert set(edge) == {
        *["kind", "version", "edge_id", "edge_type", "from_id", "to_id", "visibility", "scope", "project_id"],
        *["asserted_ts", "source_refs", "notes", "origin"],
    }
    assert ClaimRetractLine(claim_id="x").version == "v1"


@pytest.mark.req("mi.log.fsync-before-stored")
def test_what_is_stored_is_on_the_disk_first(store, monkeypatch):
    synced: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append(os.readlink(f"/proc/self/fd/{fd}")))
    add(store, "x", "t")
    store.link("supports", "a", "b", EVENT, "user")
    logs = [path for path in synced if path.startswith(store.files.root) and path.endswith(".jsonl")]
    assert logs == [store.files.claims, store.files.edges]
