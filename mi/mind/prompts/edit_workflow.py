"""edit_workflow: a workflow, changed as the person asked in words."""

import msgspec
from msgspec import Struct

from mi.evidence.records.workflow_ir import Workflow
from mi.mind.prompt import Prompt, Section
from mi.mind.sections import cited
from mi.mind.views import CitableText

_INSTRUCTION = """\
Change the workflow as the REQUEST says and in nothing else. Keep the ids of steps that stay; give new steps new ids.
Keep id, version, source, created_ts and updated_ts as they are; redraw mermaid when the steps change, or leave it
empty. change_summary: one short line for each change. conflicts: what in the request contradicts the workflow, the
person's values or itself; when the request cannot be carried out at all, return the workflow unchanged and say why
there. The request is the person's own word."""
NO_MODEL = "no model"


class EditedWorkflow(Struct, frozen=True, kw_only=True):
    workflow: Workflow
    change_summary: list[str]
    conflicts: list[str]
    notes: str


class EditCase(Struct, frozen=True, kw_only=True):
    """A workflow and what the person wants of it."""

    workflow: Workflow
    request: str
    known: list[CitableText] = []
    settings: str = ""
    project: str = ""


def _sections(given: EditCase) -> list[Section]:
    return [
        Section("SETTINGS", given.settings, 0.3),
        Section("PROJECT", given.project, 0.3),
        Section("KNOWN", cited(given.known), 1),
        Section("WORKFLOW", msgspec.json.encode(given.workflow).decode(), 4),
        Section("REQUEST", given.request, 2),
    ]


def _unchanged(given: EditCase) -> EditedWorkflow:
    """Return the rules understand no request: it stays as it is, and the caller says so."""
    return EditedWorkflow(workflow=given.workflow, change_summary=[], conflicts=[NO_MODEL], notes="")


edit_workflow = Prompt("edit_workflow", EditedWorkflow, _INSTRUCTION, _sections, _unchanged)
