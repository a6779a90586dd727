"""What the agents' door, the plan state and the team's rules decided."""

from msgspec import Struct

from mi.evidence.records.base import Json, Record


class ModeSet(Record, frozen=True, kw_only=True, tag="mode_set"):
    mode: str = ""
    previous: str = ""
    client: str = ""

    def headline(self) -> str:
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

    def headline(self) -> str:
        return f"{self.code} {self.tool}"


class Violation(Record, frozen=True, kw_only=True, tag="violation"):
    id: str = ""
    code: str = ""
    boundary: str = ""
    mode: str = ""
    outcome: str = ""
    details: str = ""

    def headline(self) -> str:
        return f"{self.code} {self.details}"


class MemoryWrite(Record, frozen=True, kw_only=True, tag="memory_write"):
    type: str = ""
    summary: str = ""
    key: str = ""
    record_id: str = ""
    evidence: list[Json] = []

    def headline(self) -> str:
        return f"{self.type} {self.summary}"


class MemoryVerify(Record, frozen=True, kw_only=True, tag="memory_verify"):
    results: list[Json] = []


class Preflight(Record, frozen=True, kw_only=True, tag="preflight"):
    verdict: str = ""
    assessment: Json = {}

    def headline(self) -> str:
        return self.verdict


class Override(Record, frozen=True, kw_only=True, tag="override"):
    reason: str = ""
    scope: str = ""

    def headline(self) -> str:
        return self.reason


class Review(Record, frozen=True, kw_only=True, tag="review"):
    id: str = ""
    reviewer: str = ""
    verdict: str = ""
    adopted: str = ""
    findings: list[Json] = []

    def headline(self) -> str:
        return f"{self.reviewer} {self.verdict}"


class Verification(Record, frozen=True, kw_only=True, tag="verification"):
    gate: str = ""
    verdict: str = ""
    confidence: float | None = None
    user_action: str = ""
    post_result: str = ""

    def headline(self) -> str:
        return f"{self.gate} {self.verdict}"


class SessionLog(Record, frozen=True, kw_only=True, tag="session_log"):
    path: str = ""
    sections: list[str] = []
    trigger: str = ""

    def headline(self) -> str:
        return self.path


class Proposal(Record, frozen=True, kw_only=True, tag="proposal"):
    path: str = ""
    card_type: str = ""
    title: str = ""
    status: str = ""

    def headline(self) -> str:
        return f"{self.status} {self.title}"


class Handoff(Record, frozen=True, kw_only=True, tag="handoff"):
    id: str = ""
    sender: str = ""
    receiver: str = ""
    status: str = ""
    task: str = ""

    def headline(self) -> str:
        return f"{self.id} {self.status} {self.task}"


class NexusEvent(Record, frozen=True, kw_only=True, tag="nexus_event"):
    event: str = ""
    harness_id: str = ""
    params: Json = {}

    def headline(self) -> str:
        return self.event


class Deploy(Record, frozen=True, kw_only=True, tag="deploy"):
    step: str = ""
    outcome: str = ""
    checklist: list[CheckItem] = []

    def headline(self) -> str:
        return f"{self.step} {self.outcome}"
