"""The run loop: a batch to the agent, what it showed, what comes next, until it is verified or the person is needed."""

import os
from collections.abc import Callable
from typing import Literal, NamedTuple

import msgspec

from mi.autopilot import limits
from mi.autopilot.arbitration import AskStrategy, AskUser, Decide, Send, arbitrate
from mi.autopilot.closing import CannotClose, CheckFirst, may_close
from mi.autopilot.diary import Diary
from mi.autopilot.injection import build, compose
from mi.autopilot.judging import Judging
from mi.autopilot.seen import BatchClock, batch_view, checked_by_mi
from mi.autopilot.session import Session
from mi.autopilot.state import RunState, added
from mi.evidence.records.base import Record
from mi.evidence.records.hands import HandsInput, HandsResumeFailed
from mi.evidence.records.run import BatchEnd, Limit, RunEnd, Usage
from mi.hands.contract import Batch as HandsBatch
from mi.hands.contract import BatchResult
from mi.hands.threads import store_thread
from mi.kernel import clock
from mi.mind.answers import NextMove
from mi.mind.prompts.plan_min_checks import check_request
from mi.mind.views import Batch, Case, Project
from mi.project.checks import detect, is_check
from mi.project.worktree import Step, WorktreeWatch

Status = Literal["done", "blocked", "failed", "interrupted"]
EXIT: dict[Status, int] = {"done": 0, "failed": 1, "blocked": 3, "interrupted": 130}
_GO_ON = "You were interrupted in the middle of your work. Look at where things stand and go on."


class End(NamedTuple):
    """Why the loop stops."""

    status: Status
    reason: str


class Go(NamedTuple):
    """What the agent gets next."""

    text: str
    is_check: bool = False


Next = Go | End
WAITING = End("blocked", "a question waits for you")
STOPPED_AT_RISK = End("blocked", "stopped by you because of a risk")


class Loop:
    """One run of one task. Read `run` first: it is the flowchart."""

    def __init__(self, session: Session, state: RunState) -> None:
        self.session = session
        self.state = state
        self.diary = Diary(session, state)
        self.checks = detect(session.project.root)
        self.judging = Judging(session, state, self.diary, self.checks)

    def run(self, watch: WorktreeWatch, resumed: Callable[[], Next] | None = None) -> RunEnd:
        """Drive the agent to the run's end; `resumed` says how a run goes on that an earlier process began."""
        self._record(self.session.steps.preflight(self.state.task))
        self._record(self.session.steps.recall("run_start", self.state.task))
        following = resumed() if resumed else Go(self.state.next_input)
        if resumed and isinstance(following, Go):
            self._take_up(following)
        while isinstance(following, Go):
            following = self._before_batch() or self._one_batch(watch)
            if isinstance(following, Go):
                self._take_up(following)
        return self._end(following)

    def _one_batch(self, watch: WorktreeWatch) -> Next:
        result, sent, timing = self._run_hands()
        case = self._look(result, sent, timing, watch.step())
        return self._after_failure(result, case) or self.decide(case)

    def decide(self, case: Case, risk_settled: bool = False) -> Next:
        """What comes after a batch; `risk_settled`: the person has already spoken about its risks."""
        judged = self.judging.batch(case)
        if case.batch.risk_signals:
            self._record(self.session.steps.recall("risk_signal", " ".join(case.batch.risk_signals)))
        self._record(self.session.steps.workflow_progress(case))
        self._record(self.session.steps.review(case))
        if judged.risk_question and not risk_settled:
            answer = self.diary.ask(judged.risk_question, "risk")
            if answer is None:
                return End("blocked", "a risk needs your word")
            if refuses(answer):
                return STOPPED_AT_RISK
        following = self._before_deciding(case, judged.answer, judged.checks)
        if following is None:
            following = self._next_move(case)
        return self._guard(case, following) if isinstance(following, Go) else following

    # the batch

    def _before_batch(self) -> End | None:
        if self.session.stop.reason:
            return End("interrupted", self.session.stop.reason)
        reached = limits.reached(self.session.runtime.limits, self.state)
        if reached is None:
            return None
        self.diary.append(Limit(limit=reached, spent=self.state.spent))
        return End("blocked", f"limit reached: {reached}")

    def _run_hands(self) -> tuple[BatchResult, str, BatchClock]:
        session, state = self.session, self.state
        text, injection = self._text()
        name = f"{clock.filename_stamp()}_{state.run_id}_{state.batch_id}.jsonl"
        path = os.path.join(session.home.project(session.project.project_id).hands_transcripts, name)
        self.transcript_ref = session.home.relative(path)
        record = HandsInput(
            transcript_path=self.transcript_ref,
            input=state.next_input,
            light_injection=injection,
            prompt_sha256=_sha256(text),
        )
        self.diary.append(record, sync=True)  # before the agent starts: a crash must not lose what it was told
        session.reporter.sent(state.batch_id, text)
        room = limits.remaining(session.runtime.limits, state)
        timing = BatchClock(session.reporter, session.stop, room.tokens)
        batch = HandsBatch(
            prompt=text, cwd=session.project.root, transcript=path, thread_id=state.thread_id, wall_s=room.seconds
        )
        result = session.hands.run(batch, timing, session.stop)
        if result.resume_failed:
            self.diary.append(HandsResumeFailed(provider=session.hands.name, error=result.error))
            state.thread_id = ""
            return self._run_hands()
        self._keep_thread(result.thread_id)
        return result, text, timing

    def _text(self) -> tuple[str, str]:
        """The whole text for the agent and the injection in it; a thread that is resumed remembers both."""
        session, state = self.session, self.state
        if state.thread_id and session.hands.can_resume(state.thread_id):
            return state.next_input, ""
        values, preferences, facts = session.thoughts.told(state.task)
        keeps = session.thoughts.behaviour_preserving()
        injection = build(values, preferences, facts, keeps, session.runtime.injection.max_chars).text
        return compose(injection, state.next_input, state.task), injection

    def _keep_thread(self, thread_id: str) -> None:
        if thread_id != self.state.thread_id:
            self.state.thread_id = thread_id
            session = self.session
            store_thread(session.home, session.project.project_id, session.hands.name, thread_id, session.notices)

    def _look(self, result: BatchResult, sent: str, timing: BatchClock, step: Step) -> Case:
        """What the batch showed, stored at once so that nothing has to be run again."""
        state, session = self.state, self.session
        batch = batch_view(state.task, sent, result, timing, step, self.checks, session.project.root, state.verified)
        batch = checked_by_mi(batch, session.runtime.verification.command, session.project.root)
        batch = msgspec.structs.replace(batch, hands_transcript_ref=self.transcript_ref)
        if step.latest.files:
            state.checks_requested = 0
        state.verified, state.marks = batch.marks.verified, batch.marks
        usage = Usage(
            input_tokens=result.usage.input_tokens,
            output_tokens=result.usage.output_tokens,
            cost_usd=result.usage.cost_usd,
            seconds=round(result.seconds, 3),
            calls=0,
        )
        state.spent = added(state.spent, usage)
        ended = BatchEnd(
            outcome=result.outcome,
            usage=usage,
            hands_transcript_ref=self.transcript_ref,
            last_message=result.last_message,
            checks_requested=state.checks_requested,
            seen=msgspec.to_builtins(batch),
        )
        stored = self.diary.append(ended, sync=True)
        if batch.marks.verified:
            state.evidence_ids.append(stored.event_id)
        return self.case_of(batch)

    def case_of(self, batch: Batch) -> Case:
        """Everything a judgement about a batch may look at."""
        tests = [check.text for check in self.checks if check.kind == "test"]
        used = [check.text for one in batch.commands if (check := is_check(one.command, self.checks))]
        self.state.used_checks = list(dict.fromkeys([*used, *self.state.used_checks]))
        project = Project(
            # one that the agent was seen to run works here: it goes first
            check_commands=[*self.state.used_checks, *(one for one in tests if one not in self.state.used_checks)]
            or [check.text for check in self.checks],
            has_tests=bool(tests),
            testless_strategy=self.session.thoughts.testless_strategy(),
        )
        person = self.session.thoughts.person(self.state.task)
        requested = self.state.checks_requested
        return Case(batch=batch, person=person, project=project, recent=self.state.recent, checks_requested=requested)

    def _after_failure(self, result: BatchResult, case: Case) -> Next | None:
        """An agent that was stopped, hit its vendor's limit or broke down; None when it ended by itself."""
        if result.limit is not None:
            self.diary.append(Limit(limit="vendor", resets_at=result.limit.resets_at, detail=result.limit.message))
            if self.session.wait_for_limit and self.session.waiter.wait_until(result.limit.resets_at):
                return Go(_GO_ON)
            return End("blocked", f"the agent's vendor limits its use: {result.limit.message}")
        if result.outcome == "interrupted" and result.reason.startswith("risk"):
            answer = self.diary.ask(f"The agent was stopped at a risky command: {result.risk}. How should it go on?")
            return End("blocked", f"stopped at a risky command: {result.risk}") if answer is None else Go(answer)
        if result.outcome == "interrupted" and (result.reason.startswith("limit") or result.reason in ("wall", "idle")):
            self.diary.append(Limit(limit=result.reason, spent=self.state.spent))
            return End("blocked", f"limit reached during the batch: {result.reason}")
        if result.outcome == "interrupted":
            return End("interrupted", result.reason)
        if result.outcome in ("failed", "cut"):
            return End("failed" if result.outcome == "failed" else "blocked", result.error or "the agent vanished")
        return None

    # what comes next

    def _before_deciding(self, case: Case, answer, checks) -> Next | None:  # type: ignore[no-untyped-def]
        action = arbitrate(answer, checks, case.project.testless_strategy is not None)
        match action:
            case AskUser():
                said = self.diary.ask(action.question)
                if said is None:
                    return WAITING
                text = "\n\n".join(part for part in (said, action.then_checks) if part)
                return Go(text, is_check=bool(action.then_checks))
            case AskStrategy():
                return self._strategy(case, action.question)
            case Send():
                return Go(action.text, action.is_check)
            case Decide():
                return None

    def _strategy(self, case: Case, question: str) -> Next | None:
        """Once per project: what counts without tests; then the checks are planned again."""
        if self.session.runtime.verification.no_tests_policy == "never_ask":
            return None
        said = self.diary.ask(question, "strategy")
        if said is None:
            return WAITING
        return self.after_strategy(case, said)

    def after_strategy(self, case: Case, strategy: str) -> Go | None:
        """Keep what counts without tests, and plan the checks again by it."""
        self.judging.remember_strategy(strategy)
        checks = self.judging.plan(self.case_of(case.batch), suffix=".after_testless")
        return Go(checks.hands_check_input, is_check=True) if checks and checks.should_run_checks else None

    def _next_move(self, case: Case) -> Next:
        move = self.judging.decide(case)
        if move.next_action == "ask_user":
            return self._ask_or_answer(case, move)
        if move.status == "done":
            return self._close(case)
        if move.next_action == "stop":
            return End("blocked", move.notes or "the judge sees no safe way on")
        return Go(move.next_hands_input, is_check=self._is_check_request(move.next_hands_input, case))

    def _ask_or_answer(self, case: Case, move: NextMove) -> Next:
        """The person is asked only when their values do not already answer."""
        self._record(self.session.steps.recall("before_ask_user", move.ask_user_question))
        answer = self.judging.answer_question(case, move.ask_user_question)
        if answer and answer.should_answer:
            return Go(answer.hands_answer_input)
        said = self.diary.ask(move.ask_user_question)
        if said is None:
            return WAITING
        return Go(said)

    def _close(self, case: Case) -> Next:
        command = case.project.check_commands[0] if case.project.check_commands else ""
        closed = may_close(case, check_request(command) if command else "")
        if isinstance(closed, CheckFirst):
            return Go(closed.instruction, is_check=True)
        if isinstance(closed, CannotClose):
            return End("blocked", closed.why)
        return End("done", closed.why)

    def _is_check_request(self, text: str, case: Case) -> bool:
        names_one = any(f"`{command}`" in text for command in case.project.check_commands)
        return names_one or bool(case.batch.weakened_tests)  # without its tests a project may have no check to name

    def _guard(self, case: Case, following: Go) -> Next:
        repetition = self.state.guard.notice(case.batch.last_message, following.text)
        if repetition is None:
            return following
        way = self.judging.break_loop(case, repetition, following.text)
        match way.action:
            case "rewrite_next_input" if way.rewritten_next_input:
                return Go(way.rewritten_next_input)
            case "run_checks_then_continue" if way.check_intent:
                return Go(check_request(way.check_intent), is_check=True)
            case "stop_done":
                return self._close(case)
            case "ask_user":
                said = self.diary.ask(way.ask_user_question or repetition.reason)
                return WAITING if said is None else Go(said)
        return End("blocked", f"the exchange repeats itself: {repetition.reason}")

    def _take_up(self, following: Go) -> None:
        self._record(self.session.steps.checkpoint(following.text, ""))
        self.state.next_input = following.text
        self.state.checks_requested += 1 if following.is_check else 0
        self.state.number += 1

    def _end(self, end: End) -> RunEnd:
        state = self.state
        self._record(self.session.steps.checkpoint("", end.status))
        record = RunEnd(
            status=end.status,
            marks=state.marks,
            spent=state.spent,
            exit=EXIT[end.status],
            reason=end.reason,
            evidence_ids=state.evidence_ids,
        )
        stored = self.diary.append(record, sync=True)
        self._record(self.session.steps.session_log(stored))
        return stored

    def _record(self, records: list[Record]) -> None:
        """Append what a step of another room found."""
        for record in records:
            self.diary.append(record, note=record.headline())


def refuses(answer: str) -> bool:
    """Whether an answer to "go on?" means no."""
    first = answer.strip().lower()
    return first.startswith(("no", "stop", "don't", "do not", "abort", "cancel", "不", "停", "否", "别", "取消"))


def _sha256(text: str) -> str:
    from hashlib import sha256

    return sha256(text.encode("utf-8", "replace")).hexdigest()
