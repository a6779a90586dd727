"""The judgements about a batch: asked side by side where they can be, skipped where the answer is determined."""

from typing import Any, Literal

import msgspec

from mi.autopilot.batch_facts import repository
from mi.autopilot.loop_guard import Repetition
from mi.autopilot.recorder import LogRecorder
from mi.autopilot.run_parts import RunParts
from mi.autopilot.state import RunState
from mi.evidence.records.governed import Verification
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
)
from mi.evidence.records.run import Closing, PartJudged, RowJudged
from mi.kernel.config.types import ExternalActions, Policy, ViolationResponse
from mi.kernel.consent import refuses
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import redact
from mi.mind.answering import is_irreversible
from mi.mind.closing import ROWS, AskAgent, AskPerson, CannotClose, ClosingVerdict, MayClose
from mi.mind.mind import Judgement
from mi.mind.prompt import Prompt
from mi.mind.prompts.auto_answer_to_hands import asked, auto_answer_to_hands
from mi.mind.prompts.decide_next import NextMove, decide_next, undecided
from mi.mind.prompts.extract_evidence import ExtractedEvidence, extract_evidence
from mi.mind.prompts.loop_break import LoopCase, loop_break
from mi.mind.prompts.plan_min_checks import plan_min_checks
from mi.mind.prompts.risk_judge import RiskJudgement, risk_judge
from mi.mind.prompts.workflow_progress import commands_in
from mi.mind.same_question import is_same_text
from mi.mind.views import BatchView, Case, JudgedPart
from mi.project.checks.recognition import Check, planned
from mi.project.snapshots import name_ref


class Judged(NamedTuple):
    """What was made of a batch before deciding."""

    answer: AutoAnswerOutput | None
    checks: Checks | None
    risk: Risk | None
    risk_question: str


class Decided(NamedTuple):
    """The next move; `failed`: the judge gave none, so that only the person's word can be one."""

    move: NextMove
    failed: bool


class BatchJudge:
    """Asks, checks the answers against the world, and records them."""

    def __init__(self, parts: RunParts, state: RunState, recorder: LogRecorder, checks: list[Check]) -> None:
        self._parts = parts
        self._state = state
        self._recorder = recorder
        self._checks = checks

    def batch(self, case: Case) -> tuple[Case, Judged]:
        """Judge one batch: its evidence, what that calls to mind, risk beside checks, and then the agent's questions.

        Each is shown what came before it; returned is also the case as it is known now.
        """
        self._record_verification(case.batch)
        repo = repository(self._parts.project.root, self._checks, case.batch.changed_files)
        case = self._with_evidence(msgspec.structs.replace(case, repo=repo))
        self._recall(case)
        followed = self._parts.steps.workflow_progress(self._recorder, self._up_to_date(case))
        case = self._up_to_date(msgspec.structs.replace(case, workflow=followed))
        risky = self._with_risks_to_judge(case)
        plan = planned_check(case) or determined_plan(risky)
        found = self._ask_together(case, risky, plan)
        risk = self._record_risk(risky, found["risk_judge"]) if "risk_judge" in found else None
        checks = self._settled_plan(case, plan or found["plan_min_checks"])
        early = None if _is_due(checks) else found.get("auto_answer_to_hands")
        answer = self._answer(case, checks, early) if asked(case) else None
        return case, Judged(answer, checks, risk, self._risk_question(risky, risk) if risk else "")

    def _with_evidence(self, case: Case) -> Case:
        """Return the case with what stays unknown of the batch, and the risks that were seen in it."""
        judgement = self._recorder.judge(extract_evidence, case)
        seen = judgement.value or extract_evidence.rules(case)
        signals = list(dict.fromkeys([*case.batch.risk_signals, *filter(str.strip, seen.risk_signals)]))
        batch = msgspec.structs.replace(case.batch, risk_signals=signals)
        case = msgspec.structs.replace(case, batch=batch, unknowns=seen.unknowns)
        self._record_evidence(case, seen, judgement.transcript_ref)
        return case

    def _recall(self, case: Case) -> None:
        """Call to mind what bears on the risks of a batch and on the agent's questions, before they are judged."""
        questions = asked(case)
        if case.batch.risk_signals:
            self._parts.steps.recall(self._recorder, "risk_signal", " ".join(case.batch.risk_signals))
        if questions:
            self._parts.steps.recall(self._recorder, "before_ask_user", " ".join(questions))

    def _up_to_date(self, case: Case) -> Case:
        """Return the case with what this batch's judgements brought up."""
        return msgspec.structs.replace(case, recent=self._state.recent)

    def _ask_together(self, case: Case, risky: Case, plan: Judgement[Checks] | None) -> dict[str, Judgement[Any]]:
        """Return the answers to what does not depend on each other: the risk, and the plan where none is determined.

        The agent's question is answered beside the plan where no check seems due; one that is due the answer must see.
        """
        wanted: list[tuple[Prompt[Any, Any], Case]] = []
        if risky.batch.risk_signals:
            wanted.append((risk_judge, risky))
        if plan is None:
            wanted.append((plan_min_checks, case))
            if asked(case) and not risky.batch.risk_signals and not _is_due(plan_min_checks.rules(case)):
                wanted.append((auto_answer_to_hands, self._with_answers(case)))
        answers = self._recorder.judge_together(*wanted) if wanted else []
        return {prompt.name: answer for (prompt, _), answer in zip(wanted, answers, strict=True)}

    def _answer(
        self, case: Case, checks: Checks | None, early: Judgement[AutoAnswerOutput] | None
    ) -> AutoAnswerOutput | None:
        """Answer the agent's questions, with the checks in view that it will be asked for beside."""
        check = checks.hands_check_input if checks and checks.should_run_checks else ""
        case = self._with_answers(self._up_to_date(msgspec.structs.replace(case, planned_checks=check)))
        return self._record_answer(case, early or self._recorder.judge(auto_answer_to_hands, case))

    def _with_answers(self, case: Case) -> Case:
        """Return the case with what the person answered before to questions like those of the agent."""
        answers = self._parts.thoughts.answered_before(asked(case), case.batch.last_message)
        return msgspec.structs.replace(case, person=msgspec.structs.replace(case.person, answers=answers))

    def _record_verification(self, batch: BatchView) -> None:
        verdict = batch.verdict
        if verdict:
            self._recorder.append(Verification(gate="check", verdict=verdict, post_result=_POST_RESULT[verdict]))

    def _with_risks_to_judge(self, case: Case) -> Case:
        """Return the case without the signals that the person's configuration allows."""
        external = self._parts.runtime.external_actions
        signals = case.batch.risk_signals
        allowed = [signal for signal in signals if policy_of(signal, external) == "allow"]
        acts = [signal.partition(": ")[2] for signal in allowed]  # a Mind may name them in other words
        left = [one for one in signals if one not in allowed and not any(act and act in one for act in acts)]
        return msgspec.structs.replace(case, batch=msgspec.structs.replace(case.batch, risk_signals=left))

    def _record_evidence(self, case: Case, seen: ExtractedEvidence, transcript_ref: str) -> None:
        batch = case.batch
        record = Evidence(
            hands_transcript_ref=batch.hands_transcript_ref,
            mind_transcript_ref=transcript_ref,
            mi_input=batch.batch_input,
            transcript_observation=batch.transcript_observation,
            repo_observation=case.repo,
            facts=seen.facts,
            actions=[Action(kind=action.kind, detail=action.detail) for action in seen.actions],
            results=seen.results,
            unknowns=seen.unknowns,
            risk_signals=batch.risk_signals,
        )
        self._recorder.append(record, note=record.headline())

    def _record_risk(self, case: Case, judgement: Judgement[RiskJudgement]) -> Risk:
        judged = judgement.value or risk_judge.rules(case)
        risk = msgspec.convert(msgspec.to_builtins(judged), Risk)
        if kept := self._tell_kept(case):
            risk = msgspec.structs.replace(risk, mitigation=[*risk.mitigation, kept])
        record = RiskEvent(
            state=judgement.state,
            mind_transcript_ref=judgement.transcript_ref,
            risk_signals=case.batch.risk_signals,
            risk=risk,
            snapshot=self._kept_ref(case),
        )
        self._recorder.append(record, note=f"risk: {record.headline()}")
        return risk

    def _risk_question(self, case: Case, risk: Risk) -> str:
        """Return the question to the person, if one of the policies wants it; else ''."""
        runtime = self._parts.runtime
        signals = case.batch.risk_signals
        to_ask = [signal for signal in signals if policy_of(signal, runtime.external_actions) == "ask"]
        asked = ""
        if to_ask:
            asked = text("ask.policy", case.language, signal=to_ask[0])
        elif must_ask(risk, runtime.violation_response):
            details = {"category": risk.category, "severity": risk.severity, "signal": signals[0]}
            asked = text("ask.risk", case.language, **details)
        return "\n".join(filter(None, [asked, self._tell_kept(case)])) if asked else ""

    def _kept_ref(self, case: Case) -> str:
        """Return the snapshot from before a batch that destroyed something; '' when there is none."""
        destroyed = any(signal.startswith("delete:") for signal in case.batch.risk_signals)
        return name_ref(self._state.run_id, self._state.batch_id) if destroyed and self._state.is_kept else ""

    def _tell_kept(self, case: Case) -> str:
        """Return how the person gets back what a batch destroyed."""
        ref, state = self._kept_ref(case), self._state
        how = f"mi restore {state.run_id}/{state.batch_id}"
        return text("risk.kept", case.language, ref=ref, how=how) if ref else ""

    def plan(self, case: Case, suffix: str) -> Checks | None:
        """Plan the checks again, after something was learned in between."""
        return self._settled_plan(case, self._recorder.judge(plan_min_checks, case), suffix)

    def _settled_plan(self, case: Case, judgement: Judgement[Checks], suffix: str = "") -> Checks | None:
        """Return the plan; one that asks for a strategy the person has already chosen is made again, once."""
        checks = self._record_plan(judgement, suffix)
        if checks is None or not checks.needs_testless_strategy:
            return checks
        if not case.check_intent and _is_settled(case):  # nobody is asked what counts where nothing is to be shown
            return msgspec.structs.replace(checks, needs_testless_strategy=False)
        if case.project.testless_strategy is None:
            return checks
        again = self._record_plan(self._recorder.judge(plan_min_checks, case), f"{suffix}.after_tls_claim")
        return msgspec.structs.replace(again, needs_testless_strategy=False) if again else None

    def _record_plan(self, judgement: Judgement[Checks], suffix: str = "") -> Checks | None:
        checks = judgement.value
        if checks and checks.should_run_checks:
            self._state.planned = [*self._state.planned, *planned(checks.commands_hints)]
        record = CheckPlan(
            state=judgement.state,
            mind_transcript_ref=judgement.transcript_ref,
            checks=checks or Checks(notes=judgement.error),
        )
        self._recorder.append(record, batch_id=self._state.batch_id + suffix if suffix else "")
        return checks

    def _record_answer(self, case: Case, judgement: Judgement[AutoAnswerOutput]) -> AutoAnswerOutput | None:
        """Keep of an answer what is really there; one that cites nothing becomes a question to the person."""
        answer = self._remembered(case, judgement.value) or judgement.value
        if answer is None:
            return None
        questions = asked(case) or [case.batch.last_message]
        grave = any(map(is_irreversible, questions))  # what an agent said, or a Mind, carries no such answer
        known = [*case.person.everything(), *case.recent]
        allowed = {citable for said in known if said.by_person or not grave for citable in (said.id, *said.names)}
        if grave and not refuses(answer.hands_answer_input):  # an answer to one question gives leave for nothing else
            allowed -= {said.id for said in case.person.answers}
        cited = [claim_id for claim_id in answer.cited_ids if claim_id in allowed]
        answer = msgspec.structs.replace(answer, cited_ids=cited)
        if answer.should_answer and not cited:
            question = questions[0]
            notes = f"{answer.notes} (no citation carries the answer)".strip()
            answer = msgspec.structs.replace(
                answer, should_answer=False, needs_user_input=True, ask_user_question=question, notes=notes
            )
        record = AutoAnswer(state=judgement.state, mind_transcript_ref=judgement.transcript_ref, auto_answer=answer)
        self._recorder.append(record, note=answer.hands_answer_input if answer.should_answer else "")
        return answer

    def _remembered(self, case: Case, answer: AutoAnswerOutput | None) -> AutoAnswerOutput | None:
        """Return what the person said before, where the Mind failed, or would ask the very question again."""
        if answer is not None and not answer.needs_user_input:
            return None
        known = auto_answer_to_hands.rules(case) if case.person.answers else AutoAnswerOutput()
        cited = [one for one in case.person.answers if one.id in known.cited_ids]
        is_carried = known.should_answer and len(cited) == len(known.cited_ids)
        if is_carried and answer is not None:
            is_carried = all(any(is_same_text(one.question, said) for said in asked(case)) for one in cited)
        return known if is_carried else None

    def answer_question(self, case: Case, question: str) -> AutoAnswerOutput | None:
        """Try to answer, from what the person said, a question that was meant for them."""
        batch = msgspec.structs.replace(case.batch, questions=[question])
        again = self._with_answers(self._up_to_date(msgspec.structs.replace(case, batch=batch)))
        return self._record_answer(again, self._recorder.judge(auto_answer_to_hands, again))

    def decide(self, case: Case, phase: Literal["initial", "after_user"] = "initial") -> Decided:
        """Return the next move, by the thoughts as they are now.

        With the circuit open the rules decide; a judge that fails before that decides nothing.
        """
        case = self._with_thoughts(case)
        judgement = self._recorder.judge(decide_next, case)
        move = judgement.value
        if move is None and judgement.circuit == "open":
            move = decide_next.rules(case)
        failed = move is None
        move = _cited_only(move or undecided(case, judgement.error), case)
        record = DecideNext(
            state=judgement.state,
            phase=phase,
            mind_transcript_ref=judgement.transcript_ref,
            next_action=move.next_action,
            status=move.status,
            confidence=move.confidence,
            notes=move.notes,
            ask_user_question=move.ask_user_question,
            next_hands_input=move.next_hands_input,
            thought_db=case.thoughts.used,
            decision=msgspec.to_builtins(judgement.value or move),
        )
        stored = self._recorder.append(record, note=record.headline())
        self._state.evidence_ids.append(stored.event_id)
        return Decided(move, failed)

    def _with_thoughts(self, case: Case) -> Case:
        """Return the case with the thoughts as they are now, and what this batch's judgements brought up."""
        recent = self._state.recent
        context = self._parts.thoughts.context(case.batch.task, [said.id for said in recent])
        return msgspec.structs.replace(case, recent=recent, thoughts=context)

    def record_closing(self, case: Case, closing: ClosingVerdict, parts: list[JudgedPart]) -> None:
        """Record how every row of `done` stands, and the parts of the task with their evidence."""
        names = {MayClose: "done", AskAgent: "told", AskPerson: "asked", CannotClose: "blocked"}
        cited = {part.text: part.cited_ids for part in parts}
        record = Closing(
            outcome=names[type(closing)],  # type: ignore[arg-type]
            reason=closing[0],
            rows=[
                RowJudged(name=row.name, holds=holds, detail="" if holds else row.reason(case))
                for row in ROWS
                for holds in [row.holds(case)]
            ],
            parts=[
                PartJudged(text=part.text, state=part.state, missing=part.missing, cited_ids=cited.get(part.text, []))
                for part in case.batch.parts
            ],
        )
        self._recorder.append(record)

    def break_loop(self, case: Case, repetition: Repetition, next_input: str) -> LoopBreakOutput:
        """Return a way out of a repetition."""
        guard = LoopGuard(
            pattern=repetition.pattern,
            hands_last_message=case.batch.last_message,
            next_input=next_input,
            reason=repetition.reason,
        )
        self._recorder.append(guard)
        loop = LoopCase(
            case=self._with_thoughts(case), pattern=repetition.pattern, reason=repetition.reason, next_input=next_input
        )
        judgement = self._recorder.judge(loop_break, loop)
        way = judgement.value or loop_break.rules(loop)
        record = LoopBreak(
            state=judgement.state,
            mind_transcript_ref=judgement.transcript_ref,
            pattern=repetition.pattern,
            reason=repetition.reason,
            output=way,
        )
        self._recorder.append(record)
        return way

    def remember_strategy(self, strategy: str, rationale: str = "chosen by the person") -> None:
        """Keep what the person said counts without tests: the event, then the claim that cites it."""
        strategy = redact(strategy)  # an answer may hold what no claim may
        record = TestlessStrategySet(strategy=strategy, rationale=rationale, source="user")
        event = self._recorder.append(record, sync=True)
        self._parts.thoughts.remember_strategy(strategy, rationale, event.event_id)


def _cited_only(move: NextMove, case: Case) -> NextMove:
    """Return the move with the citations that were really there; what was invented is noted."""
    strategy = case.project.testless_strategy
    recent = {citable for said in case.recent for citable in (said.id, *said.names)}
    allowed = case.thoughts.ids() | recent | ({strategy.id} if strategy else set())
    unknown = [cited for cited in move.cited_ids if cited not in allowed]
    if not unknown:
        return move
    notes = f"{move.notes} (cites what is not there: {', '.join(unknown)[:200]})".strip()
    return msgspec.structs.replace(move, cited_ids=[cited for cited in move.cited_ids if cited in allowed], notes=notes)


def _is_due(checks: Checks | None) -> bool:
    """Return whether a plan wants something of the agent or of the person."""
    return checks is not None and (checks.should_run_checks or checks.needs_testless_strategy)


def determined_plan(case: Case) -> Judgement[Checks] | None:
    """Return the plan where no judgement is needed: nothing is uncertain, risky or asked, and what to run is known."""
    if case.unknowns or case.batch.risk_signals or asked(case) or not _is_settled(case):
        return None
    return Judgement(plan_min_checks.rules(case), "skipped", "rules", error="the answer was determined")


def _is_settled(case: Case) -> bool:
    """Return whether nothing has to be checked, or the project itself says how."""
    no_need = case.verified or not case.moved or not case.unbent or case.nothing_to_run
    return no_need or bool(case.project.check_commands)


_POST_RESULT = {"verified": "success", "failed": "failure", "judges-changed": "failure", "unverified": "pending"}


def planned_check(case: Case) -> Judgement[Checks] | None:
    """Return a check that is the workflow's next step, as the plan; None without one that is worth asking for."""
    followed = case.workflow
    step = followed.next_step if followed else None
    if followed is None or step is None or step.kind != "check" or followed.stalled:
        return None
    checks = Checks(
        should_run_checks=True,
        check_goals=[step.title or step.text],
        commands_hints=commands_in(step),
        hands_check_input=step.text,
        notes=f"step {step.id} of the workflow {followed.workflow.name!r}",
    )
    return Judgement(checks, "skipped", "rules", error="the workflow says what to check")


def must_ask(risk: Risk, policy: ViolationResponse) -> bool:
    """Return whether a risk goes to the person, by the configured policy."""
    if not policy.ask_user_on_high_risk or risk.severity not in policy.ask_user_risk_severities:
        return False
    if policy.ask_user_risk_categories and risk.category not in policy.ask_user_risk_categories:
        return False
    return risk.should_ask_user or not policy.ask_user_respect_should_ask_user


def policy_of(signal: str, external: ExternalActions) -> Policy:
    """Return what the person's configuration says about a signal; where it says nothing, the values are asked."""
    match signal.partition(":")[0]:
        case "network":
            return external.network_policy
        case "install":
            return external.install_policy
    return "values_judged"
