"""The workflows that hold in a project: the global ones as the project overrides them, and its own, which win."""

from typing import Any, NamedTuple

from mi.evidence.records.workflow_ir import Workflow
from mi.kernel.errors import MiError
from mi.kernel.messages import NestedText
from mi.kernel.notices import Notices
from mi.workflows.overrides import WorkflowOverride, apply, read, unknown_steps
from mi.workflows.store import Scope, WorkflowStore


class Held(NamedTuple):
    """A workflow as it holds, and where it is stored."""

    workflow: Workflow
    scope: Scope
    overridden: bool = False


class EffectiveWorkflows:
    """Both stores and a project's overrides, taken together."""

    def __init__(
        self, project: WorkflowStore, globally: WorkflowStore, overrides: dict[str, dict[str, Any]], notices: Notices
    ) -> None:
        self._project = project
        self._global = globally
        self._overrides = overrides
        self._notices = notices

    def all(self) -> list[Held]:
        """Every workflow that holds, disabled ones included; project first."""
        own = [Held(one, "project") for one in self._project.all()]
        taken = {one.workflow.id for one in own}
        return own + [self._global_one(one) for one in self._global.all() if one.id not in taken]

    def enabled(self) -> list[Workflow]:
        """The workflows that are in use."""
        return [held.workflow for held in self.all() if held.workflow.enabled]

    def get(self, workflow_id: str) -> Held | None:
        """The workflow of an id as it holds here."""
        own = self._project.get(workflow_id)
        if own is not None:
            return Held(own, "project")
        other = self._global.get(workflow_id)
        return self._global_one(other) if other is not None else None

    def override(self, workflow_id: str) -> WorkflowOverride | None:
        """What the project changes of a global workflow; one that cannot be read changes nothing."""
        raw = self._overrides.get(workflow_id)
        if raw is None:
            return None
        try:
            return read(raw, workflow_id)
        except MiError as error:
            self._notices.add("override-ignored", workflow_id, reason=error.line())
            return None

    def _global_one(self, workflow: Workflow) -> Held:
        override = self.override(workflow.id)
        if override is None:
            return Held(workflow, "global")
        for step in unknown_steps(workflow, override):
            self._notices.add("override-ignored", workflow.id, reason=NestedText("reason.no-step", id=step))
        return Held(apply(workflow, override), "global", True)
