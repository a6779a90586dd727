"""The run loop: a batch to the agent, what it showed, what comes next, until it is verified or the person is needed."""

from collections.abc import Callable

import msgspec

from mi.autopilot import limits
from mi.autopilot.arbitration import AskStrategy, AskUser, Decide, Send, arbitrate
from mi.autopilot.batch_judgements import Judged, Judging
from mi.autopilot.batch_runner import Working
from mi.autopilot.closing import CannotClose, CheckFirst, may_close
from mi.autopilot.outcomes import EXIT, EndRun, Interrupted, Next, SendNext, blocked
from mi.autopilot.recorder import LogRecorder
from mi.autopilot.run_parts import Outcome, RunParts, SendFirst, Stop
from mi.autopilot.state import RunState
from mi.evidence.records.run import Limit, RunEnd
from mi.kernel.consent import refuses
from mi.mind.prompts.decide_next import NextMove
from mi.mind.prompts.plan_min_checks import check_request
from mi.mind.views import Case
from mi.project.checks.recognition import Check
from mi.project.worktree import WorktreeWatch


class Loop:
    """One run of one task. Read `run` first: it is the flowchart."""

    def __init__(self, session: RunParts, state: RunState, checks: list[Check]) -> None:
        self.session = session
        self.state = state
        self.diary = LogRecorder(session, state)
        self.working = Working(session, state, self.diary, checks)
        self.judging = Judging(session, state, self.diary, checks)

    def run(self, watch: WorktreeWatch, resumed: Callable[[], Next] | None = None) -> RunEnd:
        """Drive the agent to the run's end; `resumed` says how a run goes on that an earlier process began."""
        try:
            return self._end(self._drive(watch, resumed))
        except Interrupted:
            return self._end(EndRun("interrupted", self.session.stop.reason))

    def _drive(self, watch: WorktreeWatch, resumed: Callable[[], Next] | None) -> EndRun:
        following = resumed() if resumed else self._begin()
        if resumed and isinstance(following, SendNext):
            self._take_up(following)
        while isinstance(following, SendNext):
            following = self._before_batch() or self._one_batch(watch)
            if isinstance(following, SendNext):
                self._take_up(following)
        return following

    def _one_batch(self, watch: WorktreeWatch) -> Next:
        result, case = self.working.batch(watch)
        following = self.working.stopped(result)
        if following is None and self.session.stop.reason:
            return EndRun("interrupted", self.session.stop.reason)
        return following or self.decide(case)

    def decide(self, case: Case, risk_settled: bool = False) -> Next:
        """What comes after a batch; `risk_settled`: the person has already spoken about its risks."""
        judged = self.judging.batch(case)
        case = msgspec.structs.replace(case, repo=judged.repo)
        if case.batch.risk_signals:
            self.session.steps.recall(self.diary, "risk_signal", " ".join(case.batch.risk_signals))
        latest = msgspec.structs.replace(case, recent=self.state.recent)
        followed = self.session.steps.workflow_progress(self.diary, latest)
        if judged.deferred:
            case = msgspec.structs.replace(case, workflow=followed)
            judged = self.judging.after_progress(case, judged)
        following = (
            (None if risk_settled else self._settle_risk(judged))
            or _heard(self.session.steps.review(self.diary, case))
            or self._before_deciding(case, judged)
            or self._next_move(msgspec.structs.replace(case, risk=judged.risk, recent=self.state.recent))
        )
        return self._guard(case, following) if isinstance(following, SendNext) else following

    # before a batch

    def _begin(self) -> Next:
        """The task itself, when nothing stands in its way."""
        heard = _heard(self.session.steps.preflight(self.diary, self.state.task))
        if isinstance(heard, SendNext):
            self.state.next_input = f"{heard.text}\n\n{self.state.next_input}"
        elif heard is not None:
            return heard
        self.session.steps.recall(self.diary, "run_start", self.state.task)
        return SendNext(self.state.next_input)

    def _before_batch(self) -> EndRun | None:
        if self.session.stop.reason:
            return EndRun("interrupted", self.session.stop.reason)
        reached = limits.reached(self.session.runtime.limits, self.state)
        if reached is not None:
            self.diary.append(Limit(limit=reached, spent=self.state.spent))
            return self.blocked("end.limit", limit=reached)
        heard = _heard(self.session.steps.before_batch(self.diary, self.state.next_input))
        if isinstance(heard, SendNext):
            self.state.next_input = f"{heard.text}\n\n{self.state.next_input}"
            return None
        return heard

    # what comes next

    def _settle_risk(self, judged: Judged) -> EndRun | None:
        if not judged.risk_question:
            return None
        answer = self.diary.ask(judged.risk_question, "risk")
        if answer is None:
            return self.blocked("end.risk-waits")
        return self.blocked("end.risk-refused") if refuses(answer) else None

    def _before_deciding(self, case: Case, judged: Judged) -> Next | None:
        action = arbitrate(judged.answer, judged.checks, case.project.testless_strategy is not None)
        match action:
            case AskUser():
                said = self.diary.ask(action.question)
                if said is None:
                    return self.blocked("end.question-waits")
                text = "\n\n".join(part for part in (said, action.then_checks) if part)
                return SendNext(text, is_check=bool(action.then_checks))
            case AskStrategy():
                return self._strategy(case, action.question)
            case Send():
                return SendNext(action.text, action.is_check)
            case Decide():
                return None

    def _strategy(self, case: Case, question: str) -> Next | None:
        """Once per project: what counts without tests; then the checks are planned again."""
        if self.session.runtime.verification.no_tests_policy == "never_ask":
            return None
        said = self.diary.ask(question, "strategy")
        if said is None:
            return self.blocked("end.question-waits")
        return self.after_strategy(case, said)

    def after_strategy(self, case: Case, strategy: str) -> SendNext | None:
        """Keep what counts without tests, and plan the checks again by it."""
        self.judging.remember_strategy(strategy)
        checks = self.judging.plan(self.working.case_of(case.batch), suffix=".after_testless")
        return SendNext(checks.hands_check_input, is_check=True) if checks and checks.should_run_checks else None

    def _next_move(self, case: Case) -> Next:
        move, failed = self.judging.decide(case)
        if failed and move.next_action == "ask_user":
            said = self.diary.ask(move.ask_user_question)
            return self.blocked("end.question-waits") if said is None else SendNext(said)
        return self._ask_or_answer(case, move) if move.next_action == "ask_user" else self._carry_out(case, move)

    def _carry_out(self, case: Case, move: NextMove) -> Next:
        if move.status == "done":
            return self._close(case)
        if move.next_action == "stop":
            return EndRun("blocked", move.notes) if move.notes else self.blocked("end.no-way-on")
        return SendNext(move.next_hands_input, is_check=_is_check_request(move.next_hands_input, case))

    def _ask_or_answer(self, case: Case, move: NextMove) -> Next:
        """The person is asked only when their values do not already answer."""
        self.session.steps.recall(self.diary, "before_ask_user", move.ask_user_question)
        answer = self.judging.answer_question(case, move.ask_user_question)
        if answer and answer.should_answer:
            return SendNext(answer.hands_answer_input)
        said = self.diary.ask(move.ask_user_question, "next")
        return self.blocked("end.question-waits") if said is None else self.after_user(case, said)

    def after_user(self, case: Case, said: str) -> Next:
        """Decide again with the person's answer; whoever would ask a second time passes it on instead.

        What counts without tests is the person's to say: words that are not in their answer set no strategy.
        """
        from mi.learning.text_overlap import supported_by_user_text

        case = msgspec.structs.replace(case, person_said=said, recent=self.state.recent)
        move, failed = self.judging.decide(case, "after_user")
        chosen = move.update_project_overlay.set_testless_strategy
        if chosen and case.project.testless_strategy is None and supported_by_user_text(chosen.strategy, said):
            self.judging.remember_strategy(chosen.strategy, chosen.rationale)
            case = msgspec.structs.replace(self.working.case_of(case.batch), person_said=said)
        return SendNext(said) if failed or move.next_action == "ask_user" else self._carry_out(case, move)

    def _close(self, case: Case) -> Next:
        command = case.project.check_commands[0] if case.project.check_commands else ""
        closed = may_close(case, check_request(command) if command else "")
        if isinstance(closed, CheckFirst):
            return SendNext(closed.instruction, is_check=True)
        if isinstance(closed, CannotClose):
            return EndRun("blocked", closed.why)
        return EndRun("done", closed.why)

    def _guard(self, case: Case, following: SendNext) -> Next:
        """The next input, unless the exchange with the agent repeats itself."""
        repetition = self.state.guard.notice(case.batch.last_message, following.text, self.session.language)
        if repetition is None:
            return following
        way = self.judging.break_loop(case, repetition, following.text)
        match way.action:
            case "rewrite_next_input" if way.rewritten_next_input:
                return SendNext(way.rewritten_next_input)
            case "run_checks_then_continue" if way.check_intent:
                return self._forced_check(case, way.check_intent)
            case "stop_done":
                return self._close(case)
            case "ask_user":
                said = self.diary.ask(way.ask_user_question or repetition.reason)
                return self.blocked("end.question-waits") if said is None else SendNext(said)
        return self.blocked("end.repeats", reason=repetition.reason)

    def _forced_check(self, case: Case, intent: str) -> Next:
        """A check planned by what the loop break wants to see; without tests the strategy decides here, too."""
        checks = self.judging.plan(msgspec.structs.replace(case, check_intent=intent), suffix=".loop_break")
        if checks and checks.needs_testless_strategy:
            return self._strategy(case, checks.testless_strategy_question) or self.blocked("end.nothing-to-check-by")
        return SendNext(
            checks.hands_check_input if checks and checks.should_run_checks else check_request(intent), True
        )

    def blocked(self, key: str, **details: object) -> EndRun:
        """The end of a run that needs the person."""
        return blocked(key, self.session.language, **details)

    def _take_up(self, following: SendNext) -> None:
        self.session.steps.checkpoint(self.diary, following.text, "")
        self.state.next_input = following.text
        self.state.checks_requested += 1 if following.is_check else 0
        self.state.number += 1

    def _end(self, end: EndRun) -> RunEnd:
        state = self.state
        try:
            self.session.steps.checkpoint(self.diary, "", end.status)
        except Interrupted:
            pass  # whoever wants it to stop now does not wait for what could be learned
        record = RunEnd(
            status=end.status,
            marks=state.marks,
            spent=state.spent,
            exit=EXIT[end.status],
            reason=end.reason,
            evidence_ids=state.evidence_ids,
        )
        stored = self.diary.append(record, sync=True)
        self.session.steps.session_log(self.diary, stored)
        return stored


def _heard(outcome: Outcome) -> Next | None:
    match outcome:
        case SendFirst(text):
            return SendNext(text)
        case Stop(reason):
            return EndRun("blocked", reason)
    return None


def _is_check_request(text: str, case: Case) -> bool:
    names_one = any(f"`{command}`" in text for command in case.project.check_commands)
    return names_one or bool(case.batch.weakened_tests)  # without its tests a project may have no check to name
