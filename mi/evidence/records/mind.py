"""What a Mind judged in a run, and how asking it failed."""

from typing import Literal

from msgspec import Struct, field

from mi.evidence.records.base import Json, MindRecord, Record, Say


class MindError(Record, frozen=True, kw_only=True, tag="mind_error"):
    shown_in = ("run",)

    schema_filename: str = ""
    tag: str = ""
    mind_transcript_ref: str = ""
    error: str = ""

    def headline(self, say: Say = str) -> str:
        return f"{self.tag} {self.error}".strip()


class MindCircuit(Record, frozen=True, kw_only=True, tag="mind_circuit"):
    shown_in = ("run",)

    state: Literal["open", "closed"] = "open"
    threshold: int = 2
    failures_total: int = 0
    failures_consecutive: int = 0
    schema_filename: str = ""
    tag: str = ""
    error: str = ""

    def headline(self, say: Say = str) -> str:
        return f"{self.state} {self.error}".strip()


class Risk(Struct, frozen=True, kw_only=True):
    category: str = "other"  # network | install | push | publish | delete | privilege | privacy | cost | other
    severity: str = "low"  # low | medium | high | critical
    should_ask_user: bool = False
    mitigation: list[str] = []
    learn_suggested: list[Json] = []


class RiskEvent(MindRecord, frozen=True, kw_only=True, tag="risk_event"):
    shown_in = ("run", "batch", "segment", "recent", "why")

    risk_signals: list[str] = []
    risk: Risk = field(default_factory=Risk)
    snapshot: str = ""  # of what something destroyed: the reference that keeps the work tree from before the batch

    def headline(self, say: Say = str) -> str:
        named = " · ".join([*self.risk_signals, *filter(None, [self.snapshot])])
        return f"{say(self.risk.severity)} {say(self.risk.category)} {named}".strip()


class Checks(Struct, frozen=True, kw_only=True):
    should_run_checks: bool = False
    needs_testless_strategy: bool = False
    testless_strategy_question: str = ""
    check_goals: list[str] = []
    commands_hints: list[str] = []
    hands_check_input: str = ""
    notes: str = ""


class CheckPlan(MindRecord, frozen=True, kw_only=True, tag="check_plan"):
    shown_in = ("run", "batch", "why")

    checks: Checks = field(default_factory=Checks)

    def headline(self, say: Say = str) -> str:
        planned = " · ".join(self.checks.commands_hints) or self.checks.hands_check_input
        return planned if self.checks.should_run_checks else f"{say('none')}: {self.checks.notes}"


class AutoAnswerOutput(Struct, frozen=True, kw_only=True):
    should_answer: bool = False
    confidence: float = 0.0
    hands_answer_input: str = ""
    needs_user_input: bool = False
    ask_user_question: str = ""
    unanswered_questions: list[str] = []
    cited_ids: list[str] = []
    notes: str = ""


class AutoAnswer(MindRecord, frozen=True, kw_only=True, tag="auto_answer"):
    shown_in = ("run", "batch", "segment", "recent", "why")
    is_landmark = True

    auto_answer: AutoAnswerOutput = field(default_factory=AutoAnswerOutput)

    def headline(self, say: Say = str) -> str:
        said = self.auto_answer
        if said.hands_answer_input and not said.needs_user_input:
            return said.hands_answer_input
        return f"{say('none')}: {said.ask_user_question}" if said.ask_user_question else ""


class ThoughtsUsed(Struct, frozen=True, kw_only=True):
    as_of_ts: str = ""
    node_ids: list[str] = []
    values_claim_ids: list[str] = []
    pref_goal_claim_ids: list[str] = []
    query_claim_ids: list[str] = []
    edges_n: int = 0
    notes: str = ""


class DecideNext(MindRecord, frozen=True, kw_only=True, tag="decide_next"):
    shown_in = ("run", "batch", "segment", "recent", "why")
    is_landmark = True

    phase: Literal["initial", "after_user"] = "initial"
    next_action: Literal["send_to_hands", "ask_user", "stop"] = "stop"
    status: Literal["done", "not_done", "blocked"] = "not_done"
    confidence: float = 0.0
    notes: str = ""
    ask_user_question: str = ""
    next_hands_input: str = ""
    thought_db: ThoughtsUsed = field(default_factory=ThoughtsUsed)
    decision: Json = {}

    def headline(self, say: Say = str) -> str:
        return f"{say(self.status)}, {say(self.next_action)}" + (f": {self.notes}" if self.notes else "")


class LoopGuard(Record, frozen=True, kw_only=True, tag="loop_guard"):
    shown_in = ("run", "batch", "segment")

    pattern: Literal["aaa", "abab"] = "aaa"
    hands_last_message: str = ""
    next_input: str = ""
    reason: str = ""

    def headline(self, say: Say = str) -> str:
        return f"{say(self.pattern)} {self.reason}"


class LoopBreakOutput(Struct, frozen=True, kw_only=True):
    action: Literal["rewrite_next_input", "run_checks_then_continue", "stop_done", "stop_blocked", "ask_user"] = (
        "stop_blocked"
    )
    confidence: float = 0.0
    rewritten_next_input: str = ""
    check_intent: str = ""
    ask_user_question: str = ""
    notes: str = ""


class LoopBreak(MindRecord, frozen=True, kw_only=True, tag="loop_break"):
    shown_in = ("batch", "segment", "why")

    pattern: Literal["aaa", "abab"] = "aaa"
    reason: str = ""
    output: LoopBreakOutput | None = None

    def headline(self, say: Say = str) -> str:
        return f"{say(self.pattern)} {say(self.output.action if self.output else self.state)}"


class TestlessStrategySet(Record, frozen=True, kw_only=True, tag="testless_strategy_set"):
    shown_in = ("segment",)

    strategy: str = ""
    rationale: str = ""
    source: str = ""

    def headline(self, say: Say = str) -> str:
        return self.strategy
