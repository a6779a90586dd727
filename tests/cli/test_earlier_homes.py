"""A home that an earlier tool wrote, with the fields of the seed and no more, is read as it is."""

import json
from pathlib import Path

import pytest

from mi.project.identity import project_id

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
    own = project_id(f"path:{tmp_path / 'work'}")
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
    assert {path: path.read_bytes() for path in old_home.rglob("*.jsonl")} == before


@pytest.mark.req("mi.tdb.earlier-homes-read")
def test_it_can_be_added_to(mi, old_home):
    assert mi("claim", "retract", "cl_3", "--scope", "project").returncode == 0
    listed = json.loads(mi("claim", "list", "--scope", "project", "--json").stdout)
    assert listed == []
