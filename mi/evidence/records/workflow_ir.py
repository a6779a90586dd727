"""The form of a workflow: what is stored, what a Mind suggests and edits, what records quote."""

from typing import Literal

from msgspec import Struct, field

StepKind = Literal["hands", "check", "gate"]
RiskCategory = Literal["network", "install", "push", "publish", "delete", "privilege", "privacy", "cost", "other"]
StepPolicy = Literal["values_judged", "allow", "deny", "ask"]
TriggerMode = Literal["manual", "task_contains"]


class Trigger(Struct, frozen=True, kw_only=True):
    """When a run follows the workflow by itself."""

    mode: TriggerMode = "manual"
    pattern: str = ""


class WorkflowStep(Struct, frozen=True, kw_only=True):
    """One step; a gate with `ask` or `deny` is a question to the person before it."""

    id: str
    kind: StepKind = "hands"
    title: str = ""
    hands_input: str = ""
    check_input: str = ""
    risk_category: RiskCategory = "other"
    policy: StepPolicy = "values_judged"
    notes: str = ""

    @property
    def is_closed_gate(self) -> bool:
        """Whether a run stops before it to ask."""
        return self.kind == "gate" and self.policy in ("ask", "deny")

    @property
    def text(self) -> str:
        """What is to be done, in one text."""
        return (self.check_input if self.kind == "check" else self.hands_input) or self.title


class Source(Struct, frozen=True, kw_only=True):
    """Where the workflow comes from."""

    kind: Literal["manual", "suggested"] = "manual"
    reason: str = ""
    evidence_refs: list[str] = []


class Workflow(Struct, frozen=True, kw_only=True):
    """A habit that can be followed again."""

    version: str = "v1"
    id: str
    name: str = ""
    enabled: bool = True
    trigger: Trigger = field(default_factory=Trigger)
    mermaid: str = ""
    steps: list[WorkflowStep] = []
    source: Source = field(default_factory=Source)
    created_ts: str = ""
    updated_ts: str = ""

    def step(self, step_id: str | None) -> WorkflowStep | None:
        """Return the step of an id."""
        return next((step for step in self.steps if step.id == step_id), None)
