"""The lines of claims.jsonl, nodes.jsonl and edges.jsonl."""

from msgspec import Struct

from mi.knowledge.thoughts.kinds import ClaimType, EdgeType, NodeType, Origin, Scope, Visibility


class SourceRef(Struct, frozen=True, kw_only=True):
    """Where a thought comes from: an event of an EvidenceLog, nothing else."""

    kind: str = "evidence_event"
    event_id: str = ""


class _StoredLine(Struct, frozen=True, kw_only=True, tag_field="kind"):
    version: str = "v1"
    source_refs: list[SourceRef] = []
    origin: Origin = "import"  # stamped by MI; what an earlier tool wrote has none


class Claim(_StoredLine, frozen=True, kw_only=True, tag="claim"):
    """An atomic thought. Its status is derived from later lines, never edited in place."""

    claim_id: str
    claim_type: ClaimType
    text: str
    visibility: Visibility = "private"
    scope: Scope = "project"
    project_id: str = ""
    asserted_ts: str = ""
    valid_from: str | None = None
    valid_to: str | None = None
    status: str = "active"
    tags: list[str] = []
    confidence: float = 1.0
    notes: str = ""


class ClaimRetractLine(_StoredLine, frozen=True, kw_only=True, tag="claim_retract"):
    claim_id: str
    ts: str = ""
    rationale: str = ""


class Node(_StoredLine, frozen=True, kw_only=True, tag="node"):
    """A decision, an action or a summary."""

    node_id: str
    node_type: NodeType
    title: str = ""
    text: str = ""
    visibility: Visibility = "private"
    scope: Scope = "project"
    project_id: str = ""
    asserted_ts: str = ""
    tags: list[str] = []
    confidence: float = 1.0
    notes: str = ""


class NodeRetractLine(_StoredLine, frozen=True, kw_only=True, tag="node_retract"):
    node_id: str
    ts: str = ""
    rationale: str = ""


class Edge(_StoredLine, frozen=True, kw_only=True, tag="edge"):
    """A relation; supersedes and same_as lead from the old to the new."""

    edge_id: str
    edge_type: EdgeType
    from_id: str
    to_id: str
    visibility: Visibility = "private"
    scope: Scope = "project"
    project_id: str = ""
    asserted_ts: str = ""
    notes: str = ""


class EdgeRetractLine(_StoredLine, frozen=True, kw_only=True, tag="edge_retract"):
    edge_id: str
    ts: str = ""
    rationale: str = ""
