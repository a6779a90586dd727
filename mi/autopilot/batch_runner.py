"""One batch of the agent's work: what it is told, what it did, and what stopped it."""

import os
from hashlib import sha256
from typing import NamedTuple

import msgspec

from mi.agents.protocol import BatchInput, BatchResult
from mi.agents.threads import store_thread
from mi.autopilot import limits
from mi.autopilot.batch_facts import BatchClock, SeenBatch, batch_view, checked_by_mi
from mi.autopilot.injection import compose, injection_for
from mi.autopilot.outcomes import GO_ON, EndRun, Next, SendNext, end_blocked
from mi.autopilot.recorder import LogRecorder
from mi.autopilot.run_parts import RunParts
from mi.autopilot.state import EarlierProof, RunState, added
from mi.evidence.records.hands import HandsInput, HandsResumeFailed
from mi.evidence.records.run import BatchEnd, Limit, RunUsage
from mi.kernel import clock
from mi.kernel.messages import text
from mi.mind.views import BatchView, Case, ProjectView
from mi.project.checks.recognition import Check, is_check, newly_found
from mi.project.overlay import read_overlay
from mi.project.worktree import WatchStep, WorktreeWatch


class AgentWork(NamedTuple):
    """What the agent was sent, how it ended, and when each of its commands ran."""

    result: BatchResult
    sent: str
    timing: BatchClock


class BatchRunner:
    """Lets the agent work and stores what was seen, so that no batch ever has to run twice."""

    def __init__(self, parts: RunParts, state: RunState, recorder: LogRecorder, checks: list[Check]) -> None:
        self._parts = parts
        self._state = state
        self._recorder = recorder
        self._checks = checks
        self._transcript_ref = ""

    def run_agent(self) -> AgentWork:
        """Let the agent work on the next input to its end; a thread that it cannot resume is begun anew."""
        parts, state = self._parts, self._state
        while True:
            prompt, path = self._record_input()
            room = limits.remaining(parts.runtime.limits, state)
            timing = BatchClock(parts.reporter, parts.stop, room.tokens)
            batch = BatchInput(
                prompt=prompt, cwd=parts.project.root, transcript=path, thread_id=state.thread_id, wall_s=room.seconds
            )
            result = parts.hands.run(batch, timing, parts.stop)
            if not result.resume_failed:
                self._keep_thread(result.thread_id)
                return AgentWork(result, prompt, timing)
            self._recorder.append(HandsResumeFailed(provider=parts.hands.name, error=result.error))
            state.thread_id = ""

    def look(self, work: AgentWork, watch: WorktreeWatch) -> Case:
        """Return the case to judge: what the agent did beside what the work tree shows, stored at once."""
        step = watch.step()
        case = self.case_of(self._record_batch(work, watch, step))
        return msgspec.structs.replace(case, diff=step.latest.diff)

    def _record_input(self) -> tuple[str, str]:
        """Store what the agent is about to be told: a crash must not lose it; return it and the transcript's path."""
        parts, state = self._parts, self._state
        prompt, injection = self._text()
        path = os.path.join(
            parts.place.hands_transcripts, f"{clock.filename_stamp()}_{state.run_id}_{state.batch_id}.jsonl"
        )
        self._transcript_ref = parts.home.relative(path)
        record = HandsInput(
            transcript_path=self._transcript_ref,
            input=state.next_input,
            light_injection=injection,
            prompt_sha256=_sha256(prompt),
        )
        self._recorder.append(record, sync=True)
        parts.reporter.sent(state.batch_id, prompt)
        return prompt, path

    def _text(self) -> tuple[str, str]:
        """Return the whole text for the agent and the injection in it; a thread that is resumed remembers both."""
        parts, state = self._parts, self._state
        if state.thread_id and parts.hands.can_resume(state.thread_id):
            return state.next_input, ""
        runtime = parts.runtime
        limit, external = runtime.injection.max_chars, runtime.external_actions
        injection = injection_for(parts.thoughts, state.task, limit, external).text
        opening = parts.steps.opening(self._recorder, state.task)
        injection = "\n\n".join(part for part in (injection, opening) if part)
        return compose(injection, state.next_input, state.task), injection

    def _keep_thread(self, thread_id: str) -> None:
        if thread_id != self._state.thread_id:
            self._state.thread_id = thread_id
            parts = self._parts
            store_thread(parts.home, parts.project.project_id, parts.hands.name, thread_id, parts.notices)

    def _record_batch(self, work: AgentWork, watch: WorktreeWatch, step: WatchStep) -> BatchView:
        state, parts, result = self._state, self._parts, work.result
        self._checks += newly_found(self._checks, parts.project.root)
        seen = SeenBatch(
            state.task, work.sent, result, work.timing, watch, step, [*self._checks, *state.planned], state.proof
        )
        batch = batch_view(seen)
        batch = checked_by_mi(batch, parts.runtime.verification.command, parts.project.root, parts.stop)
        batch = msgspec.structs.replace(batch, provider=parts.hands.name, hands_transcript_ref=self._transcript_ref)
        if batch.changed_now:
            state.checks_requested = 0
        state.marks = batch.marks
        state.proof = EarlierProof(batch.marks.verified, batch.unsettled)
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
        stored = self._recorder.append(ended, sync=True)
        if batch.marks.verified:
            state.evidence_ids.append(stored.event_id)
        return batch

    def case_of(self, batch: BatchView) -> Case:
        """Return everything a judgement about a batch may look at."""
        tests = [check.command for check in self._checks if check.kind == "test"]
        root = self._parts.project.root
        ran = [seen.command for seen in batch.commands if not seen.refused]
        used = [check.command for command in ran if (check := is_check(command, self._checks, root))]
        self._state.used_checks = list(dict.fromkeys([*used, *self._state.used_checks]))
        project = ProjectView(
            # one that the agent was seen to run works here: it goes first
            check_commands=[*self._state.used_checks, *(test for test in tests if test not in self._state.used_checks)]
            or [check.command for check in self._checks],
            has_tests=bool(tests),
            testless_strategy=self._parts.thoughts.testless_strategy(),
        )
        return Case(
            batch=batch,
            person=self._parts.thoughts.person(self._state.task),
            project=project,
            language=self._parts.language,
            mindspec_base=mindspec_base(self._parts),
            recent=self._state.recent,
            checks_requested=self._state.checks_requested,
        )

    def stopped(self, result: BatchResult) -> Next | None:
        """Return how it goes on after an agent that hit its vendor's limit, was stopped or failed; None: it ended."""
        language = self._parts.language
        if result.limit is not None:
            self._recorder.append(Limit(limit="vendor", resets_at=result.limit.resets_at, detail=result.limit.message))
            if self._parts.wait_for_limit and self._parts.waiter.wait_until(result.limit.resets_at):
                return SendNext(GO_ON)
            return end_blocked("end.vendor-limit", language, message=result.limit.message)
        if result.outcome == "interrupted" and result.reason.startswith("risk"):
            answer = self._recorder.ask(text("ask.stopped-at-risk", language, command=result.risk))
            return SendNext(answer) if answer else end_blocked("end.stopped-at-risk", language, command=result.risk)
        if result.outcome == "interrupted" and (result.reason.startswith("limit") or result.reason in ("wall", "idle")):
            named = limits.named(self._parts.runtime.limits, result.reason)
            self._recorder.append(Limit(limit=named, spent=self._state.spent))
            return end_blocked("end.limit-in-batch", language, limit=named)
        if result.outcome == "interrupted":
            return EndRun("interrupted", result.reason)
        if result.outcome in ("failed", "cut"):
            why = result.error or text("end.vanished", language)
            return EndRun("failed" if result.outcome == "failed" else "blocked", why)
        return None


def mindspec_base(parts: RunParts) -> str:
    """Return what prompts are told of the configuration: the runtime's knobs, the project's overlay without places."""
    overlay = read_overlay(parts.home, parts.project, parts.notices)
    shown = {
        "stack_hints": overlay.stack_hints,
        "testless_verification_strategy": overlay.testless_verification_strategy,
        "workflow_run": overlay.workflow_run if overlay.workflow_run.active else None,
    }
    merged = msgspec.to_builtins(parts.runtime) | {"project_overlay": msgspec.to_builtins(shown)}
    return msgspec.json.encode(merged).decode()


def _sha256(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()
