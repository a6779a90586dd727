"""What a checkpoint adds to the graph without asking anybody: a decision, what was done, and a summary."""

from collections.abc import Iterator

from mi.evidence.records.hands import Evidence
from mi.evidence.records.mind import DecideNext
from mi.evidence.records.thoughts import NodeMaterialized
from mi.kernel.secrets import redact
from mi.kernel.text import one_line
from mi.knowledge.thoughts.kinds import NodeType, Origin
from mi.knowledge.thoughts.records import Edge, Node
from mi.knowledge.thoughts.store import ThoughtStore, citing
from mi.learning.segments import Hand, Segment
from mi.learning.text_overlap import echoes

TAG = "mi:checkpoint"
_TITLE = 90
_READ = 8000
_ACTIONS = 20
_SOURCES = 8  # events that one node is traced to


def materialise(store: ThoughtStore, hand: Hand, segment: Segment) -> None:
    """Store the nodes of a complete stretch and where each comes from; the event that says so first."""
    nodes: list[Node] = []
    edges: list[Edge] = []
    for node, sources in _nodes(store, segment):
        nodes.append(node)
        edges += [store.new_edge("derived_from", node.node_id, one, "", node.origin) for one in sources[-_SOURCES:]]
    if not nodes:
        return
    record = NodeMaterialized(
        segment_id=segment.segment_id,
        node_ids=[one.node_id for one in nodes],
        edge_ids=[one.edge_id for one in edges],
    )
    event = hand.append(record)
    store.add_nodes([citing(one, event.event_id) for one in nodes])
    store.add_edges([citing(one, event.event_id) for one in edges])


def _nodes(store: ThoughtStore, segment: Segment) -> Iterator[tuple[Node, list[str]]]:
    """Each node with the events it is derived from. What repeats the agent's words is no more than the agent's word."""
    task = one_line(redact(segment.task.text[:_READ]), _TITLE)  # first: half a secret is not recognised
    decision = segment.last(DecideNext)
    if decision is not None and decision.headline():
        origin: Origin = "hands" if echoes(decision.notes, segment) else "mind"
        text = f"{decision.status}, {decision.next_action}: {decision.notes}".strip(" :")
        yield _node(store, "decision", f"{decision.status}: {task}", text, origin), [decision.event_id]
    evidence = [one for one in segment.records if isinstance(one, Evidence)]
    actions = [f"{one.kind}: {one.detail}" for record in evidence for one in record.actions]
    if actions:
        text = "\n".join(list(dict.fromkeys(actions))[:_ACTIONS])
        yield _node(store, "action", f"done for: {task}", text, "hands"), [one.event_id for one in evidence]
    if segment.snapshot is not None:
        yield _node(store, "summary", task, segment.snapshot.text, "hands"), [segment.snapshot.event_id]


def _node(store: ThoughtStore, node_type: NodeType, title: str, text: str, origin: Origin) -> Node:
    return store.new_node(node_type, title, redact(text)[:2000], [TAG], "", origin)
