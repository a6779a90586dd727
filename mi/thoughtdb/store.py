"""One Thought DB store, global or of a project: appending thoughts and reading the active ones by tag."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from mi.kernel import clock, ids, jsonl
from mi.kernel.errors import MiError
from mi.kernel.home import ThoughtFiles
from mi.kernel.jsontext import BadJson, decode_stored, encode
from mi.kernel.notices import Notices
from mi.kernel.secrets import find_secrets
from mi.thoughtdb.records import Claim, ClaimRetract, Edge, EdgeRetract, EdgeType, Origin, Scope, SourceRef

_WHOLE = 1 << 30  # a thought is never read cut: what is missing would be lost to whoever acts by it
_ID_FIELDS = {"cl": ("claims", "claim_id"), "ed": ("edges", "edge_id"), "nd": ("nodes", "node_id")}


class ThoughtStore:
    """Append-only claims and edges with their provenance."""

    def __init__(self, root: str, scope: Scope, project_id: str, notices: Notices) -> None:
        self.files = ThoughtFiles(root)
        self.scope = scope
        self._project_id = project_id
        self._notices = notices

    def new_claim(self, text: str, tags: list[str], event_id: str, origin: Origin) -> Claim:
        """A preference claim of this store, not yet stored; text that holds a secret is refused."""
        refuse_secret("text", text)
        return Claim(
            claim_id=ids.new_id("cl"),
            claim_type="preference",
            text=text,
            visibility="global" if self.scope == "global" else "project",
            scope=self.scope,
            project_id=self._project_id,
            asserted_ts=clock.now(),
            tags=tags,
            source_refs=[SourceRef(event_id=event_id)],
            origin=origin,
        )

    def add_claims(self, claims: Iterable[Claim]) -> None:
        """Store claims; all of them or none."""
        self._append(self.files.claims, claims)

    def retract(self, claim_ids: Iterable[str], rationale: str, event_id: str, origin: Origin) -> None:
        """Take claims back by appended lines."""
        refs = [SourceRef(event_id=event_id)]
        lines = [
            ClaimRetract(claim_id=claim_id, ts=clock.now(), rationale=rationale, source_refs=refs, origin=origin)
            for claim_id in claim_ids
        ]
        self._append(self.files.claims, lines)

    def link(self, edge_type: EdgeType, from_id: str, to_id: str, event_id: str, origin: Origin) -> Edge:
        """Store an edge between two thoughts."""
        edge = Edge(
            edge_id=ids.new_id("ed"),
            edge_type=edge_type,
            from_id=from_id,
            to_id=to_id,
            visibility="global" if self.scope == "global" else "project",
            scope=self.scope,
            project_id=self._project_id,
            asserted_ts=clock.now(),
            source_refs=[SourceRef(event_id=event_id)],
            origin=origin,
        )
        self._append(self.files.edges, [edge])
        return edge

    def active(self, tag: str) -> list[Claim]:
        """The claims with a tag (one ending in `*`: with that prefix) that are neither retracted nor superseded."""
        matches = _tag_filter(tag)
        claims: dict[str, Claim] = {}
        for line in self._lines(self.files.claims, (tag.rstrip("*").encode(), b"claim_retract")):
            if isinstance(line, Claim) and any(matches(one) for one in line.tags):
                claims[line.claim_id] = line
            elif isinstance(line, ClaimRetract):
                claims.pop(line.claim_id, None)
        gone = self._superseded() if claims else set()
        return [claim for claim in claims.values() if claim.claim_id not in gone]

    def find(self, thought_id: str) -> dict[str, Any] | None:
        """The stored line of a claim, node or edge, as it was written."""
        name, field = _ID_FIELDS[thought_id.partition("_")[0]]
        path = getattr(self.files, name)
        for line in jsonl.read_forward(path, max_line=_WHOLE):
            if thought_id.encode() in line.data:
                raw = _any_object(line.data)
                if raw.get(field) == thought_id and not str(raw.get("kind")).endswith("_retract"):
                    return raw
        return None

    def _superseded(self) -> set[str]:
        """Ids that a standing edge replaces. Of claims that replace each other in a circle, the last word stands."""
        edges: dict[str, Edge] = {}
        for line in self._lines(self.files.edges, (b"supersedes", b"same_as", b"edge_retract")):
            if isinstance(line, Edge) and line.edge_type in ("supersedes", "same_as"):
                edges[line.edge_id] = line
            elif isinstance(line, EdgeRetract):
                edges.pop(line.edge_id, None)
        replaced: dict[str, str] = {}
        for edge in edges.values():
            replaced[edge.from_id] = edge.to_id
            if _leads_to(edge.from_id, edge.to_id, replaced):
                del replaced[edge.to_id]
        return set(replaced)

    def _lines(self, path: str, words: tuple[bytes, ...]) -> Iterator[Claim | ClaimRetract | Edge | EdgeRetract]:
        """The lines that hold one of the words: the rest need not be decoded."""
        unreadable = 0
        for line in jsonl.read_forward(path, max_line=_WHOLE):
            if any(word in line.data for word in words):
                try:
                    yield decode_stored(line.data, Claim | ClaimRetract | Edge | EdgeRetract)  # type: ignore[arg-type]
                except BadJson:
                    unreadable += 1
        if unreadable:
            self._notices.add("unreadable-lines", path, count=unreadable)

    def _append(self, path: str, lines: Iterable[msgspec.Struct]) -> None:
        encoded = [encode(line) for line in lines]
        if not encoded:
            return
        repair = jsonl.append(path, *encoded, sync=True).repair
        if repair:
            key = "torn-set-aside" if repair.kept_in else "torn-completed"
            self._notices.add(key, path, size=repair.size, kept_in=repair.kept_in)


def refuse_secret(field: str, text: str) -> None:
    """Raise when a text that would be kept as a thought holds a secret; the secret is not repeated."""
    found = find_secrets(text)
    if found:
        line = text.count("\n", 0, found[0].start) + 1
        column = found[0].start - text.rfind("\n", 0, found[0].start)
        raise MiError("secret-refused", field=field, kind=found[0].kind, line=line, column=column)


def _leads_to(goal: str, start: str, replaced: dict[str, str]) -> bool:
    """Whether the chain of replacements from `start` comes to `goal`; circles are broken as they close, so it ends."""
    at: str | None = start
    while at is not None and at != goal:
        at = replaced.get(at)
    return at == goal


def _tag_filter(tag: str):  # type: ignore[no-untyped-def]
    if tag.endswith("*"):
        return lambda one: one.startswith(tag[:-1])
    return lambda one: one == tag


def _any_object(data: bytes) -> dict[str, Any]:
    try:
        return decode_stored(data, dict[str, Any])
    except BadJson:
        return {}
