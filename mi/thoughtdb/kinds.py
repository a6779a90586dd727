"""The names of things in a Thought DB; reading needs no more, and declaring the records costs start-up time."""

from typing import Literal

ClaimType = Literal["fact", "preference", "assumption", "goal"]
NodeType = Literal["decision", "action", "summary"]
EdgeType = Literal["depends_on", "supports", "contradicts", "derived_from", "mentions", "supersedes", "same_as"]
Scope = Literal["project", "global"]
Visibility = Literal["private", "project", "global"]
Origin = Literal["user", "hands", "mind", "import"]
Kind = Literal["claim", "node", "edge"]

CLAIM_TYPES: tuple[ClaimType, ...] = ("fact", "preference", "assumption", "goal")
NODE_TYPES: tuple[NodeType, ...] = ("decision", "action", "summary")
EDGE_TYPES: tuple[EdgeType, ...] = (
    "depends_on",
    "supports",
    "contradicts",
    "derived_from",
    "mentions",
    "supersedes",
    "same_as",
)
REDIRECTS = ("supersedes", "same_as")  # both lead from the old to the new
KIND_OF_PREFIX: dict[str, Kind] = {"cl": "claim", "nd": "node", "ed": "edge"}
