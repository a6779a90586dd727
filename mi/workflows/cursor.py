"""Where a run is in a workflow: pure steps from one cursor to the next."""

import msgspec

from mi.evidence.records.workflow_ir import Workflow, WorkflowStep
from mi.evidence.records.workflows import WorkflowProgressOutput
from mi.kernel.named_tuple import NamedTuple
from mi.project.overlay import WorkflowRun


class Advanced(NamedTuple):
    """The new cursor, and what of the answer was dropped."""

    cursor: WorkflowRun
    dropped: list[str]


def begin(workflow: Workflow, run_id: str, now: str) -> WorkflowRun:
    """Return the cursor before anything was done."""
    return WorkflowRun(
        active=True,
        workflow_id=workflow.id,
        workflow_name=workflow.name,
        run_id=run_id,
        started_ts=now,
        updated_ts=now,
        next_step_id=_first_open(workflow, []),
    )


def advance(cursor: WorkflowRun, workflow: Workflow, told: WorkflowProgressOutput, now: str) -> Advanced:
    """Take an answer in: steps that are not there are dropped, and a gate is passed by the person's word alone."""
    known = {step.id: step for step in workflow.steps}
    named = [*told.completed_step_ids, *([told.next_step_id] if told.next_step_id else [])]
    dropped = [one for one in dict.fromkeys(named) if one not in known]
    done = set(cursor.completed_step_ids)
    if told.should_update:
        done |= {one for one in told.completed_step_ids if one in known and not known[one].is_closed_gate}
    completed = [step.id for step in workflow.steps if step.id in done]
    closed = told.should_close and not any(step.is_closed_gate and step.id not in done for step in workflow.steps)
    notes = "; ".join([*([told.notes] if told.notes else []), *(f"no step {one}" for one in dropped)])
    new = msgspec.structs.replace(
        cursor,
        completed_step_ids=completed,
        next_step_id=_next(workflow, completed, told if told.should_update else None),
        last_confidence=told.confidence,
        last_notes=notes,
        opened=[],
        updated_ts=now,
    )
    return Advanced(close(new, told.close_reason or "closed by the judge", now) if closed else new, dropped)


def pass_gate(cursor: WorkflowRun, workflow: Workflow, step: WorkflowStep, told: str, now: str) -> WorkflowRun:
    """Return the cursor behind a gate that the person opened; `told` is kept until a batch has heard it."""
    done = {*cursor.completed_step_ids, step.id}
    completed = [one.id for one in workflow.steps if one.id in done]
    return msgspec.structs.replace(
        cursor,
        completed_step_ids=completed,
        next_step_id=_first_open(workflow, completed),
        opened=[*cursor.opened, told],
        updated_ts=now,
    )


def close(cursor: WorkflowRun, reason: str, now: str) -> WorkflowRun:
    """Return the cursor of a workflow that is no longer followed."""
    return msgspec.structs.replace(cursor, active=False, close_reason=reason, updated_ts=now)


def _next(workflow: Workflow, completed: list[str], told: WorkflowProgressOutput | None) -> str | None:
    """Return the step to come: the one that was named, but never one behind a gate that is still closed."""
    ids = [step.id for step in workflow.steps]
    chosen = told.next_step_id if told else None
    if chosen not in ids or chosen in completed:
        chosen = _first_open(workflow, completed)
    gate = next((step.id for step in workflow.steps if step.is_closed_gate and step.id not in completed), None)
    if chosen is not None and gate is not None and ids.index(gate) < ids.index(chosen):
        return gate
    return chosen


def _first_open(workflow: Workflow, completed: list[str]) -> str | None:
    return next((step.id for step in workflow.steps if step.id not in completed), None)
