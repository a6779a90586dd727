"""What prompts answer, where the evidence records do not declare it already."""

from typing import Literal

from msgspec import Struct

from mi.evidence.records.workflow_ir import Workflow


class DecisionProcedure(Struct, frozen=True, kw_only=True):
    summary: str
    mermaid: str


class CompiledValues(Struct, frozen=True, kw_only=True):
    version: Literal["v1"]
    values_summary: list[str]
    decision_procedure: DecisionProcedure


class NextAction(Struct, frozen=True, kw_only=True):
    kind: Literal["command", "edit", "other"]
    detail: str


class ExtractedEvidence(Struct, frozen=True, kw_only=True):
    facts: list[str]
    actions: list[NextAction]
    results: list[str]
    unknowns: list[str]
    risk_signals: list[str]


class LearnSuggestion(Struct, frozen=True, kw_only=True):
    scope: Literal["project", "global"]
    severity: Literal["low", "medium", "high", "critical"]
    text: str
    rationale: str


class RiskJudgement(Struct, frozen=True, kw_only=True):
    category: Literal["network", "install", "push", "publish", "delete", "privilege", "privacy", "cost", "other"]
    severity: Literal["low", "medium", "high", "critical"]
    should_ask_user: bool
    mitigation: list[str]
    learn_suggested: list[LearnSuggestion]


class ChosenStrategy(Struct, frozen=True, kw_only=True):
    strategy: str
    rationale: str


class OverlayUpdate(Struct, frozen=True, kw_only=True):
    set_testless_strategy: ChosenStrategy | None


class NextMove(Struct, frozen=True, kw_only=True):
    next_action: Literal["send_to_hands", "ask_user", "stop"]
    status: Literal["done", "not_done", "blocked"]
    confidence: float
    next_hands_input: str
    ask_user_question: str
    cited_ids: list[str]
    learn_suggested: list[LearnSuggestion]
    update_project_overlay: OverlayUpdate
    notes: str


CheckpointKind = Literal[
    "none",
    "phase_change",
    "subtask_complete",
    "risk_boundary",
    "user_interaction",
    "timebox",
    "max_batches",
    "done",
    "blocked",
    "other",
]


class CheckpointDecision(Struct, frozen=True, kw_only=True):
    should_checkpoint: bool
    checkpoint_kind: CheckpointKind
    should_mine_workflow: bool
    should_mine_preferences: bool
    confidence: float
    notes: str


class MinedPreference(Struct, frozen=True, kw_only=True):
    scope: Literal["project", "global"]
    text: str
    rationale: str
    confidence: float
    benefit: Literal["low", "medium", "high"]


class MinedPreferences(Struct, frozen=True, kw_only=True):
    suggestions: list[MinedPreference]
    notes: str


class MinedClaim(Struct, frozen=True, kw_only=True):
    """A claim a model proposes; `local_id` lets edges of the same answer point to it."""

    local_id: str
    claim_type: Literal["fact", "preference", "assumption", "goal"]
    text: str
    scope: Literal["project", "global"]
    visibility: Literal["private", "project", "global"]
    valid_from: str | None
    valid_to: str | None
    confidence: float
    source_event_ids: list[str]
    tags: list[str]
    notes: str


class MinedEdge(Struct, frozen=True, kw_only=True):
    edge_type: Literal["depends_on", "supports", "contradicts", "derived_from", "mentions", "supersedes", "same_as"]
    from_claim_id: str
    to_claim_id: str
    confidence: float
    source_event_ids: list[str]
    notes: str


class MinedClaims(Struct, frozen=True, kw_only=True):
    claims: list[MinedClaim]
    edges: list[MinedEdge]
    notes: str


class ValuesClaimPatch(Struct, frozen=True, kw_only=True):
    claims: list[MinedClaim]
    edges: list[MinedEdge]
    retract_claim_ids: list[str]
    notes: str


class Retraction(Struct, frozen=True, kw_only=True):
    scope: Literal["project", "global"]
    claim_id: str
    rationale: str
    confidence: float
    source_event_ids: list[str]


class LearnUpdatePatch(Struct, frozen=True, kw_only=True):
    should_apply: bool
    min_confidence: float
    patch: MinedClaims
    retract: list[Retraction]
    notes: str


class WhyAnswer(Struct, frozen=True, kw_only=True):
    status: Literal["ok", "insufficient"]
    confidence: float
    chosen_claim_ids: list[str]
    explanation: str
    notes: str


class SuggestedWorkflow(Struct, frozen=True, kw_only=True):
    """A habit a model saw; `signature` is the same whenever it sees the same habit."""

    signature: str
    benefit: Literal["low", "medium", "high"]
    confidence: float
    reason: str
    workflow: Workflow


class WorkflowAdvice(Struct, frozen=True, kw_only=True):
    should_suggest: bool
    suggestion: SuggestedWorkflow | None
    notes: str


class EditedWorkflow(Struct, frozen=True, kw_only=True):
    workflow: Workflow
    change_summary: list[str]
    conflicts: list[str]
    notes: str
