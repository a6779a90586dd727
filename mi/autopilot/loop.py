"""The run loop: a batch to the agent, what it showed, what comes next, until it is verified or the person is needed."""

from collections.abc import Callable
from typing import Literal

import msgspec

from mi.autopilot.agents_question import would_answer
from mi.autopilot.batch_judgements import BatchJudge, Judged
from mi.autopilot.batch_runner import BatchRunner
from mi.autopilot.home_watch import HomeWatch
from mi.autopilot.limit_pause import LimitPause
from mi.autopilot.outcomes import (
    EXIT,
    AskStrategy,
    AskUser,
    EndRun,
    Interrupted,
    Next,
    SendNext,
    arbitrate,
    end_blocked,
    follow_step,
)
from mi.autopilot.recorder import LogRecorder
from mi.autopilot.run_parts import RunParts
from mi.autopilot.state import EarlierProof, RunState
from mi.autopilot.stop_word import explain_stop, forget_stop_word
from mi.evidence.records.questions import WouldAnswer
from mi.evidence.records.run import RunEnd, RunLearned
from mi.evidence.run_words import RunWords, put_together
from mi.kernel.consent import begins_with_yes, refuses
from mi.kernel.messages import text
from mi.learning.text_overlap import supported_by_user_text
from mi.mind.closing import (
    PROVED,
    VERIFIED,
    AskAgent,
    AskPerson,
    CannotClose,
    ClosingVerdict,
    MayClose,
    ask_to_put_back,
    ask_to_show,
    find_open_rows,
    judge_closing,
    request_rows,
)
from mi.mind.prompts.decide_next import NextMove
from mi.mind.views import Case, JudgedPart
from mi.project.checks.recognition import Check
from mi.project.worktree import WorktreeWatch


class Loop:
    """One run of one task. `run` and `decide` are the flowchart; what follows them is one box each."""

    def __init__(self, parts: RunParts, state: RunState, checks: list[Check]) -> None:
        self.parts = parts
        self.state = state
        self.recorder = LogRecorder(parts, state)
        self.pause = LimitPause(parts, state, self.recorder)
        self.batches = BatchRunner(parts, state, self.recorder, checks, self.pause)
        self.judge = BatchJudge(parts, state, self.recorder, checks)
        self.words = RunWords(parts.evidence.path, state.run_id, parts.door.lets_in, state.begins_at, state.heard_words)
        self.home = HomeWatch(
            parts.home, parts.project, parts.language, self.recorder.append, parts.thoughts.read_anew, parts.door
        )

    def run(self, watch: WorktreeWatch, resume: Callable[[], Next] | None = None) -> RunEnd:
        """Drive the agent to the run's end; `resume` says how a run goes on that an earlier process began."""
        forget_stop_word(self.parts.place, self.state.run_id)
        try:
            self.home.look()
            upcoming = self._take_up(self._hear(resume())) if resume else self._begin()
            while isinstance(upcoming, SendNext):
                stopped = self._before_batch()
                if stopped is not None:
                    return self._end(stopped, watch)
                self.batches.keep(watch)
                self.state.guard.add(self.state.said, upcoming.text)
                work = self.batches.run_agent()
                self.home.look()
                case = self.batches.look(work, watch)
                upcoming = self.batches.stopped(work.result) or self._stop_request() or self._hear(self.decide(case))
                self._take_up(upcoming)
            return self._end(upcoming, watch)
        except Interrupted:
            return self._end(EndRun("interrupted", self.parts.stop.reason), watch)

    def decide(self, case: Case, risk_settled: bool = False) -> Next:
        """Return what comes after a batch; `risk_settled`: the person has already spoken about its risks."""
        case, judged = self.judge.batch(case)
        upcoming = (
            (None if risk_settled else self._settle_risk(judged))
            or follow_step(self.parts.steps.review(self.recorder, case))
            or self._before_deciding(case, judged)
            or self._next_move(msgspec.structs.replace(case, risk=judged.risk, recent=self.state.recent))
        )
        if isinstance(upcoming, SendNext) and not case.unbent:
            upcoming = self._tell_to_put_back(case, upcoming)
        return self._guard(case, upcoming) if isinstance(upcoming, SendNext) else upcoming

    # before a batch

    def _begin(self) -> Next:
        """Return the task itself, when nothing stands in its way."""
        wanted = follow_step(self.parts.steps.preflight(self.recorder, self.state.task))
        if isinstance(wanted, EndRun):
            return wanted
        self._send_first(wanted)
        self.parts.steps.recall(self.recorder, "run_start", self.state.task)
        return SendNext(self.state.next_input)

    def _before_batch(self) -> EndRun | None:
        stopped = self._stop_request()
        if stopped is not None:
            return stopped
        stopped = self.pause.before_batch()
        if stopped is not None:
            return stopped
        wanted = follow_step(self.parts.steps.before_batch(self.recorder, self.state.next_input))
        if isinstance(wanted, EndRun):
            return wanted
        self._send_first(wanted)
        return None

    def _send_first(self, wanted: SendNext | None) -> None:
        if wanted is not None:
            self.state.next_input = f"{wanted.text}\n\n{self.state.next_input}"

    def _stop_request(self) -> EndRun | None:
        reason = self.parts.stop.reason
        return EndRun("interrupted", reason) if reason else None

    def _take_up(self, upcoming: Next) -> Next:
        """Make what was decided the next batch's input, after what is to be learned so far."""
        if isinstance(upcoming, SendNext):
            self.parts.steps.checkpoint(self.recorder, upcoming.text, "")
            self.state.next_input = upcoming.text
            self.state.checks_requested += 1 if upcoming.is_check else 0
            self.state.told |= upcoming.rows
            self.state.carried_words = upcoming.words
            self.state.number += 1
        return upcoming

    # what comes next

    def _hear(self, upcoming: Next) -> Next:
        """Return what comes next after what the person said meanwhile; a run that could end goes on for it."""
        if isinstance(upcoming, EndRun) and (upcoming.status not in ("done", "blocked") or self.state.is_waiting):
            return upcoming
        said = self.take_words()
        if said is None or isinstance(upcoming, EndRun):
            return said or upcoming
        return upcoming._replace(text=f"{said.text}\n\n{upcoming.text}", words=said.words)

    def take_words(self) -> SendNext | None:
        """Return what the person said to the run since the last batch, as its next input; None without any."""
        said = self.words.take()
        for word in said:
            self.state.remember(word, f"the person said: {word.answer}")
        return SendNext(put_together(said), words=tuple(word.event_id for word in said)) if said else None

    def _settle_risk(self, judged: Judged) -> EndRun | None:
        if not judged.risk_question:
            return None
        answer = self.recorder.ask(judged.risk_question, "risk")
        if answer is None:
            return self.blocked("end.risk-waits")
        return self.blocked("end.risk-refused") if refuses(answer) else None

    def _before_deciding(self, case: Case, judged: Judged) -> Next | None:
        action = arbitrate(judged.answer, judged.checks, case.project.testless_strategy is not None)
        match action:
            case AskUser(question, then_checks):
                asked = self._ask_and_send(question, would_answer(case, question, judged.answer))
                if isinstance(asked, EndRun) or not then_checks:
                    return asked
                return SendNext(f"{asked.text}\n\n{then_checks}", is_check=True)
            case AskStrategy(question):
                return self._ask_strategy(case, question)
            case SendNext(check, is_check=True) if not (judged.answer and judged.answer.should_answer):
                return self._with_open_rows(case, check)
        return action

    def _with_open_rows(self, case: Case, check: str) -> SendNext:
        """Return the request for a check together with whatever else stands open: it all goes in one message."""
        beside = [row for row in find_open_rows(case) if row not in (VERIFIED, PROVED)]
        also = request_rows(case, beside)
        return SendNext(f"{also.request}\n{check}" if also else check, True, also.rows if also else {})

    def _ask_and_send(self, question: str, would: WouldAnswer | None = None) -> Next:
        """Return the person's answer as the agent's next input; `would`: the agent asked, and MI would say that."""
        said = self.recorder.ask(question, would=would, keep=would is not None)
        return self.blocked("end.question-waits") if said is None else SendNext(said)

    def _ask_strategy(self, case: Case, question: str) -> Next | None:
        """Ask, once per project, what counts without tests; then plan the checks again."""
        if self.parts.runtime.verification.no_tests_policy == "never_ask":
            return None
        said = self.recorder.ask(question, "strategy")
        return self.blocked("end.question-waits") if said is None else self.after_strategy(case, said)

    def after_strategy(self, case: Case, strategy: str) -> SendNext | None:
        """Keep what counts without tests, and plan the checks again by it."""
        self.judge.remember_strategy(strategy)
        checks = self.judge.plan(self.batches.case_of(case.batch), suffix=".after_testless")
        return SendNext(checks.hands_check_input, is_check=True) if checks and checks.should_run_checks else None

    def _next_move(self, case: Case) -> Next:
        asked = self._ask_about_judges(case)
        if asked is not None:
            return asked
        move, failed = self.judge.decide(case)
        if failed and move.next_action == "ask_user":
            return self._ask_and_send(move.ask_user_question)
        if move.next_action == "ask_user":
            return self._answer_or_ask(case, move.ask_user_question, decide_again=True)
        return self._carry_out(case, move)

    def _carry_out(self, case: Case, move: NextMove) -> Next:
        if move.status == "done":
            return self._close(case, move.parts)
        if move.next_action == "stop":
            return self._close(case) if self._could_be_proved(case) else self._blocked_by(case, move)
        closing = judge_closing(case)
        if isinstance(closing, AskAgent) and closing.request in move.next_hands_input:
            return SendNext(move.next_hands_input, _asks_for_check(closing, case), closing.rows)
        return SendNext(move.next_hands_input, is_check=_is_check_request(move.next_hands_input, case))

    def _blocked_by(self, case: Case, move: NextMove) -> EndRun:
        closing = judge_closing(case)
        if isinstance(closing, CannotClose):
            self._note_closing(case, closing)
        return EndRun("blocked", move.notes) if move.notes else self.blocked("end.no-way-on")

    def _could_be_proved(self, case: Case) -> bool:
        """Return whether MI's own run may show what the agent's did not."""
        return case.will_prove and case.proof is None and isinstance(judge_closing(case), MayClose)

    def _answer_or_ask(self, case: Case, question: str, decide_again: bool = False) -> Next:
        """Ask the person only when their values do not already answer."""
        self.parts.steps.recall(self.recorder, "before_ask_user", question)
        answer = self.judge.answer_question(case, question)
        if answer and answer.should_answer:
            return SendNext(answer.hands_answer_input)
        would = would_answer(case, question, answer)
        about: Literal["next", "agent"] = "next" if decide_again else "agent"
        said = self.recorder.ask(question, about, would=would, keep=would is not None, recalled=True)
        if said is None:
            return self.blocked("end.question-waits")
        return self.after_user(case, said) if decide_again else SendNext(said)

    def after_user(self, case: Case, said: str) -> Next:
        """Decide again with the person's answer; whoever would ask a second time passes it on instead.

        What counts without tests is the person's to say: words that are not in their answer set no strategy.
        """
        case = msgspec.structs.replace(case, person_said=said, recent=self.state.recent)
        move, failed = self.judge.decide(case, "after_user")
        chosen = move.update_project_overlay.set_testless_strategy
        if chosen and case.project.testless_strategy is None and supported_by_user_text(chosen.strategy, said):
            self.judge.remember_strategy(chosen.strategy, chosen.rationale)
            case = msgspec.structs.replace(self.batches.case_of(case.batch), person_said=said)
        return SendNext(said) if failed or move.next_action == "ask_user" else self._carry_out(case, move)

    def _tell_to_put_back(self, case: Case, upcoming: SendNext) -> SendNext:
        """Return the next input with the request to put the judges back, which each change of one gets once."""
        new = not self.state.told_judges.issuperset(case.batch.judge_ids)
        self.state.told_judges.update(case.batch.judge_ids)
        request = ask_to_put_back(case)
        return SendNext(f"{request}\n\n{upcoming.text}", True) if new and request not in upcoming.text else upcoming

    def _ask_about_judges(self, case: Case) -> Next | None:
        """Ask the person about judges that stay changed, though the agent was told to put them back."""
        changed, state = case.batch.judge_ids, self.state
        if case.unbent or not state.told_judges.issuperset(changed) or not case.ran:
            return None
        if state.refused_judges.issuperset(changed):
            return self.blocked("end.judges", ways="; ".join(case.batch.changed_judges[:3]))
        question = text("ask.judges", case.language, lines=case.batch.judges_shown)
        said = self.recorder.ask(question, "judges", changed)
        if said is None:
            return self.blocked("end.judges", ways="; ".join(case.batch.changed_judges[:3]))
        return self.after_judges(case, said)

    def after_judges(self, case: Case, said: str) -> Next:
        """Go on by the person's word about changed judges: a yes counts as asked for, anything else puts them back."""
        batch, state = case.batch, self.state
        if not begins_with_yes(said):
            state.refused_judges.update(batch.judge_ids)
            said = "" if refuses(said) else f"{said}\n\n"
            return SendNext(f"{said}{ask_to_put_back(case)}", is_check=True)
        state.accepted_judges.update(batch.judge_ids)
        marks = msgspec.structs.replace(batch.marks, verified=batch.check_passed)
        state.marks, state.proof = marks, EarlierProof(marks.verified, batch.unsettled)
        batch = msgspec.structs.replace(batch, changed_judges=[], judge_ids=[], judges_shown="", marks=marks)
        return self.decide(self.batches.case_of(batch), risk_settled=True)

    def _close(self, case: Case, parts: list[JudgedPart] | None = None) -> Next:
        """Return the run's end where every row of `done` holds; else what mends it, or why nothing does."""
        closing = judge_closing(case, parts or [])
        if isinstance(closing, MayClose) and case.will_prove and case.proof is None:
            proof = self.batches.prove(case)
            accepted = proof.id in self.state.accepted_judges or (proof.only_judges and case.judges_accepted)
            case = msgspec.structs.replace(case, proof=msgspec.structs.replace(proof, accepted=accepted))
            closing = judge_closing(case, parts or [])
        self._note_closing(case, closing, parts)
        match closing:
            case MayClose(reason):
                return self._finish(case, reason)
            case AskAgent(request, rows):
                return SendNext(request, _asks_for_check(closing, case), rows)
            case AskPerson(question, about):
                of_proof = about == "judges"
                return self._settle_proof(case, question) if of_proof else self._answer_or_ask(case, question)
            case CannotClose(reason):
                return EndRun("blocked", reason)

    def _finish(self, case: Case, reason: str) -> Next:
        """Return the end of a run that is verified, unless a room has something to settle first."""
        return follow_step(self.parts.steps.closing(self.recorder, case)) or EndRun("done", reason)

    def _note_closing(self, case: Case, closing: ClosingVerdict, parts: list[JudgedPart] | None = None) -> None:
        """Record how the rows of `done` stand, and keep those that are open for the end of the run."""
        self.judge.record_closing(case, closing, parts or [])
        self.state.open_rows = closing.rows if isinstance(closing, CannotClose) else []

    def _settle_proof(self, case: Case, question: str) -> Next:
        """Ask the person about what speaks against a proof and only they can decide: with their yes it counts."""
        assert case.proof is not None  # the question is the proof's
        if case.proof.id in self.state.refused_judges:
            return self.blocked("end.unproved", why=case.proof.why)
        said = self.recorder.ask(question, "judges", [case.proof.id])
        if said is None:
            return self.blocked("end.question-waits")
        if begins_with_yes(said):
            self.state.accepted_judges.add(case.proof.id)
            return self._finish(case, text("end.judges-accepted", self.parts.language))
        self.state.refused_judges.add(case.proof.id)
        return SendNext(f"The person says no to this. They said: {said}\n{case.proof.for_agent}")

    def _guard(self, case: Case, upcoming: SendNext) -> Next:
        """Return the next input, unless the exchange with the agent repeats itself."""
        repetition = self.state.guard.notice(case.batch.last_message, upcoming.text, self.parts.language)
        if repetition is None:
            return upcoming
        way = self.judge.break_loop(case, repetition, upcoming.text)
        match way.action:
            case "rewrite_next_input" if way.rewritten_next_input:
                return SendNext(way.rewritten_next_input)
            case "run_checks_then_continue" if way.check_intent:
                return self._force_check(case, way.check_intent)
            case "stop_done":
                return self._close(case)
            case "ask_user" if case.person.ask_when_uncertain:
                return self._answer_or_ask(case, way.ask_user_question or repetition.reason)
        return self.blocked("end.repeats", reason=repetition.reason)

    def _force_check(self, case: Case, intent: str) -> Next:
        """Plan a check by what the loop break wants to see; without tests the strategy decides here, too."""
        checks = self.judge.plan(msgspec.structs.replace(case, check_intent=intent), suffix=".loop_break")
        if checks and checks.needs_testless_strategy:
            asked = self._ask_strategy(case, checks.testless_strategy_question)
            return asked or self.blocked("end.nothing-to-check-by")
        planned = checks.hands_check_input if checks and checks.should_run_checks else ""
        return SendNext(planned or ask_to_show(intent, case.project.check_commands), is_check=True)

    def blocked(self, key: str, **details: object) -> EndRun:
        """Return the end of a run that needs the person."""
        return end_blocked(key, self.parts.language, **details)

    def _unless_moved(self, end: EndRun, watch: WorktreeWatch) -> EndRun:
        """Return the end of a run; done is void where the tree is no longer the one that was judged."""
        moved = watch.moved() if end.status == "done" else []
        if not moved:
            return end
        proved = None if self.state.marks.proved is None else False
        self.state.marks = msgspec.structs.replace(self.state.marks, verified=False, proved=proved)
        return self.blocked("end.moved", files=", ".join(moved[:5]), count=len(moved))

    def _end(self, end: EndRun, watch: WorktreeWatch) -> RunEnd:
        state = self.state
        if end.status == "blocked" and state.dismissed is not None:
            why = f" ({state.dismissed.why})" if state.dismissed.why else ""
            end = self.blocked("end.question-dismissed", why=why)
        if end.status == "interrupted":
            end = end._replace(reason=explain_stop(self.parts.place, state.run_id, end.reason, self.parts.language))
        self.home.look()
        end = self._unless_moved(end, watch)
        record = RunEnd(
            status=end.status,
            marks=state.marks,
            spent=state.spent,
            models=state.models,
            exit=EXIT[end.status],
            reason=end.reason,
            evidence_ids=state.evidence_ids,
            verified_by=state.verified_by if state.marks.verified else None,
            open_rows=state.open_rows if end.status == "blocked" else [],
            last_seen=state.last_seen if end.status in ("blocked", "failed") else None,
            proof=state.proof_said or self.parts.no_proof,
            kept=state.kept,
        )
        stored = self.recorder.append(record, sync=True)
        self.parts.notifier.tell(stored)
        self.parts.steps.session_log(self.recorder, stored)
        return stored

    def learn(self, end: RunEnd) -> None:
        """Learn from a run whose verdict is recorded and told; what is cut short here the next run takes up."""
        before = self.state.spent
        try:
            self.parts.steps.checkpoint(self.recorder, "", end.status)
        except Interrupted:
            pass  # whoever wants it to stop now does not wait for what could be learned
        if self.state.spent != before:
            self.recorder.append(RunLearned(spent=self.state.spent.plus(before, -1)))


def _is_check_request(text: str, case: Case) -> bool:
    return any(f"`{command}`" in text for command in (*case.batch.uncovered, *case.project.check_commands))


def _asks_for_check(closing: AskAgent, case: Case) -> bool:
    return VERIFIED.name in closing.rows and not case.batch.failed_checks
