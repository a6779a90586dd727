"""What a project changes of a global workflow without touching it, and the workflows that hold there as a result."""

from typing import Any

import msgspec
from msgspec import Struct

from mi.evidence.records.workflow_ir import Workflow, WorkflowStep
from mi.kernel.errors import MiError
from mi.kernel.messages import NestedText
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.workflows.ir import check_steps
from mi.workflows.store import Scope, WorkflowStore

_PATCHED = ("kind", "title", "hands_input", "check_input", "risk_category", "policy", "notes")


class WorkflowOverride(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One entry of the overlay's `global_workflow_overrides`; a patch with `enabled: false` leaves its step out."""

    enabled: bool | None = None
    step_patches: dict[str, dict[str, Any]] = {}
    steps_replace: list[WorkflowStep] | None = None


def read(raw: dict[str, Any], workflow_id: str) -> WorkflowOverride:
    """Return an override as the overlay stores it; MiError when it is none."""
    try:
        override = msgspec.convert(raw, WorkflowOverride)
        for step_id, patch in override.step_patches.items():
            _patched(WorkflowStep(id=step_id), patch)
        check_steps(override.steps_replace or [], workflow_id)
    except msgspec.ValidationError as error:
        raise MiError("bad-override", id=workflow_id, reason=str(error)) from None
    return override


def encode_override(raw: dict[str, Any], override: WorkflowOverride) -> dict[str, Any]:
    """Return the override as JSON, with the keys of `raw` that this version does not know."""
    known: dict[str, Any] = msgspec.to_builtins(override)
    return {key: value for key, value in raw.items() if key not in WorkflowOverride.__struct_fields__} | known


def apply(workflow: Workflow, override: WorkflowOverride) -> Workflow:
    """Return the workflow as the project has it; patches of steps that are no longer there change nothing."""
    enabled = workflow.enabled if override.enabled is None else override.enabled
    steps = workflow.steps if override.steps_replace is None else override.steps_replace
    patched = [_patched(step, override.step_patches.get(step.id, {})) for step in steps]
    kept = [step for step in patched if step is not None]
    drawing = workflow.mermaid if kept == workflow.steps else ""
    return msgspec.structs.replace(workflow, enabled=enabled, steps=kept, mermaid=drawing)


def find_unknown_steps(workflow: Workflow, override: WorkflowOverride) -> list[str]:
    """Return the steps that an override patches and the workflow does not have."""
    steps = workflow.steps if override.steps_replace is None else override.steps_replace
    return [step_id for step_id in override.step_patches if step_id not in {step.id for step in steps}]


def check(workflow: Workflow, override: WorkflowOverride) -> None:
    """Raise unless the override speaks of steps that are there."""
    unknown = find_unknown_steps(workflow, override)
    if unknown:
        known = ", ".join(step.id for step in workflow.steps) or "-"
        raise MiError("unknown-step", id=workflow.id, step=", ".join(unknown), known=known)


def compare_workflows(base: Workflow, wanted: Workflow) -> WorkflowOverride:
    """Return the smallest override that makes `wanted` of `base`.

    Patches, or all steps when their order or number grew.
    """
    ids = [step.id for step in base.steps]
    kept = [step.id for step in wanted.steps]
    enabled = None if wanted.enabled == base.enabled else wanted.enabled
    if [one for one in ids if one in set(kept)] != kept:
        return WorkflowOverride(enabled=enabled, steps_replace=wanted.steps)
    patches: dict[str, dict[str, Any]] = {}
    for step in base.steps:
        new = wanted.step(step.id)
        if new is None:
            patches[step.id] = {"enabled": False}
        elif new != step:
            patches[step.id] = {
                name: getattr(new, name) for name in _PATCHED if getattr(new, name) != getattr(step, name)
            }
    return WorkflowOverride(enabled=enabled, step_patches=patches)


def _patched(step: WorkflowStep, patch: dict[str, Any]) -> WorkflowStep | None:
    if patch.get("enabled") is False or patch.get("disabled") is True:
        return None
    changed = {name: value for name, value in patch.items() if name in _PATCHED}
    unknown = patch.keys() - {*_PATCHED, "enabled", "disabled", "id"}
    if unknown:
        raise msgspec.ValidationError(f"a step has no {', '.join(sorted(unknown))}")
    return msgspec.convert(msgspec.to_builtins(step) | changed, WorkflowStep)


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
        """Return every workflow that holds, disabled ones included; project first."""
        own = [Held(one, "project") for one in self._project.all()]
        taken = {one.workflow.id for one in own}
        return own + [self._global_one(one) for one in self._global.all() if one.id not in taken]

    def enabled(self) -> list[Workflow]:
        """Return the workflows that are in use."""
        return [held.workflow for held in self.all() if held.workflow.enabled]

    def get(self, workflow_id: str) -> Held | None:
        """Return the workflow of an id as it holds here."""
        own = self._project.get(workflow_id)
        if own is not None:
            return Held(own, "project")
        other = self._global.get(workflow_id)
        return self._global_one(other) if other is not None else None

    def override(self, workflow_id: str) -> WorkflowOverride | None:
        """Return what the project changes of a global workflow; one that cannot be read changes nothing."""
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
        for step in find_unknown_steps(workflow, override):
            self._notices.add("override-ignored", workflow.id, reason=NestedText("reason.no-step", id=step))
        return Held(apply(workflow, override), "global", True)
