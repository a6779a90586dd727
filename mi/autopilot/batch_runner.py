"""One batch of the agent's work: what it is told, what it did, and what stopped it."""

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256

import msgspec

from mi.agents.attempts import Numbered, did_something, join_attempts
from mi.agents.events import Event, FileChange, VendorLimit
from mi.agents.leftovers import LeftProcess, end_processes
from mi.agents.protocol import BatchInput, BatchResult, Observer
from mi.agents.threads import store_thread
from mi.autopilot import limits
from mi.autopilot.batch_facts import SeenBatch, batch_view, checked_by_mi, last_seen, verified_by
from mi.autopilot.clock import BatchClock
from mi.autopilot.injection import compose, injection_for, news_for
from mi.autopilot.limit_pause import LimitPause
from mi.autopilot.outcomes import GO_ON, EndRun, Next, SendNext, end_blocked
from mi.autopilot.recorder import LogRecorder
from mi.autopilot.resume import find_heard
from mi.autopilot.run_parts import Prover, Reporter, RunParts
from mi.autopilot.state import EarlierProof, RunState
from mi.evidence.records.hands import HandsInput, HandsLeftovers, HandsResumeFailed, HandsRetry
from mi.evidence.records.run import BatchEnd, Limit, RunUsage, VerifiedBy
from mi.evidence.records.trees import LeftOutFile, TreeSnapshot
from mi.kernel import clock, git
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import redact
from mi.kernel.text import fit_one_line
from mi.mind.views import BatchView, Case, ProjectView, ProofView
from mi.project.checks.coverage import ProjectChecks
from mi.project.checks.file_kinds import is_prose
from mi.project.checks.recognition import Check, is_check, newly_found
from mi.project.overlay import read_overlay
from mi.project.run_state import read_cursor
from mi.project.snapshots import END, TakenSnapshot
from mi.project.worktree import WatchStep, WorktreeWatch

_SLOW_S = 2.0
_NAMED = 500  # left-out files that a record names


class AgentWork(NamedTuple):
    """What the agent was sent, how it ended, and when each of its commands ran."""

    result: BatchResult
    sent: str
    timing: BatchClock


class BatchRunner:
    """Lets the agent work and stores what was seen, so that no batch ever has to run twice."""

    def __init__(
        self, parts: RunParts, state: RunState, recorder: LogRecorder, checks: list[Check], pause: LimitPause
    ) -> None:
        self._parts = parts
        self._pause = pause
        self._state = state
        self._recorder = recorder
        self._checks = checks
        self._transcript_ref = ""
        self._project: ProjectChecks | None = None  # its checks as of the latest batch
        self._sent = ""  # what the batch began with, as it is stored
        self._refs = git.list_refs(parts.project.root)

    def keep(self, watch: WorktreeWatch) -> None:
        """Keep the work tree for the person before the agent touches it; what fails is said and stops nothing."""
        with _say_when_slow(self._parts.reporter):
            snapshot = watch.snapshot(self._state.batch_id)
        self._state.is_kept = bool(snapshot.commit)
        if self._parts.snapshot.enabled:
            self._recorder.append(_snapshot_record(snapshot, self._state.batch_id))

    def run_agent(self) -> AgentWork:
        """Let the agent work on the next input to its end; after a failure that may pass it goes on in its thread."""
        parts, state = self._parts, self._state
        self._sent = ""
        timing = BatchClock(self._observer(), parts.stop, limits.remaining(parts.runtime.limits, state).tokens)
        results = [self._start(state.next_input, timing)]
        while self._tries_again(results):
            done, resumes = did_something(results[-1]), parts.hands.can_resume(state.thread_id)
            results.append(self._start(GO_ON if done and resumes else state.next_input, Numbered(timing, len(results))))
        if len(results) > 1 and results[-2].limit is not None and results[-1].limit is None:
            self._recorder.append(Limit(limit="vendor", passed=True, spent=state.spent))
        return AgentWork(join_attempts(results), self._sent, timing)

    def _start(self, wanted: str, watcher: Observer) -> BatchResult:
        """Start the agent once; a thread that it cannot resume is begun anew."""
        parts, state = self._parts, self._state
        while True:
            prompt, path = self._record_input(wanted)
            room = limits.remaining(parts.runtime.limits, state)
            batch = BatchInput(
                prompt=prompt, cwd=parts.project.root, transcript=path, thread_id=state.thread_id, wall_s=room.seconds
            )
            result = parts.hands.run(batch, watcher, parts.stop)
            self._settle_left(result.left)
            if not result.resume_failed or result.transient:
                self._keep_thread(result.thread_id or state.thread_id)
                return result
            self._recorder.append(HandsResumeFailed(provider=parts.hands.name, error=result.error))
            state.thread_id = ""

    def _settle_left(self, left: Sequence[LeftProcess]) -> None:
        """End what the agent left running, or only tell of it, as it is configured."""
        way = self._parts.leftovers
        if not left or way == "leave":
            return
        named = [f"{fit_one_line(redact(one.command), 200)} (pid {one.pid})" for one in left]
        record = HandsLeftovers(provider=self._parts.hands.name, processes=named[:_NAMED], ended=way == "end")
        self._recorder.append(record, sync=True)
        if way == "end":
            end_processes(left)

    def _tries_again(self, results: list[BatchResult]) -> bool:
        """Return whether the agent is started again, after the wait that is due before it."""
        retry, tried, last = self._parts.runtime.retry, len(results), results[-1]
        if last.limit is not None and not last.transient:
            return self._waits_for_vendor(last.limit, tried)
        if not last.transient or tried > retry.attempts or self._parts.stop.reason:
            return False
        wait = retry.wait_s[min(tried, len(retry.wait_s)) - 1] if retry.wait_s else 0.0
        error = last.limit.message if last.limit else last.error
        record = HandsRetry(
            provider=self._parts.hands.name, error=error, attempt=tried, attempts=retry.attempts, wait_s=wait
        )
        self._recorder.append(record, sync=True)
        return self._rest(wait)

    def _waits_for_vendor(self, limit: VendorLimit, tried: int) -> bool:
        """Return whether the agent is started again after its vendor's limit; one that does not end is given up."""
        reached = Limit(limit="vendor", resets_at=limit.resets_at, detail=limit.message)
        self._parts.notifier.tell(self._recorder.append(reached, sync=True))
        retry, began = self._parts.runtime.retry, time.monotonic()
        if (
            not self._parts.wait_for_limit
            or tried > retry.attempts
            or not self._parts.waiter.wait_until(limit.resets_at)
        ):
            return False
        late = retry.wait_s[min(tried, len(retry.wait_s)) - 1] if tried > 1 and retry.wait_s else 0.0
        rested = self._rest(late)  # the vendor named a time at which it did not end
        self._state.started += time.monotonic() - began
        return rested

    def _rest(self, seconds: float) -> bool:
        """Return True after so many seconds; False as soon as somebody wants the run to stop."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and not self._parts.stop.reason:
            time.sleep(min(left, 0.2))
        return not self._parts.stop.reason

    def _observer(self) -> Observer:
        """Return who sees the agent's events as they come: who shows them, and who runs the base from a change on."""
        parts = self._parts
        return ChangeNotice(parts.reporter, parts.prover, parts.project.root) if parts.prover else parts.reporter

    def look(self, work: AgentWork, watch: WorktreeWatch) -> Case:
        """Return the case to judge: what the agent did beside what the work tree shows, stored at once."""
        with _say_when_slow(self._parts.reporter):
            step = watch.step()
        if step.total.files and self._parts.prover is not None:
            self._parts.prover.notice_change(step.total.files)
        case = self.case_of(self._record_batch(work, watch, step))
        if self._parts.runtime.verification.command:
            watch.settle()  # what MI's own command wrote is nobody's change
        if self._parts.snapshot.enabled:
            self._recorder.append(_snapshot_record(watch.latest_snapshot, END))
        return msgspec.structs.replace(case, diff=step.latest.diff, run_diff=step.total.diff)

    def _record_input(self, wanted: str) -> tuple[str, str]:
        """Store what the agent is about to be told: a crash must not lose it; return it and the transcript's path."""
        parts, state = self._parts, self._state
        prompt, injection = self._compose(wanted)
        self._sent = self._sent or redact(prompt)
        path = os.path.join(
            parts.place.hands_transcripts, f"{clock.filename_stamp()}_{state.run_id}_{state.batch_id}.jsonl"
        )
        self._transcript_ref = parts.home.relative(path)
        record = HandsInput(
            transcript_path=self._transcript_ref,
            input=redact(wanted),  # the person may have answered with a secret
            light_injection=injection,
            prompt_sha256=_sha256(prompt),
            heard=state.heard or [],
            words=list(state.carried_words),
        )
        self._recorder.append(record, sync=True)
        parts.reporter.sent(state.batch_id, prompt)
        return prompt, path

    def _compose(self, wanted: str) -> tuple[str, str]:
        """Return the whole text for the agent and the injection in it; a thread that is resumed gets what is new."""
        parts, state = self._parts, self._state
        limit, external = parts.runtime.injection.max_chars, parts.runtime.external_actions
        if state.thread_id and parts.hands.can_resume(state.thread_id):
            if state.heard is None:
                state.heard = find_heard(parts.evidence.path, state.thread_id, parts.notices)
            told = news_for(parts.thoughts, state.task, state.heard, limit, external)
            state.heard = told.heard
            return compose(told.text, wanted, None), told.text
        told = injection_for(parts.thoughts, state.task, limit, external)
        state.heard = told.heard
        opening = parts.steps.opening(self._recorder, state.task)
        injection = "\n\n".join(part for part in (told.text, opening) if part)
        return compose(injection, wanted, state.task, state.said), injection

    def _keep_thread(self, thread_id: str) -> None:
        if thread_id != self._state.thread_id:
            self._state.thread_id = thread_id
            parts = self._parts
            run_id = self._state.run_id
            store_thread(parts.home, parts.project, run_id, parts.hands.name, thread_id, parts.notices)

    def _record_batch(self, work: AgentWork, watch: WorktreeWatch, step: WatchStep) -> BatchView:
        state, parts, result = self._state, self._parts, work.result
        self._checks += newly_found(self._checks, parts.project.root)
        project = self._project = self._project_checks()
        seen = SeenBatch(
            state.task,
            work.sent,
            result,
            work.timing,
            watch,
            step,
            project,
            state.planned,
            state.proof,
            state.accepted_judges,
            git.list_refs(parts.project.root) != self._refs,
            parts.runtime.verification.scope == "related",
        )
        batch = batch_view(seen)
        batch = checked_by_mi(batch, parts.runtime.verification.command, parts.project.root, parts.stop)
        batch = msgspec.structs.replace(batch, provider=parts.hands.name, hands_transcript_ref=self._transcript_ref)
        if batch.changed_now:
            state.checks_requested = 0
            state.told.pop("claimed", None)
        state.marks = batch.marks
        passed = [] if step.latest.files else state.proof.passed
        state.proof = EarlierProof(batch.check_passed, batch.unsettled, [*passed, *batch.passed_checks])
        state.verified_by, state.last_seen = verified_by(batch) or state.verified_by, last_seen(batch, result)
        usage = RunUsage(
            input_tokens=result.usage.input_tokens,
            output_tokens=result.usage.output_tokens,
            cost_usd=result.usage.cost_usd,
            seconds=round(result.seconds, 3),
            calls=0,
        )
        state.note_spent(usage, result.usage.model)
        ended = BatchEnd(
            outcome=result.outcome,
            usage=usage,
            model=result.usage.model,
            hands_transcript_ref=self._transcript_ref,
            last_message=result.last_message,
            checks_requested=state.checks_requested,
            rows_told=dict(state.told),
            seen=msgspec.to_builtins(batch),
        )
        stored = self._recorder.append(ended, sync=True)
        if batch.marks.verified:
            state.evidence_ids.append(stored.event_id)
        return batch

    def _project_checks(self) -> ProjectChecks:
        """Return the project's checks as its files are now; one that the agent was seen to run works here."""
        state, root = self._state, self._parts.project.root
        project = ProjectChecks.read(root, known=self._checks)
        project.prefer(state.used_checks, state.gone_checks)
        return project

    def _note_checks(self, batch: BatchView) -> None:
        """Remember which checks work here, and which have no program to run them."""
        root, state = self._parts.project.root, self._state
        for seen in batch.commands:
            check = None if seen.refused else is_check(seen.command, self._checks, root)
            if check and check.command not in (
                noted := state.gone_checks if seen.could_not_start else state.used_checks
            ):
                noted.insert(0, check.command)

    def case_of(self, batch: BatchView) -> Case:
        """Return everything a judgement about a batch may look at."""
        self._note_checks(batch)
        found = self._project or self._project_checks()  # a batch that is judged again was seen by another process
        project = ProjectView(
            check_commands=list(dict.fromkeys([*batch.uncovered, *(check.command for check in found.asked_for())])),
            has_tests=found.has_tests,
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
            told=dict(self._state.told),
            judges_accepted=bool(self._state.accepted_judges),
            will_prove=self._will_prove(batch),
        )

    def _will_prove(self, batch: BatchView) -> bool:
        """Return whether MI's own run is wanted of what changed; prose has nothing to run."""
        return self._parts.prover is not None and any(not is_prose(file) for file in batch.changed_files)

    def prove(self, case: Case) -> ProofView:
        """Return what MI's own run of the checks shows about the tree as it is; recorded, and marked in the state."""
        assert self._parts.prover is not None
        proof = self._parts.prover.prove(self._recorder, case)
        if proof.proved is not None:
            verified = proof.proved or self._state.marks.verified
            self._state.marks = msgspec.structs.replace(self._state.marks, proved=proof.proved, verified=verified)
        if proof.proved:
            self._state.verified_by = VerifiedBy(command=proof.command, covers=case.batch.covered, by="mi")
        self._state.proof_said = proof.why
        return proof

    def stopped(self, result: BatchResult) -> Next | None:
        """Return how it goes on after an agent that hit its vendor's limit, was stopped or failed; None: it ended."""
        language = self._parts.language
        if result.transient:
            stopped = self._parts.stop.reason  # while it waited to try again
            why = stopped or text("end.transient", language, error=result.error)
            return EndRun("interrupted" if stopped else "failed", why)
        if result.limit is not None:
            if self._parts.stop.reason:
                return EndRun("interrupted", self._parts.stop.reason)
            until = result.limit.resets_at  # the vendor's own words may say no more than in how many hours
            key = "end.vendor-limit-until" if until else "end.vendor-limit"
            return end_blocked(key, language, message=result.limit.message, until=until)
        if result.outcome == "interrupted" and result.reason.startswith("risk"):
            answer = self._recorder.ask(text("ask.stopped-at-risk", language, command=result.risk))
            return SendNext(answer) if answer else end_blocked("end.stopped-at-risk", language, command=result.risk)
        if result.outcome == "interrupted" and (result.reason.startswith("limit") or result.reason in ("wall", "idle")):
            return self._stopped_at_limit(result.reason)
        if result.outcome == "interrupted":
            return EndRun("interrupted", result.reason)
        if result.outcome in ("failed", "cut"):
            why = result.error or text("end.vanished", language)
            return EndRun("failed" if result.outcome == "failed" else "blocked", why)
        return None

    def _stopped_at_limit(self, reason: str) -> Next:
        """Return how it goes on after an agent that was stopped at a limit of the run, or was silent for too long."""
        self._parts.stop.settle(reason)
        reached = limits.find_stopping(self._parts.runtime.limits, self._state, reason)
        if reached is None:
            self._recorder.append(Limit(limit=reason, spent=self._state.spent))
            return end_blocked("end.limit-in-batch", self._parts.language, limit=reason)
        return self._pause.at(reached, "end.limit-in-batch") or SendNext(GO_ON)


class ChangeNotice(Observer):
    """Tells the prover of the agent's first change while the agent still works."""

    def __init__(self, watcher: Observer, prover: Prover, root: str) -> None:
        self._watcher = watcher
        self._prover = prover
        self._root = root

    def line(self, stream: str, text: str) -> None:
        self._watcher.line(stream, text)

    def event(self, event: Event) -> None:
        if isinstance(event, FileChange) and event.path:
            self._prover.notice_change([os.path.relpath(os.path.join(self._root, event.path), self._root)])
        self._watcher.event(event)


def mindspec_base(parts: RunParts) -> str:
    """Return what prompts are told of the configuration: the runtime's knobs, the project's overlay without places."""
    overlay, run_id = read_overlay(parts.home, parts.project, parts.notices), parts.evidence.run_id
    cursor = read_cursor(parts.place, run_id, parts.notices)
    shown = {
        "stack_hints": overlay.stack_hints,
        "testless_verification_strategy": overlay.testless_verification_strategy,
        "workflow_run": cursor if cursor.active and cursor.run_id == run_id else None,
    }
    merged = msgspec.to_builtins(parts.runtime) | {"project_overlay": msgspec.to_builtins(shown)}
    return msgspec.json.encode(merged).decode()


@contextmanager
def _say_when_slow(reporter: Reporter) -> Iterator[None]:
    """Tell the person when a snapshot takes long."""
    timer = threading.Timer(_SLOW_S, reporter.slow, ["snapshot"])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _snapshot_record(taken: TakenSnapshot, of: str) -> TreeSnapshot:
    named = taken.left_out[:_NAMED]
    return TreeSnapshot(
        of=of,
        commit=taken.commit,
        tree=taken.tree,
        place=taken.place,
        left_out=[LeftOutFile(path=left.path, why=left.why, size=left.size) for left in named],
        is_first=taken.is_first,
        reason=taken.reason,
        attributes=taken.attributes,
    )


def _sha256(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()
