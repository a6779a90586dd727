"""A home that an earlier tool wrote, with the fields of the seed and no more, is read as it is."""

import json
from pathlib import Path

import pytest

from mi.project.identity import make_project_id

TS = "2025-05-01T10:00:00Z"
REF = [{"kind": "evidence_event", "event_id": "ev_run_old_1"}]
COMMON = {
    "version": "v1",
    "visibility": "project",
    "scope": "project",
    "asserted_ts": TS,
    "source_refs": REF,
    "notes": "",
}


def lines(path: Path, *records: dict) -> bytes:  # type: ignore[type-arg]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path.read_bytes()


def claim(claim_id: str, text: str, own: str, **more: object) -> dict[str, object]:
    fields = {"kind": "claim", "claim_id": claim_id, "claim_type": "preference", "text": text, "project_id": own}
    dates = {"valid_from": None, "valid_to": None, "status": "active", "tags": ["values:base"], "confidence": 0.9}
    return COMMON | fields | dates | more


@pytest.fixture
def old_home(tmp_path) -> Path:
    home = tmp_path / "home"
    own = make_project_id(f"path:{tmp_path / 'work'}")
    place = home / "projects" / own
    global_ = {"scope": "global", "visibility": "global", "project_id": ""}
    lines(home / "thoughtdb/global/claims.jsonl", claim("cl_1", "Keep changes small.", "") | global_)
    lines(
        place / "thoughtdb/claims.jsonl",
        claim("cl_2", "Use npm.", own),
        claim("cl_3", "Use pnpm.", own, extra_field_of_then=1),
        claim("cl_4", "Wrong.", own),
        {"kind": "claim_retract", "version": "v1", "ts": TS, "claim_id": "cl_4", "rationale": "no", "source_refs": REF},
    )
    node = {"kind": "node", "node_id": "nd_1", "node_type": "decision", "title": "pnpm", "text": "We moved to pnpm."}
    lines(place / "thoughtdb/nodes.jsonl", COMMON | node | {"project_id": own, "tags": [], "confidence": 1.0})
    edge = {"kind": "edge", "edge_id": "ed_1", "edge_type": "supersedes", "from_id": "cl_2", "to_id": "cl_3"}
    lines(place / "thoughtdb/edges.jsonl", COMMON | edge | {"project_id": own})
    event = {
        "kind": "decide_next",
        "event_id": "ev_run_old_1",
        "run_id": "run_old",
        "seq": 1,
        "ts": TS,
        "batch_id": "b0",
    }
    lines(place / "evidence.jsonl", event)
    header = {"type": "mi.transcript.header", "ts": TS, "kind": "hands", "cwd": "/x", "argv": ["codex"]}
    lines(place / "transcripts/hands/old.jsonl", header, {"ts": TS, "stream": "stdout", "line": "hello"})
    return home


@pytest.mark.req("mi.tdb.earlier-homes-read")
def test_its_thoughts_have_their_derived_state_and_nothing_is_rewritten(mi, old_home):
    before = {path: path.read_bytes() for path in old_home.rglob("*.jsonl")}
    listed = json.loads(mi("claim", "list", "--status", "all", "--json").stdout)
    assert {one["claim_id"]: one["status"] for one in listed} == {
        "cl_1": "active",
        "cl_2": "superseded",
        "cl_3": "active",
        "cl_4": "retracted",
    }
    kept = json.loads(mi("claim", "show", "cl_3", "--json").stdout)
    assert "extra_field_of_then" in str(kept)
    assert "We moved to pnpm." in mi("node", "show", "nd_1").stdout
    assert "Keep changes small." in mi("values", "show").stdout
    assert "ev_run_old_1" in mi("show", "ev_run_old_1").stdout
    assert "hello" in mi("show", str(next(old_home.rglob("old.jsonl")))).stdout
    assert "Use pnpm." in mi("memory", "search", "pnpm").stdout
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.req("mi.tdb.earlier-homes-read")
def test_it_can_be_added_to(mi, old_home):
    assert mi("claim", "retract", "cl_3", "--scope", "project").returncode == 0
    listed = json.loads(mi("claim", "list", "--scope", "project", "--json").stdout)
    assert listed == []


@pytest.fixture
def sparse_home(tmp_path) -> Path:
    """Lines with as few fields as there can be, and with null or other types where this version writes none."""
    store = tmp_path / "home" / "thoughtdb" / "global"
    odd = {"source_refs": None, "confidence": None, "notes": None, "tags": ["values:base", 7]}
    said = {"kind": "claim", "claim_type": "preference"}
    lines(
        store / "claims.jsonl",
        {"kind": "claim", "claim_id": "cl_1", "text": "A zebra."},
        said | {"claim_id": "cl_2", "text": "Feed the giraffe."} | odd,
        said | {"claim_id": "cl_3", "text": "Feed the lion.", "version": 1, "source_refs": ["ev_old_1"]},
        said | {"claim_id": "cl_4", "text": "Feed the leopard."},
        {"kind": "claim_retract", "claim_id": "cl_4", "source_refs": ["ev_old_2"], "rationale": None},
        said | {"claim_id": "cl_5", "text": "Obey me.", "origin": "robot", "tags": ["values:base"]},
    )
    lines(store / "nodes.jsonl", {"kind": "node", "node_id": "nd_1", "title": None, "text": "About the hippo."})
    lines(store / "edges.jsonl", {"kind": "edge", "edge_id": "ed_1", "from_id": "cl_1", "to_id": "nd_1"})
    return tmp_path / "home"


@pytest.mark.req("mi.tdb.earlier-homes-read")
@pytest.mark.parametrize("kind", ["claim", "node", "edge"])
def test_a_line_without_a_type_is_listed_and_shown(mi, sparse_home, kind):
    listed = mi(kind, "list")
    assert listed.returncode == 0
    assert f"{kind[:1] + ('l' if kind == 'claim' else 'd')}_1  -" in listed.stdout
    assert "(global)" in listed.stdout  # by the store that holds it: the line does not say


@pytest.mark.req("mi.tdb.earlier-homes-read")
def test_a_field_of_another_type_costs_that_field_in_every_view_of_the_store(mi, sparse_home):
    shown = json.loads(mi("values", "show", "--json").stdout)["values"]
    assert [one["text"] for one in shown] == ["Feed the giraffe."]
    assert "Feed the giraffe." in mi("values", "show", "--injection").stdout
    for words, found in (("giraffe", "cl_2"), ("lion", "cl_3"), ("zebra", "cl_1"), ("hippo", "nd_1")):
        hits = json.loads(mi("memory", "search", words, "--json").stdout)["hits"]
        assert [one["id"] for one in hits] == [found]
    assert json.loads(mi("memory", "search", "leopard", "--json").stdout)["hits"] == []


def test_a_claim_without_a_type_can_be_replaced(mi, sparse_home):
    done = mi("claim", "supersede", "cl_1", "--scope", "global", "--text", "Two zebras.", "--json")
    new = json.loads(done.stdout)["claim_id"]
    assert json.loads(mi("claim", "show", new, "--json").stdout)["text"] == "Two zebras."
    assert json.loads(mi("claim", "show", "cl_1", "--json").stdout)["canonical_id"] == new
