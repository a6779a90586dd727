"""What a person changes by command: the event first, then the lines that cite it."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from mi.evidence.log import EvidenceWriter
from mi.evidence.records import thoughts as events
from mi.evidence.records.base import Record
from mi.kernel import clock
from mi.kernel.errors import MiError, NotFound, UsageError
from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.thoughts.kinds import REDIRECTS, EdgeType, Kind, NodeType, kind_of
from mi.knowledge.thoughts.line_state import milliseconds
from mi.knowledge.thoughts.records import Claim, Edge, Node
from mi.knowledge.thoughts.store import ThoughtStore, citing, refuse_secret
from mi.knowledge.thoughts.store_state import Thought
from mi.knowledge.thoughts.stores import CombinedStores

_RETRACTIONS: dict[Kind, Callable[[str, str, str], Record]] = {
    "claim": lambda one, scope, why: events.ClaimRetract(claim_id=one, scope=scope, rationale=why),
    "node": lambda one, scope, why: events.NodeRetract(node_id=one, scope=scope, rationale=why),
    "edge": lambda one, scope, why: events.EdgeRetract(edge_id=one, scope=scope, rationale=why),
}
T = TypeVar("T", Claim, Node, Edge)
Elsewhere = Callable[[str], str]  # where else an id is: a scope, the path of another project's store, or ""


class ThoughtEditor(NamedTuple):
    """The store that is written, the log that says so, what can be cited from there, and where else to look."""

    store: ThoughtStore
    open_log: Callable[[], EvidenceWriter]
    visible: CombinedStores
    elsewhere: Elsewhere

    def record(self, event: Record) -> str:
        """Write the event down before anything cites it; returns its id."""
        return self.open_log().append(event, sync=True).event_id

    def require(self, thought_id: str, kind: Kind) -> Thought:
        """Return the thought of this store; an error that says where it is instead."""
        if kind_of(thought_id) != kind:
            raise UsageError("wrong-kind", ref=thought_id, kind=kind)
        found = self.store.read().get(thought_id)
        if found is None:
            raise not_here(thought_id, self.store.scope, kind, self.elsewhere(thought_id))
        return found


def not_here(thought_id: str, scope: str, kind: str, where: str) -> MiError:
    """Return the error for an id that a store does not hold."""
    if where in ("project", "global"):
        return NotFound("thought-elsewhere", ref=thought_id, where=where, scope=scope)
    if where:
        return NotFound("thought-of-other-project", ref=thought_id, where=where)
    return NotFound("unknown-thought", ref=thought_id, scope=scope, kind=kind)


def retract(desk: ThoughtEditor, thought_id: str, kind: Kind, rationale: str) -> str:
    """Take a claim, node or edge back; returns the event's id."""
    thought = desk.require(thought_id, kind)
    refuse_secret("rationale", rationale)
    if thought.status == "retracted":
        raise MiError("already-retracted", ref=thought_id)
    event_id = desk.record(_RETRACTIONS[kind](thought_id, desk.store.scope, rationale))
    desk.store.retract([thought_id], rationale, event_id)
    return event_id


def supersede(
    desk: ThoughtEditor, claim_id: str, text: str, changed: dict[str, Any] | None = None
) -> tuple[str, Claim]:
    """Replace a claim by a new one, the same but for what is changed; returns the event's id and the new claim."""
    old = desk.require(claim_id, "claim")
    refuse_secret("text", text)
    if not text.strip():
        raise UsageError("empty-text", field="--text")
    _refuse_gone(desk, old)
    raw = old.raw
    tags = raw.get("tags")
    held = [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []
    new = desk.store.new_claim(
        text,
        (changed or {}).get("tags", held),
        "",
        "user",
        claim_type=raw.get("claim_type") or "fact",
        valid_from=raw.get("valid_from"),
        valid_to=None if _is_over(raw.get("valid_to")) else raw.get("valid_to"),
        notes=str(raw.get("notes") or ""),
    )
    new = _detailed(new, changed)
    event_id = desk.record(events.ClaimSupersede(claim_id=claim_id, new_claim_id=new.claim_id, text=text))
    new = citing(new, event_id)
    desk.store.add_claims([new])
    desk.store.link("supersedes", claim_id, new.claim_id, event_id, "user")
    return event_id, new


def same_as(
    desk: ThoughtEditor, duplicate_id: str, canonical_id: str, details: dict[str, Any] | None = None
) -> tuple[str, Edge]:
    """Say that a claim is a duplicate of another; returns the event's id and the edge."""
    duplicate = desk.require(duplicate_id, "claim")
    if duplicate_id == canonical_id:
        raise UsageError("same-id", ref=duplicate_id)
    _require_end(desk, canonical_id, "claim")
    if duplicate.status == "retracted":
        raise MiError("already-retracted", ref=duplicate_id)
    _refuse_dead_end(desk, canonical_id)
    edge = _detailed(desk.store.new_edge("same_as", duplicate_id, canonical_id, "", "user"), details)
    event_id = desk.record(events.ClaimSameAs(duplicate_id=duplicate_id, canonical_id=canonical_id))
    edge = citing(edge, event_id)
    desk.store.add_edges([edge])
    return event_id, edge


def create_node(
    desk: ThoughtEditor,
    node_type: NodeType,
    title: str,
    text: str,
    tags: Sequence[str] = (),
    cited: Sequence[str] = (),
    details: dict[str, Any] | None = None,
) -> tuple[str, Node]:
    """Store a decision, action or summary, with the events it comes from; returns the event's id and the node."""
    if not title.strip():
        raise UsageError("empty-text", field="--title")
    node = desk.store.new_node(node_type, title, text, [tag.strip() for tag in tags if tag.strip()], "", "user")
    node = _detailed(node, details)
    record = events.NodeCreate(node_id=node.node_id, node_type=node_type, title=title)
    event_id = desk.record(record)
    node = citing(node, *cited, event_id)
    desk.store.add_nodes([node])
    return event_id, node


def create_edge(
    desk: ThoughtEditor,
    edge_type: EdgeType,
    from_id: str,
    to_id: str,
    event_exists: Callable[[str], bool],
    details: dict[str, Any] | None = None,
) -> tuple[str, Edge]:
    """Store an edge between thoughts and events that exist; returns the event's id and the edge."""
    if from_id == to_id:
        raise UsageError("same-id", ref=from_id)
    for end in (from_id, to_id):
        if end.startswith("ev_") and edge_type not in REDIRECTS:
            if not event_exists(end):
                raise NotFound("unknown-event", ref=end)
        else:
            _require_end(desk, end, None)
    if edge_type in REDIRECTS and kind_of(from_id) != kind_of(to_id):
        raise UsageError("redirect-kinds", edge_type=edge_type, from_id=from_id, to_id=to_id)
    if edge_type in REDIRECTS:
        _refuse_dead_end(desk, to_id)
    edge = _detailed(desk.store.new_edge(edge_type, from_id, to_id, "", "user"), details)
    record = events.EdgeCreate(edge_id=edge.edge_id, edge_type=edge_type, from_id=from_id, to_id=to_id)
    event_id = desk.record(record)
    edge = citing(edge, event_id)
    desk.store.add_edges([edge])
    return event_id, edge


def _detailed(thought: T, details: dict[str, Any] | None) -> T:
    """Return a thought with what the person says about it; notes that hold a secret are refused."""
    refuse_secret("notes", (details or {}).get("notes", ""))
    return msgspec.structs.replace(thought, **(details or {}))


def _require_end(desk: ThoughtEditor, thought_id: str, kind: Kind | None) -> None:
    """Raise unless an end of an edge is visible from the store: a global edge leads into no project."""
    found = kind_of(thought_id)
    if found not in ("claim", "node") or (kind and found != kind):
        raise UsageError("wrong-kind", ref=thought_id, kind=kind or "claim, node")
    if desk.visible.get(thought_id) is None:
        raise not_here(thought_id, desk.store.scope, found, desk.elsewhere(thought_id))


def _is_over(valid_to: object) -> bool:
    """Return whether a bound lies in the past: what is said now would not hold for a moment."""
    end = milliseconds(str(valid_to), None)
    return end is not None and end <= milliseconds(clock.now(), None)


def _refuse_dead_end(desk: ThoughtEditor, thought_id: str) -> None:
    """Raise if a thought would lead to one that was taken back."""
    head = desk.visible.get(desk.visible.head(thought_id))
    if head is not None and head.status == "retracted":
        raise MiError("already-retracted", ref=head.id)


def _refuse_gone(desk: ThoughtEditor, claim: Thought) -> None:
    if claim.status == "retracted":
        raise MiError("already-retracted", ref=claim.id)
    if claim.status == "superseded":
        raise MiError("already-superseded", ref=claim.id, canonical=desk.visible.head(claim.id))
