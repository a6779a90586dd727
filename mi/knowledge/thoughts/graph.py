"""The neighbourhood of a thought, bounded in depth and size, as data or as a Mermaid flowchart."""

from typing import Any

from mi.kernel.named_tuple import NamedTuple
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


class GraphReach(NamedTuple):
    """How far from a thought to look, and by which edges."""

    depth: int = 1
    direction: Direction = "both"
    types: tuple[str, ...] = ()
    aliases: bool = False  # begin at every id that stands for the same thought
    inactive: bool = False  # also by edges that were taken back


def around(root: str, thoughts: CombinedStores, reach: GraphReach = GraphReach()) -> Graph:  # noqa: B008
    """Return everything that is reached from a thought, nearest first, within the bounds."""
    ids, edges = {root: None}, dict[str, Thought]()
    if reach.aliases:
        for edge in _list_aliases(root, thoughts):
            edges[edge.id] = edge
            ids |= {edge.from_id: None, edge.to_id: None}
    truncated, layer = False, list(ids)
    for _ in range(reach.depth):
        following: list[str] = []
        for one in layer:
            for edge in thoughts.edges(one, reach.direction, reach.types, reach.inactive):
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


def _list_aliases(root: str, thoughts: CombinedStores) -> list[Thought]:
    """Return the edges by which ids stand for the same thought, as many as a graph holds."""
    found, known, waiting = dict[str, Thought](), {root}, [root]
    while waiting and len(known) < MAX_IDS:
        for edge in thoughts.edges(waiting.pop(), types=("same_as",)):
            found[edge.id] = edge
            waiting += [one for one in (edge.from_id, edge.to_id) if one not in known]
            known |= {edge.from_id, edge.to_id}
    return list(found.values())


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
