"""The steps of the loop that workflows fill: which one a task calls for, how far it is, what a gate asks."""

import msgspec

from mi.autopilot.run_lock import find_running
from mi.autopilot.steps.protocol import Outcome, RunPlace, RunRecorder, RunSteps, SendFirst, Stop
from mi.evidence.records.base import Record
from mi.evidence.records.run import RunEnd
from mi.evidence.records.workflow_ir import Workflow, WorkflowStep
from mi.evidence.records.workflows import WorkflowProgress, WorkflowTrigger
from mi.kernel import clock
from mi.kernel.consent import refuses
from mi.kernel.messages import text
from mi.kernel.secrets import redact
from mi.mind.prompts.workflow_progress import WorkflowCase, workflow_progress
from mi.mind.views import Case, FollowedWorkflow
from mi.project.overlay import WorkflowRun
from mi.project.run_state import read_cursor, store_cursor
from mi.workflows import cursor as cursors
from mi.workflows.editor import WorkflowDesk
from mi.workflows.ir import matches
from mi.workflows.render import step_lines


class WorkflowSteps(RunSteps):
    """Follows one workflow through a run. It only tells and asks: no command of the agent's is ever gated."""

    def __init__(self, place: RunPlace, continues: bool) -> None:
        self._place = place
        self._continues = continues  # the agent's thread of an earlier run: it gets no opening
        self._task = ""
        self._told = False

    def preflight(self, recorder: RunRecorder, task: str) -> Outcome:
        self._task = task
        return None

    def before_batch(self, recorder: RunRecorder, next_input: str) -> Outcome:
        if self._task:
            self._begin(recorder, self._task)
            self._task = ""
        told, stop = self._open_gates(recorder)
        if stop is not None:
            return stop
        if self._continues and (opening := self._tell_once()):
            told = [opening, *told]
        return SendFirst("\n\n".join(told)) if told else None

    def opening(self, recorder: RunRecorder, task: str) -> str:
        return self._tell_once()

    def workflow_progress(self, recorder: RunRecorder, case: Case) -> FollowedWorkflow | None:
        followed = self._followed()
        if followed is None:
            return None
        cursor, workflow = followed
        given = WorkflowCase(
            workflow=workflow,
            cursor=cursor,
            batch=case.batch,
            person=case.person,
            run_diff=case.run_diff,
            proof=case.proof,
            recent=case.recent,
        )
        judgement = recorder.judge(workflow_progress, given)
        new = msgspec.structs.replace(cursor, opened=[])
        output = judgement.value
        if output is not None:
            new = cursors.advance(cursor, workflow, output, clock.now()).cursor
            output = msgspec.structs.replace(output, notes=new.last_notes)
        record = WorkflowProgress(
            state=judgement.state,
            mind_transcript_ref=judgement.transcript_ref,
            workflow_id=workflow.id,
            workflow_name=workflow.name,
            output=output,
        )
        stored = recorder.append(record, note=_note(workflow, new))
        self._store(msgspec.structs.replace(new, last_batch_id=stored.batch_id, thread_id=stored.thread_id))
        same = (new.next_step_id, new.completed_step_ids) == (cursor.next_step_id, cursor.completed_step_ids)
        return FollowedWorkflow(
            workflow=workflow,
            completed=new.completed_step_ids,
            next_step=workflow.step(new.next_step_id) if new.active else None,
            stalled=same and cursor.last_batch_id != stored.batch_id,  # a batch may be judged again after a kill
        )

    def session_log(self, recorder: RunRecorder, end: Record) -> None:
        cursor = self._cursor()
        if cursor.active and cursor.run_id == self._place.run_id and isinstance(end, RunEnd) and end.status == "done":
            self._store(cursors.close(cursor, "the run is done", clock.now()))

    # following

    def _begin(self, recorder: RunRecorder, task: str) -> None:
        """Follow the first workflow in use that the task calls for; the one of an earlier run is no longer followed."""
        former = self._cursor()
        if former.run_id == self._place.run_id:  # taken up again
            return
        living = {run.owner.run_id for run in find_running(self._place.home, self._place.project.project_id)}
        if former.active and former.run_id not in living:
            self._store(cursors.close(former, f"{self._place.run_id} began", clock.now()))
        enabled = self._open_desk().effective.enabled()
        chosen = next((workflow for workflow in enabled if matches(workflow.trigger, task)), None)
        if chosen is None:
            return
        trigger = WorkflowTrigger(workflow_id=chosen.id, workflow_name=chosen.name, pattern=chosen.trigger.pattern)
        recorder.append(trigger, note=f"the workflow {chosen.name!r} is followed")
        self._store(cursors.begin(chosen, self._place.run_id, clock.now()))

    def _tell_once(self) -> str:
        """Return the workflow in words, for the first batch alone; also after a kill that came before it."""
        followed = None if self._told else self._followed()
        if followed is None or followed[0].last_batch_id:
            return ""
        self._told = True
        return injected(followed[1])

    def _followed(self) -> tuple[WorkflowRun, Workflow] | None:
        cursor = self._cursor()
        if not cursor.active or cursor.run_id != self._place.run_id:
            return None
        held = self._open_desk().effective.get(cursor.workflow_id)
        if held is None or not held.workflow.enabled:
            gone = "the workflow is gone" if held is None else "the workflow was turned off"
            self._store(cursors.close(cursor, gone, clock.now()))
            return None
        return cursor, held.workflow

    def _open_gates(self, recorder: RunRecorder) -> tuple[list[str], Stop | None]:
        """Ask for each closed gate that comes next; what the agent has yet to hear about those that were opened."""
        while (followed := self._followed()) is not None:
            cursor, workflow = followed
            step = workflow.step(cursor.next_step_id)
            if step is None or not step.is_closed_gate:
                return cursor.opened, None
            answer = recorder.ask_once(question(workflow, step, self._place.language))
            if answer is None:
                return [], Stop(text("workflow.gate-waits", self._place.language, name=workflow.name))
            if refuses(answer):
                reason = text("workflow.gate-closed", self._place.language, step=step.title or step.id)
                self._store(cursors.close(cursor, reason, clock.now()))
                return [], Stop(reason)
            told = f"The person was asked about this step and said: {answer}\nSo you may do it now: {step.text}"
            self._store(cursors.pass_gate(cursor, workflow, step, told, clock.now()))
        return [], None

    def _open_desk(self) -> WorkflowDesk:
        return WorkflowDesk(self._place.home, self._place.project, self._place.notices)

    def _cursor(self) -> WorkflowRun:
        return read_cursor(self._place.files, self._place.run_id, self._place.notices)

    def _store(self, cursor: WorkflowRun) -> None:
        store_cursor(self._place.files, self._place.run_id, cursor, self._place.notices)


def injected(workflow: Workflow) -> str:
    """Return what the agent is told of a workflow: all of it at once, no reports wanted."""
    head = f"The person does this in a way of their own, {workflow.name!r}. Follow it as far as it fits the task:"
    rules = "Do several steps at once where you like; no reports are needed."
    if any(step.is_closed_gate for step in workflow.steps):
        rules += " End your turn before a gate that says to stop; you will hear whether to go on."
    return redact("\n".join([head, *step_lines(workflow.steps), rules]))


def question(workflow: Workflow, step: WorkflowStep, language: str) -> str:
    """Return what the person is asked at a closed gate."""
    key = "workflow.gate-deny" if step.policy == "deny" else "workflow.gate-ask"
    return text(key, language, name=workflow.name, risk=step.risk_category, step=step.text)


def _note(workflow: Workflow, cursor: WorkflowRun) -> str:
    where = f"next is {cursor.next_step_id}" if cursor.active else f"closed: {cursor.close_reason}"
    return f"workflow {workflow.name!r}: {len(cursor.completed_step_ids)} of {len(workflow.steps)} steps done, {where}"
