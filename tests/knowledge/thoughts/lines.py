"""Stored lines for tests, written as an earlier tool or another process would."""

import json
from pathlib import Path
from typing import Any

from tests.seals import unseal


def claim(claim_id: str, text: str = "a claim", **more: Any) -> dict[str, Any]:
    fields = {"kind": "claim", "version": "v1", "claim_id": claim_id, "claim_type": "fact", "text": text}
    rest = {"visibility": "project", "scope": "project", "project_id": "p", "asserted_ts": "2026-01-01T00:00:00Z"}
    ends = {"valid_from": None, "valid_to": None, "status": "active", "tags": [], "source_refs": [], "confidence": 0.9}
    return {**fields, **rest, **ends, "notes": "", **more}


def node(node_id: str, title: str = "a node", **more: Any) -> dict[str, Any]:
    fields = {"kind": "node", "version": "v1", "node_id": node_id, "node_type": "decision", "title": title}
    return {**fields, "text": "", "asserted_ts": "2026-01-01T00:00:00Z", "tags": [], "source_refs": [], **more}


def edge(edge_id: str, edge_type: str, from_id: str, to_id: str, **more: Any) -> dict[str, Any]:
    fields = {"kind": "edge", "version": "v1", "edge_id": edge_id, "edge_type": edge_type}
    ends = {"from_id": from_id, "to_id": to_id, "asserted_ts": "2026-01-01T00:00:00Z", "source_refs": []}
    return {**fields, **ends, **more}


def retract(kind: str, thought_id: str, ts: str = "2026-01-02T00:00:00Z") -> dict[str, Any]:
    return {"kind": kind + "_retract", "version": "v1", "ts": ts, kind + "_id": thought_id, "rationale": "wrong"}


def write(root: str | Path, *lines: dict[str, Any]) -> None:
    """Append lines to the files of a store."""
    Path(root).mkdir(parents=True, exist_ok=True)
    for line in lines:
        name = line["kind"].removesuffix("_retract") + "s.jsonl"
        unseal(Path(root) / name)
        with (Path(root) / name).open("ab") as file:
            file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
