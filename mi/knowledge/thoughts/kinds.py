"""The names of things in a Thought DB; reading needs no more, and declaring the records costs start-up time."""

from typing import Literal

ClaimType = Literal["fact", "preference", "assumption", "goal"]
NodeType = Literal["decision", "action", "summary"]
EdgeType = Literal["depends_on", "supports", "contradicts", "derived_from", "mentions", "supersedes", "same_as"]
Scope = Literal["project", "global"]
Visibility = Literal["private", "project", "global"]
Origin = Literal["user", "hands", "mind", "import"]
Kind = Literal["claim", "node", "edge"]
Status = Literal["active", "superseded", "retracted"]

KINDS: tuple[Kind, ...] = ("claim", "node", "edge")
STATUSES: tuple[Status, ...] = ("active", "superseded", "retracted")
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
VALUES = "values:base"
MINED = "mi:mined"
RAW = "values:raw"  # for audit only: never recalled, never shown to a Mind
SUMMARY = "values:summary"
TESTLESS = "mi:testless_verification_strategy"
ANSWER = "mi:answer"  # the person's answer to an agent's question; its notes are the question
TEAM = "reach:team"  # the person's word for the team, which a hub carries
CHECKPOINT = "mi:checkpoint"  # a node that MI made of a stretch of work
RULING = ("values:", "mi:setting:", "mi:testless", ANSWER)  # tags of what MI acts by: no agent's word ever carries one
REDIRECTS = ("supersedes", "same_as")  # both lead from the old to the new
RESTS_ON = ("derived_from", "depends_on")  # no more to be trusted than what they lead to
BINDING = (*REDIRECTS, *RESTS_ON)  # edges that change what holds where they begin
KIND_OF_PREFIX: dict[str, Kind] = {"cl": "claim", "nd": "node", "ed": "edge"}


def kind_of(thought_id: str) -> Kind | None:
    """Return what an id names; None when it is no thought."""
    return KIND_OF_PREFIX.get(thought_id.partition("_")[0])
