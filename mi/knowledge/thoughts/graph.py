"""The neighbourhood of a thought, bounded in depth and size, as data or as a Mermaid flowchart."""

from typing import Any, NamedTuple

from mi.kernel.secrets import redact_start
from mi.knowledge.thoughts.store_state import Direction, Thought
from mi.knowledge.thoughts.stores import CombinedStores

MAX_IDS = 60
MAX_EDGES = 150


class Graph(NamedTuple):
    """Ids in the order they were reached, the thoughts among them, and the edges between; events are ids only."""

    root: str
    ids: list[str]
    thoughts: dict[str, Thought]
    edges: list[Thought]
    truncated: bool

    def fields(self) -> dict[str, Any]:
        """Return the graph as JSON shows it."""
        nodes = [self._node(one) for one in self.ids]
        edges = [
            {"edge_id": edge.id, "edge_type": edge.type, "from_id": edge.from_id, "to_id": edge.to_id}
            for edge in self.edges
        ]
        return {"root": self.root, "nodes": nodes, "edges": edges, "truncated": self.truncated}

    def _node(self, one: str) -> dict[str, Any]:
        thought = self.thoughts.get(one)
        if thought is None:
            return {"id": one, "kind": "event" if one.startswith("ev_") else "unknown"}
        text = label(thought)
        return {"id": one, "kind": thought.kind, "type": thought.type, "status": thought.status, "text": text}


def around(
    root: str, thoughts: CombinedStores, depth: int = 1, direction: Direction = "both", types: tuple[str, ...] = ()
) -> Graph:
    """Return everything within `depth` edges of a thought, nearest first, within the bounds."""
    ids, edges = {root: None}, dict[str, Thought]()
    truncated, layer = False, [root]
    for _ in range(depth):
        following: list[str] = []
        for one in layer:
            for edge in thoughts.edges(one, direction, types):
                other = edge.to_id if edge.from_id == one else edge.from_id
                if (other not in ids and len(ids) >= MAX_IDS) or len(edges) >= MAX_EDGES:
                    truncated = True
                    continue
                edges[edge.id] = edge
                if other not in ids:
                    ids[other] = None
                    following.append(other)
        layer = following
    found = {one: thought for one in ids if (thought := thoughts.get(one)) is not None}
    return Graph(root, list(ids), found, list(edges.values()), truncated)


def label(thought: Thought) -> str:
    """Return what a thought says, shortly."""
    raw = thought.raw
    return redact_start(str(raw.get("title") or raw.get("text") or ""), 200)


def mermaid(graph: Graph) -> str:
    """Return the graph as a Mermaid flowchart; text of thoughts cannot break out of its label."""
    names = {one: f"n{place}" for place, one in enumerate(graph.ids)}
    lines = ["flowchart LR"]
    for one, name in names.items():
        thought = graph.thoughts.get(one)
        text = f"{thought.type}: {label(thought)[:60]}" if thought else one
        mark = f" ({thought.status})" if thought and thought.status != "active" else ""
        lines.append(f'  {name}["{_escaped(text + mark)}"]')
    for edge in graph.edges:
        lines.append(f"  {names[edge.from_id]} -->|{edge.type}| {names[edge.to_id]}")
    return "\n".join(lines)


def _escaped(text: str) -> str:
    flat = " ".join(text.split())
    return "".join(char if char.isalnum() or char in " .,:;-_/()" else f"#{ord(char)};" for char in flat)
