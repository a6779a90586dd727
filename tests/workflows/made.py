"""Workflows to test with."""

from typing import Any

from mi.evidence.records.workflow_ir import Trigger, Workflow, WorkflowStep

WORK = WorkflowStep(id="s1", title="Update the changelog", hands_input="Update CHANGELOG.md.")
CHECK = WorkflowStep(id="s2", kind="check", title="Test", check_input="Run `make test`.")
GATE = WorkflowStep(id="s3", kind="gate", title="Push", hands_input="Push the tag.", risk_category="push", policy="ask")


def workflow(**more: Any) -> Workflow:
    """A release workflow with a step of each kind."""
    known: dict[str, Any] = {
        "id": "wf_release",
        "name": "Release",
        "trigger": Trigger(mode="task_contains", pattern="release"),
        "steps": [WORK, CHECK, GATE],
    }
    return Workflow(**(known | more))
