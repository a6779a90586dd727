"""One batch of the agent's work: what it is told, what it did, and what stopped it."""

import os

import msgspec

from mi.agents.protocol import BatchInput as HandsBatch
from mi.agents.protocol import BatchResult
from mi.agents.threads import store_thread
from mi.autopilot import limits
from mi.autopilot.batch_facts import BatchClock, EarlierProof, batch_view, checked_by_mi
from mi.autopilot.injection import compose, injection_for
from mi.autopilot.outcomes import EndRun, Next, SendNext, blocked
from mi.autopilot.recorder import LogRecorder
from mi.autopilot.resume import GO_ON
from mi.autopilot.run_parts import RunParts
from mi.autopilot.state import RunState, added
from mi.evidence.records.hands import HandsInput, HandsResumeFailed
from mi.evidence.records.run import BatchEnd, Limit, RunUsage
from mi.kernel import clock
from mi.kernel.messages import text
from mi.mind.views import BatchView, Case, ProjectView
from mi.project.checks.recognition import Check, is_check, newly_found
from mi.project.overlay import read_overlay
from mi.project.worktree import WatchStep, WorktreeWatch


class Working:
    """Lets the agent work and stores what was seen, so that no batch ever has to run twice."""

    def __init__(self, session: RunParts, state: RunState, diary: LogRecorder, checks: list[Check]) -> None:
        self._session = session
        self._state = state
        self._diary = diary
        self._checks = checks
        self._transcript_ref = ""

    def batch(self, watch: WorktreeWatch) -> tuple[BatchResult, Case]:
        """Run one batch to its end; how it ended, and the case to judge."""
        result, sent, timing = self._run_hands()
        step = watch.step()
        case = self.case_of(self._look(result, sent, timing, watch, step))
        return result, msgspec.structs.replace(case, diff=step.latest.diff)

    def _run_hands(self) -> tuple[BatchResult, str, BatchClock]:
        session, state = self._session, self._state
        prompt, injection = self._text()
        name = f"{clock.filename_stamp()}_{state.run_id}_{state.batch_id}.jsonl"
        path = os.path.join(session.home.project(session.project.project_id).hands_transcripts, name)
        self._transcript_ref = session.home.relative(path)
        record = HandsInput(
            transcript_path=self._transcript_ref,
            input=state.next_input,
            light_injection=injection,
            prompt_sha256=_sha256(prompt),
        )
        self._diary.append(record, sync=True)  # before the agent starts: a crash must not lose what it was told
        session.reporter.sent(state.batch_id, prompt)
        room = limits.remaining(session.runtime.limits, state)
        timing = BatchClock(session.reporter, session.stop, room.tokens)
        batch = HandsBatch(
            prompt=prompt, cwd=session.project.root, transcript=path, thread_id=state.thread_id, wall_s=room.seconds
        )
        result = session.hands.run(batch, timing, session.stop)
        if result.resume_failed:
            self._diary.append(HandsResumeFailed(provider=session.hands.name, error=result.error))
            state.thread_id = ""
            return self._run_hands()
        self._keep_thread(result.thread_id)
        return result, prompt, timing

    def _text(self) -> tuple[str, str]:
        """The whole text for the agent and the injection in it; a thread that is resumed remembers both."""
        session, state = self._session, self._state
        if state.thread_id and session.hands.can_resume(state.thread_id):
            return state.next_input, ""
        runtime = session.runtime
        limit, external = runtime.injection.max_chars, runtime.external_actions
        injection = injection_for(session.thoughts, state.task, limit, external).text
        opening = session.steps.opening(self._diary, state.task)
        injection = "\n\n".join(part for part in (injection, opening) if part)
        return compose(injection, state.next_input, state.task), injection

    def _keep_thread(self, thread_id: str) -> None:
        if thread_id != self._state.thread_id:
            self._state.thread_id = thread_id
            session = self._session
            store_thread(session.home, session.project.project_id, session.hands.name, thread_id, session.notices)

    def _look(
        self, result: BatchResult, sent: str, timing: BatchClock, watch: WorktreeWatch, step: WatchStep
    ) -> BatchView:
        """What the batch showed, stored at once."""
        state, session = self._state, self._session
        self._checks += newly_found(self._checks, session.project.root)
        checks = [*self._checks, *state.planned]
        before = EarlierProof(state.verified, state.unsettled)
        batch = batch_view(state.task, sent, result, timing, watch, step, checks, before)
        batch = checked_by_mi(batch, session.runtime.verification.command, session.project.root, session.stop)
        batch = msgspec.structs.replace(batch, provider=session.hands.name, hands_transcript_ref=self._transcript_ref)
        if batch.changed_now:
            state.checks_requested = 0
        state.verified, state.marks, state.unsettled = batch.marks.verified, batch.marks, batch.unsettled
        usage = RunUsage(
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
            hands_transcript_ref=self._transcript_ref,
            last_message=result.last_message,
            checks_requested=state.checks_requested,
            seen=msgspec.to_builtins(batch),
        )
        stored = self._diary.append(ended, sync=True)
        if batch.marks.verified:
            state.evidence_ids.append(stored.event_id)
        return batch

    def case_of(self, batch: BatchView) -> Case:
        """Everything a judgement about a batch may look at."""
        tests = [check.command for check in self._checks if check.kind == "test"]
        root = self._session.project.root
        ran = [one.command for one in batch.commands if not one.refused]
        used = [check.command for command in ran if (check := is_check(command, self._checks, root))]
        self._state.used_checks = list(dict.fromkeys([*used, *self._state.used_checks]))
        project = ProjectView(
            # one that the agent was seen to run works here: it goes first
            check_commands=[*self._state.used_checks, *(one for one in tests if one not in self._state.used_checks)]
            or [check.command for check in self._checks],
            has_tests=bool(tests),
            testless_strategy=self._session.thoughts.testless_strategy(),
        )
        return Case(
            batch=batch,
            person=self._session.thoughts.person(self._state.task),
            project=project,
            language=self._session.language,
            mindspec_base=mindspec_base(self._session),
            recent=self._state.recent,
            checks_requested=self._state.checks_requested,
        )

    def stopped(self, result: BatchResult) -> Next | None:
        """How it goes on after an agent that hit its vendor's limit, was stopped or broke down; None: it ended."""
        language = self._session.language
        if result.limit is not None:
            self._diary.append(Limit(limit="vendor", resets_at=result.limit.resets_at, detail=result.limit.message))
            if self._session.wait_for_limit and self._session.waiter.wait_until(result.limit.resets_at):
                return SendNext(GO_ON)
            return blocked("end.vendor-limit", language, message=result.limit.message)
        if result.outcome == "interrupted" and result.reason.startswith("risk"):
            answer = self._diary.ask(text("ask.stopped-at-risk", language, command=result.risk))
            return SendNext(answer) if answer else blocked("end.stopped-at-risk", language, command=result.risk)
        if result.outcome == "interrupted" and (result.reason.startswith("limit") or result.reason in ("wall", "idle")):
            named = limits.named(self._session.runtime.limits, result.reason)
            self._diary.append(Limit(limit=named, spent=self._state.spent))
            return blocked("end.limit-in-batch", language, limit=named)
        if result.outcome == "interrupted":
            return EndRun("interrupted", result.reason)
        if result.outcome in ("failed", "cut"):
            why = result.error or text("end.vanished", language)
            return EndRun("failed" if result.outcome == "failed" else "blocked", why)
        return None


def mindspec_base(session: RunParts) -> str:
    """What prompts are told of the configuration: the runtime's knobs, and the project's overlay without its places."""
    overlay = read_overlay(session.home, session.project, session.notices)
    shown = {
        "stack_hints": overlay.stack_hints,
        "testless_verification_strategy": overlay.testless_verification_strategy,
        "workflow_run": overlay.workflow_run if overlay.workflow_run.active else None,
    }
    merged = msgspec.to_builtins(session.runtime) | {"project_overlay": msgspec.to_builtins(shown)}
    return msgspec.json.encode(merged).decode()


def _sha256(text: str) -> str:
    from hashlib import sha256

    return sha256(text.encode("utf-8", "replace")).hexdigest()
