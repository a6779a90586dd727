"""What a memory is in the Thought DB: its type, recall tier and truth state; and writing one, event first."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from mi.contract.fact_evidence import CheckedEvidence
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.governed import MemoryWrite
from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.thoughts.kinds import TEAM, ClaimType, NodeType, Origin
from mi.knowledge.thoughts.records import Claim, Node
from mi.knowledge.thoughts.store import ThoughtStore, citing
from mi.knowledge.thoughts.store_state import Filter, Thought
from mi.knowledge.thoughts.stores import CombinedStores

MemoryType = Literal["fact", "constraint", "decision", "claim", "plan", "observation", "note"]
Tier = Literal["always", "contextual", "opportunistic"]
TruthState = Literal["verified", "stale", "asserted", "tentative"]
Classification = Literal["public", "internal"]
KEY = "key:"
MEMORY = "memory:"
CONSTRAINT = "constraint"
FACT = MEMORY + "fact"
PATTERN = "pattern"
LENGTH = "summary-length:"  # of a summary that holds an empty line itself, or ends with a line break
_BETWEEN = "\n\n"


class Stored(NamedTuple):
    """How a memory type is stored and how far it is trusted."""

    claim: ClaimType | None
    node: NodeType | None
    tier: Tier
    truth: TruthState
    needs: Literal["evidence", "rationale", ""] = ""


TYPES: dict[MemoryType, Stored] = {
    "fact": Stored("fact", None, "always", "verified", "evidence"),
    "constraint": Stored("preference", None, "always", "asserted", "rationale"),
    "decision": Stored(None, "decision", "contextual", "asserted", "rationale"),
    "claim": Stored("assumption", None, "contextual", "tentative"),
    "plan": Stored(None, "summary", "opportunistic", "tentative"),
    "observation": Stored(None, "summary", "opportunistic", "tentative"),
    "note": Stored(None, "summary", "opportunistic", "tentative"),
}


class NewMemory(NamedTuple):
    """A memory that somebody wants to keep; everything in it was checked."""

    type: MemoryType
    summary: str
    detail: str = ""
    key: str = ""
    source: str = ""
    classification: Classification = "internal"
    rationale: str = ""
    task_id: str = ""
    proofs: tuple[CheckedEvidence, ...] = ()
    kind: str = ""  # what a person says it is, where the type does not tell: preference, pattern
    for_team: bool = False  # carried to others by a hub

    @property
    def tags(self) -> list[str]:
        tags = [MEMORY + self.type, *([self.type] if self.type not in ("fact", "decision", "claim") else [])]
        if self.kind == "preference" or (self.type == "fact" and not self.proofs):
            tags = []  # nothing that always holds: a wish, or a fact that nothing shows
        tags += [PATTERN] if self.kind == PATTERN else []
        tags += [TEAM] if self.for_team else []
        tags += [] if split_text(self.text, tags) == (self.summary, self.detail) else [f"{LENGTH}{len(self.summary)}"]
        named = {KEY: self.key, "task:": self.task_id, "classification:": self.classification}
        return tags + [name + value for name, value in named.items() if value]

    @property
    def text(self) -> str:
        """The summary and what is told beside it, as one text."""
        return f"{self.summary}{_BETWEEN}{self.detail}" if self.detail else self.summary

    @property
    def notes(self) -> str:
        said = {"rationale": self.rationale, "source": self.source}
        return "\n".join(f"{name}: {value}" for name, value in said.items() if value)


class Kept(NamedTuple):
    """What was stored, and what it replaced."""

    record_id: str
    event_id: str
    superseded: list[str]


def write(
    memory: NewMemory, store: ThoughtStore, log: EvidenceWriter, replaced: Sequence[Thought], origin: Origin
) -> Kept:
    """Store a memory: the event, the record that cites it, and an edge from each record that it replaces."""
    record = _record(memory, store, origin)
    record_id = record.claim_id if isinstance(record, Claim) else record.node_id
    event = log.append(
        MemoryWrite(
            type=memory.type,
            summary=memory.summary,
            key=memory.key,
            record_id=record_id,
            evidence=[msgspec.to_builtins(one) for one in memory.proofs],
            superseded=[one.id for one in replaced],
        ),
        sync=True,
    )
    if isinstance(record, Claim):
        store.add_claims([citing(record, event.event_id)])
    else:
        store.add_nodes([citing(record, event.event_id)])
    edges = [store.new_edge("supersedes", one.id, record_id, event.event_id, origin) for one in replaced]
    store.add_edges(edges)
    return Kept(record_id, event.event_id, [one.id for one in replaced])


def _record(memory: NewMemory, store: ThoughtStore, origin: Origin) -> Claim | Node:
    stored = TYPES[memory.type]
    if stored.claim is not None:
        return store.new_claim(memory.text, memory.tags, "", origin, claim_type=stored.claim, notes=memory.notes)
    assert stored.node is not None
    node = store.new_node(stored.node, memory.summary, memory.detail, memory.tags, "", origin)
    return msgspec.structs.replace(node, notes=memory.notes)


def split_text(text: str, tags: Sequence[str]) -> tuple[str, str]:
    """Return summary and detail of a claim's text, as they were given."""
    length = next((tag.removeprefix(LENGTH) for tag in tags if tag.startswith(LENGTH)), "")
    if not length.isdecimal():
        summary, _, detail = text.partition(_BETWEEN)
        return summary, detail
    return text[: int(length)], text[int(length) :].removeprefix(_BETWEEN)


def find_under_key(key: str, thoughts: CombinedStores) -> list[Thought]:
    """Return the standing records under a key, of the project's store."""
    project = thoughts.readings[0]
    wanted = Filter(tags=(KEY + key,))
    return [*project.find("claim", wanted), *project.find("node", wanted)]


def is_persons_rule(thought: Thought) -> bool:
    """Return whether a person said it as something to go by: no agent's word takes its place."""
    return thought.type in ("preference", "goal") and thought.raw.get("origin") == "user"


def type_of(subtype: str, tags: Sequence[str]) -> MemoryType:
    """Return what a claim or node is as a memory, whoever wrote it; a fact without evidence is a claim."""
    for name in TYPES:
        if MEMORY + name in tags:
            return name
    if subtype == "decision":
        return "decision"
    if subtype in ("action", "summary"):
        return "note"
    return "constraint" if subtype == "preference" and CONSTRAINT in tags else "claim"
