"""workflow_progress: how far the work is in a workflow, read from what was seen."""

import re

from msgspec import Struct, field

from mi.evidence.records.workflow_ir import Workflow, WorkflowStep
from mi.evidence.records.workflows import WorkflowProgressOutput
from mi.mind.prompt import Prompt, Section
from mi.mind.sections import batch_sections, cited, person_sections, step_list
from mi.mind.views import BatchView, CitableText, Person, ProofView
from mi.project.overlay import WorkflowRun

_INSTRUCTION = """\
Say which steps of the workflow the evidence shows to be complete, now or earlier; the agent may have done several
at once, in its own manner. completed_step_ids and next_step_id are ids of the steps below. A check is complete only
when its command was seen to end with exit code 0. A gate with ask or deny is never complete by the agent's word.
should_close when all steps are complete, or the work has clearly left the workflow; say why in close_reason.
Ask nobody anything and ask the agent for no reports; when the evidence does not tell, should_update is false."""


class WorkflowCase(Struct, frozen=True, kw_only=True):
    """A workflow, its cursor, and what the latest batch showed."""

    workflow: Workflow
    cursor: WorkflowRun
    batch: BatchView
    person: Person = field(default_factory=Person)
    run_diff: str = ""
    proof: ProofView | None = None
    recent: list[CitableText] = []


def _sections(given: WorkflowCase) -> list[Section]:
    cursor = given.cursor
    where = f"next: {cursor.next_step_id or 'unknown'}; last notes: {cursor.last_notes}"
    return [
        *person_sections(given.person),
        Section("WORKFLOW", step_list(given.workflow, cursor.completed_step_ids), 3),
        Section("CURSOR", where, 0.3),
        Section("LATEST EVIDENCE", cited(given.recent[-4:]), 2),
        *batch_sections(given.batch, given.run_diff, given.proof),
    ]


def _rules(given: WorkflowCase) -> WorkflowProgressOutput:
    """Return the steps done in order: work by the agent's word, checks by exit code, gates never."""
    done = [step.id for step in given.workflow.steps if step.id in given.cursor.completed_step_ids]
    new: list[str] = []
    following: WorkflowStep | None = None
    # Who was only sent to a check says nothing of other work.
    sent_to_check = any(step.kind == "check" and step.text == given.batch.batch_input for step in given.workflow.steps)
    for step in given.workflow.steps:
        if step.id in done:
            continue
        if step.is_closed_gate or (sent_to_check and step.kind == "hands") or not _is_complete(step, given.batch):
            following = step
            break
        new.append(step.id)
    closes = following is None
    return WorkflowProgressOutput(
        should_update=bool(new) or closes,
        completed_step_ids=[*done, *new],
        next_step_id=following.id if following else None,
        should_close=closes,
        close_reason="all steps are complete" if closes else None,
        confidence=0.6,
        notes="",
    )


def commands_in(step: WorkflowStep) -> list[str]:
    """Return the commands that a check names, in backquotes."""
    return re.findall(r"`([^`]+)`", step.check_input)


def _is_complete(step: WorkflowStep, batch: BatchView) -> bool:
    match step.kind:
        case "check":
            commands = commands_in(step)
            ran = [one.command for one in batch.commands if one.exit_code == 0]
            if commands:
                return all(any(command in one for one in ran) for command in commands)
            return batch.marks.verified
        case "gate":
            return True
    return batch.ended and (batch.marks.claimed or _is_named(step, batch.last_message))


def _is_named(step: WorkflowStep, message: str) -> bool:
    return bool(step.title.strip()) and step.title.strip().lower() in message.lower()


workflow_progress = Prompt("workflow_progress", WorkflowProgressOutput, _INSTRUCTION, _sections, _rules)
