"""What the agents' door, the plan state and the team's rules decided."""

from typing import Literal

from msgspec import Struct

from mi.evidence.records.base import Json, Record, Say


class ModeSet(Record, frozen=True, kw_only=True, tag="mode_set"):
    said_by = "person"

    mode: str = ""
    previous: str = ""
    client: str = ""

    def headline(self, say: Say = str) -> str:
        return self.mode


class CheckItem(Struct, frozen=True, kw_only=True):
    item: str = ""
    done: bool = False
    detail: str = ""


class Gate(Record, frozen=True, kw_only=True, tag="gate"):
    code: str = "ok"
    tool: str = ""
    checklist: list[CheckItem] = []
    client: str = ""
    mode: str = ""
    task_id: str = ""  # the leaf that was worked on
    boundary: str = ""  # where it was decided: mcp, cli, hook
    outcome: str = ""
    details: str = ""

    def headline(self, say: Say = str) -> str:
        return f"{self.code} {self.tool}"


class Violation(Record, frozen=True, kw_only=True, tag="violation"):
    id: str = ""
    code: str = ""
    boundary: str = ""
    mode: str = ""
    outcome: str = ""
    details: str = ""
    tool: str = ""
    client: str = ""

    def headline(self, say: Say = str) -> str:
        return f"{self.code} {self.details}"


class TaskOutcome(Record, frozen=True, kw_only=True, tag="task_outcome"):
    """How a run ended that worked on a task of the list."""

    task_id: str = ""
    authority: str = ""
    status: str = ""
    reason: str = ""
    reopened: list[str] = []  # tasks that were ticked meanwhile, and not by the run or a person

    def headline(self, say: Say = str) -> str:
        return f"{self.task_id} {self.status}"


class SealAccepted(Record, frozen=True, kw_only=True, tag="seal_accepted"):
    """The person lets count what somebody else did to MI's own files."""

    paths: list[str] = []

    def headline(self, say: Say = str) -> str:
        return " ".join(self.paths)


class MemoryWrite(Record, frozen=True, kw_only=True, tag="memory_write"):
    said_by = "agent"

    type: str = ""
    summary: str = ""
    key: str = ""
    record_id: str = ""
    evidence: list[Json] = []
    superseded: list[str] = []

    def headline(self, say: Say = str) -> str:
        return f"{self.type} {self.summary}"


class MemoryVerify(Record, frozen=True, kw_only=True, tag="memory_verify"):
    said_by = "agent"

    results: list[Json] = []


class Preflight(Record, frozen=True, kw_only=True, tag="preflight"):
    shown_in = ("run",)

    verdict: str = ""
    assessment: Json = {}
    advice: str = ""

    def headline(self, say: Say = str) -> str:
        return f"{say(self.verdict)} {self.advice}".strip()


class Override(Record, frozen=True, kw_only=True, tag="override"):
    said_by = "person"
    shown_in = ("run",)

    reason: str = ""
    scope: str = ""

    def headline(self, say: Say = str) -> str:
        return self.reason


class ReviewFinding(Struct, frozen=True, kw_only=True):
    """What a reviewer found; `action`: what it proposes."""

    severity: Literal["low", "medium", "high", "critical"]
    title: str
    detail: str
    action: str


class CallInput(Struct, frozen=True, kw_only=True):
    """What an external reviewer was given, by its size and not in full: the payload is in its transcript."""

    task: str = ""
    context: str = ""
    expected_format: str = ""


class CallOutput(Struct, frozen=True, kw_only=True):
    """What an external reviewer answered."""

    verdict: Literal["accept", "revise", "reject"]
    confidence: float
    findings: list[ReviewFinding]
    risks: list[str]
    unknowns: list[str]
    next_action: str


class CallMeta(Struct, frozen=True, kw_only=True):
    """How the call went, and what became of its answer."""

    timeout_ms: int = 0
    retries: int = 0
    adopted: Literal["full", "partial", "none"] = "none"
    adoption_notes: str = ""


class Review(Record, frozen=True, kw_only=True, tag="review"):
    """One call of an external reviewer, or the human review that took its place (`degraded`)."""

    said_by = "mind"
    shown_in = ("run",)

    id: str = ""
    reviewer: str = ""
    mode: Literal["review", "implement", "research", "multimodal", "decision"] = "review"
    verdict: str = ""
    adopted: str = ""
    findings: list[Json] = []
    input: CallInput | None = None
    output: CallOutput | None = None
    meta: CallMeta | None = None
    degraded: bool = False
    mind_transcript_ref: str = ""

    def headline(self, say: Say = str) -> str:
        note = self.meta.adoption_notes if self.meta else ""
        return " ".join(part for part in (self.reviewer, say(self.verdict), note) if part)


class Verification(Record, frozen=True, kw_only=True, tag="verification"):
    shown_in = ("run",)

    gate: str = ""
    verdict: str = ""
    confidence: float | None = None
    user_action: str = ""
    post_result: str = ""

    def headline(self, say: Say = str) -> str:
        return f"{say(self.gate)} {say(self.verdict)}"


class SessionLog(Record, frozen=True, kw_only=True, tag="session_log"):
    follows_end = True

    path: str = ""
    sections: list[str] = []
    trigger: str = ""

    def headline(self, say: Say = str) -> str:
        return self.path


class Proposal(Record, frozen=True, kw_only=True, tag="proposal"):
    path: str = ""
    card_type: str = ""
    title: str = ""
    status: str = ""

    def headline(self, say: Say = str) -> str:
        return f"{say(self.status)} {self.title}"


class Handoff(Record, frozen=True, kw_only=True, tag="handoff"):
    id: str = ""
    sender: str = ""
    receiver: str = ""
    status: str = ""
    task: str = ""

    def headline(self, say: Say = str) -> str:
        return f"{self.id} {say(self.status)} {self.task}"


class NexusEvent(Record, frozen=True, kw_only=True, tag="nexus_event"):
    event: str = ""
    harness_id: str = ""
    params: Json = {}
    error: str = ""  # what was refused, in the contract's words
    by: str = ""  # terminal: a person's command

    def headline(self, say: Say = str) -> str:
        return self.event


class Deploy(Record, frozen=True, kw_only=True, tag="deploy"):
    step: str = ""
    outcome: str = ""
    commit: str = ""
    checklist: list[CheckItem] = []
    symptom: str = ""
    cause: str = ""
    proposal: str = ""

    def headline(self, say: Say = str) -> str:
        return f"{self.step} {self.outcome}"
