"""suggest_workflow: whether a stretch of work shows a habit worth keeping.

The rules suggest nothing: recognising a habit takes understanding, and a wrong one would be followed again and again.
"""

from typing import Literal

from msgspec import Struct

from mi.evidence.records.workflow_ir import Workflow
from mi.mind.prompt import Prompt, Section
from mi.mind.sections import cited
from mi.mind.views import CitableText

_INSTRUCTION = """\
Judge whether this stretch of work follows a procedure that the person will want again in other tasks of this
project, such as a way to release, to review, to add a migration. Usually it does not: should_suggest is false and
suggestion null. If it does, write it as a workflow of a few steps: kind hands (work), check (a command that shows
success, in check_input with the command in backquotes), gate (before something external or irreversible, with
risk_category and policy ask). trigger: task_contains with words that such a task would hold, else manual.
signature: a few lowercase words joined by dashes that name the habit and would be the same next time. Leave id,
created_ts, updated_ts, mermaid and source.reason empty and evidence_refs to the ids of the events that show it."""


class SuggestedWorkflow(Struct, frozen=True, kw_only=True):
    """A habit a model saw; `signature` is the same whenever it sees the same habit."""

    signature: str
    benefit: Literal["low", "medium", "high"]
    confidence: float
    reason: str
    workflow: Workflow


class WorkflowAdvice(Struct, frozen=True, kw_only=True):
    should_suggest: bool
    suggestion: SuggestedWorkflow | None
    notes: str


class HabitCase(Struct, frozen=True, kw_only=True):
    """A stretch of work that may show a habit."""

    task: str
    events: list[CitableText]
    known: list[CitableText] = []
    workflows: list[str] = []  # names and signatures that are there already
    settings: str = ""
    project: str = ""
    notes: str = ""


def _sections(given: HabitCase) -> list[Section]:
    return [
        Section("TASK", given.task, 0.5),
        Section("SETTINGS", given.settings, 0.3),
        Section("PROJECT", given.project, 0.3),
        Section("KNOWN ALREADY", cited(given.known), 1),
        Section("WORKFLOWS THERE ARE", "\n".join(given.workflows), 0.5),
        Section("EVENTS", cited(given.events), 4),
        Section("NOTES", given.notes, 0.5),
    ]


def _nothing(given: HabitCase) -> WorkflowAdvice:
    return WorkflowAdvice(should_suggest=False, suggestion=None, notes="rules suggest nothing")


suggest_workflow = Prompt("suggest_workflow", WorkflowAdvice, _INSTRUCTION, _sections, _nothing)
