"""Where commands change workflows: the right store or the project's override, one use case each."""

from collections.abc import Callable
from typing import Any

import msgspec

from mi.evidence.records.workflow_ir import Source, Trigger, Workflow, WorkflowStep
from mi.kernel import ids
from mi.kernel.errors import MiError, NotFound, UsageError
from mi.kernel.home import Home
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.messages import NestedText
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.kernel.state import update_state
from mi.kernel.text import make_printable
from mi.project.identity import Project
from mi.project.overlay import Overlay, ensure_overlay, read_overlay
from mi.workflows import overrides
from mi.workflows.ir import BadWorkflow, check_new, convert
from mi.workflows.overrides import EffectiveWorkflows, Held
from mi.workflows.store import Scope, WorkflowStore, layer_over


class ChangedWorkflow(NamedTuple):
    """A workflow after a change; `lost` names what an override cannot say and therefore did not change."""

    held: Held
    lost: list[str] = []


class WorkflowDesk:
    """The workflows of a project and of the home, to read and to change."""

    def __init__(self, home: Home, project: Project, notices: Notices) -> None:
        self._home = home
        self._project = project
        self.notices = notices
        self.own = WorkflowStore(home.project(project.project_id).workflows, "project", notices)
        self.globally = WorkflowStore(home.workflows, "global", notices)

    @property
    def effective(self) -> EffectiveWorkflows:
        overlay = read_overlay(self._home, self._project, self.notices)
        return EffectiveWorkflows(self.own, self.globally, overlay.global_workflow_overrides, self.notices)

    def store(self, scope: str) -> WorkflowStore:
        """Return the store of a scope."""
        return self.globally if scope == "global" else self.own

    def all(self, scope: str) -> list[Held]:
        """Return the workflows of a scope."""
        if scope == "effective":
            return self.effective.all()
        store = self.store(scope)
        return [Held(one, store.scope) for one in store.all()]

    def get(self, workflow_id: str, scope: str) -> Held:
        """Return the workflow of an id in a scope; NotFound says where it is instead."""
        if scope == "effective":
            held = self.effective.get(workflow_id)
            if held is not None:
                return held
            where = f"{self.own.folder} , {self.globally.folder}"
            raise NotFound("unknown-workflow", id=workflow_id, where=where)
        store = self.store(scope)
        found = store.get(workflow_id)
        if found is not None:
            return Held(found, store.scope)
        other = self.globally if scope == "project" else self.own
        if other.get(workflow_id) is not None:
            raise NotFound("workflow-elsewhere", id=workflow_id, where=other.scope, scope=scope)
        raise NotFound("unknown-workflow", id=workflow_id, where=store.folder)

    # changes

    def create(
        self, scope: Scope, name: str, trigger: Trigger, steps: list[WorkflowStep], *, enabled: bool = True
    ) -> Workflow:
        """Store a new workflow of the person's."""
        self._know(scope)
        made = Workflow(
            id=ids.make_id("wf"),
            name=" ".join(make_printable(name).split()),
            enabled=enabled,
            trigger=trigger,
            steps=steps,
            source=Source(kind="manual"),
        )
        return self.store(scope).add(made)

    def set_enabled(self, workflow_id: str, scope: str, enabled: bool, override: bool) -> ChangedWorkflow:
        """Turn a workflow on or off; with `override` for this project alone."""
        held = self.target(workflow_id, scope, override)
        if override:
            return self._override(workflow_id, lambda old: msgspec.structs.replace(old, enabled=enabled))
        store = self.store(held.scope)
        changed = store.change(workflow_id, lambda old: msgspec.structs.replace(old, enabled=enabled))
        return ChangedWorkflow(Held(changed, held.scope))

    def replace(self, workflow_id: str, scope: str, wanted: Workflow, override: bool) -> ChangedWorkflow:
        """Make a workflow what it shall be; with `override` for this project alone."""
        held = self.target(workflow_id, scope, override)
        check_new(msgspec.structs.replace(wanted, id=workflow_id), workflow_id)
        if not override:
            store = self.store(held.scope)
            kept = {"source": held.workflow.source}
            changed = store.change(workflow_id, lambda old: msgspec.structs.replace(wanted, **kept))
            return ChangedWorkflow(Held(changed, held.scope))
        base = self.get(workflow_id, "global").workflow
        lost = [name for name in ("name", "trigger") if getattr(wanted, name) != getattr(base, name)]
        new = overrides.compare_workflows(base, wanted)
        done = self._override(workflow_id, lambda old: new)
        return done._replace(lost=lost)

    def delete(self, workflow_id: str, scope: str, override: bool) -> None:
        """Delete a workflow; with `override` only what this project changes of it."""
        if not override:
            store = self.store(scope)
            if store.raw_bytes(workflow_id) is None:
                self.get(workflow_id, scope)  # says where it is instead
            store.delete(workflow_id)
            return
        if workflow_id not in read_overlay(self._home, self._project, self.notices).global_workflow_overrides:
            raise NotFound("no-override", id=workflow_id)
        self._change_overrides(lambda all_: {key: value for key, value in all_.items() if key != workflow_id})

    def take_in(self, data: bytes, where: str, scope: Scope, replace: bool) -> list[Workflow]:
        """Store the workflows of an exported file; all or none."""
        found = [(raw, convert(raw, where)) for raw in _objects(data, where)]
        for _, workflow in found:
            check_new(workflow, where)
        names = [workflow.id for _, workflow in found]
        for workflow_id in names:
            if names.count(workflow_id) > 1:
                raise BadWorkflow(
                    "bad-workflow", where=where, reason=NestedText("reason.two-workflows", value=workflow_id)
                )
            if not replace and self.store(scope).raw(workflow_id) is not None:
                raise MiError("workflow-exists", id=workflow_id, path=self.store(scope).folder)
        self._know(scope)
        return [self._take_one(raw, workflow, scope) for raw, workflow in found]

    def _take_one(self, raw: dict[str, Any], workflow: Workflow, scope: Scope) -> Workflow:
        store = self.store(scope)
        if store.raw(workflow.id) is not None:
            return store.change(workflow.id, lambda old: workflow)
        return store.add(workflow, raw)

    def exported(self, held: list[Held]) -> dict[str, Any]:
        """Workflows for a file that another home can take in."""
        raws = [layer_over(self.store(one.scope).raw(one.workflow.id) or {}, one.workflow) for one in held]
        return {"version": "v1", "workflows": raws}

    # overrides

    def is_decided_here(self, workflow_id: str, scope: str, override: bool) -> bool:
        """Return whether a change belongs into the project's override.

        Asked for, or it says already what holds here.
        """
        return self.target(workflow_id, scope, override).overridden or override

    def target(self, workflow_id: str, scope: str, override: bool) -> Held:
        held = self.get(workflow_id, scope)
        if override and held.scope != "global":
            raise UsageError("override-of-project", id=workflow_id)
        return held

    def _override(
        self, workflow_id: str, change: Callable[[overrides.WorkflowOverride], overrides.WorkflowOverride]
    ) -> ChangedWorkflow:
        base = self.get(workflow_id, "global").workflow

        def changed(all_: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
            raw = all_.get(workflow_id, {})
            new = change(overrides.read(raw, workflow_id))
            overrides.check(base, new)
            others = {key: value for key, value in all_.items() if key != workflow_id}
            entry = overrides.encode_override(raw, new)
            return others | {workflow_id: entry} if entry else others

        self._change_overrides(changed)
        held = self.effective.get(workflow_id)
        return ChangedWorkflow(held if held is not None else Held(base, "global"))

    def _change_overrides(self, change: Callable[[dict[str, dict[str, Any]]], dict[str, dict[str, Any]]]) -> None:
        ensure_overlay(self._home, self._project, self.notices)

        def changed(overlay: Overlay) -> Overlay:
            return msgspec.structs.replace(overlay, global_workflow_overrides=change(overlay.global_workflow_overrides))

        update_state(self._home.project(self._project.project_id).overlay, Overlay, changed, self.notices)

    def _know(self, scope: Scope) -> None:
        if scope == "project":
            ensure_overlay(self._home, self._project, self.notices)


def _objects(data: bytes, where: str) -> list[dict[str, Any]]:
    """Return the workflows of a file: an export, a list of them, or a single one."""
    try:
        raw = decode(data, dict[str, Any] | list[dict[str, Any]])  # type: ignore[arg-type]
    except BadJson as error:
        raise BadWorkflow("bad-workflow", where=where, reason=str(error)) from None
    found: Any = raw if isinstance(raw, list) else raw.get("workflows", [raw])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise BadWorkflow("bad-workflow", where=where, reason=NestedText("reason.no-list-at", at="workflows"))
    return found
