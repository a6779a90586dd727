"""Changing a workflow by saying how: a Mind rewrites it, what comes back is checked before it is believed."""

import msgspec

from mi.evidence.log import EvidenceWriter
from mi.evidence.records.workflow_ir import Workflow
from mi.kernel.errors import MiError, UsageError
from mi.learning.knowledge import Knowledge
from mi.learning.mind_calls import Judge, ask_recorded
from mi.mind.prompts.edit_workflow import NO_MODEL, EditCase, EditedWorkflow, edit_workflow
from mi.workflows.ir import check_new


def propose(
    judge: Judge, knowledge: Knowledge, workflow: Workflow, request: str, log: EvidenceWriter
) -> EditedWorkflow:
    """The workflow as the request wants it; MiError when no model understood it or what came back is no workflow."""
    if not request.strip():
        raise UsageError("empty-text", field="--request")
    given = EditCase(
        workflow=workflow,
        request=request,
        known=knowledge.known(f"{workflow.name} {request}"),
        settings=knowledge.runtime_text(),
        project=knowledge.overlay_text(),
    )
    judgement = ask_recorded(judge, edit_workflow, given, log)
    edited = judgement.value
    if edited is None or NO_MODEL in edited.conflicts:
        raise MiError("edit-needs-model", id=workflow.id, reason=judgement.error or judgement.by)
    kept = {name: getattr(workflow, name) for name in ("version", "id", "source", "created_ts", "updated_ts")}
    wanted = msgspec.structs.replace(edited.workflow, **kept)
    check_new(wanted, judgement.by)
    return msgspec.structs.replace(edited, workflow=wanted)
