"""What workflows hand to the search index: their texts, and which global ones a project does without."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mi.kernel.files import read_bytes
from mi.kernel.jsontext import BadJson, decode_fields
from mi.knowledge.search.documents import Change, Document, DocumentChanges
from mi.knowledge.search.sources import FolderProducer, file_stamp
from mi.knowledge.status import Correction

if TYPE_CHECKING:  # most searches find nothing new
    from mi.evidence.records.workflow_ir import Workflow


def workflow_files(folder: str, source: str, project_id: str) -> FolderProducer:
    """Return the producer of the workflows `wf_*.json` of a folder."""

    def read(name: str, data: bytes) -> Document | None:
        from mi.evidence.records.workflow_ir import Workflow

        try:
            workflow = decode_fields(data, Workflow)
        except BadJson:
            return None
        return _document(workflow, name.removesuffix(".json"), project_id) if workflow.enabled else None

    return FolderProducer(folder, source, project_id, "workflow", ".json", read)


def _document(workflow: "Workflow", name: str, project_id: str) -> Document:
    said = [workflow.name, workflow.trigger.pattern, workflow.source.reason]
    for step in workflow.steps:
        said += [step.title, step.hands_input, step.check_input, step.notes]
    return Document(
        name,
        "workflow",
        "\n".join(text for text in said if text),
        project_id,
        title=workflow.name,
        ts=workflow.updated_ts or workflow.created_ts,
        event_ids=tuple(workflow.source.evidence_refs),
    )


class WorkflowOverrides:
    """The global workflows that a project's overlay disables: taken back for that project, and for no other."""

    kinds = frozenset(["workflow"])

    def __init__(self, overlay: str, source: str, project_id: str) -> None:
        self.source = source
        self.project_id = project_id
        self._overlay = overlay

    def end(self) -> str:
        try:
            return file_stamp(os.stat(self._overlay))
        except (FileNotFoundError, NotADirectoryError):
            return ""

    def read(self, cursor: str) -> Iterator[DocumentChanges]:
        end = self.end()
        if end != cursor:
            disabled: list[Change] = [Correction("override:" + name, name) for name in self._disabled()]
            yield DocumentChanges(disabled, end, 1, 1, anew=True)

    def _disabled(self) -> list[str]:
        """Return the workflows that the overlay disables; none when it cannot be read."""
        from mi.project.overlay import Overlay

        try:
            overrides = decode_fields(read_bytes(self._overlay) or b"", Overlay).global_workflow_overrides
        except BadJson:
            return []
        return [name for name, override in overrides.items() if override.get("enabled") is False]
