"""The judgements about a batch: asked side by side where they can be, skipped where the answer is determined."""

from typing import Any, NamedTuple

import msgspec

from mi.autopilot.diary import Diary
from mi.autopilot.loop_guard import Repetition
from mi.autopilot.seen import repository
from mi.autopilot.session import Session
from mi.autopilot.state import RunState
from mi.evidence.records.hands import Action, Evidence
from mi.evidence.records.mind import (
    AutoAnswer,
    AutoAnswerOutput,
    CheckPlan,
    Checks,
    DecideNext,
    LoopBreak,
    LoopBreakOutput,
    LoopGuard,
    Risk,
    RiskEvent,
    TestlessStrategySet,
    ThoughtsUsed,
)
from mi.kernel import clock
from mi.kernel.config.types import ViolationResponse
from mi.mind.answers import ExtractedEvidence, NextMove, RiskJudgement
from mi.mind.mind import Judgement
from mi.mind.prompt import Prompt
from mi.mind.prompts.auto_answer import asked, auto_answer
from mi.mind.prompts.decide_next import decide_next
from mi.mind.prompts.extract_evidence import extract_evidence
from mi.mind.prompts.loop_break import loop_break
from mi.mind.prompts.plan_min_checks import plan_min_checks
from mi.mind.prompts.risk_judge import risk_judge
from mi.mind.views import Batch, Case, LoopCase
from mi.project.checks import Check


class Judged(NamedTuple):
    """What was made of a batch before deciding."""

    answer: AutoAnswerOutput | None
    checks: Checks | None
    risk_question: str


class Judging:
    """Asks, checks the answers against the world, and records them."""

    def __init__(self, session: Session, state: RunState, diary: Diary, checks: list[Check]) -> None:
        self._session = session
        self._state = state
        self._diary = diary
        self._checks = checks

    def batch(self, case: Case) -> Judged:
        """Evidence, risk, checks and answers of one batch."""
        planned = determined_plan(case)
        wanted: dict[str, tuple[Prompt[Any, Any], Any]] = {"extract_evidence": (extract_evidence, case.batch)}
        if case.batch.risk_signals:
            wanted["risk_judge"] = (risk_judge, case)
        if planned is None:
            wanted["plan_min_checks"] = (plan_min_checks, case)
        if asked(case):
            wanted["auto_answer"] = (auto_answer, case)
        found = dict(zip(wanted, self._diary.judge_together(*wanted.values()), strict=True))
        self._record_evidence(case.batch, found["extract_evidence"])
        question = self._record_risk(case, found["risk_judge"]) if "risk_judge" in found else ""
        checks = self._record_plan(planned or found["plan_min_checks"])
        answer = self._record_answer(case, found["auto_answer"]) if "auto_answer" in found else None
        return Judged(answer, checks, question)

    def _record_evidence(self, batch: Batch, judgement: Judgement[ExtractedEvidence]) -> None:
        seen = judgement.value or extract_evidence.rules(batch)
        record = Evidence(
            hands_transcript_ref=batch.hands_transcript_ref,
            mind_transcript_ref=judgement.transcript_ref,
            mi_input=batch.batch_input,
            transcript_observation=batch.transcript_observation,
            repo_observation=repository(self._session.project.root, self._checks),
            facts=seen.facts,
            actions=[Action(kind=one.kind, detail=one.detail) for one in seen.actions],
            results=seen.results,
            unknowns=seen.unknowns,
            risk_signals=list(dict.fromkeys([*batch.risk_signals, *seen.risk_signals])),
        )
        self._diary.append(record, note=record.headline())

    def _record_risk(self, case: Case, judgement: Judgement[RiskJudgement]) -> str:
        """Store the judgement; the question to the person, if the policy wants one."""
        judged = judgement.value or risk_judge.rules(case)
        risk = msgspec.convert(msgspec.to_builtins(judged), Risk)
        record = RiskEvent(
            state=judgement.state,
            mind_transcript_ref=judgement.transcript_ref,
            risk_signals=case.batch.risk_signals,
            risk=risk,
        )
        self._diary.append(record, note=f"risk: {record.headline()}")
        if not must_ask(risk, self._session.runtime.violation_response):
            return ""
        return f"The agent did something risky ({risk.category}, {risk.severity}): {case.batch.risk_signals[0]}. Go on?"

    def _record_plan(self, judgement: Judgement[Checks], batch_id: str = "") -> Checks | None:
        checks = judgement.value
        record = CheckPlan(
            state=judgement.state,
            mind_transcript_ref=judgement.transcript_ref,
            checks=checks or Checks(notes=judgement.error),
        )
        self._diary.append(record, batch_id=batch_id)
        return checks

    def _record_answer(self, case: Case, judgement: Judgement[AutoAnswerOutput]) -> AutoAnswerOutput | None:
        """An answer must cite what is really there; one that cites nothing becomes a question to the person."""
        answer = judgement.value
        if answer is None:
            return None
        allowed = {said.id for said in [*case.person.everything(), *case.recent]}
        cited = [one for one in answer.cited_ids if one in allowed]
        answer = msgspec.structs.replace(answer, cited_ids=cited)
        if answer.should_answer and not cited:
            question = (asked(case) or [case.batch.last_message])[0]
            notes = f"{answer.notes} (no citation carries the answer)".strip()
            answer = AutoAnswerOutput(needs_user_input=True, ask_user_question=question, notes=notes)
        record = AutoAnswer(state=judgement.state, mind_transcript_ref=judgement.transcript_ref, auto_answer=answer)
        self._diary.append(record, note=answer.hands_answer_input)
        return answer

    def plan(self, case: Case, suffix: str) -> Checks | None:
        """Plan the checks again, after something was learned in between."""
        return self._record_plan(self._diary.judge(plan_min_checks, case), self._state.batch_id + suffix)

    def answer_question(self, case: Case, question: str) -> AutoAnswerOutput | None:
        """Try to answer, from what the person said, a question that was meant for them."""
        batch = msgspec.structs.replace(case.batch, questions=[question])
        again = msgspec.structs.replace(case, batch=batch)
        return self._record_answer(again, self._diary.judge(auto_answer, again))

    def decide(self, case: Case) -> NextMove:
        """The next move; without a model's answer the rules decide."""
        judgement = self._diary.judge(decide_next, case)
        move = judgement.value or decide_next.rules(case)
        used = ThoughtsUsed(
            as_of_ts=clock.now(),
            values_claim_ids=[said.id for said in case.person.values],
            pref_goal_claim_ids=[said.id for said in case.person.preferences],
            query_claim_ids=[said.id for said in case.person.facts if said.id.startswith("cl_")],
            node_ids=[said.id for said in case.person.facts if said.id.startswith("nd_")],
        )
        record = DecideNext(
            state=judgement.state,
            mind_transcript_ref=judgement.transcript_ref,
            next_action=move.next_action,
            status=move.status,
            confidence=move.confidence,
            notes=move.notes,
            ask_user_question=move.ask_user_question,
            next_hands_input=move.next_hands_input,
            thought_db=used,
            decision=msgspec.to_builtins(move),
        )
        stored = self._diary.append(record, note=record.headline())
        self._state.evidence_ids.append(stored.event_id)
        return move

    def break_loop(self, case: Case, repetition: Repetition, next_input: str) -> LoopBreakOutput:
        """A way out of a repetition."""
        guard = LoopGuard(
            pattern=repetition.pattern,
            hands_last_message=case.batch.last_message,
            next_input=next_input,
            reason=repetition.reason,
        )
        self._diary.append(guard)
        loop = LoopCase(case=case, pattern=repetition.pattern, reason=repetition.reason, next_input=next_input)
        judgement = self._diary.judge(loop_break, loop)
        way = judgement.value or loop_break.rules(loop)
        record = LoopBreak(
            state=judgement.state,
            mind_transcript_ref=judgement.transcript_ref,
            pattern=repetition.pattern,
            reason=repetition.reason,
            output=way,
        )
        self._diary.append(record)
        return way

    def remember_strategy(self, strategy: str) -> None:
        """Keep what the person said counts without tests: the event, then the claim that cites it."""
        event = self._diary.append(TestlessStrategySet(strategy=strategy, source="user"), sync=True)
        self._session.thoughts.remember_strategy(strategy, "chosen by the person", event.event_id)


def determined_plan(case: Case) -> Judgement[Checks] | None:
    """The plan where no judgement is needed: nothing to check, or a known command that was not run yet."""
    batch = case.batch
    if batch.marks.verified or not batch.changed_files or batch.weakened_tests or case.project.check_commands:
        return Judgement(plan_min_checks.rules(case), "skipped", "rules", error="the answer was determined")
    return None


def must_ask(risk: Risk, policy: ViolationResponse) -> bool:
    """Whether a risk goes to the person, by the configured policy."""
    if not policy.ask_user_on_high_risk or risk.severity not in policy.ask_user_risk_severities:
        return False
    if policy.ask_user_risk_categories and risk.category not in policy.ask_user_risk_categories:
        return False
    return risk.should_ask_user or not policy.ask_user_respect_should_ask_user
