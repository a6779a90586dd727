"""Workflows that were triggered, followed, suggested, kept, and synced into host workspaces."""

from msgspec import Struct

from mi.evidence.records.base import Json, MindRecord, Record, Say


class WorkflowProgressOutput(Struct, frozen=True, kw_only=True):
    should_update: bool = False
    completed_step_ids: list[str] = []
    next_step_id: str | None = None
    should_close: bool = False
    close_reason: str | None = None
    confidence: float = 0.0
    notes: str = ""


class WorkflowProgress(MindRecord, frozen=True, kw_only=True, tag="workflow_progress"):
    shown_in = ("batch", "segment")

    workflow_id: str = ""
    workflow_name: str = ""
    output: WorkflowProgressOutput | None = None

    def headline(self, say: Say = str) -> str:
        return f"{self.workflow_name} → {self.output.next_step_id if self.output else self.state}"


class WorkflowTrigger(Record, frozen=True, kw_only=True, tag="workflow_trigger"):
    workflow_id: str = ""
    workflow_name: str = ""
    pattern: str = ""

    def headline(self, say: Say = str) -> str:
        return f"{self.workflow_id} {self.workflow_name}"


class WorkflowSuggestion(MindRecord, frozen=True, kw_only=True, tag="workflow_suggestion"):
    segment_id: str = ""
    signature: str = ""
    count: int = 0
    output: Json | None = None

    def headline(self, say: Say = str) -> str:
        return self.signature


class WorkflowSolidified(Record, frozen=True, kw_only=True, tag="workflow_solidified"):
    workflow_id: str = ""
    workflow_name: str = ""
    signature: str = ""
    count: int = 0

    def headline(self, say: Say = str) -> str:
        return f"{self.workflow_id} {self.workflow_name}"


class HostSync(Record, frozen=True, kw_only=True, tag="host_sync"):
    reason: str = ""
    results: list[Json] = []

    def headline(self, say: Say = str) -> str:
        return self.reason
