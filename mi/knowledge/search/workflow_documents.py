"""Workflow files as documents, and which of them a project does without."""

from msgspec import Struct

from mi.kernel.jsontext import BadJson, decode_fields
from mi.knowledge.search.documents import Document


class _Step(Struct):
    title: str = ""
    hands_input: str = ""
    check_input: str = ""
    notes: str = ""


class _Trigger(Struct):
    pattern: str = ""


class _Source(Struct):
    reason: str = ""
    evidence_refs: list[str] = []


class _Workflow(Struct):
    id: str
    name: str = ""
    enabled: bool = True
    trigger: _Trigger | None = None
    steps: list[_Step] = []
    source: _Source | None = None
    created_ts: str = ""
    updated_ts: str = ""


class _Override(Struct):
    enabled: bool = True


class _Overlay(Struct):
    global_workflow_overrides: dict[str, _Override] = {}


def disabled(overlay: bytes) -> list[str]:
    """The workflows that an overlay disables; none when it cannot be read."""
    try:
        overrides = decode_fields(overlay, _Overlay).global_workflow_overrides
    except BadJson:
        return []
    return [name for name, override in overrides.items() if not override.enabled]


def read(data: bytes, name: str, project_id: str) -> Document | None:
    """The workflow in a file; None when it is disabled or cannot be read."""
    try:
        one = decode_fields(data, _Workflow)
    except BadJson:
        return None
    return _document(one, name, project_id) if one.enabled else None


def _document(one: _Workflow, name: str, project_id: str) -> Document:
    steps = [text for step in one.steps for text in (step.title, step.hands_input, step.check_input, step.notes)]
    said = [one.name, one.trigger.pattern if one.trigger else "", one.source.reason if one.source else "", *steps]
    return Document(
        name,
        "workflow",
        "\n".join(text for text in said if text),
        project_id,
        title=one.name,
        ts=one.updated_ts or one.created_ts,
        event_ids=tuple(one.source.evidence_refs) if one.source else (),
    )
