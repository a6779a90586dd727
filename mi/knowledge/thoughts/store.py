"""One Thought DB store, global or of a project: appending thoughts, and reading them through its view."""

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from mi.kernel import clock, ids, jsonl
from mi.kernel.errors import MiError
from mi.kernel.home import ThoughtFiles
from mi.kernel.jsontext import BadJson, decode_fields, encode
from mi.kernel.notices import Notices
from mi.kernel.secrets import find_secrets, redact
from mi.knowledge.thoughts.kinds import RULING, ClaimType, EdgeType, NodeType, Origin, Scope, Visibility

if TYPE_CHECKING:  # sqlite3 is loaded by those who read, the records by those who write
    from mi.kernel.log_view import Progress
    from mi.knowledge.thoughts.records import Claim, Edge, Node
    from mi.knowledge.thoughts.store_state import Reading, Thought
    from mi.knowledge.thoughts.view import View


T = TypeVar("T", "Claim", "Node", "Edge")


class ThoughtStore:
    """Append-only claims, nodes and edges with their provenance."""

    def __init__(self, root: str, scope: Scope, project_id: str, notices: Notices) -> None:
        self.files = ThoughtFiles(root)
        self.scope: Scope = scope
        self.progress: Progress = lambda done, total: None
        self._project_id = project_id
        self._notices = notices
        self._view: View | None = None

    def close(self) -> None:
        """Let go of the view; the next reading opens it again."""
        if self._view is not None:
            self._view.close()
            self._view = None

    def exists(self) -> bool:
        """Return whether anything was ever stored here."""
        return any(os.path.exists(path) for path in (self.files.claims, self.files.nodes, self.files.edges))

    def new_claim(
        self,
        text: str,
        tags: Sequence[str],
        event_id: str,
        origin: Origin,
        *,
        claim_type: ClaimType = "preference",
        confidence: float = 1.0,
        valid_from: str | None = None,
        valid_to: str | None = None,
        notes: str = "",
    ) -> "Claim":
        """Return a claim of this store, not yet stored.

        Text that holds a secret is refused, an agent's word never rules.
        """
        from mi.knowledge.thoughts.records import Claim, SourceRef

        refuse_secret("text", text)
        refuse_secret("tag", "\n".join(tags))
        return Claim(
            claim_id=ids.make_id("cl"),
            claim_type=claim_type,
            text=text,
            visibility=self._visibility,
            scope=self.scope,
            project_id=self._project_id,
            asserted_ts=clock.now(),
            valid_from=valid_from,
            valid_to=valid_to,
            tags=[tag for tag in tags if origin != "hands" or not tag.startswith(RULING)],
            confidence=confidence,
            notes=redact(notes),
            source_refs=[SourceRef(event_id=event_id)],
            origin=origin,
        )

    def new_node(
        self, node_type: NodeType, title: str, text: str, tags: Sequence[str], event_id: str, origin: Origin
    ) -> "Node":
        """Return a node of this store, not yet stored; a title, text or tag that holds a secret is refused."""
        from mi.knowledge.thoughts.records import Node, SourceRef

        refuse_secret("title", title)
        refuse_secret("text", text)
        refuse_secret("tag", "\n".join(tags))
        return Node(
            node_id=ids.make_id("nd"),
            node_type=node_type,
            title=title,
            text=text,
            visibility=self._visibility,
            scope=self.scope,
            project_id=self._project_id,
            asserted_ts=clock.now(),
            tags=list(tags),
            source_refs=[SourceRef(event_id=event_id)],
            origin=origin,
        )

    def new_edge(self, edge_type: EdgeType, from_id: str, to_id: str, event_id: str, origin: Origin) -> "Edge":
        """Return an edge of this store, not yet stored."""
        from mi.knowledge.thoughts.records import Edge, SourceRef

        return Edge(
            edge_id=ids.make_id("ed"),
            edge_type=edge_type,
            from_id=from_id,
            to_id=to_id,
            visibility=self._visibility,
            scope=self.scope,
            project_id=self._project_id,
            asserted_ts=clock.now(),
            source_refs=[SourceRef(event_id=event_id)],
            origin=origin,
        )

    def add_claims(self, claims: Iterable["Claim"]) -> None:
        """Store claims; all of them or none."""
        self._append(self.files.claims, claims)

    def add_nodes(self, nodes: Iterable["Node"]) -> None:
        """Store nodes; all of them or none."""
        self._append(self.files.nodes, nodes)

    def add_edges(self, edges: Iterable["Edge"]) -> None:
        """Store edges; all of them or none."""
        self._append(self.files.edges, edges)

    def link(self, edge_type: EdgeType, from_id: str, to_id: str, event_id: str, origin: Origin) -> "Edge":
        """Store an edge between two thoughts."""
        edge = self.new_edge(edge_type, from_id, to_id, event_id, origin)
        self.add_edges([edge])
        return edge

    def retract(self, thought_ids: Iterable[str], rationale: str, *event_ids: str, origin: Origin = "user") -> None:
        """Take claims, nodes and edges back by appended lines that cite the events."""
        from mi.knowledge.thoughts.records import ClaimRetractLine, EdgeRetractLine, NodeRetractLine, SourceRef

        shapes: dict[str, tuple[str, type[msgspec.Struct], str]] = {
            "cl": (self.files.claims, ClaimRetractLine, "claim_id"),
            "nd": (self.files.nodes, NodeRetractLine, "node_id"),
            "ed": (self.files.edges, EdgeRetractLine, "edge_id"),
        }
        refs = [SourceRef(event_id=one) for one in event_ids]
        lines: dict[str, list[msgspec.Struct]] = {}
        for one in thought_ids:
            path, shape, field = shapes[one.partition("_")[0]]
            fields = {field: one, "ts": clock.now(), "rationale": rationale, "source_refs": refs, "origin": origin}
            lines.setdefault(path, []).append(shape(**fields))
        for path, structs in lines.items():
            self._append(path, structs)

    def reassert(self, raws: Iterable[dict[str, Any]]) -> None:
        """Say thoughts again: the same lines with every field, at the present time."""
        self.take_in(raw | {"asserted_ts": clock.now()} for raw in raws)

    def take_in(self, raws: Iterable[dict[str, Any]]) -> None:
        """Store lines as they are, of whatever kind."""
        paths = {"claim": self.files.claims, "node": self.files.nodes, "edge": self.files.edges}
        lines: dict[str, list[dict[str, Any]]] = {}
        for raw in raws:
            lines.setdefault(paths[raw["kind"].removesuffix("_retract")], []).append(raw)
        for path, objects in lines.items():
            self._append(path, objects)

    def read(self, as_of: int | None = None, *, save: bool = True) -> "Reading":
        """Return the store as it is, or as it was at a time (milliseconds); with `save` off nothing is written."""
        from mi.knowledge.thoughts.store_state import Reading
        from mi.knowledge.thoughts.view import View

        if self._view is None:
            self._view = View(self.files, self._notices, self.progress, save)
        else:
            self._view.refresh()
        return Reading(self._view, self.scope, as_of)

    def active(self, tag: str) -> "list[Claim]":
        """Return the standing claims with a tag (one ending in `*`: with that prefix), oldest first.

        Of a tag that rules, none that only an agent said.
        """
        from mi.knowledge.thoughts.store_state import Filter

        found = [_as_claim(thought) for thought in self.read().find("claim", Filter(tags=(tag,)))]
        rules = tag.startswith(RULING)
        return [one for one in reversed(found) if one is not None and not (rules and one.origin == "hands")]

    def find(self, thought_id: str) -> dict[str, Any] | None:
        """Return everything about a claim, node or edge: its stored fields and its derived status."""
        from mi.knowledge.thoughts.description import described
        from mi.knowledge.thoughts.stores import CombinedStores

        thoughts = CombinedStores(self.read())
        thought = thoughts.get(thought_id)
        return described(thought, thoughts) if thought is not None else None

    @property
    def _visibility(self) -> Visibility:
        return "global" if self.scope == "global" else "project"

    def _append(self, path: str, lines: Iterable[object]) -> None:
        encoded = [encode(line) for line in lines]
        if not encoded:
            return
        repair = jsonl.append(path, *encoded, sync=True, sealed=True).repair
        if repair:
            key = "torn-set-aside" if repair.kept_in else "torn-completed"
            self._notices.add(key, path, size=repair.size, kept_in=repair.kept_in)
        if self._view is not None:
            self._view.refresh()


def citing(thought: T, *event_ids: str) -> T:
    """Return a thought that was made before the event it comes from, now with its provenance."""
    from mi.knowledge.thoughts.records import SourceRef

    return msgspec.structs.replace(thought, source_refs=[SourceRef(event_id=one) for one in event_ids])


def also_citing(raw: dict[str, Any], event_id: str) -> dict[str, Any]:
    """Return a stored line that cites one more event."""
    return raw | {"source_refs": [*(raw.get("source_refs") or []), {"kind": "evidence_event", "event_id": event_id}]}


def refuse_secret(field: str, text: str) -> None:
    """Raise when a text that would be kept as a thought holds a secret; the secret is not repeated."""
    found = find_secrets(text)
    if found:
        line = text.count("\n", 0, found[0].start) + 1
        column = found[0].start - text.rfind("\n", 0, found[0].start)
        raise MiError("secret-refused", field=field, kind=found[0].kind, line=line, column=column)


def _as_claim(thought: "Thought") -> "Claim | None":
    """Return the claim as a typed record.

    One without a text or a type, or of an origin that is none, is passed over.
    """
    from mi.knowledge.thoughts.records import Claim

    try:
        claim = decode_fields(thought.view.line(thought.kind, thought.offset), Claim)
    except BadJson:
        return None
    return claim if claim.origin == (thought.raw.get("origin") or "import") else None
