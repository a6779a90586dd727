"""Workflow files: one folder for a project, one for all of them; each file is the truth about one workflow."""

import os
from collections.abc import Callable
from typing import Any, Literal

import msgspec

from mi.evidence.records.workflow_ir import Workflow
from mi.kernel import believed, clock, files
from mi.kernel.errors import MiError, NotFound
from mi.kernel.home import make_dirs
from mi.kernel.locks import lock_folder
from mi.kernel.messages import NestedText
from mi.kernel.notices import Notices
from mi.kernel.state import encode_pretty
from mi.workflows.ir import BadWorkflow, check_new, convert, is_id, parse
from mi.workflows.render import draw_mermaid

Scope = Literal["project", "global"]


class WorkflowStore:
    """The `wf_*.json` of one folder."""

    def __init__(self, folder: str, scope: Scope, notices: Notices) -> None:
        self.folder = folder
        self.scope = scope
        self._notices = notices

    def all(self) -> list[Workflow]:
        """Return every workflow that can be read, oldest first; of the others a notice."""
        try:
            names = sorted(name for name in os.listdir(self.folder) if name.endswith(".json"))
        except (FileNotFoundError, NotADirectoryError):
            return []
        found = []
        for name in names:
            try:
                one = self.get(name.removesuffix(".json"))
            except BadWorkflow as error:
                self._notices.add("workflow-unreadable", self._path(name), reason=error.details["reason"])
                continue
            found += [one] if one else []
        return found

    def get(self, workflow_id: str) -> Workflow | None:
        """Return the workflow of an id; BadWorkflow when its file holds none."""
        raw = self.raw(workflow_id)
        return None if raw is None else convert(raw, self._path(f"{workflow_id}.json"))

    def raw(self, workflow_id: str) -> dict[str, Any] | None:
        """Return the stored object with every key it has."""
        data = self.raw_bytes(workflow_id)
        if data is None:
            return None
        path = self._path(f"{workflow_id}.json")
        raw = parse(data, path)
        if raw["id"] != workflow_id:
            raise BadWorkflow("bad-workflow", where=path, reason=NestedText("reason.other-id", value=raw["id"]))
        return raw

    def raw_bytes(self, workflow_id: str) -> bytes | None:
        """Return what is in the file of an id, whatever it is."""
        return files.read_bytes(self._path(f"{workflow_id}.json")) if is_id(workflow_id) else None

    def add(self, workflow: Workflow, more: dict[str, Any] | None = None) -> Workflow:
        """Store a new workflow; MiError when there is one of its id. `more`: further keys to keep."""
        make_dirs(self.folder)
        with lock_folder(self.folder):
            path = self._path(f"{workflow.id}.json")
            if os.path.lexists(path):
                raise MiError("workflow-exists", id=workflow.id, path=path)
            now = clock.now()
            stamped = msgspec.structs.replace(workflow, created_ts=workflow.created_ts or now, updated_ts=now)
            return self._write(_drawn(stamped, []), more or {})

    def change(self, workflow_id: str, change: Callable[[Workflow], Workflow]) -> Workflow:
        """Change a stored workflow; id and time of creation stay, keys that this version does not know, too."""
        if self.raw(workflow_id) is None:
            raise NotFound("unknown-workflow", id=workflow_id, where=self.folder)
        with lock_folder(self.folder):
            raw = self.raw(workflow_id) or {}
            old = convert(raw, self.folder)
            new = msgspec.structs.replace(change(old), version=old.version, id=old.id, created_ts=old.created_ts)
            if new == old:
                return old
            return self._write(_drawn(msgspec.structs.replace(new, updated_ts=clock.now()), old.steps), raw)

    def delete(self, workflow_id: str) -> bytes:
        """Remove a workflow's file, also one that cannot be read; returns what was in it."""
        data = self.raw_bytes(workflow_id)
        if data is None:
            raise NotFound("unknown-workflow", id=workflow_id, where=self.folder)
        with lock_folder(self.folder):
            believed.remove(self._path(f"{workflow_id}.json"))
            files.sync_folder(self.folder)
        return data

    def _write(self, workflow: Workflow, raw: dict[str, Any]) -> Workflow:
        path = self._path(f"{workflow.id}.json")
        check_new(workflow, path)
        files.write_atomic(path, encode_pretty(layer_over(raw, workflow)))
        return workflow

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, name)


def layer_over(raw: dict[str, Any], workflow: Workflow) -> dict[str, Any]:
    """Return the workflow as JSON, with the unknown keys of the object it came from, those of its steps included."""
    new: dict[str, Any] = msgspec.to_builtins(workflow)
    steps = raw.get("steps")
    old = {step.get("id"): step for step in steps if isinstance(step, dict)} if isinstance(steps, list) else {}
    for name in ("trigger", "source"):
        if isinstance(raw.get(name), dict):
            new[name] = raw[name] | new[name]
    return raw | new | {"steps": [old.get(step["id"], {}) | step for step in new["steps"]]}


def _drawn(workflow: Workflow, former: list[Any]) -> Workflow:
    """Return the flowchart follows the steps, unless someone drew another."""
    if workflow.mermaid.strip() in ("", draw_mermaid(former)):
        return msgspec.structs.replace(workflow, mermaid=draw_mermaid(workflow.steps))
    return workflow
